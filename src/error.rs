//! Our own failures. What a job does wrong is data ([`crate::service::Outcome`]), never an
//! [`Error`].

use std::fmt::Display;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;

/// Why the native runtime is off, and what would help. A text, because every call repeats it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct OffReason(Arc<str>);

impl OffReason {
    pub(crate) fn new(why: impl Display) -> Self {
        Self(why.to_string().into())
    }
}

impl Deref for OffReason {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl From<Error> for OffReason {
    fn from(error: Error) -> Self {
        Self::new(error)
    }
}

/// A failure of the sandbox. Each variant says what was tried and what would help; the server lives
/// on after all of them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The guest artefact is missing or unusable; WASI jobs cannot run until it is there.
    #[error(
        "no usable Python guest at `{path}`: {why}; \
         build it with `make python` or point `--artefact` at one"
    )]
    Artefact {
        /// Where it was looked for.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },

    /// A file operation of ours failed; nothing was changed.
    #[error("failed to {what} `{path}`: {source}")]
    Io {
        /// The verb and object, such as `create job directory`.
        what: &'static str,
        /// The path.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },

    /// The WebAssembly engine refused something that does not depend on the job.
    #[error("failed to {what}: {source}")]
    Engine {
        /// What was tried.
        what: &'static str,
        /// The cause.
        source: Box<dyn std::error::Error + Send + Sync>,
    },

    /// The native runtime could not run the job.
    #[error("failed to run the job in the native runtime: {0}")]
    Native(#[source] Box<dyn std::error::Error + Send + Sync>),

    /// The native runtime is off; the job has not started.
    #[error("the native runtime is off: {0}")]
    RuntimeOff(#[source] OffReason),

    /// The kernel gives no randomness.
    #[error("failed to draw random bytes: {0}")]
    Random(#[from] getrandom::Error),

    /// The call was withdrawn before it ran.
    #[error("the call was withdrawn before it ran")]
    Withdrawn,

    /// The call crashed in the server.
    #[error("internal error: the call crashed in the server, which lives on; please report it")]
    Panicked,

    /// The request cannot be run as it stands; the text says what to change.
    #[error("{0}")]
    Request(String),

    /// Another server holds what a handle stands for; this one knows nothing of it.
    #[error(
        "the server `{holder}` holds this handle, but the call came to `{here}`: try again, or \
         begin anew without the handle (for the operator: calls must be sent to the server that \
         their handle names)"
    )]
    Elsewhere {
        /// Who holds it.
        holder: String,
        /// Who was asked.
        here: String,
    },

    /// The caller has as many calls here as one may have; the same call may succeed later.
    #[error(
        "the server is busy: jobs of this client that run: {running}, that wait: {waiting}; try \
         again in a moment"
    )]
    ClientBusy {
        /// Jobs of this caller that run.
        running: usize,
        /// Jobs of this caller that wait.
        waiting: usize,
    },

    /// No permit is free and the queue is full; the same call may succeed later.
    #[error(
        "the server is busy: jobs that run: {running}, that wait: {waiting}; try again in a moment"
    )]
    Busy {
        /// Jobs that run.
        running: usize,
        /// Jobs that wait.
        waiting: usize,
    },
}

impl Error {
    /// An [`Error::Engine`].
    pub(crate) fn engine(
        what: &'static str,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::Engine { what, source: source.into() }
    }
}
