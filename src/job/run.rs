//! How one run of a job ended, and what it used and wrote.

use super::LimitHit;
use std::time::Duration;

/// How the runtime saw the job end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunEnd {
    /// Python returned, with the exit code that `python main.py` would have had.
    Returned(i32),
    /// A limit ended it.
    Limit(LimitHit),
    /// It died: a trap in the guest, or a signal (`SIGSEGV`).
    Crashed(String),
    /// The caller withdrew it, or the server is leaving.
    Cancelled,
}

/// What a job used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Wall time of the job itself.
    pub wall: Duration,
    /// Fuel burnt (WASI runtime).
    pub fuel: Option<u64>,
    /// CPU time (native runtime).
    pub cpu: Option<Duration>,
    /// Largest linear memory or resident size, in bytes.
    pub peak_memory: Option<u64>,
}

/// A file that the job wrote, relative to the working directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputFile {
    /// Relative path with `/` between its parts.
    pub path: String,
    /// Size in bytes.
    pub size: u64,
}

/// What a runtime saw of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRecord {
    /// The end as the host saw it. A job that was asked to unwind and did has returned.
    pub end: RunEnd,
    /// The limit for which the job was asked to unwind.
    pub asked: Option<LimitHit>,
    /// The memory limit, if the host refused memory (WASI runtime).
    pub refused: Option<LimitHit>,
    /// The innermost Python frames of a job that was stopped before it could name them.
    pub at: Option<String>,
    /// What it used.
    pub usage: Usage,
    /// Files that it wrote.
    pub files: Vec<OutputFile>,
    /// Whether the runtime confined the job. False only with `--native unconfined`.
    pub confined: bool,
    /// Whether the interpreter can run again.
    pub alive: bool,
}
