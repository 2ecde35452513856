//! Who asks.

use std::sync::atomic::{AtomicU64, Ordering};

/// Who asks. What one client began is found by the same client only.
// same name: the command line's is a program that can be configured to use this server
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Client {
    /// One connection.
    Connection(u64),
    /// Requests without a connection that carry the same token (a hash of its name). Many people
    /// may use it, so nothing is listed for it; who knows a handle finds what it stands for.
    Caller(u64),
    /// Requests without a connection and without a token; as above.
    Anyone,
}

impl Client {
    pub(crate) fn connection() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self::Connection(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    /// Whether this can be one party only, so that its sessions and jobs may be listed for it.
    pub(crate) fn is_one(self) -> bool {
        matches!(self, Self::Connection(_))
    }
}
