/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

use ::modelcontext::{ExecutionId, ToolId, ToolName};
use js::realm::CurrentRealm;
use js::rust::HandleValue;

use crate::dom::bindings::root::Dom;
use crate::dom::modelcontext::ModelContext;

/// The abort algorithms of WebMCP. Signals keep their algorithms after a registration or call has come to its end;
/// each of these does nothing then.
#[derive(Clone, JSTraceable, MallocSizeOf)]
#[cfg_attr(crown, crown::unrooted_must_root_lint::must_root)]
pub(crate) enum ModelContextAbortAlgorithm {
    /// <https://webmachinelearning.github.io/webmcp/#dom-modelcontext-registertool>
    Unregister(
        Dom<ModelContext>,
        #[no_trace]
        #[ignore_malloc_size_of = "Defined in modelcontext"]
        ToolId,
        #[no_trace]
        #[ignore_malloc_size_of = "Defined in modelcontext"]
        ToolName,
    ),
    /// <https://webmachinelearning.github.io/webmcp/#dom-modelcontext-executetool>
    Cancel(
        Dom<ModelContext>,
        #[no_trace]
        #[ignore_malloc_size_of = "Defined in modelcontext"]
        ExecutionId,
    ),
}

impl ModelContextAbortAlgorithm {
    /// Run the algorithm, with the abort reason of its signal.
    pub(crate) fn run(&self, cx: &mut CurrentRealm, reason: HandleValue) {
        match self {
            ModelContextAbortAlgorithm::Unregister(context, tool, name) => {
                context.registration_aborted(cx, *tool, name, reason)
            }
            ModelContextAbortAlgorithm::Cancel(context, execution) => {
                context.call_aborted(cx, *execution, reason)
            }
        }
    }
}
