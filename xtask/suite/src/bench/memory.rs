/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The memory of a browser with all its processes.

#[cfg(target_os = "linux")]
use std::ffi::OsStr;
#[cfg(target_os = "linux")]
use std::os::fd::OwnedFd;

#[cfg(target_os = "linux")]
use procfs::process::{Process, all_processes};
#[cfg(target_os = "linux")]
use rustix::event::{PollFd, PollFlags, Timespec, poll};
#[cfg(target_os = "linux")]
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// The variable by which processes are found again that have left the tree of the one that started them. All that
/// they start has it too.
pub const MARK: &str = "SERVO_WEBMCP_BENCH";

/// How long a process may take to end once it has to.
#[cfg(target_os = "linux")]
const KILLED_WITHIN: Timespec = Timespec {
    tv_sec: 5,
    tv_nsec: 0,
};

/// The sum over a process and all that it started, in MiB, of what each holds alone and its share of what it holds
/// together with others. Nothing on systems that do not tell.
#[cfg(target_os = "linux")]
pub fn of_tree(root: u32) -> Option<f64> {
    of_all(tree(&[i32::try_from(root).ok()?], &parents()?))
}

/// Like [`of_tree`], for all processes that have a mark, and what they started.
#[cfg(target_os = "linux")]
pub fn of_marked(mark: &str) -> Option<f64> {
    of_all(tree(&marked(mark)?, &parents()?))
}

/// Ends all processes that have a mark, and what they started, and waits until they have ended.
#[cfg(target_os = "linux")]
pub fn end_marked(mark: &str) {
    let (Some(marked), Some(parents)) = (marked(mark), parents()) else {
        return;
    };
    let processes: Vec<OwnedFd> = tree(&marked, &parents)
        .into_iter()
        .filter_map(|pid| pidfd_open(Pid::from_raw(pid)?, PidfdFlags::empty()).ok())
        .collect();
    for process in &processes {
        // It may have ended by itself.
        let _ = pidfd_send_signal(process, Signal::KILL);
    }
    for process in &processes {
        let mut ended = [PollFd::new(process, PollFlags::IN)];
        // Nothing is left to be done about one that cannot be ended.
        let _ = poll(&mut ended, Some(&KILLED_WITHIN));
    }
}

#[cfg(target_os = "linux")]
fn of_all(processes: Vec<i32>) -> Option<f64> {
    let bytes: u64 = processes
        .into_iter()
        .filter_map(|pid| Process::new(pid).ok()?.smaps_rollup().ok())
        .flat_map(|rollup| rollup.memory_map_rollup.0)
        .filter_map(|map| map.extension.map.get("Pss").copied())
        .sum();
    (bytes > 0).then(|| bytes as f64 / f64::from(1 << 20))
}

/// All processes, each with the one that started it.
#[cfg(target_os = "linux")]
fn parents() -> Option<Vec<(i32, i32)>> {
    let processes = all_processes()
        .ok()?
        // Some end while the list is read.
        .filter_map(|process| process.ok()?.stat().ok())
        .map(|stat| (stat.pid, stat.ppid));
    Some(processes.collect())
}

/// The processes that have a mark.
#[cfg(target_os = "linux")]
fn marked(mark: &str) -> Option<Vec<i32>> {
    let processes = all_processes().ok()?.filter_map(|process| {
        let process = process.ok()?;
        // Those of other users cannot be read, and are none of ours.
        let environment = process.environ().ok()?;
        let is_marked = environment.get(OsStr::new(MARK))? == OsStr::new(mark);
        is_marked.then_some(process.pid)
    });
    Some(processes.collect())
}

#[cfg(not(target_os = "linux"))]
pub fn of_tree(_root: u32) -> Option<f64> {
    None
}

#[cfg(not(target_os = "linux"))]
pub fn of_marked(_mark: &str) -> Option<f64> {
    None
}

#[cfg(not(target_os = "linux"))]
pub fn end_marked(_mark: &str) {}

/// Some processes and all below them, of pairs of a process and the one that started it.
#[cfg(target_os = "linux")]
fn tree(roots: &[i32], processes: &[(i32, i32)]) -> Vec<i32> {
    let mut tree = roots.to_vec();
    let mut next = 0;
    while let Some(parent) = tree.get(next).copied() {
        next += 1;
        for (pid, _) in processes.iter().filter(|(_, ppid)| *ppid == parent) {
            if !tree.contains(pid) {
                tree.push(*pid);
            }
        }
    }
    tree
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_tree_has_all_descendants_and_no_others() {
        let processes = [(1, 0), (2, 1), (3, 2), (4, 3), (5, 1), (6, 5)];
        assert_eq!(tree(&[2], &processes), [2, 3, 4]);
        assert_eq!(tree(&[6], &processes), [6]);
        assert_eq!(tree(&[3, 2, 5], &processes), [3, 2, 5, 4, 6]);
    }

    #[test]
    fn a_marked_process_is_found_and_ended_wherever_it_is() {
        use std::io::Read as _;
        use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
        use std::process::{Command, Stdio};

        let mark = format!("test-{}", std::process::id());
        // The shell tells when it runs; the one that it starts is marked as well.
        let mut child = Command::new("sh")
            .args(["-c", "tail -f /dev/null & echo; wait"])
            .env(MARK, &mark)
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        let pids = marked(&mark).unwrap();
        assert!(
            pids.contains(&i32::try_from(child.id()).unwrap()),
            "{pids:?}"
        );
        assert!(of_marked(&mark).unwrap() > 0.0);
        assert_eq!(of_marked("another mark"), None);
        end_marked(&mark);
        assert_eq!(child.wait().unwrap().signal(), Some(9));
    }

    #[test]
    fn a_process_has_memory_and_one_that_is_gone_has_none() {
        let own = of_tree(std::process::id()).unwrap();
        assert!(own > 0.1 && own < 1e5, "{own}");
        assert_eq!(of_tree(u32::MAX), None);
    }
}
