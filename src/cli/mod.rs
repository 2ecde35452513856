//! The command line, as typed: names, help and environment variables, no decisions.

mod help;
mod options;
mod resolve;

pub use self::help::command;
pub(crate) use self::options::{NativeMode, Options, Switch};
pub(crate) use self::resolve::seconds;
pub use self::resolve::{Config, Mistake};

use crate::job::Instance;
use clap::{Args, FromArgMatches as _, Parser, Subcommand, ValueEnum};
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
    /// Say what this host can do, try each wall of the native runtime, show what to paste into a
    /// client.
    Doctor {
        /// Print JSON.
        #[arg(long)]
        json: bool,
        /// Print what to paste into this client, and nothing else.
        #[arg(long, value_name = "CLIENT", value_enum, conflicts_with = "json")]
        config: Option<ClientApp>,
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

impl Default for Command {
    /// What holds where no command is given: `serve`, with what the environment says.
    fn default() -> Self {
        let serve = ServeArgs::augment_args(clap::Command::new(env!("CARGO_PKG_NAME")));
        let serve = serve.mut_args(help::with_variable);
        let typed = serve.get_matches_from([env!("CARGO_PKG_NAME")]);
        Self::Serve(ServeArgs::from_arg_matches(&typed).unwrap_or_else(|error| error.exit()))
    }
}

/// Arguments of `serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Serve over HTTP at this address instead of over stdin and stdout; MCP is at `/mcp`.
    #[arg(long, value_name = "ADDR:PORT")]
    pub http: Option<SocketAddr>,
    /// File with the tokens of those who may call, one a line: `NAME TOKEN`.
    #[arg(long, value_name = "FILE", requires = "http")]
    pub token_file: Option<PathBuf>,
    /// Serve everyone who reaches an address that is not loopback; only behind something that asks
    /// for a password.
    #[arg(long, requires = "http", conflicts_with = "token_file")]
    pub http_open: bool,
    /// Name under which clients reach the server, as in their `Host` header; loopback names always
    /// count.
    #[arg(long, value_name = "HOST[:PORT]", value_delimiter = ',', requires = "http")]
    pub http_host: Vec<String>,
    /// Web pages that may call from a browser, such as `https://chat.example.org:443`; loopback
    /// pages always may.
    #[arg(long, value_name = "ORIGIN", value_delimiter = ',', requires = "http")]
    pub http_origin: Vec<String>,
    /// Give out no `Mcp-Session-Id`: any instance behind a load balancer can then serve any
    /// request.
    #[arg(long, requires = "http")]
    pub http_stateless: bool,
    /// Name of this server among several behind one router; handles then begin with it, `NAME.`,
    /// and say where a call must go.
    #[arg(long, value_name = "NAME", requires = "http")]
    pub instance: Option<Instance>,
    /// Calls of one client (a token, or an address) that run at once; 0 means three quarters of
    /// `--concurrency`.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "http")]
    pub client_concurrency: usize,
    /// Calls of one client that may wait; those beyond are told to try again in a moment.
    #[arg(long, value_name = "N", default_value_t = 1024, requires = "http")]
    pub client_queue: usize,
    /// Close a connection on which no whole head of a request has come for so long, and refuse a
    /// body that takes longer, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, requires = "http")]
    pub http_read_timeout: f64,
    /// After a signal, refuse calls by 503 for so long before the port is closed, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, requires = "http")]
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
pub enum ClientApp {
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
