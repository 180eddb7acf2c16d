/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The executions of a traversable that have begun and not ended.
//!
//! The map takes part in a race that the draft describes: a tool that settles, a caller that
//! cancels, and either document going away compete to end an execution. Whoever comes first takes
//! the entry out; all later ones find nothing, which is an ordinary answer. So every begun
//! execution ends exactly once.

use indexmap::IndexMap;
use thiserror::Error;

use crate::ToolName;
use crate::id::unique_internal_value;

unique_internal_value! {
    /// <https://webmachinelearning.github.io/webmcp/#dom-modelcontext-executetool>
    ///
    /// The unique internal value of step 13 of `executeTool()`: which execution a message speaks
    /// of.
    ExecutionId
}

/// Who asked for an execution. `D` is the type of document ids; `A` tells apart what asks on behalf
/// of no document: the embedder's requests.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub enum Caller<D, A> {
    /// A document, through `executeTool()`.
    Document(D),
    /// The browser's agent.
    Agent(A),
}

/// <https://webmachinelearning.github.io/webmcp/#pending-tool-execution>
///
/// An execution that has begun. Its completion steps are what the owner of the map does with the
/// [`Caller`] that ending the execution returns.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PendingExecution<D, A> {
    /// Who asked for it and is told of its end.
    pub caller: Caller<D, A>,
    /// The document whose tool runs.
    pub target: D,
    /// The tool's name.
    pub tool_name: ToolName,
}

/// <https://webmachinelearning.github.io/webmcp/#traversable-navigable-pending-tool-executions-map>
///
/// The pending tool executions map of one traversable, in the order in which the executions began.
///
/// Messages about executions come from content processes, which may lie. So an execution is
/// completed only by its target and cancelled only by its caller, and everyone else is refused
/// without a change.
#[derive(Clone, Debug)]
pub struct PendingExecutions<D, A> {
    executions: IndexMap<ExecutionId, PendingExecution<D, A>>,
}

impl<D: PartialEq, A: PartialEq> PendingExecutions<D, A> {
    /// A map without executions.
    pub fn new() -> PendingExecutions<D, A> {
        PendingExecutions {
            executions: IndexMap::new(),
        }
    }

    /// <https://webmachinelearning.github.io/webmcp/#dom-modelcontext-executetool>
    ///
    /// Step 15.12 of `executeTool()`: an execution begins.
    ///
    /// # Errors
    ///
    /// [`AlreadyPending`] when an execution of that id has begun and not ended; it is left as it
    /// was, and nothing has begun.
    pub fn begin(
        &mut self,
        id: ExecutionId,
        execution: PendingExecution<D, A>,
    ) -> Result<(), AlreadyPending> {
        if self.executions.contains_key(&id) {
            return Err(AlreadyPending { id });
        }
        self.executions.insert(id, execution);
        Ok(())
    }

    /// <https://webmachinelearning.github.io/webmcp/#dom-modelcontext-executetool>
    ///
    /// Steps 15.10.2 and 15.10.3 of `executeTool()`: the tool settled, says the document `from`.
    /// Returns who is to be told.
    ///
    /// # Errors
    ///
    /// [`CompletionRefused::NotPending`] when the execution has ended or never began,
    /// [`CompletionRefused::NotTheTarget`] when it runs in another document, where it goes on.
    pub fn complete(
        &mut self,
        id: ExecutionId,
        from: &D,
    ) -> Result<Caller<D, A>, CompletionRefused> {
        // Step 15.10.2. Someone else may have ended the execution first.
        let execution = self
            .executions
            .get(&id)
            .ok_or(CompletionRefused::NotPending)?;
        if execution.target != *from {
            return Err(CompletionRefused::NotTheTarget);
        }

        // Step 15.10.3. Take it out.
        let execution = self
            .executions
            .shift_remove(&id)
            .ok_or(CompletionRefused::NotPending)?;
        Ok(execution.caller)
    }

    /// <https://webmachinelearning.github.io/webmcp/#cancel-a-pending-tool-execution>
    ///
    /// Steps 2 to 5: `by` does not want the result any more. Returns the execution, whose target is
    /// to be told.
    ///
    /// # Errors
    ///
    /// [`CancelRefused::NotPending`] when the execution has ended or never began,
    /// [`CancelRefused::NotTheCaller`] when another asked for it, for whom it goes on.
    pub fn cancel(
        &mut self,
        id: ExecutionId,
        by: &Caller<D, A>,
    ) -> Result<PendingExecution<D, A>, CancelRefused> {
        // Step 2. Someone else may have ended the execution first.
        // Step 3. Look at the execution.
        let execution = self.executions.get(&id).ok_or(CancelRefused::NotPending)?;
        if execution.caller != *by {
            return Err(CancelRefused::NotTheCaller);
        }

        // Step 4. Take it out.
        // Step 5. The target document is a member of what is returned.
        self.executions
            .shift_remove(&id)
            .ok_or(CancelRefused::NotPending)
    }

    /// <https://webmachinelearning.github.io/webmcp/#document-unload-cleanup-steps>
    ///
    /// Step 2 of the clean-up when a document is unloaded: `document` went away, and with it every
    /// execution that it asked for or that ran in it. Returns these in the order in which they
    /// began.
    pub fn document_gone(&mut self, document: &D) -> Vec<Ended<D, A>> {
        // Steps 2.1 and 2.2. Collect the executions that concern the document.
        // Step 2.3.5. Each is taken out here.
        self.executions
            .extract_if(.., |_, execution| execution.concerns(document))
            // Step 2.3. Say of each what is left to do.
            // Step 2.3.1. `execution` is the entry.
            .map(|(id, PendingExecution { caller, target, .. })| {
                let target_is_gone = target == *document;
                let caller_is_gone =
                    matches!(&caller, Caller::Document(caller) if caller == document);
                match (target_is_gone, caller_is_gone) {
                    // Step 2.3.2. The caller outlives the target: its call has failed.
                    (true, false) => Ended::TargetGone { id, caller },
                    // Step 2.3.3. The target outlives the caller: its tool is cancelled.
                    (false, _) => Ended::CallerGone { id, target },
                    // Step 2.3.4. Nobody is left to be told.
                    (true, true) => Ended::BothGone { id },
                }
            })
            .collect()
    }

    /// The execution of that id, if it is pending.
    pub fn get(&self, id: ExecutionId) -> Option<&PendingExecution<D, A>> {
        self.executions.get(&id)
    }

    /// The pending executions in the order in which they began.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (ExecutionId, &PendingExecution<D, A>)> {
        self.executions
            .iter()
            .map(|(&id, execution)| (id, execution))
    }

    /// How many executions are pending.
    pub fn len(&self) -> usize {
        self.executions.len()
    }

    /// Whether no execution is pending.
    pub fn is_empty(&self) -> bool {
        self.executions.is_empty()
    }
}

impl<D: PartialEq, A: PartialEq> Default for PendingExecutions<D, A> {
    fn default() -> PendingExecutions<D, A> {
        PendingExecutions::new()
    }
}

impl<D: PartialEq, A> PendingExecution<D, A> {
    fn concerns(&self, document: &D) -> bool {
        self.target == *document
            || matches!(&self.caller, Caller::Document(caller) if caller == document)
    }
}

/// An execution that ended because a document went away, and who is left to be told.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Ended<D, A> {
    /// The document that ran the tool is gone: the call of `caller` has failed.
    TargetGone {
        /// The execution.
        id: ExecutionId,
        /// Who asked for it.
        caller: Caller<D, A>,
    },
    /// The document that asked is gone: the tool in `target` is cancelled.
    CallerGone {
        /// The execution.
        id: ExecutionId,
        /// The document that runs the tool.
        target: D,
    },
    /// The document that asked and the one that ran the tool are the same, and gone.
    BothGone {
        /// The execution.
        id: ExecutionId,
    },
}

/// An execution is to begin under the id of one that is pending.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[error("execution {id} is already pending")]
pub struct AlreadyPending {
    /// The id in question.
    pub id: ExecutionId,
}

/// Why a completion is not accepted.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[non_exhaustive]
pub enum CompletionRefused {
    /// The execution has ended or never began. This is how a lost race looks.
    #[error("the execution is not pending")]
    NotPending,
    /// The execution runs in another document.
    #[error("the execution runs in another document")]
    NotTheTarget,
}

/// Why a cancellation is not accepted.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[non_exhaustive]
pub enum CancelRefused {
    /// The execution has ended or never began. This is how a lost race looks.
    #[error("the execution is not pending")]
    NotPending,
    /// Another asked for the execution.
    #[error("the execution was asked for by another")]
    NotTheCaller,
}

#[cfg(test)]
mod tests;
