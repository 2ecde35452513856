//! How this crate takes locks that are held for a moment.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What `mutex` guards, also after a panic of a holder: the server survives the crash of a call.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
