//! Calls that are not answered yet, and open connections: what a leaving server waits for.

use std::sync::Arc;
use tokio::sync::watch;

/// Counts what is in flight.
#[derive(Debug, Clone)]
pub(super) struct InFlight(Arc<watch::Sender<usize>>);

/// One of it; ends when it is dropped.
#[derive(Debug)]
pub(super) struct Counted(Arc<watch::Sender<usize>>);

impl Default for InFlight {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(0)))
    }
}

impl InFlight {
    /// Counts one more until the value is dropped.
    pub(super) fn begin(&self) -> Counted {
        self.0.send_modify(|count| *count += 1);
        Counted(Arc::clone(&self.0))
    }

    /// Waits until none is left.
    pub(super) async fn all_ended(&self) {
        // The sender lives as long as we do.
        let _ = self.0.subscribe().wait_for(|&count| count == 0).await;
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}
