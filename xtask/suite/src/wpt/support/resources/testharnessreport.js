/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

// Takes the place of the file of the same name in a checkout of web-platform-tests: keeps the results for whoever
// drives the browser.

window.__webmcp_wpt_results = new Promise(resolve => {
  add_completion_callback((tests, harness) => {
    resolve({
      status: harness.status,
      message: harness.message,
      tests: tests.map(({name, status, message}) => ({name, status, message})),
    });
  });
});

// The list on the page is for people; nobody looks. The engine may be one that is not optimised, on a machine that has
// other work: see `Timeout::duration` in manifest.rs.
setup({output: false, timeout_multiplier: 3});
