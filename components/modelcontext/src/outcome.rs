/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! How an execution ends, as a value that goes between threads and processes.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// How an execution ended: `Some(text)` is the result text, `None` stands for the `null` of a tool
/// that navigated.
pub type ToolOutcome = Result<Option<String>, ToolFailure>;

/// Why an execution failed, in a form for programs and a form for people.
#[derive(Clone, Debug, Deserialize, Eq, Error, PartialEq, Serialize)]
#[error("{message}")]
pub struct ToolFailure {
    /// The reason.
    pub kind: ToolFailureKind,
    /// The reason in words, with what is particular about this case; this is what displaying the
    /// failure shows.
    pub message: String,
}

impl ToolFailure {
    /// A failure for `kind`, explained by `message`.
    pub fn new(kind: ToolFailureKind, message: impl Into<String>) -> ToolFailure {
        ToolFailure {
            kind,
            message: message.into(),
        }
    }
}

/// The reasons for which an execution fails.
///
/// `executeTool()` shows a page no difference between most of them (an `UnknownError`); embedders
/// and agents get the reason itself. Serialises as [`as_str`](ToolFailureKind::as_str).
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ToolFailureKind {
    /// The target document has no tool of that name or id.
    NoSuchTool,
    /// The tool is not exposed to the caller's origin.
    NotExposed,
    /// The target document is in another traversable than the caller.
    DifferentTraversable,
    /// The target is no longer of the origin that the caller expects.
    OriginMismatch,
    /// The arguments are not a JSON object, or the tool cannot be filled with them.
    InvalidInput,
    /// The callback threw, or its promise was rejected.
    CallbackThrew,
    /// What the callback gave has no JSON text.
    ResultNotSerializable,
    /// The target document went away before the tool was done.
    TargetGone,
    /// Caller or target may not use the "tools" feature.
    NotAllowed,
    /// The user, or who answers for them, did not allow the tool to run.
    Refused,
    /// The caller cancelled the execution.
    Cancelled,
}

impl ToolFailureKind {
    /// The reason as an identifier in kebab case, which is also its serialised form.
    pub fn as_str(self) -> &'static str {
        match self {
            ToolFailureKind::NoSuchTool => "no-such-tool",
            ToolFailureKind::NotExposed => "not-exposed",
            ToolFailureKind::DifferentTraversable => "different-traversable",
            ToolFailureKind::OriginMismatch => "origin-mismatch",
            ToolFailureKind::InvalidInput => "invalid-input",
            ToolFailureKind::CallbackThrew => "callback-threw",
            ToolFailureKind::ResultNotSerializable => "result-not-serializable",
            ToolFailureKind::TargetGone => "target-gone",
            ToolFailureKind::NotAllowed => "not-allowed",
            ToolFailureKind::Refused => "refused",
            ToolFailureKind::Cancelled => "cancelled",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [ToolFailureKind; 11] = [
        ToolFailureKind::NoSuchTool,
        ToolFailureKind::NotExposed,
        ToolFailureKind::DifferentTraversable,
        ToolFailureKind::OriginMismatch,
        ToolFailureKind::InvalidInput,
        ToolFailureKind::CallbackThrew,
        ToolFailureKind::ResultNotSerializable,
        ToolFailureKind::TargetGone,
        ToolFailureKind::NotAllowed,
        ToolFailureKind::Refused,
        ToolFailureKind::Cancelled,
    ];

    #[test]
    fn a_kind_is_its_identifier_on_the_wire() {
        for kind in KINDS {
            let value = serde_json::to_value(kind).unwrap();
            assert_eq!(value, kind.as_str());
            assert_eq!(
                serde_json::from_value::<ToolFailureKind>(value).unwrap(),
                kind
            );
        }
    }

    #[test]
    fn a_failure_displays_its_message() {
        let failure = ToolFailure::new(ToolFailureKind::CallbackThrew, "out of stock");
        assert_eq!(failure.to_string(), "out of stock");
    }

    #[test]
    fn an_outcome_survives_the_wire() {
        let outcomes: [ToolOutcome; 3] = [
            Ok(Some("done".to_owned())),
            Ok(None),
            Err(ToolFailure::new(
                ToolFailureKind::TargetGone,
                "the frame was removed",
            )),
        ];
        for outcome in outcomes {
            let text = serde_json::to_string(&outcome).unwrap();
            assert_eq!(serde_json::from_str::<ToolOutcome>(&text).unwrap(), outcome);
        }
    }
}
