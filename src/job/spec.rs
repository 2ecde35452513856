//! What a caller wants to run: plain data, validated before it gets here.

use serde::Serialize;

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
pub(crate) const MAIN: &str = "main.py";

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
    /// Runs `code` as `main.py`, without files, where the code decides; shows no value of a last
    /// expression.
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
