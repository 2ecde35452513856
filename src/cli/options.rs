//! The options that every command has, with their defaults.

use crate::images::DEFAULT_BYTES;
use crate::job::Limits;
use crate::native;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

const LIMITS: Limits = Limits::DEFAULT;

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
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_ARTEFACT", value_name = "DIR")]
    pub artefact: Option<PathBuf>,
    /// Whether code that needs numpy, pandas and the like may run in the native venv.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_NATIVE", value_enum, default_value_t = NativeMode::On)]
    pub native: NativeMode,
    /// The native venv.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_VENV", value_name = "DIR")]
    pub venv: Option<PathBuf>,
    /// Folder of pure-Python wheels, modules and packages that jobs of the WASI runtime may import.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_PACKAGES", value_name = "DIR")]
    pub packages: Option<PathBuf>,
    /// Modules that are imported once, in advance, for all native jobs.
    #[arg(
        long,
        global = true,
        env = "MCP_PYTHON_SANDBOX_PRELOAD",
        value_name = "MODULES",
        value_delimiter = ',',
        default_value = native::PRELOAD
    )]
    pub preload: Vec<String>,
    /// BLAS and OpenMP threads of a native job; more than one makes some libraries hang.
    #[arg(
        long,
        global = true,
        env = "MCP_PYTHON_SANDBOX_THREADS",
        value_name = "N",
        default_value_t = 1
    )]
    pub threads: u16,
    /// Give the memory of the preloaded modules back after this time without a native job, in
    /// seconds; 0 keeps it.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_NATIVE_IDLE", value_name = "SECONDS", default_value_t = native::IDLE.as_secs())]
    pub native_idle: u64,
    /// Let native jobs reach this host by HTTP and HTTPS, through a proxy of this server; may be
    /// given several times. HOST is a name or `*.name`; without PORT 443 and 80 are open. Private
    /// addresses never are. Needs Linux 6.7.
    #[arg(
        long,
        global = true,
        env = "MCP_PYTHON_SANDBOX_ALLOW_HOST",
        value_name = "HOST[:PORT]",
        value_delimiter = ','
    )]
    pub allow_host: Vec<String>,
    /// For tests: `--allow-host` may name hosts on loopback addresses.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_TEST_ALLOW_LOOPBACK", hide = true)]
    pub test_allow_loopback: bool,
    /// For tests: act as on a kernel with this Landlock ABI; 0 has none.
    #[arg(
        long,
        global = true,
        env = "MCP_PYTHON_SANDBOX_TEST_LANDLOCK_ABI",
        value_name = "ABI",
        hide = true
    )]
    pub test_landlock_abi: Option<u8>,
    /// Longest wall time that a call may ask for, in seconds.
    #[arg(
        long,
        global = true,
        env = "MCP_PYTHON_SANDBOX_MAX_TIMEOUT",
        value_name = "SECONDS",
        default_value_t = 55.0
    )]
    pub max_timeout: f64,
    /// Wall time of a job that asks for none, in seconds.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_LIMIT_WALL", value_name = "SECONDS", default_value_t = LIMITS.wall.as_secs_f64())]
    pub limit_wall: f64,
    /// CPU time of a native job, in seconds.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_LIMIT_CPU", value_name = "SECONDS", default_value_t = LIMITS.cpu.as_secs_f64())]
    pub limit_cpu: f64,
    /// Instructions of a WASI job, in millions.
    #[arg(
        long,
        global = true,
        env = "MCP_PYTHON_SANDBOX_LIMIT_FUEL",
        value_name = "MILLIONS",
        default_value_t = LIMITS.fuel / 1_000_000
    )]
    pub limit_fuel: u64,
    /// Memory of a job, in MiB.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_LIMIT_MEMORY", value_name = "MIB", default_value_t = LIMITS.memory >> 20)]
    pub limit_memory: u64,
    /// Bytes that a job may print to stdout, and to stderr, before it is stopped, in MiB.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_LIMIT_OUTPUT", value_name = "MIB", default_value_t = LIMITS.stdout >> 20)]
    pub limit_output: u64,
    /// Bytes of all files that a job may hold, in MiB.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_LIMIT_FILE_BYTES", value_name = "MIB", default_value_t = LIMITS.file_bytes >> 20)]
    pub limit_file_bytes: u64,
    /// Files and directories that a job may hold.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_LIMIT_FILES", value_name = "N", default_value_t = LIMITS.files)]
    pub limit_files: u64,
    /// Descriptors that a job may have open.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_LIMIT_OPEN_FILES", value_name = "N", default_value_t = LIMITS.open_files)]
    pub limit_open_files: u64,
    /// Threads of a native job.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_LIMIT_THREADS", value_name = "N", default_value_t = LIMITS.threads)]
    pub limit_threads: u64,
    /// Bytes of a request, the files that it brings included, in MiB.
    #[arg(
        long,
        global = true,
        env = "MCP_PYTHON_SANDBOX_LIMIT_REQUEST",
        value_name = "MIB",
        default_value_t = 16
    )]
    pub limit_request: u64,
    /// Bytes of printed text that an answer shows; the middle of longer text is left out.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_LIMIT_SHOWN", value_name = "BYTES", default_value_t = LIMITS.shown)]
    pub limit_shown: usize,
    /// Images that are taken from a job.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_LIMIT_IMAGES", value_name = "N", default_value_t = LIMITS.images)]
    pub limit_images: usize,
    /// Bytes of images, as the job made them, that are taken from it, in MiB.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_LIMIT_IMAGE_BYTES", value_name = "MIB", default_value_t = LIMITS.image_bytes >> 20)]
    pub limit_image_bytes: usize,
    /// Bytes that the images of one answer may have together; larger ones are recoded, scaled, or
    /// left out.
    #[arg(
        long,
        global = true,
        env = "MCP_PYTHON_SANDBOX_IMAGE_BUDGET",
        value_name = "BYTES",
        default_value_t = DEFAULT_BYTES
    )]
    pub image_budget: usize,
    /// Whether each figure comes with a text that says what it shows, for models that cannot see.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_FIGURE_TEXT", value_enum, default_value_t = Switch::On)]
    pub figure_text: Switch,
    /// Jobs that run at the same time; 0 means four per processor.
    #[arg(
        long,
        global = true,
        env = "MCP_PYTHON_SANDBOX_CONCURRENCY",
        value_name = "N",
        default_value_t = 0
    )]
    pub concurrency: usize,
    /// Jobs that may wait for a place.
    #[arg(
        long,
        global = true,
        env = "MCP_PYTHON_SANDBOX_QUEUE",
        value_name = "N",
        default_value_t = 256
    )]
    pub queue: usize,
    /// A folder of this host that jobs may read, or with `:rw` also change; can be given several
    /// times.
    #[arg(
        long = "mount",
        global = true,
        env = "MCP_PYTHON_SANDBOX_MOUNTS",
        value_name = "HOST:GUEST[:rw]",
        value_delimiter = ','
    )]
    pub mounts: Vec<String>,
    /// Sessions that may be kept at the same time; 0 switches them off.
    #[arg(
        long,
        global = true,
        env = "MCP_PYTHON_SANDBOX_SESSIONS",
        value_name = "N",
        default_value_t = 16
    )]
    pub sessions: usize,
    /// A session ends after this time without a call, in seconds.
    #[arg(
        long,
        global = true,
        env = "MCP_PYTHON_SANDBOX_SESSION_IDLE",
        value_name = "SECONDS",
        default_value_t = 1800.0
    )]
    pub session_idle: f64,
    /// A session ends this long after it began, in seconds.
    #[arg(
        long,
        global = true,
        env = "MCP_PYTHON_SANDBOX_SESSION_LIFE",
        value_name = "SECONDS",
        default_value_t = 28_800.0
    )]
    pub session_life: f64,
    /// Memory that all sessions may hold together between their calls, in MiB.
    #[arg(
        long,
        global = true,
        env = "MCP_PYTHON_SANDBOX_SESSION_MEMORY",
        value_name = "MIB",
        default_value_t = 2048
    )]
    pub session_memory: u64,
    /// Background jobs at the same time, at most one fewer than `--concurrency`; 0 switches them
    /// off.
    #[arg(
        long,
        global = true,
        env = "MCP_PYTHON_SANDBOX_BACKGROUND",
        value_name = "N",
        default_value_t = 4
    )]
    pub background: usize,
    /// Longest wall time of a background job, in seconds.
    #[arg(
        long,
        global = true,
        env = "MCP_PYTHON_SANDBOX_BACKGROUND_TIMEOUT",
        value_name = "SECONDS",
        default_value_t = 600.0
    )]
    pub background_timeout: f64,
    /// Files of calls without a session that can be read as resources for a while, in MiB; 0 keeps
    /// none.
    #[arg(
        long,
        global = true,
        env = "MCP_PYTHON_SANDBOX_KEEP_FILES",
        value_name = "MIB",
        default_value_t = 128
    )]
    pub keep_files: u64,
    /// How long they can be read, and results of background jobs are kept, in seconds.
    #[arg(
        long,
        global = true,
        env = "MCP_PYTHON_SANDBOX_KEEP_FILES_FOR",
        value_name = "SECONDS",
        default_value_t = 600.0
    )]
    pub keep_files_for: f64,
    /// How long calls may run on after the client has closed its end, or, over HTTP, after a
    /// signal, in seconds.
    #[arg(
        long,
        global = true,
        env = "MCP_PYTHON_SANDBOX_EOF_GRACE",
        value_name = "SECONDS",
        default_value_t = 60.0
    )]
    pub eof_grace: f64,
    /// What to log to stderr: a level, or a filter such as `info,wasmtime=warn`.
    #[arg(
        long,
        global = true,
        env = "MCP_PYTHON_SANDBOX_LOG",
        value_name = "FILTER",
        default_value = "warn,rmcp=error"
    )]
    pub log: String,
    /// Log as JSON lines.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_LOG_JSON")]
    pub log_json: bool,
}
