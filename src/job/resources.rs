//! What a job can use up, and who keeps it from doing so.

use super::Limits;
use std::time::Duration;

/// How often the watcher of a native job looks at its memory, threads and files.
pub(crate) const LOOK: Duration = Duration::from_millis(20);
/// How often it looks at files that grow.
pub(crate) const LOOK_AT_GROWTH: Duration = Duration::from_millis(5);
/// Bytes of a native job's first stack.
pub(crate) const STACK: u64 = 64 << 20;
/// Signals that a native job may have queued.
pub(crate) const SIGNALS: u64 = 128;

/// Locks that a native job may hold in folders that it shares.
pub(crate) const LOCKS: usize = 100_000;

/// Address space of a native job, in bytes, beside what it was forked with. Tables for all of it
/// take one part in 512.
pub(crate) fn address_space(limits: &Limits) -> u64 {
    (16 << 30) + limits.memory.saturating_mul(4)
}
