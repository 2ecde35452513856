//! What `--help` and `--version` say beyond the options themselves.

use super::Cli;
use crate::mcp;
use clap::{Arg, Command, CommandFactory};
use std::sync::LazyLock;

const EXAMPLES: &str = "\
Examples:
  mcp-python-sandbox                              serve MCP over stdin and stdout
  mcp-python-sandbox doctor                       say what works on this machine, and what to \
paste into a client
  mcp-python-sandbox run -c 'print(2 ** 100)'     one job from the shell
  mcp-python-sandbox run --open plot.py           show the pictures of a job";

const RUN_EXAMPLES: &str = "\
Examples:
  mcp-python-sandbox run job.py -- -n 3           `sys.argv` is ['job.py', '-n', '3']
  echo 'print(1)' | mcp-python-sandbox run        the program comes from stdin
  mcp-python-sandbox run --images out plot.py     pictures go to out/image-1.png, …
  mcp-python-sandbox run --json -c '6 * 7'        the whole result

Options of every command, limits among them: mcp-python-sandbox --help";

const EXIT_CODES: &str = "\
Exit codes:
  0    done; of `run`: the job ran to its end
  1    `run`: an exception came out of the job. `doctor`: the native runtime is off
  2    the command line is wrong, or an environment variable in its place
  70   the server itself failed; stderr says how
  124  `run`: a limit ended the job
  130  `run`: the job was cancelled
  134  `run`: the Python process crashed
  143  ended by SIGTERM, SIGINT or SIGHUP

`run` otherwise ends with the code that the job gave to `sys.exit`.

Every option can be set by its environment variable instead; the command line goes first.";

/// The command line's description, complete: what the derived one cannot say is added here.
pub fn command() -> Command {
    Cli::command()
        .long_version(VERSIONS.as_str())
        .after_help(EXAMPLES)
        .after_long_help(format!("{EXAMPLES}\n\n{EXIT_CODES}"))
        .mut_args(|argument| {
            // Manual pages have no other help for what `-h` leaves out.
            let help = argument.get_long_help().or_else(|| argument.get_help());
            let help = help.cloned().unwrap_or_default();
            let heading = heading(argument.get_id().as_str());
            let argument = with_variable(argument).global(true).help_heading(heading);
            // Thirty options would bury the commands in `-h`, and a command's own options in its
            // help.
            argument.hide_short_help(true).long_help(help)
        })
        .mut_subcommand("serve", |serve| serve.mut_args(with_variable))
        .mut_subcommand("run", |run| {
            run.after_help(RUN_EXAMPLES).after_long_help(format!("{RUN_EXAMPLES}\n\n{EXIT_CODES}"))
        })
}

/// The option with the environment variable of its name.
pub(super) fn with_variable(option: Arg) -> Arg {
    let name = option.get_id().as_str().replace('-', "_").to_uppercase();
    option.env(format!("MCP_PYTHON_SANDBOX_{name}"))
}

/// Where `--help` lists an option that every command has.
fn heading(option: &str) -> &'static str {
    match option {
        "artefact" | "venv" => "Where things are",
        "native" | "preload" | "threads" | "native_idle" => "Native runtime",
        "limit-shown" | "image_budget" | "figure_text" => "Answers",
        "max_timeout" => "Limits of a job",
        limit if limit.starts_with("limit") => "Limits of a job",
        "concurrency" | "queue" | "spares" | "eof_grace" => "Load",
        "log" | "log_json" => "Log",
        "packages" | "mounts" | "keep_files" | "keep_files_for" | "allow_host" => {
            "Files, packages, network"
        }
        session if session.starts_with("session") => "Sessions and background jobs",
        "background" | "background_timeout" => "Sessions and background jobs",
        _ => "More options",
    }
}

/// The versions of what is inside, one a line.
static VERSIONS: LazyLock<String> = LazyLock::new(|| {
    format!(
        "{}\nCPython {}\nwasmtime {}\nMCP {}",
        env!("CARGO_PKG_VERSION"),
        env!("PINNED_CPYTHON"),
        env!("PINNED_WASMTIME"),
        mcp::protocol_versions().join(", ")
    )
});
