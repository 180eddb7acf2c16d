/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The processes that run pages with `--multiprocess`: the engine starts this same program with an argument of its own.

use std::ffi::OsString;
use std::panic;

/// The argument, which users do not see.
const ARGUMENT: &str = "--content-process";

/// The token that follows the argument, if this is such a process.
pub fn token(arguments: impl Iterator<Item = OsString>) -> Option<String> {
    let mut arguments = arguments.skip(1);
    if arguments.next()? != ARGUMENT {
        return None;
    }
    arguments.next()?.into_string().ok()
}

/// Runs pages until the process that started this one is done with them.
pub fn run(token: String) {
    end_with_parent();
    // The engine hears of a crash through what is logged.
    panic::set_hook(Box::new(|info| log::error!("{info}")));
    servo::run_content_process(token);
}

/// A page in an endless loop must not outlive its browser.
#[cfg(target_os = "linux")]
fn end_with_parent() {
    // If it fails, the process still ends when the engine tells it to.
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
}

#[cfg(not(target_os = "linux"))]
fn end_with_parent() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_argument_makes_a_content_process() {
        let token_of = |arguments: &[&str]| token(arguments.iter().map(OsString::from));
        assert_eq!(
            token_of(&["webmcp", "--content-process", "abc"]),
            Some("abc".to_owned())
        );
        assert_eq!(token_of(&["webmcp", "--content-process"]), None);
        assert_eq!(
            token_of(&["webmcp", "eval", "--content-process", "abc"]),
            None
        );
        assert_eq!(token_of(&["webmcp"]), None);
    }
}
