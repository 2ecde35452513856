//! One call, from whoever makes it: a tool, a command, or a background job.

use super::UntilSent;
use crate::job::{Caller, Client, Job, Limits};
use crate::output::OutputTap;
use std::future::{pending, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use tokio_util::sync::CancellationToken;

/// The request that a client waits for.
#[derive(Debug, Clone)]
pub(crate) struct Asking {
    pub(crate) caller: Caller,
    /// Cancelled when the client hung up, or has its answer.
    pub(crate) gone: CancellationToken,
    pub(crate) until_sent: UntilSent,
}

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
    /// The request over HTTP that waits for its answer.
    pub(crate) asked: Option<Asking>,
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
            asked: None,
        }
    }
}

impl Asking {
    pub(crate) fn by(caller: Caller) -> Self {
        Self { caller, gone: CancellationToken::new(), until_sent: UntilSent::default() }
    }
}

/// Returns when the client of a request hung up.
pub(crate) async fn gone(asked: Option<&Asking>) {
    match asked {
        Some(asked) => asked.gone.cancelled().await,
        None => pending().await,
    }
}

/// Polls a call for the first time, by which it takes its place in its session's line; it is ready
/// if it was refused, or needs nothing to wait for.
pub(crate) async fn take_place<F: Future>(mut call: Pin<&mut F>) -> Poll<F::Output> {
    poll_fn(|context| Poll::Ready(call.as_mut().poll(context))).await
}
