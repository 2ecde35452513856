//! Numbers and layouts of WASI preview 1, as its `typenames.witx` defines them.

use crate::vfs::{DirEntry, FileKind, Metadata};

pub(super) const MODULE: &str = "wasi_snapshot_preview1";

pub(super) mod rights {
    pub(crate) const FD_READ: u64 = 1 << 1;
    pub(crate) const FD_SEEK: u64 = 1 << 2;
    pub(crate) const FD_TELL: u64 = 1 << 5;
    pub(crate) const FD_WRITE: u64 = 1 << 6;
    pub(crate) const FD_READDIR: u64 = 1 << 14;
    pub(crate) const ALL: u64 = (1 << 30) - 1;
}

/// `$fdflags`: writes go to the end.
pub(super) const FDFLAG_APPEND: u16 = 1;
/// `$fdflags` that are defined. Besides `append` they change nothing: memory never blocks and is
/// always in sync.
pub(super) const FDFLAGS: u16 = 0b1_1111;

/// `$lookupflags`: a symbolic link at the end of a path is followed.
pub(super) const LOOKUP_SYMLINK_FOLLOW: u32 = 1;

pub(super) mod oflags {
    pub(crate) const CREAT: u32 = 1;
    pub(crate) const DIRECTORY: u32 = 2;
    pub(crate) const EXCL: u32 = 4;
    pub(crate) const TRUNC: u32 = 8;
}

pub(super) mod fstflags {
    pub(crate) const ATIM: u32 = 1;
    pub(crate) const ATIM_NOW: u32 = 2;
    pub(crate) const MTIM: u32 = 4;
    pub(crate) const MTIM_NOW: u32 = 8;
}

pub(super) mod whence {
    pub(crate) const SET: u32 = 0;
    pub(crate) const CUR: u32 = 1;
    pub(crate) const END: u32 = 2;
}

/// Bytes of an `$iovec` or `$ciovec`: address, length.
pub(super) const IOVEC_BYTES: u32 = 8;
/// Vectors in one call, as `IOV_MAX` of Linux.
pub(super) const IOVECS: u32 = 1024;

pub(super) const FILETYPE_CHARACTER_DEVICE: u8 = 2;

/// `$filetype` of what a path leads to.
pub(super) fn file_type(kind: FileKind) -> u8 {
    match kind {
        FileKind::Other => 0,
        FileKind::Device => FILETYPE_CHARACTER_DEVICE,
        FileKind::Directory => 3,
        FileKind::File => 4,
        FileKind::Symlink => 7,
    }
}

/// `$fdstat`: type at 0, flags at 2, rights at 8, inheriting rights at 16.
pub(super) fn fdstat(file_type: u8, flags: u16, rights: u64) -> [u8; 24] {
    let mut bytes = Record::new();
    bytes
        .put(0, &[file_type])
        .put(2, &flags.to_le_bytes())
        .put(8, &rights.to_le_bytes())
        .put(16, &rights::ALL.to_le_bytes());
    bytes.0
}

/// `$filestat`: eight fields of 8 bytes.
pub(super) fn filestat(metadata: &Metadata) -> [u8; 64] {
    let times = metadata.times;
    let fields = [
        metadata.device,
        metadata.inode,
        u64::from(file_type(metadata.kind)),
        u64::from(metadata.links),
        metadata.size,
        times.accessed,
        times.modified,
        times.changed,
    ];
    let mut bytes = Record::new();
    for (offset, field) in (0..).step_by(8).zip(fields) {
        bytes.put(offset, &field.to_le_bytes());
    }
    bytes.0
}

/// `$dirent`: next cookie at 0, inode at 8, length of the name at 16, type at 20. The name follows.
pub(super) fn dirent(entry: &DirEntry<'_>) -> [u8; 24] {
    let length = u32::try_from(entry.name.len()).unwrap_or(u32::MAX);
    let mut bytes = Record::new();
    bytes.put(0, &entry.next.to_le_bytes()).put(8, &entry.inode.to_le_bytes());
    bytes.put(16, &length.to_le_bytes()).put(20, &[file_type(entry.kind)]);
    bytes.0
}

/// `$prestat` of a directory: tag 0 at 0, length of the name at 4.
pub(super) fn prestat_dir(name: &str) -> [u8; 8] {
    let length = u32::try_from(name.len()).unwrap_or(u32::MAX);
    let mut bytes = Record::new();
    bytes.put(4, &length.to_le_bytes());
    bytes.0
}

/// A record of the guest's memory, zero where no field is.
struct Record<const N: usize>([u8; N]);

impl<const N: usize> Record<N> {
    fn new() -> Self {
        Self([0; N])
    }

    fn put(&mut self, offset: usize, field: &[u8]) -> &mut Self {
        self.0[offset..offset + field.len()].copy_from_slice(field);
        self
    }
}
