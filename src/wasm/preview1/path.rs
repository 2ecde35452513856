//! Paths: opening, making, removing, renaming and linking.

use super::HostFs;
use super::abi::{FDFLAG_APPEND, FDFLAGS, LOOKUP_SYMLINK_FOLLOW, oflags, rights};
use super::errno::Errno;
use super::memory::{Range, copy_what_fits};
use super::stat::symlinks;
use crate::vfs::OpenOptions;
use wasmtime::Linker;

pub(super) fn add_to_linker<T: HostFs>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    bind! { linker:
        "path_open" |memory, fs; fd: u32, lookup: u32, ptr: u32, len: u32, open: u32, base: u64,
            _inheriting: u64, flags: u32, out: u32| {
            memory.check(out, 4)?;
            let flags = u16::try_from(flags).ok().filter(|flags| flags & !FDFLAGS == 0);
            let flags = flags.ok_or(Errno::INVAL)?;
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
        };
        "path_create_directory" |memory, fs; fd: u32, ptr: u32, len: u32| {
            let (base, path) = fs.path(memory, fd, ptr, len)?;
            Ok(fs.vfs.create_directory(base, path)?)
        };
        "path_remove_directory" |memory, fs; fd: u32, ptr: u32, len: u32| {
            let (base, path) = fs.path(memory, fd, ptr, len)?;
            Ok(fs.vfs.remove_directory(base, path)?)
        };
        "path_unlink_file" |memory, fs; fd: u32, ptr: u32, len: u32| {
            let (base, path) = fs.path(memory, fd, ptr, len)?;
            Ok(fs.vfs.remove_file(base, path)?)
        };
        "path_rename" |memory, fs; old_fd: u32, old_ptr: u32, old_len: u32, new_fd: u32,
            new_ptr: u32, new_len: u32| {
            let (old_base, old) = fs.path(memory, old_fd, old_ptr, old_len)?;
            let (new_base, new) = fs.path(memory, new_fd, new_ptr, new_len)?;
            Ok(fs.vfs.rename(old_base, old, new_base, new)?)
        };
        "path_link" |memory, fs; old_fd: u32, lookup: u32, old_ptr: u32, old_len: u32, new_fd: u32,
            new_ptr: u32, new_len: u32| {
            let (old_base, old) = fs.path(memory, old_fd, old_ptr, old_len)?;
            let (new_base, new) = fs.path(memory, new_fd, new_ptr, new_len)?;
            Ok(fs.vfs.link(old_base, old, symlinks(lookup), new_base, new)?)
        };
        "path_symlink" |memory, fs; target: u32, target_len: u32, fd: u32, ptr: u32, len: u32| {
            let target = Range { ptr: target, len: target_len };
            let target = memory.string(target, fs.path_limit())?;
            let (base, path) = fs.path(memory, fd, ptr, len)?;
            Ok(fs.vfs.symlink(target, base, path)?)
        };
        "path_readlink" |memory, fs; fd: u32, ptr: u32, len: u32, out_ptr: u32, out_len: u32,
            done: u32| {
            memory.check(done, 4)?;
            let (base, path) = fs.path(memory, fd, ptr, len)?;
            let target = fs.vfs.read_link(base, path)?;
            let buffer = memory.bytes_mut(Range { ptr: out_ptr, len: out_len })?;
            let count = copy_what_fits(buffer, target.as_bytes());
            memory.store_count(done, count)
        };
    }
    Ok(())
}
