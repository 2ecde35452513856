//! Who asks.

use std::sync::atomic::{AtomicU64, Ordering};

/// Who asks. What one client began is found by the same client only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Client {
    /// One connection.
    Connection(u64),
    /// Requests without a connection that carry the same token (a hash of its name). Behind it may
    /// be many people, so nothing is listed for it; who knows a handle finds what it stands for.
    Caller(u64),
    /// Requests without a connection and without a token; as above.
    Anyone,
}

impl Client {
    /// A connection that is no other.
    pub(crate) fn connection() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self::Connection(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    /// Whether this can be one party only, which may be told what it has.
    pub(crate) fn is_one(self) -> bool {
        matches!(self, Self::Connection(_))
    }
}
