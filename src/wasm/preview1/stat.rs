//! Attributes of descriptors and paths: `*_fdstat_*`, `*_filestat_get`, `*_filestat_set_times`.

use super::abi::{LOOKUP_SYMLINK_FOLLOW, MODULE, filestat, fstflags};
use super::descriptors::{Descriptor, GuestFs};
use super::errno::Errno;
use super::memory::Range;
use super::{HostFs, with_files, with_memory};
use crate::vfs::{SetTime, Symlinks};
use wasmtime::{Caller, Linker};

pub(super) fn add_to_linker<T: HostFs>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    linker.func_wrap(MODULE, "fd_fdstat_get", |caller: Caller<'_, T>, fd: u32, out: u32| {
        with_memory(caller, |memory, fs| memory.store(out, &fs.fdstat(fd)?))
    })?;
    linker.func_wrap(
        MODULE,
        "fd_fdstat_set_flags",
        |caller: Caller<'_, T>, fd: u32, flags: u32| {
            with_files(caller, |fs| fs.set_flags(fd, flags))
        },
    )?;
    // Rights are not kept: what a descriptor may is what it was opened for. Giving up some is
    // allowed and changes nothing.
    linker.func_wrap(
        MODULE,
        "fd_fdstat_set_rights",
        |caller: Caller<'_, T>, fd: u32, _base: u64, _inheriting: u64| {
            with_files(caller, |fs| fs.get(fd).map(|_| ()))
        },
    )?;
    linker.func_wrap(MODULE, "fd_filestat_get", |caller: Caller<'_, T>, fd: u32, out: u32| {
        with_memory(caller, |memory, fs| memory.store(out, &filestat(&fs.metadata(fd)?)))
    })?;
    linker.func_wrap(
        MODULE,
        "fd_filestat_set_times",
        |caller: Caller<'_, T>, fd: u32, accessed: u64, modified: u64, flags: u32| {
            with_files(caller, |fs| set_times(fs, fd, accessed, modified, flags))
        },
    )?;
    linker.func_wrap(
        MODULE,
        "path_filestat_get",
        |caller: Caller<'_, T>, fd: u32, flags: u32, ptr: u32, len: u32, out: u32| {
            with_memory(caller, |memory, fs| {
                let base = fs.base(fd)?;
                let path = memory.string(Range { ptr, len }, fs.path_limit())?;
                let metadata = fs.vfs.metadata_at(base, path, symlinks(flags))?;
                memory.store(out, &filestat(&metadata))
            })
        },
    )?;
    linker.func_wrap(MODULE, "path_filestat_set_times", path_filestat_set_times::<T>)?;
    Ok(())
}

#[expect(clippy::too_many_arguments, reason = "the signature is that of WASI")]
fn path_filestat_set_times<T: HostFs>(
    caller: Caller<'_, T>,
    fd: u32,
    lookup: u32,
    ptr: u32,
    len: u32,
    accessed: u64,
    modified: u64,
    flags: u32,
) -> u32 {
    with_memory(caller, |memory, fs| {
        let base = fs.base(fd)?;
        let path = memory.string(Range { ptr, len }, fs.path_limit())?;
        let (accessed, modified) = times(accessed, modified, flags)?;
        Ok(fs.vfs.set_times_at(base, path, symlinks(lookup), accessed, modified)?)
    })
}

fn set_times(
    fs: &mut GuestFs,
    fd: u32,
    accessed: u64,
    modified: u64,
    flags: u32,
) -> Result<(), Errno> {
    let (accessed, modified) = times(accessed, modified, flags)?;
    match fs.get(fd)? {
        Descriptor::Stream(_) => Ok(()),
        Descriptor::File { file, .. } => {
            let node = file.node();
            Ok(fs.vfs.set_times(node, accessed, modified)?)
        }
    }
}

fn times(accessed: u64, modified: u64, flags: u32) -> Result<(SetTime, SetTime), Errno> {
    let set = |to: u64, given: u32, now: u32| match (flags & given != 0, flags & now != 0) {
        (true, true) => Err(Errno::INVAL),
        (true, false) => Ok(SetTime::To(to)),
        (false, true) => Ok(SetTime::Now),
        (false, false) => Ok(SetTime::Keep),
    };
    let accessed = set(accessed, fstflags::ATIM, fstflags::ATIM_NOW)?;
    Ok((accessed, set(modified, fstflags::MTIM, fstflags::MTIM_NOW)?))
}

/// What `$lookupflags` say.
pub(super) fn symlinks(flags: u32) -> Symlinks {
    if flags & LOOKUP_SYMLINK_FOLLOW == 0 { Symlinks::Keep } else { Symlinks::Follow }
}
