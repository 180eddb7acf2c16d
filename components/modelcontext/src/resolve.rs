/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Finding the tool that a caller wants to run.

use crate::{ToolDefinition, ToolFailureKind, ToolMap, tool_is_exposed_to_an_origin};

/// <https://webmachinelearning.github.io/webmcp/#dom-modelcontext-executetool>
///
/// Steps 15.2 to 15.9 of `executeTool()`: the tool `tool_name` among `tools`, which belong to a
/// target document of `target_origin`, for a caller of `caller_origin` that expects to find the
/// target at `expected_origin`.
///
/// That both documents are in one traversable (step 15.1) is for the caller of this function to see
/// to; its failure is [`ToolFailureKind::DifferentTraversable`].
///
/// # Errors
///
/// In this order: [`OriginMismatch`](ToolFailureKind::OriginMismatch) when another document has
/// taken the place of the expected one, [`NoSuchTool`](ToolFailureKind::NoSuchTool),
/// [`NotExposed`](ToolFailureKind::NotExposed). The page API makes an `UnknownError` of each.
pub fn resolve_target<'a, O: PartialEq>(
    target_origin: &O,
    expected_origin: &O,
    caller_origin: &O,
    tools: &'a ToolMap<O>,
    tool_name: &str,
) -> Result<&'a ToolDefinition<O>, ToolFailureKind> {
    // Steps 15.2 and 15.3. `target_origin` and `caller_origin` are the two origins.

    // Step 15.4. The target must still be of the origin that the tool was listed with.
    if target_origin != expected_origin {
        return Err(ToolFailureKind::OriginMismatch);
    }

    // Steps 15.5 and 15.6. `tools` and `tool_name` are the map and the name.

    // Steps 15.7 and 15.8. The tool must still be registered.
    let definition = tools.get(tool_name).ok_or(ToolFailureKind::NoSuchTool)?;

    // Step 15.9. The caller must be one of those it is exposed to.
    if !tool_is_exposed_to_an_origin(target_origin, &definition.exposed_origins, caller_origin) {
        return Err(ToolFailureKind::NotExposed);
    }

    Ok(definition)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::tool_map;

    /// Resolves `name` in a document of `target` with the tools "open" (exposed to "caller") and
    /// "own".
    fn resolve(
        target: &str,
        expected: &str,
        caller: &str,
        name: &str,
    ) -> Result<String, ToolFailureKind> {
        let tools = tool_map(&[("open", &["caller"]), ("own", &[])]);
        resolve_target(&target, &expected, &caller, &tools, name)
            .map(|definition| definition.name.to_string())
    }

    #[test]
    fn a_tool_of_ones_own_origin_is_found() {
        assert_eq!(resolve("a", "a", "a", "own"), Ok("own".to_owned()));
    }

    #[test]
    fn an_exposed_tool_of_another_origin_is_found() {
        assert_eq!(resolve("a", "a", "caller", "open"), Ok("open".to_owned()));
    }

    #[test]
    fn a_target_of_another_origin_than_expected_is_refused() {
        assert_eq!(
            resolve("a", "b", "a", "own"),
            Err(ToolFailureKind::OriginMismatch)
        );
    }

    #[test]
    fn a_name_that_is_not_registered_is_refused() {
        assert_eq!(
            resolve("a", "a", "a", "other"),
            Err(ToolFailureKind::NoSuchTool)
        );
        assert_eq!(
            resolve("a", "a", "a", "not a name"),
            Err(ToolFailureKind::NoSuchTool)
        );
    }

    #[test]
    fn a_tool_that_is_not_exposed_to_the_caller_is_refused() {
        assert_eq!(
            resolve("a", "a", "caller", "own"),
            Err(ToolFailureKind::NotExposed)
        );
        assert_eq!(
            resolve("a", "a", "stranger", "open"),
            Err(ToolFailureKind::NotExposed)
        );
    }

    #[test]
    fn the_first_reason_is_given() {
        assert_eq!(
            resolve("a", "b", "stranger", "other"),
            Err(ToolFailureKind::OriginMismatch)
        );
        assert_eq!(
            resolve("a", "a", "stranger", "other"),
            Err(ToolFailureKind::NoSuchTool)
        );
    }
}
