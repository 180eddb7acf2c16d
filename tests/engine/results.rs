/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What becomes of a tool's result on its way to the caller.

use engine_tests::{Browser, Options, Suite, tests};
use serde_json::json;

pub fn add_to(suite: &mut Suite) {
    suite.add(tests![
        a_string_comes_back_as_it_is,
        other_values_come_back_as_json,
        objects_are_serialised_as_json_stringify_does,
        a_value_without_json_text_is_an_unknown_error,
        a_result_that_throws_while_serialised_is_an_unknown_error,
        a_promise_is_awaited,
        lone_surrogates_do_no_harm,
        an_odd_result_leaves_the_page_working,
    ]);
    suite.add_with(
        Options {
            preferences: |preferences| {
                preferences.dom_modelcontext_json_string_results_enabled = true;
            },
            ..Options::default()
        },
        tests![a_string_is_json_if_that_is_preferred],
    );
}

/// Registers a tool for each of some expressions, runs it, and gives the results or the names of the errors.
fn results(browser: &Browser, expressions: &[&str]) -> serde_json::Value {
    let page = browser.open("https://a.test/");
    let functions: Vec<String> = expressions
        .iter()
        .map(|expression| format!("() => ({expression})"))
        .collect();
    page.run(&format!(
        "const results = [];
         for (const [index, execute] of [{}].entries()) {{
             await register(`tool${{index}}`, execute);
             results.push(await call(`tool${{index}}`).catch(error => ({{ error: error.name }})));
         }}
         return results;",
        functions.join(", ")
    ))
}

fn a_string_comes_back_as_it_is(browser: &Browser) {
    let results = results(
        browser,
        &[
            "''",
            "'text'",
            "'\"quoted\"'",
            "'{\"json\": 1}'",
            r"'a\u0000b\n\u2028'",
            "'ü😀'",
            "String(7)",
        ],
    );
    assert_eq!(
        results,
        json!([
            "",
            "text",
            "\"quoted\"",
            "{\"json\": 1}",
            "a\u{0}b\n\u{2028}",
            "ü😀",
            "7"
        ])
    );
}

fn other_values_come_back_as_json(browser: &Browser) {
    let results = results(
        browser,
        &[
            "7",
            "-0",
            "1.5",
            "1e21",
            "NaN",
            "Infinity",
            "true",
            "false",
            "null",
            "[]",
            "{}",
            "[1, 'two', null]",
        ],
    );
    assert_eq!(
        results,
        json!([
            "7",
            "0",
            "1.5",
            "1e+21",
            "null",
            "null",
            "true",
            "false",
            "null",
            "[]",
            "{}",
            "[1,\"two\",null]"
        ])
    );
}

fn objects_are_serialised_as_json_stringify_does(browser: &Browser) {
    let results = results(
        browser,
        &[
            "{ a: undefined, b: () => {}, c: Symbol(), d: [undefined, () => {}, Symbol()], e: NaN }",
            "{ toJSON: key => ({ key }) }",
            "{ toJSON: () => 'text' }",
            "{ toJSON: () => 7 }",
            "new Date(0)",
            "new Map([[1, 2]])",
            "new String('boxed')",
            "new (class { #private = 1; public = 2; static s = 3; })()",
            "Object.create(null)",
            "{ b: 1, a: 2, 1: 3 }",
        ],
    );
    assert_eq!(
        results,
        json!([
            r#"{"d":[null,null,null],"e":null}"#,
            r#"{"key":""}"#,
            r#""text""#,
            "7",
            r#""1970-01-01T00:00:00.000Z""#,
            "{}",
            r#""boxed""#,
            r#"{"public":2}"#,
            "{}",
            r#"{"1":3,"b":1,"a":2}"#,
        ])
    );
}

fn a_value_without_json_text_is_an_unknown_error(browser: &Browser) {
    let expressions = [
        "undefined",
        "Symbol('s')",
        "Symbol.iterator",
        "() => {}",
        "class {}",
        "1n",
        "{ big: 1n }",
        "(() => { const a = []; a.push(a); return a; })()",
        "{ toJSON() {} }",
        "{ toJSON: () => Symbol() }",
    ];
    assert_eq!(
        results(browser, &expressions),
        json!(vec![json!({ "error": "UnknownError" }); expressions.len()])
    );
}

fn a_result_that_throws_while_serialised_is_an_unknown_error(browser: &Browser) {
    let expressions = [
        "{ get a() { throw new Error(); } }",
        "{ toJSON() { throw new Error(); } }",
        "{ toJSON() { throw undefined; } }",
        "{ toJSON() { throw { toString() { throw 1; } }; } }",
        "new Proxy({}, { ownKeys() { throw 1; } })",
        "(() => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return [proxy]; })()",
    ];
    assert_eq!(
        results(browser, &expressions),
        json!(vec![json!({ "error": "UnknownError" }); expressions.len()])
    );
}

fn a_promise_is_awaited(browser: &Browser) {
    let results = results(
        browser,
        &[
            "Promise.resolve('a')",
            "Promise.resolve(Promise.resolve({ b: 1 }))",
            "{ then(resolve) { resolve('c'); } }",
            "new Promise(resolve => setTimeout(() => resolve('d')))",
            "Promise.reject(new Error())",
            "[Promise.resolve('e')]",
        ],
    );
    assert_eq!(
        results,
        json!(["a", "{\"b\":1}", "c", "d", { "error": "UnknownError" }, "[{}]"])
    );
}

fn lone_surrogates_do_no_harm(browser: &Browser) {
    // The engine's strings are Unicode: what is none is replaced, as in all its APIs.
    let results = results(
        browser,
        &[
            r"'a\ud800b'",
            r"'\udc00'",
            r"['\ud800']",
            r"{ '\udfff': 1 }",
        ],
    );
    assert_eq!(
        results,
        json!(["a\u{fffd}b", "\u{fffd}", r#"["\ud800"]"#, r#"{"\udfff":1}"#])
    );
}

fn an_odd_result_leaves_the_page_working(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let facts = page.run(
        "await register('deep', () => {
             let value = [];
             for (let depth = 0; depth < 1e6; ++depth) {
                 value = [value];
             }
             return value;
         });
         await register('cuts', () => ({ toJSON() { document.body.replaceChildren(); return 'cut'; } }));
         await register('registers', () => ({ toJSON() { register('late'); return 'registered'; } }));
         await addFrame();
         return [
             await ending(call('deep')), await call('cuts'), await call('registers'), await call('late'),
         ];",
    );
    assert_eq!(
        facts,
        json!(["UnknownError", "\"cut\"", "\"registered\"", "done"])
    );
}

fn a_string_is_json_if_that_is_preferred(browser: &Browser) {
    let results = results(
        browser,
        &["'text'", r#"'"quoted"'"#, "7", "{}", "undefined"],
    );
    assert_eq!(
        results,
        json!([
            r#""text""#,
            r#""\"quoted\"""#,
            "7",
            "{}",
            { "error": "UnknownError" }
        ])
    );
}
