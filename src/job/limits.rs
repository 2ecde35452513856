//! What a job may use at most: one table, and the record of a limit that was hit.
//!
//! A new limit is a row of the table. The fields of [`Limits`], their defaults, the options of the
//! command line, and what answers say when a limit is hit come from it.

use crate::host::amount;
use std::fmt;
use std::time::Duration;

/// How the command line counts a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scale {
    /// A number of seconds above 0, perhaps with a fraction; a limit counts nanoseconds.
    Seconds,
    Millions,
    Mebibytes,
    Bytes,
    Count,
}

/// How the operator sets a limit.
pub(crate) struct LimitOption {
    /// `limit-wall`. Limits with the same name are set together.
    pub(crate) name: &'static str,
    pub(crate) scale: Scale,
    pub(crate) help: &'static str,
    /// What a job needs in any case.
    pub(crate) least: u64,
    pub(crate) get: fn(&Limits) -> u64,
    pub(crate) set: fn(&mut Limits, u64),
}

/// A type in which a limit is kept, as a number.
trait Amount {
    fn number(self) -> u64;
    fn of(number: u64) -> Self;
}

/// Makes everything of the rows. A row is the field with its default; the option with its scale,
/// help and the least that a job needs; and, if a job can hit the limit, the kind with its name,
/// unit, message and advice. Of rows with the same option, the first one gives the help.
macro_rules! limits {
    ($(
        $(#[$doc:meta])*
        $field:ident: $type:ty = $default:expr,
        $option:literal $scale:ident $help:literal, least $least:literal
        $(=> $kind:ident $name:literal $unit:literal $message:expr, $advice:literal)?
    )*) => {
        /// Limits of one job. Each defends the host against one way of using it up.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct Limits {
            /// Time a job has after its deadline to unwind and hand over what it has, before it is
            /// stopped for good.
            pub grace: Duration,
            $($(#[$doc])* pub $field: $type,)*
        }

        impl Default for Limits {
            fn default() -> Self {
                Self { grace: Duration::from_secs(1), $($field: $default,)* }
            }
        }

        /// The options of the command line that set [`Limits`].
        pub(crate) const LIMIT_OPTIONS: &[LimitOption] = &[$(LimitOption {
            name: $option,
            scale: Scale::$scale,
            help: $help,
            least: $least,
            get: |limits| limits.$field.number(),
            set: |limits, number| limits.$field = Amount::of(number),
        },)*];

        /// Which limit was hit.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum LimitKind {
            $($(
                #[doc = concat!("[`Limits::", stringify!($field), "`], in ", $unit, ".")]
                $kind,
            )?)*
        }

        impl LimitKind {
            /// The name that answers, options and documents use.
            pub fn name(self) -> &'static str {
                match self { $($(Self::$kind => $name,)?)* }
            }

            /// The operator's option that sets it.
            pub fn option(self) -> &'static str {
                match self { $($(Self::$kind => concat!("--", $option),)?)* }
            }

            /// The unit of its value, and of what was used.
            pub fn unit(self) -> &'static str {
                match self { $($(Self::$kind => $unit,)?)* }
            }

            /// What the caller or the operator can do about it.
            pub fn advice(self) -> &'static str {
                match self { $($(Self::$kind => $advice,)?)* }
            }

            fn message(self) -> fn(u64, u64) -> String {
                match self { $($(Self::$kind => $message,)?)* }
            }
        }
    };
}

limits! {
    /// Wall-clock time from the first instruction of the job, sleeping included.
    wall: Duration = Duration::from_secs(30),
    "limit-wall" Seconds "Wall time of a job that asks for none, in seconds", least 0
    => Wall "wall" "ms"
       |used, limit| format!(
           "time limit reached: {} of {} s wall time", seconds(used), seconds(limit)
       ),
       "do less in one call, or pass a longer `timeout`"

    /// CPU time (native runtime; the WASI runtime counts fuel).
    cpu: Duration = Duration::from_mins(1),
    "limit-cpu" Seconds "CPU time of a native job, in seconds", least 0
    => Cpu "cpu" "ms"
       |used, limit| format!(
           "CPU limit reached: {} of {} s CPU time", seconds(used), seconds(limit)
       ),
       "do less in one call; the operator can raise `--limit-cpu`"

    /// Units of the guest's meter: at most one for each WebAssembly instruction (WASI runtime).
    fuel: u64 = 200_000_000_000,
    "limit-fuel" Millions "Instructions of a WASI job, in millions", least 0
    => Fuel "fuel" "instructions"
       |used, limit| format!("fuel limit reached: {used} of {limit} instructions"),
       "use a cheaper algorithm or split the work; the operator can raise `--limit-fuel`"

    /// Memory in bytes: the guest's linear memory, or the resident size of the native process
    /// group.
    memory: u64 = 1 << 30,
    "limit-memory" Mebibytes "Memory of a job, in MiB", least 1
    => Memory "memory" "bytes"
       memory_message, "work in smaller pieces; the operator can raise `--limit-memory`"

    /// Bytes that a job may write to stdout before it is stopped; protects the host's time, not its
    /// memory.
    stdout: u64 = 64 << 20,
    "limit-output" Mebibytes
    "Bytes that a job may print to stdout, and to stderr, before it is stopped, in MiB", least 1
    => Stdout "stdout" "bytes"
       |used, limit| format!("output limit reached: {used} of {limit} bytes written to stdout"),
       "print less, or write to a file"

    /// Bytes that a job may write to stderr before it is stopped.
    stderr: u64 = 64 << 20,
    "limit-output" Mebibytes "", least 1
    => Stderr "stderr" "bytes"
       |used, limit| format!("output limit reached: {used} of {limit} bytes written to stderr"),
       "print less, or write to a file"

    /// Bytes of all files that a job may hold.
    file_bytes: u64 = 64 << 20,
    "limit-file-bytes" Mebibytes "Bytes of all files that a job may hold, in MiB", least 1
    => Files "files" "bytes"
       |used, limit| format!("file limit reached: {used} of {limit} bytes"),
       "write less; the operator can raise `--limit-file-bytes`"

    /// Number of files and directories that a job may hold.
    files: u64 = 2_000,
    "limit-files" Count "Files and directories that a job may hold", least 0
    => FileCount "file-count" "files"
       |_, limit| format!("file limit reached: more than {limit} files and directories"),
       "write fewer files; the operator can raise `--limit-files`"

    /// Descriptors that a job may have open. The least are those of the standard streams, the
    /// working directory, and what an import needs.
    open_files: u64 = 256,
    "limit-open-files" Count "Descriptors that a job may have open", least 16

    /// Threads of a native job, its main thread included.
    threads: u64 = 32,
    "limit-threads" Count "Threads of a native job", least 1
    => Threads "threads" "threads"
       |used, limit| format!("thread limit reached: {used} of {}", amount(limit, "thread")),
       "start fewer threads"

    /// Bytes of stdout, and of stderr, that are kept for the answer (head and tail).
    shown: usize = 20_000,
    "limit-shown" Bytes
    "Bytes of printed text that an answer shows; the middle of longer text is left out", least 0

    /// Images taken from a job.
    images: usize = 20,
    "limit-images" Count "Images that are taken from a job", least 0

    /// Bytes of raw image data that are taken from a job; the answer says what is left out.
    image_bytes: usize = 16 << 20,
    "limit-image-bytes" Mebibytes
    "Bytes of images, as the job made them, that are taken from it, in MiB", least 0
}

impl Amount for u64 {
    fn number(self) -> u64 {
        self
    }

    fn of(number: u64) -> Self {
        number
    }
}

impl Amount for usize {
    fn number(self) -> u64 {
        self as u64
    }

    fn of(number: u64) -> Self {
        Self::try_from(number).unwrap_or(Self::MAX)
    }
}

impl Amount for Duration {
    fn number(self) -> u64 {
        u64::try_from(self.as_nanos()).unwrap_or(u64::MAX)
    }

    fn of(number: u64) -> Self {
        Self::from_nanos(number)
    }
}

impl LimitKind {
    /// `Err` if a job has `used` more than `limit`, both in [`LimitKind::unit`]s.
    pub(crate) fn check(self, limit: u64, used: u64) -> Result<(), LimitHit> {
        if used > limit { Err(LimitHit { kind: self, limit, used }) } else { Ok(()) }
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
        f.write_str(&self.kind.message()(self.used, self.limit))
    }
}

/// Memory is refused before it is used: what a job asked for is not known, only what it had.
fn memory_message(used: u64, limit: u64) -> String {
    let [used_mib, limit_mib] = [used, limit].map(|bytes| bytes.div_ceil(1 << 20));
    if used < limit {
        format!(
            "memory limit reached: {used_mib} MiB in use, and more asked for than is left of \
             {limit_mib} MiB"
        )
    } else {
        format!("memory limit reached: {used_mib} of {limit_mib} MiB")
    }
}

/// Whole milliseconds, in which limits of time are given.
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
