//! The input of one run, the same for both runtimes.

use super::Output;
use crate::job::Limits;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// What a runtime is asked to run.
#[derive(Debug)]
pub struct RunOrder<'a> {
    /// The JSON that the bootstrap reads.
    pub request: Arc<[u8]>,
    /// What the run may use.
    pub limits: &'a Limits,
    /// Where its output goes.
    pub output: &'a Arc<Output>,
    /// Ends the run.
    pub cancel: &'a CancellationToken,
    /// Time that the call used before: its runs share one deadline.
    pub spent: Duration,
    /// How long the interpreter may live for further runs; `None` if this is its only one.
    pub keep: Option<Duration>,
}

impl RunOrder<'_> {
    /// The wall time that is left for this run.
    pub(crate) fn wall(&self) -> Duration {
        self.limits.wall.saturating_sub(self.spent)
    }

    /// How long a kept interpreter may unwind when its call is withdrawn: if it does, its variables
    /// are kept.
    pub(crate) const SOFT_CANCEL: Duration = Duration::from_millis(80);
}
