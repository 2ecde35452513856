//! The options that every command has, with their defaults.

use super::resolve::{Mistake, mebibytes, seconds};
use crate::job::{LIMIT_OPTIONS, LimitOption, Limits, Scale};
use crate::native;
use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches, ValueEnum, value_parser};
use std::path::PathBuf;
use std::time::Duration;

/// On or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// Yes.
    On,
    /// No.
    Off,
}

/// Whether and how the native runtime runs jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum NativeMode {
    /// Confined by Landlock and seccomp; off where the kernel cannot do that.
    On,
    /// Never.
    Off,
    /// Without walls of its own: only where a container confines the whole server. Every result
    /// says so.
    Unconfined,
}

/// Options that hold for every command.
#[derive(Debug, Args)]
pub struct Options {
    /// Folder of the Python guest (`python.wasm.gz`, `lib/`).
    #[arg(long, value_name = "DIR")]
    pub artefact: Option<PathBuf>,
    /// Whether code that needs numpy, pandas and the like may run in the native venv.
    #[arg(long, value_enum, default_value_t = NativeMode::On)]
    pub native: NativeMode,
    /// The native venv.
    #[arg(long, value_name = "DIR")]
    pub venv: Option<PathBuf>,
    /// Folder of pure-Python wheels, modules and packages that jobs of the WASI runtime may import.
    #[arg(long, value_name = "DIR")]
    pub packages: Option<PathBuf>,
    /// Modules that are imported once, in advance, for all native jobs.
    #[arg(long, value_name = "MODULES", value_delimiter = ',', default_value = native::PRELOAD)]
    pub preload: Vec<String>,
    /// BLAS and OpenMP threads of a native job; more than one makes some libraries hang.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub threads: u16,
    /// Give the memory of the preloaded modules back after this time without a native job, in
    /// seconds; 0 keeps it.
    #[arg(long, value_name = "SECONDS", default_value_t = native::IDLE.as_secs())]
    pub native_idle: u64,
    /// Let native jobs reach this host by HTTP and HTTPS, through a proxy of this server; may be
    /// given several times. HOST is a name or `*.name`; without PORT 443 and 80 are open. Private
    /// addresses never are. Needs Linux 6.7.
    #[arg(long, value_name = "HOST[:PORT]", value_delimiter = ',')]
    pub allow_host: Vec<String>,
    /// For tests: `--allow-host` may name hosts on loopback addresses.
    #[arg(long, hide = true)]
    pub test_allow_loopback: bool,
    /// For tests: act as on a kernel with this Landlock ABI; 0 has none.
    #[arg(long, value_name = "ABI", hide = true)]
    pub test_landlock_abi: Option<u8>,
    /// Longest wall time that a call may ask for, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 55.0)]
    pub max_timeout: f64,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Bytes of a request, the files that it brings included, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 16)]
    pub limit_request: u64,
    /// Bytes that the images of one answer may have together, less three quarters of its characters
    /// of text; larger ones are recoded, scaled, or left out. By default 27000 if they are readable
    /// with it, or else 108000.
    #[arg(long, value_name = "BYTES")]
    pub image_budget: Option<usize>,
    /// Whether each figure comes with a text that says what it shows, for models that cannot see.
    #[arg(long, value_enum, default_value_t = Switch::On)]
    pub figure_text: Switch,
    /// Jobs that run at the same time; 0 means four per processor.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub concurrency: usize,
    /// Jobs that may wait for a place.
    #[arg(long, value_name = "N", default_value_t = 4096)]
    pub queue: usize,
    /// Interpreters of each runtime that are made before their call comes.
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = value_parser!(u8).range(..=16))]
    pub spares: u8,
    /// A folder of this host that jobs may read, or with `:rw` also change; can be given several
    /// times.
    #[arg(long = "mount", value_name = "HOST:GUEST[:rw]", value_delimiter = ',')]
    pub mounts: Vec<String>,
    /// Sessions that one client may keep at the same time; 0 switches them off.
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub sessions: usize,
    /// A session ends after this time without a call, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 1800.0)]
    pub session_idle: f64,
    /// A session ends this long after it began, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 28_800.0)]
    pub session_life: f64,
    /// Memory that all sessions may hold together between their calls, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 2048)]
    pub session_memory: u64,
    /// Background jobs of one client at the same time, at most one fewer than it may run; 0
    /// switches them off.
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub background: usize,
    /// Longest wall time of a background job, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 600.0)]
    pub background_timeout: f64,
    /// Files of calls without a session that can be read as resources for a while, in MiB; 0 keeps
    /// none.
    #[arg(long, value_name = "MIB", default_value_t = 128)]
    pub keep_files: u64,
    /// How long they can be read, and results of background jobs are kept, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 600.0)]
    pub keep_files_for: f64,
    /// How long calls may run on after the client has closed its end, or, over HTTP, after a
    /// signal, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    pub eof_grace: f64,
    /// What to log to stderr: a level, or a filter such as `info,wasmtime=warn`.
    #[arg(long, value_name = "FILTER", default_value = "warn,rmcp=error")]
    pub log: String,
    /// Log as JSON lines.
    #[arg(long)]
    pub log_json: bool,
}

/// The options of the table of limits, and what they come to.
#[derive(Debug)]
pub struct LimitArgs(pub(super) Result<Limits, Mistake>);

impl Args for LimitArgs {
    fn augment_args(command: Command) -> Command {
        LIMIT_OPTIONS.iter().fold(command, |command, row| {
            // One option may set several limits.
            let is_there = command.get_arguments().any(|argument| argument.get_id() == row.name);
            if is_there { command } else { command.arg(limit_arg(row)) }
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for LimitArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut limits = Limits::default();
        let set = LIMIT_OPTIONS.iter().try_for_each(|row| {
            (row.set)(&mut limits, limit_value(row, matches)?.max(row.least));
            Ok(())
        });
        Ok(Self(set.map(|()| limits)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn limit_arg(row: &'static LimitOption) -> Arg {
    let default = (row.get)(&Limits::default());
    let (unit, default) = match row.scale {
        Scale::Seconds => ("SECONDS", Duration::from_nanos(default).as_secs_f64().to_string()),
        Scale::Millions => ("MILLIONS", (default / 1_000_000).to_string()),
        Scale::Mebibytes => ("MIB", (default >> 20).to_string()),
        Scale::Bytes => ("BYTES", default.to_string()),
        Scale::Count => ("N", default.to_string()),
    };
    let argument = Arg::new(row.name).long(row.name).value_name(unit).help(row.help);
    let argument = argument.default_value(default);
    match row.scale {
        Scale::Seconds => argument.value_parser(value_parser!(f64)),
        _ => argument.value_parser(value_parser!(u64)),
    }
}

/// What was typed, or the default, in the unit of the limit.
fn limit_value(row: &LimitOption, matches: &ArgMatches) -> Result<u64, Mistake> {
    let option = format!("--{}", row.name);
    let number = || matches.get_one::<u64>(row.name).copied().unwrap_or_default();
    match row.scale {
        Scale::Seconds => {
            let time = seconds(&option, matches.get_one(row.name).copied().unwrap_or_default())?;
            // A number of seconds is below 10 millions.
            Ok(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
        }
        Scale::Millions => number().checked_mul(1_000_000).ok_or_else(|| Mistake::large(&option)),
        Scale::Mebibytes if row.least > 0 => mebibytes(&option, number()),
        Scale::Mebibytes => number().checked_mul(1 << 20).ok_or_else(|| Mistake::large(&option)),
        Scale::Bytes | Scale::Count => Ok(number()),
    }
}
