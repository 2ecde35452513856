//! The report that the bootstrap writes about a job.

use serde::{Deserialize, Serialize};

/// What the bootstrap reports about a job; keys of a later report replace those of an earlier one.
// same name: the other is what `doctor` prints
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Report {
    /// How the job's code ended, as the bootstrap saw it.
    pub exit: Option<ReportedExit>,
    /// Exit code that plain Python would have had.
    pub code: Option<i32>,
    /// The exception that ended it.
    pub error: Option<PythonError>,
    /// For [`ReportedExit::NeedsNative`]: the module that asked for it.
    pub module: Option<String>,
    /// For [`ReportedExit::NeedsNative`]: how it was noticed.
    pub how: Option<Noticed>,
    /// Hints for the model, one line each.
    pub notes: Vec<String>,
    /// Where the job was when its deadline struck.
    #[serde(rename = "where")]
    pub at: Option<String>,
    /// Files below the working directory whose picture is already among the images.
    pub saved: Vec<String>,
    /// Pictures that it wrote below the working directory, in the order of writing.
    pub pictures: Vec<WrittenPicture>,
    /// Variables of a session that could not move to the other runtime, each with the reason.
    pub left: Vec<String>,
}

/// The bootstrap's word for the end of the job's code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReportedExit {
    /// It ran to its end.
    Ok,
    /// An exception came out of it.
    Exception,
    /// `sys.exit`.
    Exit,
    /// It needs the native runtime; it has had no effect that counts.
    NeedsNative,
    /// The deadline interrupted it.
    Deadline,
}

/// How a need for the native runtime was noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Noticed {
    /// By the parser, before anything ran.
    Import,
    /// When the code tried it.
    Attempt,
}

/// A picture that the job wrote to a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct WrittenPicture {
    /// Path below the working directory.
    pub file: String,
    /// Title of the figure that it was drawn from.
    pub title: String,
    /// What that figure shows.
    pub text: String,
}

/// An exception as Python would have printed it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct PythonError {
    /// Class name, such as `ZeroDivisionError`.
    #[serde(rename = "type")]
    pub kind: String,
    /// `str(exception)`.
    pub message: String,
    /// The whole traceback, with a newline at its end.
    pub traceback: String,
}
