/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `getTools()` in one document: what it lists, in which order, and with which members.

use engine_tests::{Browser, Suite, tests};
use serde_json::json;

pub fn add_to(suite: &mut Suite) {
    suite.add(tests![
        tools_are_listed_in_code_unit_order,
        a_tool_is_listed_from_the_turn_of_its_registration_on,
        an_entry_has_the_members_of_its_tool,
        what_a_tool_was_not_given_is_left_out,
        window_and_origin_are_those_of_the_document,
        titles_are_scalar_values,
        annotations_are_booleans,
        a_schema_comes_back_as_a_fresh_object,
        a_schema_that_is_no_object_in_json_is_left_out,
        the_options_are_optional,
        a_thousand_tools_are_listed,
    ]);
}

fn tools_are_listed_in_code_unit_order(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let lists = page.run(
        "const controller = new AbortController();
         await Promise.all([
             register('c'), register('b', () => {}, { signal: controller.signal }), register('a'),
             register('B'), register('a-1'), register('a1'), register('a_1'), register('a.1'), register('10'),
             register('9'),
         ]);
         const before = await listed();
         controller.abort();
         return [before, await listed()];",
    );
    assert_eq!(
        lists,
        json!([
            ["10", "9", "B", "a", "a-1", "a.1", "a1", "a_1", "b", "c"],
            ["10", "9", "B", "a", "a-1", "a.1", "a1", "a_1", "c"],
        ])
    );
}

fn a_tool_is_listed_from_the_turn_of_its_registration_on(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let lists = page.run(
        "const controller = new AbortController();
         const before = listed();
         register('greet', () => {}, { signal: controller.signal }).catch(() => {});
         const during = listed();
         controller.abort();
         const after = listed();
         return Promise.all([before, during, after]);",
    );
    assert_eq!(lists, json!([[], ["greet"], []]));
}

fn an_entry_has_the_members_of_its_tool(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let entry = page.run(
        "await register('greet', () => {}, {
             title: 'Greet',
             description: 'Greets whom you name.',
             inputSchema: { type: 'object', properties: { name: { type: 'string' } } },
             annotations: { readOnlyHint: true, debugging: true },
         });
         const { window: itsWindow, ...entry } = await findTool('greet');
         return { ...entry, isWindow: itsWindow === window };",
    );
    assert_eq!(
        entry,
        json!({
            "name": "greet",
            "title": "Greet",
            "description": "Greets whom you name.",
            "inputSchema": {
                "type": "object",
                "properties": { "name": { "type": "string" } },
            },
            "annotations": {
                "readOnlyHint": true,
                "untrustedContentHint": false,
                "consequentialHint": false,
                "debugging": true,
            },
            "origin": "https://a.test",
            "isWindow": true,
        })
    );
}

fn what_a_tool_was_not_given_is_left_out(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "await register('greet');
         const tool = await findTool('greet');
         return [Object.keys(tool).sort(), tool.title];",
    );
    assert_eq!(
        facts,
        json!([["description", "name", "origin", "title", "window"], ""])
    );
}

fn window_and_origin_are_those_of_the_document(browser: &Browser) {
    let page = browser.open("https://a.test:8443/?query");
    let facts = page.run(
        "await register('greet');
         const tool = await findTool('greet');
         return [tool.window === window, tool.window === self, tool.origin];",
    );
    assert_eq!(facts, json!([true, true, "https://a.test:8443"]));
}

fn titles_are_scalar_values(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let title = page.run(
        r"await register('greet', () => {}, { title: 'a\ud800b😀' });
         return (await findTool('greet')).title;",
    );
    assert_eq!(title, json!("a\u{fffd}b😀"));
}

fn annotations_are_booleans(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let annotations = page.run(
        "await register('empty', () => {}, { annotations: {} });
         await register('truthy', () => {}, {
             annotations: {
                 readOnlyHint: 'true', untrustedContentHint: 1, consequentialHint: {}, debugging: [],
                 unknownHint: true,
             },
         });
         await register('falsy', () => {}, {
             annotations: { readOnlyHint: '', untrustedContentHint: 0, consequentialHint: null },
         });
         const tools = await document.modelContext.getTools();
         return tools.map(tool => tool.annotations);",
    );
    let all = |value: bool| {
        json!({
            "readOnlyHint": value,
            "untrustedContentHint": value,
            "consequentialHint": value,
            "debugging": value,
        })
    };
    assert_eq!(annotations, json!([all(false), all(false), all(true)]));
}

fn a_schema_comes_back_as_a_fresh_object(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "const inputSchema = { type: 'object', required: ['a', 'ü'], nested: { n: [1, null, 1.5] } };
         await register('greet', () => {}, { inputSchema });
         const text = JSON.stringify(inputSchema);
         inputSchema.type = 'changed afterwards';
         const first = (await findTool('greet')).inputSchema;
         first.nested.n.push('changed by a reader');
         const second = (await findTool('greet')).inputSchema;
         return [
             first !== inputSchema,
             first !== second,
             first instanceof Object,
             JSON.stringify(second) === text,
         ];",
    );
    assert_eq!(facts, json!([true, true, true, true]));
}

fn a_schema_that_is_no_object_in_json_is_left_out(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "const texts = ['text', 7, true, null];
         for (const [index, text] of texts.entries()) {
             await register(`tool${index}`, () => {}, { inputSchema: { toJSON: () => text } });
         }
         await register('array', () => {}, { inputSchema: [1] });
         const tools = await document.modelContext.getTools();
         return tools.map(tool => 'inputSchema' in tool ? tool.inputSchema : 'none');",
    );
    assert_eq!(facts, json!([[1], "none", "none", "none", "none"]));
}

fn the_options_are_optional(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let lists = page.run(
        "await register('greet');
         return Promise.all([
             listed(), listed(undefined), listed(null), listed({}), listed({ fromOrigins: [] }),
             listed({ fromOrigins: ['https://b.test'] }),
             ending(listed(7)), ending(listed({ fromOrigins: 7 })),
         ]);",
    );
    let list = json!(["greet"]);
    assert_eq!(
        lists,
        json!([list, list, list, list, list, list, "TypeError", "TypeError"])
    );
}

fn a_thousand_tools_are_listed(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "const names = Array.from({ length: 1000 }, (_, index) => `tool${index}`);
         await Promise.all(names.map(name => register(name)));
         const tools = await listed();
         return [tools.length, JSON.stringify(tools) === JSON.stringify(names.sort())];",
    );
    assert_eq!(facts, json!([1000, true]));
}
