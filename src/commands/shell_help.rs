//! `completions` and `man`: what packages install beside the binary.

use super::Failure;
use crate::cli;
use clap::Command;
use clap_complete::Shell;
use fs_err as fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

pub(super) fn completions(shell: Shell) -> ExitCode {
    clap_complete::generate(shell, &mut cli::command(), env!("CARGO_PKG_NAME"), &mut io::stdout());
    ExitCode::SUCCESS
}

/// The command line with a synopsis that fits a line: forty options would fill half a page before
/// the first word of help.
fn described() -> Command {
    cli::command().override_usage(concat!(env!("CARGO_PKG_NAME"), " [OPTIONS] [COMMAND]"))
}

/// Prints the manual page, or writes it and one for each command into a folder.
pub(super) fn man(folder: Option<&Path>) -> Result<ExitCode, Failure> {
    if let Some(folder) = folder {
        fs::create_dir_all(folder)?;
        clap_mangen::generate_to(described(), folder)?;
    } else {
        let mut page = Vec::new();
        clap_mangen::Man::new(described()).render(&mut page)?;
        io::stdout().write_all(&page)?;
    }
    Ok(ExitCode::SUCCESS)
}
