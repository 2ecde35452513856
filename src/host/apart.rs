//! Work that may wait for the disk, on threads that serve everybody.

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::block_in_place;

/// Does `work` while the other tasks of this thread move to another one.
pub(crate) fn apart<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|handle| handle.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => block_in_place(work),
        // Elsewhere there is nothing to move to.
        _ => work(),
    }
}
