//! Whether something is in use just now.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts who uses something.
#[derive(Debug, Default)]
pub(crate) struct Uses(AtomicUsize);

/// One use; ends when dropped.
#[derive(Debug)]
pub(crate) struct OneUse<'a>(&'a Uses);

impl Uses {
    pub(crate) fn begin(&self) -> OneUse<'_> {
        self.0.fetch_add(1, Ordering::Relaxed);
        OneUse(self)
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }
}

impl Drop for OneUse<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}
