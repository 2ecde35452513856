//! A job's descriptors: standard streams and files in one table, the lowest free number first, as
//! POSIX has it.

use super::abi::{FDFLAG_APPEND, FDFLAGS, FILETYPE_CHARACTER_DEVICE, fdstat, file_type, rights};
use super::errno::Errno;
use super::memory::{GuestMemory, Range};
use crate::vfs::{self, FileKind, Metadata, NodeId, OpenFile, OpenOptions, Times, Vfs};

/// The descriptor of `/`: the directory that wasi-libc resolves every path against.
const ROOT_FD: u32 = 3;

#[derive(Debug)]
pub(crate) struct GuestFs {
    pub(crate) vfs: Vfs,
    table: Vec<Option<Descriptor>>,
}

#[derive(Debug)]
pub(super) enum Descriptor {
    Stream(Stream),
    File {
        file: OpenFile,
        /// `$fdflags` as the guest set them.
        flags: u16,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stream {
    /// Always at its end.
    Stdin,
    Stdout,
    Stderr,
}

impl GuestFs {
    /// The descriptors that a guest starts with, over a filesystem: stdin (empty), stdout and
    /// stderr, and 3, the directory `/`.
    pub(crate) fn new(mut vfs: Vfs) -> vfs::Result<Self> {
        let options = OpenOptions { read: true, directory: true, ..OpenOptions::default() };
        let root = vfs.open(vfs.root(), "/", options)?;
        let streams = [Stream::Stdin, Stream::Stdout, Stream::Stderr];
        let mut table: Vec<_> = streams.map(|stream| Some(Descriptor::Stream(stream))).into();
        table.push(Some(Descriptor::File { file: root, flags: 0 }));
        Ok(Self { vfs, table })
    }

    /// The longest path that is worth reading from the guest.
    pub(super) fn path_limit(&self) -> usize {
        self.vfs.quota().path_bytes
    }

    pub(super) fn get(&self, fd: u32) -> Result<&Descriptor, Errno> {
        self.table.get(fd as usize).and_then(Option::as_ref).ok_or(Errno::BADF)
    }

    fn get_mut(&mut self, fd: u32) -> Result<&mut Descriptor, Errno> {
        self.table.get_mut(fd as usize).and_then(Option::as_mut).ok_or(Errno::BADF)
    }

    /// A directory and a path relative to it, as calls pass them.
    pub(super) fn path<'a>(
        &self,
        memory: &'a GuestMemory<'_>,
        fd: u32,
        ptr: u32,
        len: u32,
    ) -> Result<(NodeId, &'a str), Errno> {
        Ok((self.base(fd)?, memory.string(Range { ptr, len }, self.path_limit())?))
    }

    /// An open file, and the filesystem to use it with.
    pub(super) fn file(&mut self, fd: u32) -> Result<(&mut Vfs, &mut OpenFile), Errno> {
        match self.table.get_mut(fd as usize).and_then(Option::as_mut) {
            Some(Descriptor::File { file, .. }) => Ok((&mut self.vfs, file)),
            Some(Descriptor::Stream(_)) => Err(Errno::INVAL),
            None => Err(Errno::BADF),
        }
    }

    /// The directory that relative paths of a call begin at.
    pub(super) fn base(&self, fd: u32) -> Result<NodeId, Errno> {
        match self.get(fd)? {
            Descriptor::File { file, .. } => Ok(file.node()),
            Descriptor::Stream(_) => Err(Errno::NOTDIR),
        }
    }

    pub(super) fn open(
        &mut self,
        base: u32,
        path: &str,
        options: OpenOptions,
        flags: u16,
    ) -> Result<u32, Errno> {
        let base = self.base(base)?;
        let free = self.table.iter().position(Option::is_none).unwrap_or(self.table.len());
        let allowed = self.vfs.quota().open_files;
        let fd = u32::try_from(free).ok().filter(|fd| *fd < allowed).ok_or(Errno::MFILE)?;
        let descriptor =
            Some(Descriptor::File { file: self.vfs.open(base, path, options)?, flags });
        match self.table.get_mut(free) {
            Some(slot) => *slot = descriptor,
            None => self.table.push(descriptor),
        }
        Ok(fd)
    }

    /// Closes a descriptor. The root stays: without it a guest could reach no file any more, and
    /// `os.closerange` means what the job opened.
    pub(super) fn close(&mut self, fd: u32) -> Result<(), Errno> {
        let closed = self.take(fd)?;
        self.drop_descriptor(closed);
        Ok(())
    }

    pub(super) fn renumber(&mut self, from: u32, to: u32) -> Result<(), Errno> {
        self.get(from)?;
        let target = to as usize;
        if to == ROOT_FD || to >= self.vfs.quota().open_files {
            return Err(Errno::BADF);
        }
        if from == to {
            return Ok(());
        }
        let moved = self.take(from)?;
        if target >= self.table.len() {
            self.table.resize_with(target + 1, || None);
        }
        let replaced = self.table.get_mut(target).and_then(|slot| slot.replace(moved));
        if let Some(replaced) = replaced {
            self.drop_descriptor(replaced);
        }
        Ok(())
    }

    fn take(&mut self, fd: u32) -> Result<Descriptor, Errno> {
        if fd == ROOT_FD {
            return Err(Errno::BADF);
        }
        self.table.get_mut(fd as usize).and_then(Option::take).ok_or(Errno::BADF)
    }

    fn drop_descriptor(&mut self, descriptor: Descriptor) {
        if let Descriptor::File { file, .. } = descriptor {
            self.vfs.close(file);
        }
    }

    pub(super) fn fdstat(&self, fd: u32) -> Result<[u8; 24], Errno> {
        Ok(match self.get(fd)? {
            Descriptor::Stream(stream) => fdstat(FILETYPE_CHARACTER_DEVICE, 0, stream.rights()),
            Descriptor::File { file, flags } => {
                let kind = self.vfs.metadata(file.node())?.kind;
                let append = if file.append { FDFLAG_APPEND } else { 0 };
                fdstat(file_type(kind), (flags & !FDFLAG_APPEND) | append, file_rights(file, kind))
            }
        })
    }

    pub(super) fn set_flags(&mut self, fd: u32, new: u32) -> Result<(), Errno> {
        let new = u16::try_from(new).ok().filter(|new| new & !FDFLAGS == 0).ok_or(Errno::INVAL)?;
        if let Descriptor::File { file, flags } = self.get_mut(fd)? {
            *flags = new;
            file.append = new & FDFLAG_APPEND != 0;
        }
        Ok(())
    }

    pub(super) fn metadata(&self, fd: u32) -> Result<Metadata, Errno> {
        match self.get(fd)? {
            Descriptor::File { file, .. } => Ok(self.vfs.metadata(file.node())?),
            Descriptor::Stream(stream) => Ok(stream.metadata()),
        }
    }
}

/// Refuses all but the descriptor that wasi-libc finds paths with.
pub(super) fn must_be_preopened(fd: u32) -> Result<(), Errno> {
    if fd == ROOT_FD { Ok(()) } else { Err(Errno::BADF) }
}

impl Stream {
    /// A character device without a position would be taken for a terminal (wasi-libc, `isatty.c`):
    /// so it has the rights, and the calls fail.
    fn rights(self) -> u64 {
        let direction = match self {
            Self::Stdin => rights::FD_READ,
            Self::Stdout | Self::Stderr => rights::FD_WRITE,
        };
        (rights::ALL & !(rights::FD_READ | rights::FD_WRITE | rights::FD_READDIR)) | direction
    }

    fn metadata(self) -> Metadata {
        let (kind, times) = (FileKind::Device, Times::default());
        Metadata { device: 0, inode: self as u64 + 1, kind, links: 1, size: 0, times }
    }
}

/// wasi-libc's `fcntl(F_GETFL)` reads from the rights whether a file was opened for reading or
/// writing.
fn file_rights(file: &OpenFile, kind: FileKind) -> u64 {
    let mut all = rights::ALL & !(rights::FD_READ | rights::FD_WRITE | rights::FD_READDIR);
    if kind == FileKind::Directory {
        all = (all & !(rights::FD_SEEK | rights::FD_TELL)) | rights::FD_READDIR;
    }
    if file.is_readable() {
        all |= rights::FD_READ;
    }
    if file.is_writable() {
        all |= rights::FD_WRITE;
    }
    all
}
