//! Processes of this machine, as `/proc` shows them.

use std::fs;
use std::path::Path;

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

/// The nice values of the threads of a process; none if it is gone.
pub fn nice_values(pid: u32) -> Vec<i32> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let read = |task: fs::DirEntry| {
        let stat = fs::read_to_string(task.path().join("stat")).ok()?;
        // The nineteenth of proc_pid_stat(5).
        stat.rsplit_once(") ")?.1.split_ascii_whitespace().nth(16)?.parse().ok()
    };
    tasks.filter_map(read).collect()
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

/// What a server holds.
#[derive(Debug, Clone, Copy)]
pub struct Held {
    /// Of its own: pages of the artefact that sessions read are counted in `resident_kib` only, and
    /// the kernel takes them back when it likes.
    pub private_kib: u64,
    pub resident_kib: u64,
    pub descriptors: usize,
    pub processes: usize,
    pub files: usize,
}

pub fn held(pid: u32) -> Held {
    let list = |path: &str| fs::read_dir(path).map_or(0, Iterator::count);
    let start = format!("mcp-python-sandbox-{pid}-");
    let mut entries = fs::read_dir(std::env::temp_dir()).expect("temporary files").flatten();
    let folder = entries.find(|entry| entry.file_name().to_string_lossy().starts_with(&start));
    Held {
        private_kib: private_kib(pid),
        resident_kib: resident(pid) >> 10,
        descriptors: list(&format!("/proc/{pid}/fd")),
        processes: descendants_of(pid).len(),
        files: folder.map_or(0, |folder| below(&folder.path())),
    }
}

fn private_kib(pid: u32) -> u64 {
    let rollup =
        fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).expect("the process is there");
    let line = rollup.lines().find_map(|line| line.strip_prefix("Anonymous:")).expect("its size");
    line.trim().trim_end_matches("kB").trim().parse().expect("a number")
}

fn below(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| 1 + if entry.path().is_dir() { below(&entry.path()) } else { 0 }).sum()
}
