//! How big a process is: one line of `/proc/<pid>/stat` a look.

use rustix::io::Errno;
use rustix::param::{clock_ticks_per_second, page_size};
use std::fs;
use std::io;
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
///
/// # Errors
/// It is there and cannot be read: whoever watches it is blind.
pub(super) fn look(pid: i32) -> io::Result<Option<Size>> {
    // A job chooses its name, which need not be UTF-8.
    match fs::read(format!("/proc/{pid}/stat")) {
        Ok(stat) => parse(&stat).map(Some).ok_or_else(|| io::ErrorKind::InvalidData.into()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.raw_os_error() == Some(Errno::SRCH.raw_os_error()) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The size of process `pid` for those who only report it; `None` if it cannot be had.
pub(super) fn measure(pid: i32) -> Option<Size> {
    look(pid).ok().flatten()
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
    let status = fs::read(format!("/proc/{pid}/status")).unwrap_or_default();
    let status = String::from_utf8_lossy(&status);
    let bytes = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(kilobytes << 10)
    };
    Footprint { resident: bytes("VmRSS:").unwrap_or(0), data: bytes("VmData:").unwrap_or(0) }
}

fn parse(stat: &[u8]) -> Option<Size> {
    // The name in parentheses may hold anything; what follows the last one is numbers. Field 3 of
    // proc(5) comes first.
    let end = stat.iter().rposition(|&byte| byte == b')')?;
    let numbers = str::from_utf8(&stat[end + 1..]).ok()?;
    let fields: Vec<&str> = numbers.split_ascii_whitespace().collect();
    let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    let ticks = number(14)?.checked_add(number(15)?)?;
    let per_second = clock_ticks_per_second();
    Some(Size {
        resident: number(24)?.checked_mul(u64::try_from(page_size()).ok()?)?,
        threads: number(20)?,
        cpu: Duration::from_millis(ticks.checked_mul(1000)?.checked_div(per_second)?),
    })
}
