//! The program: parses the command line and carries it out.

use clap::FromArgMatches;
use mcp_python_sandbox::{Cli, HELPER, Mistake, become_helper, command, execute};
use std::process::ExitCode;

/// Exit code for our own failures, as distinct from a job's.
const FAILED: u8 = 70;
/// Exit code for what the command line should not have asked for, as when it cannot be parsed.
const MISTAKE: u8 = 2;

#[expect(clippy::print_stderr, reason = "the last word of a command that failed")]
fn main() -> ExitCode {
    // Before anything else: the helper confines itself, which binds the calling thread alone, so it
    // must stay the only one.
    let mut args = std::env::args_os().skip(1).peekable();
    if args.next_if(|argument| argument == HELPER).is_some() {
        return become_helper(args);
    }
    let typed = command().get_matches();
    let cli = Cli::from_arg_matches(&typed).unwrap_or_else(|error| error.exit());
    match execute(cli) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("{}: {error}", env!("CARGO_PKG_NAME"));
            ExitCode::from(if error.is::<Mistake>() { MISTAKE } else { FAILED })
        }
    }
}
