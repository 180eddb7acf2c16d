/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! WebMCP on the real engine: one module for each subject, one process for each test.
//!
//! The names say what must be so. Where the standard leaves a choice, `docs/spec-status.md` has it.

mod abort;
mod agent_cluster;
mod all_methods;
mod cleanup;
mod embedder_api;
mod events;
mod execute_tool;
mod forged_messages;
mod frames;
mod get_tools;
mod guide;
mod modules;
#[cfg(target_os = "linux")]
mod multiprocess;
mod ordering;
mod permissions_policy;
mod register_tool;
mod results;
mod stock;

use std::process::ExitCode;

use engine_tests::Suite;

fn main() -> ExitCode {
    let mut suite = Suite::default();
    register_tool::add_to(&mut suite);
    get_tools::add_to(&mut suite);
    execute_tool::add_to(&mut suite);
    results::add_to(&mut suite);
    abort::add_to(&mut suite);
    events::add_to(&mut suite);
    frames::add_to(&mut suite);
    permissions_policy::add_to(&mut suite);
    agent_cluster::add_to(&mut suite);
    ordering::add_to(&mut suite);
    cleanup::add_to(&mut suite);
    embedder_api::add_to(&mut suite);
    #[cfg(target_os = "linux")]
    multiprocess::add_to(&mut suite);
    forged_messages::add_to(&mut suite);
    stock::add_to(&mut suite);
    guide::add_to(&mut suite);
    modules::add_to(&mut suite);
    suite.run()
}
