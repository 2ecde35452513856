//! What a job may use at most: one struct, its defaults in one place, and the record of a limit
//! that was hit.

use std::fmt;
use std::time::Duration;

/// Limits of one job. Each defends the host against one way of using it up.
///
/// Defaults ([`Limits::DEFAULT`]): 30 s wall, 60 s of CPU, 200 G fuel, 1 GiB memory, 64 MiB of
/// printed output of which 20 kB are shown, 16 MiB of raw image data in at most 20 images, 64 MiB
/// in at most 2 000 files, 64 open files, 32 threads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Wall-clock time from the first instruction of the job, sleeping included.
    pub wall: Duration,
    /// Time a job has after its deadline to unwind and hand over what it has, before it is stopped
    /// for good.
    pub grace: Duration,
    /// CPU time (native runtime; the WASI runtime counts fuel).
    pub cpu: Duration,
    /// Units of the guest's meter: at most one for each WebAssembly instruction (WASI runtime).
    pub fuel: u64,
    /// Memory in bytes: the guest's linear memory, or the resident size of the native process
    /// group.
    pub memory: u64,
    /// Bytes of stdout, and of stderr, that are kept for the answer (head and tail).
    pub shown: usize,
    /// Bytes that a job may write to stdout before it is stopped; protects the host's time, not its
    /// memory.
    pub stdout: u64,
    /// Bytes that a job may write to stderr before it is stopped.
    pub stderr: u64,
    /// Bytes of raw image data that are taken from a job; what is over it is dropped and said.
    pub image_bytes: usize,
    /// Images taken from a job.
    pub images: usize,
    /// Bytes of all files that a job may hold.
    pub file_bytes: u64,
    /// Number of files and directories that a job may hold.
    pub files: u64,
    /// Descriptors that a job may have open.
    pub open_files: u64,
    /// Threads of a native job, its main thread included.
    pub threads: u64,
}

impl Limits {
    /// What holds for a job where the operator has said nothing else.
    pub const DEFAULT: Self = Self {
        wall: Duration::from_secs(30),
        grace: Duration::from_secs(1),
        cpu: Duration::from_mins(1),
        fuel: 200_000_000_000,
        memory: 1 << 30,
        shown: 20_000,
        stdout: 64 << 20,
        stderr: 64 << 20,
        image_bytes: 16 << 20,
        images: 20,
        file_bytes: 64 << 20,
        files: 2_000,
        open_files: 64,
        threads: 32,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Which limit was hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitKind {
    /// [`Limits::wall`], in milliseconds.
    Wall,
    /// [`Limits::cpu`], in milliseconds.
    Cpu,
    /// [`Limits::fuel`], in units.
    Fuel,
    /// [`Limits::memory`], in bytes.
    Memory,
    /// [`Limits::stdout`], in bytes.
    Stdout,
    /// [`Limits::stderr`], in bytes.
    Stderr,
    /// [`Limits::file_bytes`], in bytes.
    Files,
    /// [`Limits::files`], a count.
    FileCount,
    /// [`Limits::threads`], a count.
    Threads,
}

impl LimitKind {
    /// The name that answers, options and documents use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wall => "wall",
            Self::Cpu => "cpu",
            Self::Fuel => "fuel",
            Self::Memory => "memory",
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
            Self::Files => "files",
            Self::FileCount => "file-count",
            Self::Threads => "threads",
        }
    }

    /// The operator's option that sets it.
    pub fn option(self) -> &'static str {
        match self {
            Self::Wall => "--limit-wall",
            Self::Cpu => "--limit-cpu",
            Self::Fuel => "--limit-fuel",
            Self::Memory => "--limit-memory",
            Self::Stdout | Self::Stderr => "--limit-output",
            Self::Files => "--limit-file-bytes",
            Self::FileCount => "--limit-files",
            Self::Threads => "--limit-threads",
        }
    }

    /// The unit of its value, and of what was used.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Wall | Self::Cpu => "ms",
            Self::Fuel => "instructions",
            Self::Memory | Self::Stdout | Self::Stderr | Self::Files => "bytes",
            Self::FileCount => "files",
            Self::Threads => "threads",
        }
    }

    /// What the caller or the operator can do about it.
    pub fn advice(self) -> &'static str {
        match self {
            Self::Wall => "do less in one call, or pass a longer `timeout`",
            Self::Cpu => "do less in one call; the operator can raise `--limit-cpu`",
            Self::Fuel => {
                "use a cheaper algorithm or split the work; the operator can raise `--limit-fuel`"
            }
            Self::Memory => "work in smaller pieces; the operator can raise `--limit-memory`",
            Self::Stdout | Self::Stderr => "print less, or write to a file",
            Self::Files => "write less; the operator can raise `--limit-file-bytes`",
            Self::FileCount => "write fewer files; the operator can raise `--limit-files`",
            Self::Threads => "start fewer threads",
        }
    }
}

/// A limit that ended a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitHit {
    /// Which one.
    pub kind: LimitKind,
    /// Its value, in [`LimitKind::unit`]s.
    pub limit: u64,
    /// What the job had used when it was stopped, in the same unit.
    pub used: u64,
}

impl fmt::Display for LimitHit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, limit, used } = *self;
        match kind {
            LimitKind::Wall => {
                write!(f, "time limit reached: {} of {} s wall time", seconds(used), seconds(limit))
            }
            LimitKind::Cpu => {
                write!(f, "CPU limit reached: {} of {} s CPU time", seconds(used), seconds(limit))
            }
            LimitKind::Fuel => write!(f, "fuel limit reached: {used} of {limit} instructions"),
            // Refused at once: what was asked for is not known, only what there was.
            LimitKind::Memory if used < limit => {
                write!(
                    f,
                    "memory limit reached: {} MiB in use, and more asked for than is left of {} MiB",
                    mebibytes(used),
                    mebibytes(limit)
                )
            }
            LimitKind::Memory => {
                write!(f, "memory limit reached: {} of {} MiB", mebibytes(used), mebibytes(limit))
            }
            LimitKind::Stdout | LimitKind::Stderr => {
                write!(
                    f,
                    "output limit reached: {used} of {limit} bytes written to {}",
                    kind.name()
                )
            }
            LimitKind::Files => write!(f, "file limit reached: {used} of {limit} bytes"),
            LimitKind::FileCount => {
                write!(f, "file limit reached: more than {limit} files and directories")
            }
            LimitKind::Threads => write!(f, "thread limit reached: {used} of {limit} threads"),
        }
    }
}

/// Whole milliseconds, in which limits of time are told.
pub(crate) fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn seconds(ms: u64) -> String {
    if ms.is_multiple_of(1000) {
        (ms / 1000).to_string()
    } else {
        format!("{}.{}", ms / 1000, ms % 1000 / 100)
    }
}

fn mebibytes(bytes: u64) -> u64 {
    bytes.div_ceil(1 << 20)
}
