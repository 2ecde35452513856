//! What a job may use and what it uses: every byte, file and name is charged here before it exists.

use super::error::{Error, Result};

/// What one job may use of the filesystem. Each limit is exact: the last byte, file or descriptor
/// within it works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quota {
    /// Bytes in files and symbolic links; a sparse file counts in full. Bounds the host memory that
    /// content takes.
    pub bytes: u64,
    /// Files, directories and symbolic links together.
    pub files: u64,
    /// Bytes in a single file.
    pub file_bytes: u64,
    /// Descriptors open at once, standard streams included.
    pub open_files: u32,
    /// Bytes in a path, and in what a path is once symbolic links are expanded.
    pub path_bytes: usize,
    /// Bytes of host memory for what is known about files: names, attributes, listings of lower
    /// layers.
    pub metadata_bytes: u64,
}

impl Default for Quota {
    fn default() -> Self {
        Self {
            bytes: 256 << 20,
            files: 20_000,
            file_bytes: 256 << 20,
            open_files: 256,
            path_bytes: 4096,
            metadata_bytes: 64 << 20,
        }
    }
}

/// What is charged to a job.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StorageUse {
    /// Bytes in files and symbolic links.
    pub bytes: u64,
    /// Files, directories and symbolic links together.
    pub files: u64,
}

/// Charges and refunds; only this compares use with a quota.
#[derive(Debug)]
pub(super) struct Ledger {
    pub(super) quota: Quota,
    pub(super) used: StorageUse,
    metadata: u64,
}

impl Ledger {
    pub(super) fn new(quota: Quota, used: StorageUse) -> Self {
        Self { quota, used, metadata: 0 }
    }

    /// Charges one inode with this many bytes.
    pub(super) fn charge(&mut self, bytes: u64) -> Result<()> {
        let (files, total) = (self.used.files + 1, self.used.bytes.saturating_add(bytes));
        if files > self.quota.files || (bytes > 0 && total > self.quota.bytes) {
            return Err(Error::NoSpace);
        }
        self.used = StorageUse { bytes: total, files };
        Ok(())
    }

    /// Gives back one inode with this many bytes.
    pub(super) fn refund(&mut self, bytes: u64) {
        self.used.files = self.used.files.saturating_sub(1);
        self.used.bytes = self.used.bytes.saturating_sub(bytes);
    }

    /// How many of `len` bytes written at `position` into a file of `size` bytes fit: all, some, or
    /// none (an error).
    pub(super) fn room(&self, size: u64, position: u64, len: u64) -> Result<u64> {
        if len == 0 {
            return Ok(0);
        }
        if position >= self.quota.file_bytes {
            return Err(Error::FileTooLarge);
        }
        let free = self.quota.bytes.saturating_sub(self.used.bytes);
        let end = position.saturating_add(len).min(self.quota.file_bytes);
        let end = end.min(size.saturating_add(free));
        if end <= position { Err(Error::NoSpace) } else { Ok(end - position) }
    }

    /// Charges the growth of a file to `wanted` bytes in full, or not at all.
    pub(super) fn grow(&mut self, size: u64, wanted: u64) -> Result<()> {
        if wanted > self.quota.file_bytes {
            return Err(Error::FileTooLarge);
        }
        let total = self.used.bytes.saturating_add(wanted.saturating_sub(size));
        if wanted > size && total > self.quota.bytes {
            return Err(Error::NoSpace);
        }
        self.resize(size, wanted);
        Ok(())
    }

    /// Replaces a charge of `old` bytes by one of `new` bytes that is known to fit.
    pub(super) fn resize(&mut self, old: u64, new: u64) {
        self.used.bytes = self.used.bytes.saturating_sub(old).saturating_add(new);
    }

    pub(super) fn charge_metadata(&mut self, bytes: u64) -> Result<()> {
        let total = self.metadata.saturating_add(bytes);
        if total > self.quota.metadata_bytes {
            return Err(Error::NoMemory);
        }
        self.metadata = total;
        Ok(())
    }

    /// Counts what cannot be refused any more.
    pub(super) fn note_metadata(&mut self, bytes: u64) {
        self.metadata = self.metadata.saturating_add(bytes);
    }

    pub(super) fn refund_metadata(&mut self, bytes: u64) {
        self.metadata = self.metadata.saturating_sub(bytes);
    }
}
