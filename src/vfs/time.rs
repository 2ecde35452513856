//! Timestamps: nanoseconds since 1970-01-01, as WASI preview 1 counts them.

use cap_std::fs::{Metadata as HostMetadata, MetadataExt};
use std::time::{Duration, SystemTime};

/// When a file was last read, written and changed in any way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Times {
    /// Last access; kept as it was set, reading does not move it.
    pub accessed: u64,
    /// Last change of the content.
    pub modified: u64,
    /// Last change of content or attributes.
    pub changed: u64,
}

impl Times {
    pub(super) fn now() -> Self {
        let now = now();
        Self { accessed: now, modified: now, changed: now }
    }

    pub(super) fn of_host(metadata: &HostMetadata) -> Self {
        Self {
            accessed: nanoseconds(metadata.atime(), metadata.atime_nsec()),
            modified: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
            changed: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

pub(super) fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

pub(super) fn system_time(nanoseconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_nanos(nanoseconds)
}

fn nanoseconds(seconds: i64, nanoseconds: i64) -> u64 {
    let total = i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds);
    u64::try_from(total.max(0)).unwrap_or(u64::MAX)
}
