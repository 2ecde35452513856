//! What a job can use up, and who keeps it from doing so: one table, and the bounds that are no
//! limit of the operator's. What enforces a bound takes it from here; `doctor` tries them, and
//! `SECURITY.md` shows them.

use super::Limits;
use std::fmt;
use std::time::Duration;

/// How often the watcher of a native job looks at its memory, threads and files.
pub(crate) const LOOK: Duration = Duration::from_millis(20);
/// How often it looks at files that grow.
pub(crate) const LOOK_AT_GROWTH: Duration = Duration::from_millis(5);
/// Milliseconds of processor time after which a native job gives way to those that have had less.
pub(crate) const PROMPT_MS: u64 = 200;
/// Bytes of a native job's first stack.
pub(crate) const STACK: u64 = 64 << 20;
/// Signals that a native job may have queued.
pub(crate) const SIGNALS: u64 = 128;
/// Locks that a native job may hold in folders that it shares.
pub(crate) const LOCKS: usize = 100_000;
/// Bytes of one message from a native job's process to the server: a reason in words.
pub(crate) const MESSAGE: usize = 8 << 10;
/// Bytes of one report of the bootstrap: a traceback and a few notes.
pub(crate) const REPORT: usize = 4 << 20;
/// Bytes of all reports of a job; the bootstrap sends one or two.
pub(crate) const REPORTS: usize = 16 << 20;
/// Items of a list in a report; the bootstrap sends fewer.
pub(crate) const NOTES: usize = 1_000;
/// Bytes of stdout that are kept beyond what is shown.
pub(crate) const WHOLE: usize = 4 << 20;
/// Characters of a file's path, or of a title, in an answer.
pub(crate) const NAME: usize = 160;
/// Files that an answer names in its text; more of them are in its data.
pub(crate) const NAMED: usize = 20;
/// Pixels beyond which an image is not decoded: a small file may declare any size.
pub(crate) const PIXELS: u64 = 64_000_000;
/// Bytes of one job through the proxy, in both directions and over all of its connections.
pub(crate) const TRAFFIC: u64 = 256 << 20;
/// Connections of one job at once.
pub(crate) const CONNECTIONS: usize = 32;

/// Address space of a native job, in bytes, beside what it was forked with. Tables for all of it
/// take one part in 512.
pub(crate) fn address_space(limits: &Limits) -> u64 {
    (16 << 30) + limits.memory.saturating_mul(4)
}

/// Private memory of a native job that the kernel gives, in bytes, beside what it was forked with.
/// A margin is left, so that excess is a `MemoryError` in the job before the watcher ends it.
pub(crate) fn private_memory(limits: &Limits) -> u64 {
    // What it needs in any case to be able to say anything.
    const LEAST: u64 = 16 << 20;
    limits.memory.saturating_sub(limits.memory / 16).max(LEAST)
}

/// Bytes of all frames of a job, in which images and reports come, whatever becomes of them:
/// images that are left out cost work, too.
pub(crate) fn frames(limits: &Limits) -> u64 {
    limits.stdout.saturating_add(4 * limits.image_bytes as u64)
}

/// Who enforces a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Enforcer {
    /// A limit of the process, at once.
    Kernel,
    /// The seccomp filter or Landlock: there is none to be had.
    Filter,
    /// The watcher of a native job, at its next look.
    Watcher,
    /// The server, as it arrives.
    Server,
    /// The engine of the WASI runtime, at once.
    Engine,
}

impl fmt::Display for Enforcer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Kernel => "kernel",
            Self::Filter => "filter",
            Self::Watcher => "watcher",
            Self::Server => "server",
            Self::Engine => "engine",
        })
    }
}

/// How much there is of a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    /// None.
    Refused,
    /// Bytes.
    Bytes(u64),
    /// A number of things.
    Count(u64),
    /// A time.
    Time(Duration),
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Refused => f.write_str("none"),
            Self::Count(count) => write!(f, "{count}"),
            Self::Time(time) => write!(f, "{} s", time.as_secs_f64()),
            Self::Bytes(bytes) if bytes >= 1 << 30 => write!(f, "{} GiB", bytes >> 30),
            Self::Bytes(bytes) if bytes >= 1 << 20 => write!(f, "{} MiB", bytes >> 20),
            Self::Bytes(bytes) => write!(f, "{bytes} bytes"),
        }
    }
}

/// Something that a job can use up.
pub(crate) struct ResourceRow {
    /// What it is.
    pub(crate) name: &'static str,
    /// Who keeps the job within the bound; in a native job, unless it says WASI.
    pub(crate) by: &'static [Enforcer],
    /// How much one job may have.
    pub(crate) bound: fn(&Limits) -> Bound,
    /// What happens to a job that wants more.
    pub(crate) edge: &'static str,
    /// How far beyond the bound a job was seen to come, on two busy processors.
    pub(crate) overshoot: &'static str,
}

impl ResourceRow {
    /// Who enforces it, with commas between.
    pub(crate) fn enforcers(&self) -> String {
        let by: Vec<_> = self.by.iter().map(ToString::to_string).collect();
        by.join(", ")
    }
}

impl fmt::Debug for ResourceRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResourceRow").field("name", &self.name).finish_non_exhaustive()
    }
}

const fn row(
    name: &'static str,
    by: &'static [Enforcer],
    bound: fn(&Limits) -> Bound,
    edge: &'static str,
    overshoot: &'static str,
) -> ResourceRow {
    ResourceRow { name, by, bound, edge, overshoot }
}

use Bound::{Bytes, Count, Refused, Time};
use Enforcer::{Engine, Filter, Kernel, Server, Watcher};

/// All of them.
#[rustfmt::skip]
pub(crate) const RESOURCES: &[ResourceRow] = &[
    row("private memory", &[Kernel], |l| Bytes(private_memory(l)), "`MemoryError`",
        "pages of the fork server that the job changes"),
    row("all memory, page tables and swap among it", &[Watcher], |l| Bytes(l.memory),
        "ends with `memory`", "none: what the kernel gives is less"),
    row("shared memory without a file", &[Filter], |_| Refused, "`PermissionError`", "none"),
    row("locked memory, huge pages, growing stacks", &[Filter], |_| Refused, "`PermissionError`",
        "none"),
    row("address space", &[Kernel], |l| Bytes(address_space(l)), "`MemoryError`",
        "none; its page tables take 1/512"),
    row("first stack", &[Kernel], |_| Bytes(STACK), "crashes", "none"),
    row("open files, pipes, sockets", &[Kernel], |l| Count(l.open_files), "`OSError`",
        "none; each holds up to 208 KiB in the kernel"),
    row("descriptors in flight", &[Filter], |_| Refused, "`PermissionError`", "none"),
    row("bytes of one file", &[Kernel], |l| Bytes(l.file_bytes), "`OSError`", "none"),
    row("bytes of all files, nameless ones among them", &[Watcher], |l| Bytes(l.file_bytes),
        "ends with `files`", "12 MiB; 25 MiB in files that are only mapped"),
    row("names of files and directories", &[Watcher], |l| Count(l.files), "ends with `file-count`",
        "5800 hard links, by four threads"),
    row("devices, FIFOs, sockets in directories", &[Filter], |_| Refused, "`PermissionError`",
        "none"),
    row("locks in folders mounted with `:rw`", &[Server], |_| Count(LOCKS as u64), "`OSError`",
        "none"),
    row("threads", &[Watcher], |l| Count(l.threads), "ends with `threads`", "59"),
    row("processes", &[Filter], |_| Refused, "`PermissionError`", "none"),
    row("queued signals", &[Kernel], |_| Count(SIGNALS), "signals are lost", "none"),
    row("processor time", &[Kernel, Watcher], |l| Time(l.cpu), "ends with `cpu`",
        "20 ms for each thread"),
    row("wall time", &[Server], |l| Time(l.wall), "ends with `wall`", "1 s to unwind"),
    row("connections through the proxy", &[Server], |_| Count(CONNECTIONS as u64), "wait", "none"),
    row("bytes through the proxy", &[Server], |_| Bytes(TRAFFIC), "connections end", "32 KiB"),
    row("WASI: memory", &[Engine], |l| Bytes(l.memory), "`MemoryError`", "none"),
    row("WASI: instructions", &[Engine], |l| Count(l.fuel), "ends with `fuel`", "1 ms of work"),
    row("WASI: bytes of all files", &[Engine], |l| Bytes(l.file_bytes), "`OSError`", "none"),
    row("printed bytes, of each stream", &[Server], |l| Bytes(l.stdout), "ends with `stdout`",
        "1 MiB"),
    row("printed bytes that are kept", &[Server], |_| Bytes(WHOLE as u64), "the rest is dropped",
        "none"),
    row("images", &[Server], |l| Count(l.images as u64), "left out, and a note says so", "none"),
    row("bytes of images", &[Server], |l| Bytes(l.image_bytes as u64),
        "left out, and a note says so", "none"),
    row("pixels of an image", &[Server], |_| Count(PIXELS), "not decoded", "none"),
    row("bytes of a report", &[Server], |_| Bytes(REPORT as u64), "dropped", "none"),
    row("bytes of all reports", &[Server], |_| Bytes(REPORTS as u64), "ends with `stdout`",
        "1 MiB"),
    row("bytes of all frames of images and reports", &[Server], |l| Bytes(frames(l)),
        "ends with `stdout`", "1 MiB"),
    row("bytes of a message from a job's process", &[Server], |_| Bytes(MESSAGE as u64),
        "ends its process", "none"),
    row("notes, and items of other lists", &[Server], |_| Count(NOTES as u64), "dropped", "none"),
    row("characters of a file's name in an answer", &[Server], |_| Count(NAME as u64), "shortened",
        "none"),
    row("files named in an answer", &[Server], |_| Count(NAMED as u64), "counted", "none"),
];

#[cfg(test)]
#[path = "../../tests/unit/job_resources.rs"]
mod tests;
