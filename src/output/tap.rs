//! What can be seen of a job while it runs.

use crate::host::lock;
use crate::output::{Captured, Output};
use std::sync::{Arc, Mutex};

/// A window on one job, for whoever tells its caller how it gets on. Shows nothing until the job
/// has begun.
#[derive(Debug, Default)]
pub(crate) struct OutputTap {
    output: Mutex<Option<Arc<Output>>>,
}

impl OutputTap {
    /// From now on shows `output`; a job that is rerun in the other runtime starts with an empty
    /// one.
    pub(crate) fn show(&self, output: &Arc<Output>) {
        *lock(&self.output) = Some(Arc::clone(output));
    }

    /// A copy of what the job wrote so far; `None` before it has begun.
    pub(crate) fn so_far(&self) -> Option<Captured> {
        let output = lock(&self.output).clone();
        output.map(|output| output.so_far())
    }
}
