//! The one way in which this crate takes a lock that is held for a moment.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What `mutex` guards. Also after a panic of a holder: a call may crash, the server lives on with
/// what is there.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
