//! The output of a job while it runs.

use crate::host::lock;
use crate::output::{Captured, Output};
use std::sync::{Arc, Mutex};

/// The output of one job for whoever reports its progress. Nothing until the job has begun.
#[derive(Debug, Default)]
pub(crate) struct OutputTap(Mutex<Option<Arc<Output>>>);

impl OutputTap {
    /// Shows `output` from now on; a job that is rerun in the other runtime starts with an empty
    /// one.
    pub(crate) fn show(&self, output: &Arc<Output>) {
        *lock(&self.0) = Some(Arc::clone(output));
    }

    /// A copy of what the job wrote so far; `None` before it has begun.
    pub(crate) fn so_far(&self) -> Option<Captured> {
        let output = lock(&self.0).clone();
        output.map(|output| output.so_far())
    }
}
