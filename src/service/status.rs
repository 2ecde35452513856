//! How a job ended, in one word for answers, exit codes and logs.

use crate::job::{LimitHit, PythonError};

/// The end of a job as its caller should understand it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum JobStatus {
    Ok,
    Exception(PythonError),
    /// It left with `sys.exit` or `os._exit` and this code.
    Exit(i32),
    Limit(LimitHit),
    Crashed(String),
    Cancelled,
}

impl JobStatus {
    pub(crate) fn is_error(&self) -> bool {
        *self != Self::Ok
    }

    /// One word: `ok`, `exception`, `exit`, `limit`, `crashed`, `cancelled`.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Exception(_) => "exception",
            Self::Exit(_) => "exit",
            Self::Limit(_) => "limit",
            Self::Crashed(_) => "crashed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Exit code for a shell: Python's own where there is one, 124 for a limit (as `timeout`), 134
    /// for a crash, 130 for a withdrawn job.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Exception(_) => 1,
            Self::Exit(code) => u8::try_from(code & 0xff).unwrap_or(1),
            Self::Limit(_) => 124,
            Self::Crashed(_) => 134,
            Self::Cancelled => 130,
        }
    }
}
