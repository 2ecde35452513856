//! What goes into a runtime and what comes out of it: plain data, no behaviour that touches the host.

use crate::images::Image;
use crate::limits::LimitHit;
use crate::shelf::Leavings;
use crate::text::HeadTail;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// One of the two places where a job can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RuntimeKind {
    /// `CPython` on WASI inside wasmtime.
    Wasm,
    /// The venv in a process of its own.
    Native,
}

impl RuntimeKind {
    /// The name that requests and answers use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wasm => "wasm",
            Self::Native => "native",
        }
    }
}

/// A file that the caller gives to the job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputFile {
    /// Path below `/mnt/data`, already checked: relative, no `..`.
    pub path: String,
    /// Its content.
    pub content: Vec<u8>,
}

/// The file name of code that has none.
pub const MAIN: &str = "main.py";

/// A validated request to run code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Python source as the caller sent it.
    pub code: String,
    /// `sys.argv`; the first is the file name that tracebacks show.
    pub argv: Vec<String>,
    /// Put into the working directory before the job starts.
    pub files: Vec<InputFile>,
    /// Where the caller wants it to run; `None` lets the code decide.
    pub runtime: Option<RuntimeKind>,
    /// Whether the value of a last expression is printed, as a notebook does.
    pub show_value: bool,
    /// Files below the working directory whose text the answer is to hold.
    pub show_files: Vec<String>,
}

impl Job {
    /// Runs `code` as `main.py`, without files, where the code decides; shows no value of a last expression.
    pub fn new(code: String) -> Self {
        Self {
            code,
            argv: vec![MAIN.to_owned()],
            files: Vec::new(),
            runtime: None,
            show_value: false,
            show_files: Vec::new(),
        }
    }
}

/// How the runtime saw the job end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunEnd {
    /// Python returned, with the exit code that `python main.py` would have had.
    Returned(i32),
    /// A limit ended it.
    Limit(LimitHit),
    /// It died: a trap in the guest, or a signal (`SIGSEGV`).
    Crashed(String),
    /// The caller withdrew it, or the server is leaving.
    Cancelled,
}

/// What the bootstrap reports about a job; keys of a later report replace those of an earlier one.
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

/// What a job used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Wall time of the job itself.
    pub wall: Duration,
    /// Fuel burnt (WASI runtime).
    pub fuel: Option<u64>,
    /// CPU time (native runtime).
    pub cpu: Option<Duration>,
    /// Largest linear memory or resident size, in bytes.
    pub peak_memory: Option<u64>,
}

/// A file that the job wrote, relative to the working directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputFile {
    /// Relative path with `/` between its parts.
    pub path: String,
    /// Size in bytes.
    pub size: u64,
    /// Content, if it was small enough to be carried along (see [`crate::files`]).
    pub content: Option<Vec<u8>>,
}

/// Everything a runtime has to say about one run.
#[derive(Debug, Clone, PartialEq)]
pub struct RawOutput {
    /// Where it ran.
    pub runtime: RuntimeKind,
    /// How it ended.
    pub end: RunEnd,
    /// Printed text, with the places of the images.
    pub stdout: HeadTail,
    /// Images in the order in which they appeared.
    pub images: Vec<PlacedImage>,
    /// Images that were dropped, with the reason.
    pub lost_images: Vec<String>,
    /// Text on stderr, without the traceback.
    pub stderr: HeadTail,
    /// The bootstrap's report; empty if the job was stopped before it could write one.
    pub report: Report,
    /// What it used.
    pub usage: Usage,
    /// Files it wrote.
    pub files: Vec<OutputFile>,
    /// Whether the walls of the runtime stood. False only under `--native unconfined`.
    pub confined: bool,
    /// Of stdout that is shown shortened, all of it, or its beginning.
    pub whole: Option<Vec<u8>>,
}

/// An image and its place in stdout.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedImage {
    /// Number of stdout bytes that the job had written before it.
    pub offset: u64,
    /// The image.
    pub image: Image,
}

/// A finished call: the run that counts, and why it ran where it did.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The run.
    pub raw: RawOutput,
    /// Why this runtime, in one line.
    pub reason: String,
    /// Whether an attempt in the WASI runtime had begun to run the code before it was dropped.
    pub rerouted: bool,
    /// The session that it ran in.
    pub session: Option<SessionFacts>,
    /// Without one, the files that it left; gone with this value unless they are put on the shelf.
    pub leavings: Option<Leavings>,
    /// The handle under which they can be read.
    pub kept: Option<String>,
    /// Bytes of the whole output, if it is among them.
    pub whole_kept: Option<u64>,
    /// The files that the caller wants to read in the answer.
    pub shown_files: Vec<ShownFile>,
}

/// A file that the caller wants to read in the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownFile {
    /// Its path below the working directory.
    pub path: String,
    /// Its text, or why that is not there.
    pub text: Result<String, String>,
}

impl Outcome {
    /// Of a run that was not repeated, without a session.
    pub fn new(raw: RawOutput, reason: String) -> Self {
        Self {
            raw,
            reason,
            rerouted: false,
            session: None,
            leavings: None,
            kept: None,
            whole_kept: None,
            shown_files: Vec::new(),
        }
    }
}

/// What a call has to say about its session.
#[expect(clippy::struct_excessive_bools, reason = "independent facts, each a line of the answer")]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionFacts {
    /// The handle.
    pub handle: String,
    /// Whether this call began it.
    pub is_new: bool,
    /// How long it stays without a call.
    pub idle: Duration,
    /// Sessions that had to make room for it.
    pub evicted: usize,
    /// Whether earlier calls had lost its variables.
    pub began_empty: bool,
    /// Whether this call lost its variables.
    pub lost: bool,
    /// Whether it moved to the native runtime, variables and all.
    pub moved: bool,
    /// Whether the code had begun to run before that.
    pub rerouted: bool,
    /// Variables that could not move, each with the reason.
    pub left: Vec<String>,
    /// What could not be written to its directory.
    pub not_stored: Vec<String>,
}
