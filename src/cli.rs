//! The command line, as typed: names, help and environment variables, no decisions.

mod help;

pub use self::help::command;

use crate::handle::Instance;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::net::SocketAddr;
use std::path::PathBuf;

/// MCP server that runs Python for a language model, in a sandbox.
#[derive(Debug, Parser)]
#[command(version, about, max_term_width = 100)]
pub struct Cli {
    /// What to do; `serve` if nothing is given.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Options of every command.
    #[command(flatten)]
    pub options: Options,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve MCP over stdin and stdout (the default), or over HTTP.
    Serve(ServeArgs),
    /// Run one job: a file, `-c CODE`, or a program from stdin.
    Run(RunArgs),
    /// Say what this host can do, try each wall of the native runtime, show what to paste into a client.
    Doctor {
        /// Print JSON.
        #[arg(long)]
        json: bool,
        /// Print what to paste into this client, and nothing else.
        #[arg(long, value_name = "CLIENT", value_enum, conflicts_with = "json")]
        config: Option<Client>,
        /// What to paste starts a container of this image. Our images say so of themselves.
        #[arg(long, value_name = "NAME", env = "MCP_PYTHON_SANDBOX_IMAGE")]
        image: Option<String>,
    },
    /// Compile the Python guest for this machine now instead of at the first use.
    Precompile,
    /// Print the completions of a shell.
    Completions {
        /// The shell.
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Print the manual page.
    Man {
        /// Write it and a page for each command into this folder instead.
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
}

/// What holds where no command is given: `serve`, with what the environment says.
#[derive(Debug, Parser)]
struct NoCommand {
    #[command(flatten)]
    args: ServeArgs,
}

impl Default for Command {
    fn default() -> Self {
        Self::Serve(NoCommand::parse_from([env!("CARGO_PKG_NAME")]).args)
    }
}

/// Arguments of `serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Serve over HTTP at this address instead of over stdin and stdout; MCP is at `/mcp`.
    #[arg(long, env = "MCP_PYTHON_SANDBOX_HTTP", value_name = "ADDR:PORT")]
    pub http: Option<SocketAddr>,
    /// File with the tokens of those who may call, one a line: `NAME TOKEN`.
    #[arg(long, env = "MCP_PYTHON_SANDBOX_TOKEN_FILE", value_name = "FILE", requires = "http")]
    pub token_file: Option<PathBuf>,
    /// Serve everyone who reaches an address that is not loopback; only behind something that asks for a password.
    #[arg(long, env = "MCP_PYTHON_SANDBOX_HTTP_OPEN", requires = "http", conflicts_with = "token_file")]
    pub http_open: bool,
    /// Name under which clients reach the server, as in their `Host` header; loopback names always count.
    #[arg(
        long,
        env = "MCP_PYTHON_SANDBOX_HTTP_HOST",
        value_name = "HOST[:PORT]",
        value_delimiter = ',',
        requires = "http"
    )]
    pub http_host: Vec<String>,
    /// Web pages that may call from a browser, such as `https://chat.example.org:443`; loopback pages always may.
    #[arg(
        long,
        env = "MCP_PYTHON_SANDBOX_HTTP_ORIGIN",
        value_name = "ORIGIN",
        value_delimiter = ',',
        requires = "http"
    )]
    pub http_origin: Vec<String>,
    /// Give out no `Mcp-Session-Id`: any instance behind a load balancer can then serve any request.
    #[arg(long, env = "MCP_PYTHON_SANDBOX_HTTP_STATELESS", requires = "http")]
    pub http_stateless: bool,
    /// Name of this server among several behind one router; handles then begin with it, `NAME.`, and say where a call must go.
    #[arg(long, env = "MCP_PYTHON_SANDBOX_INSTANCE", value_name = "NAME", requires = "http")]
    pub instance: Option<Instance>,
    /// Calls of one client (a token, or an address) that run at once; 0 means as many as `--concurrency`.
    #[arg(
        long,
        env = "MCP_PYTHON_SANDBOX_CLIENT_CONCURRENCY",
        value_name = "N",
        default_value_t = 0,
        requires = "http"
    )]
    pub client_concurrency: usize,
    /// Calls of one client that may wait; those beyond are answered by 429.
    #[arg(long, env = "MCP_PYTHON_SANDBOX_CLIENT_QUEUE", value_name = "N", default_value_t = 64, requires = "http")]
    pub client_queue: usize,
    /// Close a connection on which no whole head of a request has come for so long, and refuse a body that takes longer, in
    /// seconds.
    #[arg(
        long,
        env = "MCP_PYTHON_SANDBOX_HTTP_READ_TIMEOUT",
        value_name = "SECONDS",
        default_value_t = 60.0,
        requires = "http"
    )]
    pub http_read_timeout: f64,
    /// After a signal, refuse calls by 503 for so long before the port is closed, in seconds.
    #[arg(
        long,
        env = "MCP_PYTHON_SANDBOX_DRAIN_DELAY",
        value_name = "SECONDS",
        default_value_t = 1.0,
        requires = "http"
    )]
    pub drain_delay: f64,
}

/// Arguments of `run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// Code to run.
    #[arg(short = 'c', value_name = "CODE", conflicts_with = "file")]
    pub code: Option<String>,
    /// File to run; `-`, or nothing where stdin is no terminal, reads stdin.
    pub file: Option<String>,
    /// Arguments that the job finds in `sys.argv`.
    #[arg(last = true, value_name = "ARGS")]
    pub args: Vec<String>,
    /// Folder for the images that the job shows.
    #[arg(long, value_name = "DIR")]
    pub images: Option<PathBuf>,
    /// Open the images with the desktop's viewer (`xdg-open`).
    #[arg(long)]
    pub open: bool,
    /// Print the whole result as JSON.
    #[arg(long)]
    pub json: bool,
    /// Where to run.
    #[arg(long, value_enum, default_value_t = RuntimeArg::Auto)]
    pub runtime: RuntimeArg,
    /// Time limit in seconds.
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<f64>,
}

/// A client that can start this server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Client {
    /// Its `librechat.yaml`.
    Librechat,
    /// Its `claude_desktop_config.json`.
    ClaudeDesktop,
    /// Claude Code.
    ClaudeCode,
    /// Visual Studio Code.
    Vscode,
    /// Cursor.
    Cursor,
    /// Codex.
    Codex,
}

/// A choice of runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RuntimeArg {
    /// Decide by the imports.
    Auto,
    /// `CPython` on WASI.
    #[value(help = "CPython on WASI")]
    Wasm,
    /// The native venv.
    Native,
}

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
    /// Without walls of its own: only where a container confines the whole server. Every result says so.
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
        default_value = "numpy,pandas,matplotlib.pyplot"
    )]
    pub preload: Vec<String>,
    /// BLAS and OpenMP threads of a native job; more than one makes some libraries hang.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_THREADS", value_name = "N", default_value_t = 1)]
    pub threads: u16,
    /// Give the memory of the preloaded modules back after this time without a native job, in seconds; 0 keeps it.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_NATIVE_IDLE", value_name = "SECONDS", default_value_t = 900)]
    pub native_idle: u64,
    /// Let native jobs reach this host by HTTP and HTTPS, through a proxy of this server; may be given several times.
    /// HOST is a name or `*.name`; without PORT 443 and 80 are open. Private addresses never are. Needs Linux 6.7.
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
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_TEST_LANDLOCK_ABI", value_name = "ABI", hide = true)]
    pub test_landlock_abi: Option<u8>,
    /// Longest wall time that a call may ask for, in seconds.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_MAX_TIMEOUT", value_name = "SECONDS", default_value_t = 55.0)]
    pub max_timeout: f64,
    /// Wall time of a job that asks for none, in seconds.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_LIMIT_WALL", value_name = "SECONDS", default_value_t = 30.0)]
    pub limit_wall: f64,
    /// CPU time of a native job, in seconds.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_LIMIT_CPU", value_name = "SECONDS", default_value_t = 60.0)]
    pub limit_cpu: f64,
    /// Instructions of a WASI job, in millions.
    #[arg(
        long,
        global = true,
        env = "MCP_PYTHON_SANDBOX_LIMIT_FUEL",
        value_name = "MILLIONS",
        default_value_t = 200_000
    )]
    pub limit_fuel: u64,
    /// Memory of a job, in MiB.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_LIMIT_MEMORY", value_name = "MIB", default_value_t = 1024)]
    pub limit_memory: u64,
    /// Bytes that a job may print to stdout, and to stderr, before it is stopped, in MiB.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_LIMIT_OUTPUT", value_name = "MIB", default_value_t = 64)]
    pub limit_output: u64,
    /// Bytes of all files that a job may hold, in MiB.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_LIMIT_FILE_BYTES", value_name = "MIB", default_value_t = 64)]
    pub limit_file_bytes: u64,
    /// Files and directories that a job may hold.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_LIMIT_FILES", value_name = "N", default_value_t = 2_000)]
    pub limit_files: u64,
    /// Descriptors that a job may have open.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_LIMIT_OPEN_FILES", value_name = "N", default_value_t = 64)]
    pub limit_open_files: u64,
    /// Threads of a native job.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_LIMIT_THREADS", value_name = "N", default_value_t = 32)]
    pub limit_threads: u64,
    /// Bytes of a request, the files that it brings included, in MiB.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_LIMIT_REQUEST", value_name = "MIB", default_value_t = 16)]
    pub limit_request: u64,
    /// Bytes of printed text that an answer shows; the middle of longer text is left out.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_LIMIT_SHOWN", value_name = "BYTES", default_value_t = 20_000)]
    pub limit_shown: usize,
    /// Images that are taken from a job.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_LIMIT_IMAGES", value_name = "N", default_value_t = 20)]
    pub limit_images: usize,
    /// Bytes of images, as the job made them, that are taken from it, in MiB.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_LIMIT_IMAGE_BYTES", value_name = "MIB", default_value_t = 16)]
    pub limit_image_bytes: usize,
    /// Bytes that the images of one answer may have together; larger ones are recoded, scaled, or left out.
    #[arg(
        long,
        global = true,
        env = "MCP_PYTHON_SANDBOX_IMAGE_BUDGET",
        value_name = "BYTES",
        default_value_t = 100_000
    )]
    pub image_budget: usize,
    /// Whether each figure comes with a text that says what it shows, for models that cannot see.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_FIGURE_TEXT", value_enum, default_value_t = Switch::On)]
    pub figure_text: Switch,
    /// Jobs that run at the same time; 0 means four per processor.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_CONCURRENCY", value_name = "N", default_value_t = 0)]
    pub concurrency: usize,
    /// Jobs that may wait for a place.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_QUEUE", value_name = "N", default_value_t = 256)]
    pub queue: usize,
    /// A folder of this host that jobs may read, or with `:rw` also change; can be given several times.
    #[arg(
        long = "mount",
        global = true,
        env = "MCP_PYTHON_SANDBOX_MOUNTS",
        value_name = "HOST:GUEST[:rw]",
        value_delimiter = ','
    )]
    pub mounts: Vec<String>,
    /// Sessions that may be kept at the same time; 0 switches them off.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_SESSIONS", value_name = "N", default_value_t = 16)]
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
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_SESSION_MEMORY", value_name = "MIB", default_value_t = 2048)]
    pub session_memory: u64,
    /// Background jobs at the same time, at most one fewer than `--concurrency`; 0 switches them off.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_BACKGROUND", value_name = "N", default_value_t = 4)]
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
    /// Files of calls without a session that can be read as resources for a while, in MiB; 0 keeps none.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_KEEP_FILES", value_name = "MIB", default_value_t = 128)]
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
    /// How long calls may run on after the client has closed its end, or, over HTTP, after a signal, in seconds.
    #[arg(long, global = true, env = "MCP_PYTHON_SANDBOX_EOF_GRACE", value_name = "SECONDS", default_value_t = 60.0)]
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
