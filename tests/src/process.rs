/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The content processes of multiprocess mode.

use std::collections::HashSet;
use std::fs;

use rustix::process::{Pid, Signal, getpid, kill_process};

/// The content processes of this process that are running.
pub fn content_processes() -> HashSet<Pid> {
    let processes = fs::read_dir("/proc").expect("Linux has it");
    processes
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter_map(Pid::from_raw)
        .filter(|pid| is_content_process(*pid).unwrap_or(false))
        .collect()
}

/// Whether a process is a running child of this one and has been started as a content process. `None` if it has gone.
fn is_content_process(pid: Pid) -> Option<bool> {
    let pid = pid.as_raw_nonzero();
    let arguments = fs::read_to_string(format!("/proc/{pid}/cmdline")).ok()?;
    if !arguments
        .split('\0')
        .any(|argument| argument == crate::suite::CONTENT_PROCESS)
    {
        return Some(false);
    }
    // The fields after the name, which stands in parentheses, are the state and the parent.
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace();
    let is_running = fields.next()? != "Z";
    let parent: i32 = fields.next()?.parse().ok()?;
    Some(is_running && Pid::from_raw(parent) == Some(getpid()))
}

/// End a content process the hard way.
pub fn kill(pid: Pid) {
    kill_process(pid, Signal::KILL).expect("The process is a child of this one");
}
