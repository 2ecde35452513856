//! How big a process is: one line of `/proc/<pid>/stat` a look.

use rustix::param::{clock_ticks_per_second, page_size};
use std::fs;
use std::time::Duration;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Size {
    /// Bytes.
    pub(super) resident: u64,
    pub(super) threads: u64,
    /// CPU time in user and kernel mode.
    pub(super) cpu: Duration,
}

/// The size of process `pid`; `None` if it is gone.
pub(super) fn measure(pid: i32) -> Option<Size> {
    parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// What a fork server hands to its children.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Footprint {
    /// Resident bytes.
    pub(super) resident: u64,
    /// Bytes of private data, as `RLIMIT_DATA` counts them.
    pub(super) data: u64,
}

/// The footprint of process `pid`; zero if it is gone.
pub(super) fn footprint(pid: i32) -> Footprint {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let bytes = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(kilobytes << 10)
    };
    Footprint { resident: bytes("VmRSS:").unwrap_or(0), data: bytes("VmData:").unwrap_or(0) }
}

fn parse(stat: &str) -> Option<Size> {
    // The name in parentheses may hold anything; what follows the last one is numbers. Field 3 of
    // proc(5) comes first.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_ascii_whitespace().collect();
    let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    let ticks = number(14)?.checked_add(number(15)?)?;
    let per_second = clock_ticks_per_second();
    Some(Size {
        resident: number(24)?.checked_mul(u64::try_from(page_size()).ok()?)?,
        threads: number(20)?,
        cpu: Duration::from_millis(ticks.checked_mul(1000)?.checked_div(per_second)?),
    })
}
