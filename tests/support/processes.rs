//! Processes of this machine, as `/proc` shows them.

use std::fs;

/// Processes whose parent is `parent`.
pub fn children_of(parent: u32) -> Vec<u32> {
    let entries = fs::read_dir("/proc").expect("/proc");
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|pid| parent_of(*pid) == Some(parent)).collect()
}

/// Processes that descend from `pid`.
pub fn descendants_of(pid: u32) -> Vec<u32> {
    let children = children_of(pid);
    let below: Vec<u32> = children.iter().copied().flat_map(descendants_of).collect();
    [children, below].concat()
}

/// Resident bytes of a process that is there.
pub fn resident(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("the process is there");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its size");
    line.trim().trim_end_matches("kB").trim().parse::<u64>().expect("a number") << 10
}

fn parent_of(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?.parse().ok()
}
