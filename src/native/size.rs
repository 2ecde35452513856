//! How big a process is: two small files of `/proc/<pid>` a look.

use crate::host::let_give_way;
use crate::job::resources;
use rustix::io::Errno;
use rustix::param::clock_ticks_per_second;
use std::fs;
use std::time::{Duration, Instant};
use std::{io, mem};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) memory: Memory,
    pub(super) threads: u64,
    /// CPU time in user and kernel mode.
    pub(super) cpu: Duration,
}

/// Memory of a process, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Memory {
    /// What it alone keeps in memory or in swap: its own and shared anonymous pages, and the tables
    /// of pages. Mapped files are not in it: the kernel can drop them.
    pub(super) kept: u64,
    /// Private data, as `RLIMIT_DATA` counts it.
    pub(super) data: u64,
    /// Address space, as `RLIMIT_AS` counts it.
    pub(super) mapped: u64,
}

/// How long a process may show nothing of its use before it is taken for one that goes on unseen:
/// while it exits, its last threads are still there and its memory is not.
const EXIT_PATIENCE: Duration = Duration::from_millis(500);

/// Looks at one process again and again.
#[derive(Debug, Default)]
pub(super) struct Sight {
    /// Since when nothing is seen.
    blind: Option<Instant>,
    /// Whether the process gives way to others.
    gives_way: bool,
}

impl Sight {
    /// The size of process `pid`; `None` if it is gone or about to be.
    ///
    /// # Errors
    /// It is there and cannot be read: whoever watches it is blind.
    pub(super) fn look(&mut self, pid: i32) -> io::Result<Option<Size>> {
        match look(pid) {
            Err(error) => {
                let since = *self.blind.get_or_insert_with(Instant::now);
                if since.elapsed() > EXIT_PATIENCE { Err(error) } else { Ok(None) }
            }
            seen => {
                self.blind = None;
                if let Ok(Some(size)) = &seen
                    && size.cpu >= Duration::from_millis(resources::PROMPT_MS)
                    && !mem::replace(&mut self.gives_way, true)
                {
                    let_give_way(pid);
                }
                seen
            }
        }
    }
}

/// The size of process `pid`; `None` if it is gone or about to be.
fn look(pid: i32) -> io::Result<Option<Size>> {
    let Some(stat) = read(pid, "stat")? else { return Ok(None) };
    let Some(status) = read(pid, "status")? else { return Ok(None) };
    let blind = || io::Error::from(io::ErrorKind::InvalidData);
    let (threads, cpu) = times(&stat).ok_or_else(blind)?;
    match memory(&status) {
        Some(memory) => Ok(Some(Size { memory, threads, cpu })),
        // It has given its memory back: it ends.
        None if threads <= 1 => Ok(None),
        // Its first thread has ended, the others go on, and the kernel shows nothing of them.
        None => Err(blind()),
    }
}

/// The size of process `pid` for those who only report it; `None` if it cannot be had.
pub(super) fn measure(pid: i32) -> Option<Size> {
    look(pid).ok().flatten()
}

/// Bytes of memory that the machine has left; `None` if the kernel does not say.
pub(super) fn available() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kibibytes << 10)
}

/// The content of a file of `/proc/<pid>`; `None` if the process is gone. A job chooses its name,
/// which need not be UTF-8.
fn read(pid: i32, name: &str) -> io::Result<Option<Vec<u8>>> {
    match fs::read(format!("/proc/{pid}/{name}")) {
        Ok(content) => Ok(Some(content)),
        Err(error) if is_gone(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether reading in `/proc/<pid>` failed because there is no such process any more.
pub(super) fn is_gone(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
        || error.raw_os_error() == Some(Errno::SRCH.raw_os_error())
}

/// Threads and CPU time, from `stat`.
fn times(stat: &[u8]) -> Option<(u64, Duration)> {
    // The name in parentheses may hold anything; what follows the last one is numbers. Field 3 of
    // proc(5) comes first.
    let end = stat.iter().rposition(|&byte| byte == b')')?;
    let numbers = str::from_utf8(&stat[end + 1..]).ok()?;
    let fields: Vec<&str> = numbers.split_ascii_whitespace().collect();
    let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    let ticks = number(14)?.checked_add(number(15)?)?;
    let per_second = clock_ticks_per_second();
    let cpu = Duration::from_millis(ticks.checked_mul(1000)?.checked_div(per_second)?);
    Some((number(20)?, cpu))
}

/// From `status`; `None` if the process has no memory any more. A newline in its name is escaped
/// there, so it cannot pretend to be one of these lines.
fn memory(status: &[u8]) -> Option<Memory> {
    let status = String::from_utf8_lossy(status);
    let bytes = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(kilobytes << 10)
    };
    let kept = ["RssAnon:", "RssShmem:", "VmPTE:", "VmSwap:"].map(bytes);
    Some(Memory {
        // A kernel without swap has no line for it.
        kept: kept[0]? + kept[1]? + kept[2]? + kept[3].unwrap_or(0),
        data: bytes("VmData:")?,
        mapped: bytes("VmSize:")?,
    })
}
