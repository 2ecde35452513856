//! Paths: opening, making, removing, renaming and linking.

use super::abi::{FDFLAG_APPEND, FDFLAGS, LOOKUP_SYMLINK_FOLLOW, MODULE, oflags, rights};
use super::descriptors::GuestFs;
use super::errno::Errno;
use super::memory::{GuestMemory, Range};
use super::stat::symlinks;
use super::{HostFs, with_memory};
use crate::vfs::{self, NodeId, OpenOptions, Vfs};
use wasmtime::{Caller, Linker};

pub(super) fn add_to_linker<T: HostFs>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    linker.func_wrap(MODULE, "path_open", path_open::<T>)?;
    linker.func_wrap(
        MODULE,
        "path_create_directory",
        |caller: Caller<'_, T>, fd: u32, ptr: u32, len: u32| {
            with_path(caller, PathAt::new(fd, ptr, len), Vfs::create_directory)
        },
    )?;
    linker.func_wrap(
        MODULE,
        "path_remove_directory",
        |caller: Caller<'_, T>, fd: u32, ptr: u32, len: u32| {
            with_path(caller, PathAt::new(fd, ptr, len), Vfs::remove_directory)
        },
    )?;
    linker.func_wrap(
        MODULE,
        "path_unlink_file",
        |caller: Caller<'_, T>, fd: u32, ptr: u32, len: u32| {
            with_path(caller, PathAt::new(fd, ptr, len), Vfs::remove_file)
        },
    )?;
    linker.func_wrap(MODULE, "path_rename", path_rename::<T>)?;
    linker.func_wrap(MODULE, "path_link", path_link::<T>)?;
    linker.func_wrap(MODULE, "path_symlink", path_symlink::<T>)?;
    linker.func_wrap(MODULE, "path_readlink", path_readlink::<T>)?;
    Ok(())
}

#[expect(clippy::too_many_arguments, reason = "the signature is that of WASI")]
fn path_open<T: HostFs>(
    caller: Caller<'_, T>,
    fd: u32,
    lookup: u32,
    ptr: u32,
    len: u32,
    open: u32,
    base: u64,
    _inheriting: u64,
    flags: u32,
    out: u32,
) -> u32 {
    with_memory(caller, |memory, fs| {
        memory.check(out, 4)?;
        let flags =
            u16::try_from(flags).ok().filter(|flags| flags & !FDFLAGS == 0).ok_or(Errno::INVAL)?;
        let options = OpenOptions {
            read: base & (rights::FD_READ | rights::FD_READDIR) != 0,
            write: base & rights::FD_WRITE != 0,
            append: flags & FDFLAG_APPEND != 0,
            create: open & oflags::CREAT != 0,
            exclusive: open & oflags::EXCL != 0,
            truncate: open & oflags::TRUNC != 0,
            directory: open & oflags::DIRECTORY != 0,
            no_follow: lookup & LOOKUP_SYMLINK_FOLLOW == 0,
        };
        let path = memory.string(Range { ptr, len }, fs.path_limit())?;
        let opened = fs.open(fd, path, options, flags)?;
        memory.store(out, &opened.to_le_bytes())
    })
}

/// A directory and a path relative to it, from a call's arguments.
#[derive(Debug, Clone, Copy)]
struct PathAt {
    fd: u32,
    path: Range,
}

impl PathAt {
    fn new(fd: u32, ptr: u32, len: u32) -> Self {
        Self { fd, path: Range { ptr, len } }
    }

    fn read<'a>(
        self,
        memory: &'a GuestMemory<'_>,
        fs: &GuestFs,
    ) -> Result<(NodeId, &'a str), Errno> {
        Ok((fs.base(self.fd)?, memory.string(self.path, fs.path_limit())?))
    }
}

/// One call with one path.
fn with_path<T: HostFs>(
    caller: Caller<'_, T>,
    at: PathAt,
    act: impl FnOnce(&mut Vfs, NodeId, &str) -> vfs::Result<()>,
) -> u32 {
    with_memory(caller, |memory, fs| {
        let (base, path) = at.read(memory, fs)?;
        Ok(act(&mut fs.vfs, base, path)?)
    })
}

fn path_rename<T: HostFs>(
    caller: Caller<'_, T>,
    old_fd: u32,
    old_ptr: u32,
    old_len: u32,
    new_fd: u32,
    new_ptr: u32,
    new_len: u32,
) -> u32 {
    with_memory(caller, |memory, fs| {
        let (old_base, old) = PathAt::new(old_fd, old_ptr, old_len).read(memory, fs)?;
        let (new_base, new) = PathAt::new(new_fd, new_ptr, new_len).read(memory, fs)?;
        Ok(fs.vfs.rename(old_base, old, new_base, new)?)
    })
}

#[expect(clippy::too_many_arguments, reason = "the signature is that of WASI")]
fn path_link<T: HostFs>(
    caller: Caller<'_, T>,
    old_fd: u32,
    lookup: u32,
    old_ptr: u32,
    old_len: u32,
    new_fd: u32,
    new_ptr: u32,
    new_len: u32,
) -> u32 {
    with_memory(caller, |memory, fs| {
        let (old_base, old) = PathAt::new(old_fd, old_ptr, old_len).read(memory, fs)?;
        let (new_base, new) = PathAt::new(new_fd, new_ptr, new_len).read(memory, fs)?;
        Ok(fs.vfs.link(old_base, old, symlinks(lookup), new_base, new)?)
    })
}

fn path_symlink<T: HostFs>(
    caller: Caller<'_, T>,
    target_ptr: u32,
    target_len: u32,
    fd: u32,
    ptr: u32,
    len: u32,
) -> u32 {
    with_memory(caller, |memory, fs| {
        let target = memory.string(Range { ptr: target_ptr, len: target_len }, fs.path_limit())?;
        let (base, path) = PathAt::new(fd, ptr, len).read(memory, fs)?;
        Ok(fs.vfs.symlink(target, base, path)?)
    })
}

fn path_readlink<T: HostFs>(
    caller: Caller<'_, T>,
    fd: u32,
    ptr: u32,
    len: u32,
    out_ptr: u32,
    out_len: u32,
    done: u32,
) -> u32 {
    with_memory(caller, |memory, fs| {
        memory.check(done, 4)?;
        let (base, path) = PathAt::new(fd, ptr, len).read(memory, fs)?;
        let target = fs.vfs.read_link(base, path)?;
        let buffer = memory.bytes_mut(Range { ptr: out_ptr, len: out_len })?;
        let count = target.len().min(buffer.len());
        if let (Some(place), Some(bytes)) =
            (buffer.get_mut(..count), target.as_bytes().get(..count))
        {
            place.copy_from_slice(bytes);
        }
        memory.store(done, &u32::try_from(count).map_err(|_| Errno::INVAL)?.to_le_bytes())
    })
}
