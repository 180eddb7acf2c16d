/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What a module throws, as its page hears of it.

use engine_tests::{Browser, Suite, tests};
use serde_json::json;

pub fn add_to(suite: &mut Suite) {
    suite.add(tests![
        a_module_with_a_top_level_await_reports_what_it_throws,
        a_module_that_throws_at_once_reports_it_once,
    ]);
}

/// `add` adds a module. `errors` has the texts of the errors that the window is told of, and `finished` is done with the
/// one that says "last".
const MODULES: &str = "
    const errors = [];
    const finished = Promise.withResolvers();
    addEventListener('error', event => {
        errors.push(event.error instanceof Error ? event.error.message : String(event.message));
        if (event.error?.message === 'last') {
            finished.resolve();
        }
    });
    const add = text => {
        const script = document.createElement('script');
        script.type = 'module';
        script.text = text;
        document.body.append(script);
    };
";

fn a_module_with_a_top_level_await_reports_what_it_throws(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let errors = page.run(&format!(
        "{MODULES}
         globalThis.waits = Promise.withResolvers();
         globalThis.gate = Promise.withResolvers();
         add(`waits.resolve(); await gate.promise; throw new Error('after the await')`);
         await waits.promise;
         const before = errors.length;
         gate.resolve();
         add(`await null; await null; throw new Error('last')`);
         await finished.promise;
         return [before, errors];"
    ));
    assert_eq!(errors, json!([0, ["after the await", "last"]]));
}

fn a_module_that_throws_at_once_reports_it_once(browser: &Browser) {
    let page = browser.open("https://a.test/");
    let errors = page.run(&format!(
        "{MODULES}
         add(`throw new Error('at once')`);
         add(`throw new Error('last')`);
         await finished.promise;
         return errors;"
    ));
    assert_eq!(errors, json!(["at once", "last"]));
}
