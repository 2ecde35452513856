//! Open files: position, length, closing, renumbering, and the calls that memory has nothing to do
//! for.

use super::abi::{MODULE, prestat_dir, whence};
use super::descriptors::{Descriptor, GuestFs};
use super::errno::Errno;
use super::memory::{GuestMemory, Range};
use super::{HostFs, with_files, with_memory};
use crate::vfs::FileKind;
use wasmtime::{Caller, Linker};

/// The name under which wasi-libc learns the one preopened directory.
const ROOT: &str = "/";

pub(super) fn add_to_linker<T: HostFs>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    linker.func_wrap(
        MODULE,
        "fd_seek",
        |caller: Caller<'_, T>, fd: u32, offset: i64, whence: u32, out: u32| {
            with_memory(caller, |memory, fs| seek(memory, fs, fd, offset, whence, out))
        },
    )?;
    linker.func_wrap(MODULE, "fd_tell", |caller: Caller<'_, T>, fd: u32, out: u32| {
        with_memory(caller, |memory, fs| seek(memory, fs, fd, 0, whence::CUR, out))
    })?;
    linker.func_wrap(
        MODULE,
        "fd_allocate",
        |caller: Caller<'_, T>, fd: u32, offset: u64, len: u64| {
            with_files(caller, |fs| {
                let (vfs, file) = fs.file(fd)?;
                Ok(vfs.allocate(file, offset, len)?)
            })
        },
    )?;
    linker.func_wrap(
        MODULE,
        "fd_filestat_set_size",
        |caller: Caller<'_, T>, fd: u32, size: u64| {
            with_files(caller, |fs| {
                let (vfs, file) = fs.file(fd)?;
                Ok(vfs.set_len(file, size)?)
            })
        },
    )?;
    linker.func_wrap(MODULE, "fd_close", |caller: Caller<'_, T>, fd: u32| {
        with_files(caller, |fs| fs.close(fd))
    })?;
    linker.func_wrap(MODULE, "fd_renumber", |caller: Caller<'_, T>, fd: u32, to: u32| {
        with_files(caller, |fs| fs.renumber(fd, to))
    })?;
    // In memory everything is in sync, and advice helps nothing.
    for name in ["fd_sync", "fd_datasync"] {
        linker.func_wrap(MODULE, name, |caller: Caller<'_, T>, fd: u32| {
            with_files(caller, |fs| fs.get(fd).map(|_| ()))
        })?;
    }
    linker.func_wrap(
        MODULE,
        "fd_advise",
        |caller: Caller<'_, T>, fd: u32, _offset: u64, _len: u64, _advice: u32| {
            with_files(caller, |fs| fs.file(fd).map(|_| ()))
        },
    )?;
    linker.func_wrap(MODULE, "fd_prestat_get", |caller: Caller<'_, T>, fd: u32, out: u32| {
        with_memory(caller, |memory, fs| prestat(memory, fs, fd, out))
    })?;
    linker.func_wrap(
        MODULE,
        "fd_prestat_dir_name",
        |caller: Caller<'_, T>, fd: u32, ptr: u32, len: u32| {
            with_memory(caller, |memory, fs| prestat_name(memory, fs, fd, Range { ptr, len }))
        },
    )?;
    Ok(())
}

fn seek(
    memory: &mut GuestMemory<'_>,
    fs: &mut GuestFs,
    fd: u32,
    offset: i64,
    from: u32,
    out: u32,
) -> Result<(), Errno> {
    memory.check(out, 8)?;
    if let Descriptor::Stream(_) = fs.get(fd)? {
        return Err(Errno::SPIPE);
    }
    let (vfs, file) = fs.file(fd)?;
    let metadata = vfs.metadata(file.node())?;
    let base = match from {
        whence::SET => 0,
        whence::CUR => file.position,
        whence::END => metadata.size,
        _ => return Err(Errno::INVAL),
    };
    if metadata.kind == FileKind::Directory {
        return Err(Errno::ISDIR);
    }
    let target = base
        .checked_add_signed(offset)
        .filter(|target| i64::try_from(*target).is_ok())
        .ok_or(Errno::INVAL)?;
    file.position = target;
    memory.store(out, &target.to_le_bytes())
}

fn prestat(memory: &mut GuestMemory<'_>, fs: &GuestFs, fd: u32, out: u32) -> Result<(), Errno> {
    if !fs.is_preopened(fd)? {
        return Err(Errno::BADF);
    }
    memory.store(out, &prestat_dir(u32::try_from(ROOT.len()).map_err(|_| Errno::INVAL)?))
}

fn prestat_name(
    memory: &mut GuestMemory<'_>,
    fs: &GuestFs,
    fd: u32,
    buffer: Range,
) -> Result<(), Errno> {
    if !fs.is_preopened(fd)? {
        return Err(Errno::BADF);
    }
    if (buffer.len as usize) < ROOT.len() {
        return Err(Errno::NAMETOOLONG);
    }
    memory.bytes(buffer)?;
    memory.store(buffer.ptr, ROOT.as_bytes())
}
