//! One call, from whoever makes it: a tool, a command, or a background job.

use crate::job::{Caller, Client, Job, Limits};
use crate::output::OutputTap;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use tokio_util::sync::CancellationToken;

/// One call.
#[derive(Debug)]
pub struct Call {
    /// Who makes it.
    pub(crate) client: Client,
    /// The session that it wants; without one it has an interpreter of its own.
    pub(crate) session: Option<SessionRef>,
    pub(crate) job: Job,
    pub(crate) limits: Limits,
    /// Shows its output while it runs.
    pub(crate) output: Arc<OutputTap>,
    /// Withdraws it.
    pub(crate) cancel: CancellationToken,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SessionRef {
    New,
    Handle(String),
}

impl Call {
    /// A call without a session, by the one that started the process.
    pub fn new(job: Job, limits: Limits) -> Self {
        Self {
            client: Client::alone(Caller::Process),
            session: None,
            job,
            limits,
            output: Arc::default(),
            cancel: CancellationToken::new(),
        }
    }
}

/// Polls a call for the first time, by which it takes its place in its session's line; it is ready
/// if it was refused, or needs nothing to wait for.
pub(crate) async fn take_place<F: Future>(mut call: Pin<&mut F>) -> Poll<F::Output> {
    poll_fn(|context| Poll::Ready(call.as_mut().poll(context))).await
}
