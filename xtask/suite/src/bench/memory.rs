/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The memory of a browser with all its processes.

/// The sum over a process and all that it started, in MiB, of what each holds alone and its share of what it holds
/// together with others. Nothing on systems that do not tell.
#[cfg(target_os = "linux")]
pub fn of_tree(root: u32) -> Option<f64> {
    use procfs::process::{Process, all_processes};

    let processes: Vec<(i32, i32)> = all_processes()
        .ok()?
        // Some end while the list is read.
        .filter_map(|process| process.ok()?.stat().ok())
        .map(|stat| (stat.pid, stat.ppid))
        .collect();
    let bytes: u64 = tree(i32::try_from(root).ok()?, &processes)
        .into_iter()
        .filter_map(|pid| Process::new(pid).ok()?.smaps_rollup().ok())
        .flat_map(|rollup| rollup.memory_map_rollup.0)
        .filter_map(|map| map.extension.map.get("Pss").copied())
        .sum();
    (bytes > 0).then(|| bytes as f64 / f64::from(1 << 20))
}

#[cfg(not(target_os = "linux"))]
pub fn of_tree(_root: u32) -> Option<f64> {
    None
}

/// A process and all below it, of pairs of a process and the one that started it.
#[cfg(target_os = "linux")]
fn tree(root: i32, processes: &[(i32, i32)]) -> Vec<i32> {
    let mut tree = vec![root];
    let mut next = 0;
    while let Some(parent) = tree.get(next).copied() {
        next += 1;
        let children = processes
            .iter()
            .filter(|(pid, ppid)| *ppid == parent && *pid != parent)
            .map(|(pid, _)| *pid);
        tree.extend(children);
    }
    tree
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_tree_has_all_descendants_and_no_others() {
        let processes = [(1, 0), (2, 1), (3, 2), (4, 3), (5, 1), (6, 5)];
        assert_eq!(tree(2, &processes), [2, 3, 4]);
        assert_eq!(tree(6, &processes), [6]);
    }

    #[test]
    fn a_process_has_memory_and_one_that_is_gone_has_none() {
        let own = of_tree(std::process::id()).unwrap();
        assert!(own > 0.1 && own < 1e5, "{own}");
        assert_eq!(of_tree(u32::MAX), None);
    }
}
