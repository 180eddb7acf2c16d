/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What the engine tests stand on: a real Servo without a display, whose pages come from the test instead of a network.
//!
//! A test is a function that is given a [`Browser`]. It says with a [`Site`] what every address answers, opens a
//! [`Page`] and drives it, mostly by script:
//!
//! ```ignore
//! fn a_registered_tool_is_listed(browser: &Browser) {
//!     let page = browser.open("https://a.test/");
//!     page.run("await register('greet')");
//!     assert_eq!(page.run("return await listed()"), json!(["greet"]));
//! }
//! ```
//!
//! [`Suite`] gives each test a process of its own, because the options of Servo are set once in a process. Nothing here
//! sleeps: [`Browser::wait_until`] blocks until Servo has something to do. To show that something does *not* happen, let
//! a round trip follow that would have been overtaken by it.
//!
//! Script finds helpers in every page that this crate serves; see `harness.js`.

mod browser;
mod delegate;
pub mod forger;
mod page;
#[cfg(target_os = "linux")]
pub mod process;
mod site;
pub mod streaming;
mod suite;
mod waker;

pub use browser::Browser;
pub use delegate::ExecutionStep;
pub use page::{Call, Frame, Page};
pub use site::{Resource, Site};
pub use suite::{Mode, NamedTest, Options, Suite};
