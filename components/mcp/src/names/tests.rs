/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Which names tools have, by what else is registered.

use modelcontext::ToolId;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use super::*;

const A: &str = "https://a.example";
const B: &str = "https://b.example";

fn tool(origin: &str, frame: &[usize], name: &str) -> Arc<PageTool> {
    Arc::new(PageTool {
        id: ToolId::new(),
        name: name.to_owned(),
        title: String::new(),
        description: "Finds".to_owned(),
        input_schema: None,
        annotations: None,
        origin: origin.to_owned(),
        url: "https://page.example/".parse().unwrap(),
        frame: frame.to_vec(),
    })
}

#[track_caller]
fn check(names: &mut ToolNames, tools: &[(&str, &[usize], &str)], expected: &[&str]) {
    let tools = tools
        .iter()
        .map(|(origin, frame, name)| tool(origin, frame, name))
        .collect::<Vec<_>>();
    let named = names.assign(&tools);
    let (got, same): (Vec<_>, Vec<_>) = named.into_iter().unzip();
    assert_eq!(got, expected);
    assert_eq!(same, tools, "the tools and their order stay");
}

#[test]
fn a_tool_has_the_name_that_the_page_gave_it() {
    check(
        &mut ToolNames::default(),
        &[(A, &[], "search_products"), (A, &[], "Add-to.cart2")],
        &["search_products", "Add-to.cart2"],
    );
    check(&mut ToolNames::default(), &[], &[]);
}

#[test]
fn tools_of_other_frames_get_a_number() {
    check(
        &mut ToolNames::default(),
        &[(A, &[], "search"), (A, &[0], "search"), (B, &[1], "search")],
        &["search", "search_2", "search_3"],
    );
}

#[test]
fn a_number_takes_nobodys_own_name() {
    check(
        &mut ToolNames::default(),
        &[
            (A, &[], "search"),
            (B, &[0], "search"),
            (B, &[0], "search_2"),
            (B, &[1], "search_2"),
        ],
        &["search", "search_3", "search_2", "search_2_2"],
    );
}

#[test]
fn a_numbered_name_is_cut_to_fit() {
    let long = "n".repeat(128);
    check(
        &mut ToolNames::default(),
        &[(A, &[], &long), (A, &[0], &long)],
        &[&long, &format!("{}_2", "n".repeat(126))],
    );
}

#[test]
fn a_tool_keeps_its_name_whatever_comes_and_goes() {
    let mut names = ToolNames::default();
    check(&mut names, &[(B, &[0], "search")], &["search"]);
    let both: [(&str, &[usize], &str); 2] = [(A, &[], "search"), (B, &[0], "search")];
    check(&mut names, &both, &["search_2", "search"]);
    check(&mut names, &[(A, &[], "search")], &["search_2"]);
    check(&mut names, &both, &["search_2", "search"]);
}

#[test]
fn the_name_of_an_unregistered_tool_waits_for_it() {
    let mut names = ToolNames::default();
    check(&mut names, &[(A, &[], "search")], &["search"]);
    check(&mut names, &[(B, &[0], "search")], &["search_2"]);
    check(
        &mut names,
        &[(A, &[], "search"), (B, &[0], "search")],
        &["search", "search_2"],
    );
}

#[test]
fn a_document_of_another_origin_frees_the_names_of_the_one_before() {
    let mut names = ToolNames::default();
    check(
        &mut names,
        &[(A, &[], "search"), (A, &[], "buy")],
        &["search", "buy"],
    );
    check(
        &mut names,
        &[(B, &[], "search"), (B, &[0], "buy")],
        &["search", "buy"],
    );
}

#[test]
fn all_names_are_free_after_the_page_was_left() {
    let mut names = ToolNames::default();
    check(&mut names, &[(A, &[], "search")], &["search"]);
    names.clear();
    check(&mut names, &[(B, &[0], "search")], &["search"]);
}

#[test]
fn no_tool_poses_as_one_of_the_browser() {
    let long = format!("browser_{}", "n".repeat(120));
    check(
        &mut ToolNames::default(),
        &[
            (A, &[], "browser_navigate"),
            (A, &[], "BROWSER_navigate"),
            (A, &[], "page_browser_navigate"),
            (A, &[], "browser"),
            (A, &[], &long),
        ],
        &[
            "page_browser_navigate_2",
            "page_BROWSER_navigate",
            "page_browser_navigate",
            "browser",
            &format!("page_browser_{}", "n".repeat(115)),
        ],
    );
}

#[test]
fn what_is_no_name_is_made_one() {
    check(
        &mut ToolNames::default(),
        &[(A, &[], ""), (A, &[], "só/ là"), (A, &[], &"é".repeat(200))],
        &["tool", "s___l_", &"_".repeat(128)],
    );
}

#[test]
fn tools_that_cannot_be_told_apart_have_names_of_their_own() {
    check(
        &mut ToolNames::default(),
        &[(A, &[], "search"), (A, &[], "search")],
        &["search", "search_2"],
    );
}

#[test]
fn the_tools_that_were_unregistered_longest_ago_are_forgotten() {
    let mut names = ToolNames::default();
    let mut all = vec![tool(A, &[], "first"), tool(A, &[], "second")];
    names.assign(&all);
    // The first one stays registered, and the second one waits together with just as many as are remembered.
    all.truncate(1);
    let others = (0..REMEMBERED).map(|index| tool(A, &[], &format!("other{index}")));
    all.extend(others);
    names.assign(&all);
    assert_eq!(names.named.len(), REMEMBERED + 2);
    all.truncate(1);
    names.assign(&all);
    assert_eq!(names.named.len(), REMEMBERED + 1);
    assert_eq!(names.taken.len(), REMEMBERED + 1);
    check(
        &mut names,
        &[(B, &[0], "first"), (B, &[0], "second"), (B, &[0], "other0")],
        &["first_2", "second", "other0_2"],
    );
}

#[test]
fn of_tools_unregistered_together_those_named_first_are_forgotten() {
    let mut names = ToolNames::default();
    let all = (0..REMEMBERED + 2)
        .map(|index| tool(A, &[], &format!("tool{index}")))
        .collect::<Vec<_>>();
    names.assign(&all);
    names.assign(&[]);
    assert_eq!(names.named.len(), REMEMBERED);
    check(
        &mut names,
        &[(B, &[0], "tool0"), (B, &[0], "tool1"), (B, &[0], "tool2")],
        &["tool0", "tool1", "tool2_2"],
    );
}

fn any_tools() -> impl Strategy<Value = Vec<Arc<PageTool>>> {
    let frames: [&[usize]; 3] = [&[], &[0], &[0, 1]];
    let mut all = Vec::new();
    for frame in frames {
        for name in ["a", "a_2", "a_3", "browser_a", "page_browser_a", "BROWSER_"] {
            all.push(tool(A, frame, name));
        }
    }
    let length = all.len();
    subsequence(all, 0..=length).prop_shuffle()
}

proptest! {
    #[test]
    fn names_are_valid_and_unique_and_stay(lists in vec(any_tools(), 1..8)) {
        let mut names = ToolNames::default();
        let mut before = HashMap::new();
        for tools in lists {
            let named = names.assign(&tools);
            prop_assert_eq!(named.len(), tools.len());
            let unique = named.iter().map(|(name, _)| name).collect::<HashSet<_>>();
            prop_assert_eq!(unique.len(), tools.len());
            for ((name, tool), given) in named.iter().zip(&tools) {
                prop_assert!(Arc::ptr_eq(tool, given));
                prop_assert!(!name.to_ascii_lowercase().starts_with(PREFIX));
                let first = before.entry(tool.id).or_insert_with(|| name.clone());
                prop_assert_eq!(first, name);
            }
        }
    }

    #[test]
    fn any_text_becomes_a_name(
        text in any::<String>(),
        start in select(vec!["", PREFIX]),
        clashes in 1_usize..12,
    ) {
        let name = format!("{start}{text}");
        let tools = (0..clashes).map(|frame| tool(A, &[frame], &name)).collect::<Vec<_>>();
        let named = ToolNames::default().assign(&tools);
        for (name, _) in &named {
            prop_assert!((1..=LENGTH).contains(&name.len()));
            prop_assert!(
                name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
            );
            prop_assert!(!name.starts_with(PREFIX));
        }
        let unique = named.iter().map(|(name, _)| name).collect::<HashSet<_>>();
        prop_assert_eq!(unique.len(), clashes);
    }
}
