//! Attributes of descriptors and paths: `*_fdstat_*`, `*_filestat_get`, `*_filestat_set_times`.

use super::HostFs;
use super::abi::{LOOKUP_SYMLINK_FOLLOW, filestat, fstflags};
use super::descriptors::Descriptor;
use super::errno::Errno;
use crate::vfs::{SetTime, Symlinks};
use wasmtime::Linker;

pub(super) fn add_to_linker<T: HostFs>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    bind! { linker:
        "fd_fdstat_get" |memory, fs; fd: u32, out: u32| memory.store(out, &fs.fdstat(fd)?);
        "fd_fdstat_set_flags" |_, fs; fd: u32, flags: u32| fs.set_flags(fd, flags);
        // Rights are not kept: what a descriptor may is what it was opened for. Giving up some is
        // allowed and changes nothing.
        "fd_fdstat_set_rights" |_, fs; fd: u32, _base: u64, _inheriting: u64|
            fs.get(fd).map(|_| ());
        "fd_filestat_get" |memory, fs; fd: u32, out: u32|
            memory.store(out, &filestat(&fs.metadata(fd)?));
        "fd_filestat_set_times" |_, fs; fd: u32, accessed: u64, modified: u64, flags: u32| {
            let (accessed, modified) = times(accessed, modified, flags)?;
            match fs.get(fd)? {
                Descriptor::Stream(_) => Ok(()),
                Descriptor::File { file, .. } => {
                    Ok(fs.vfs.set_times(file.node(), accessed, modified)?)
                }
            }
        };
        "path_filestat_get" |memory, fs; fd: u32, flags: u32, ptr: u32, len: u32, out: u32| {
            let (base, path) = fs.path(memory, fd, ptr, len)?;
            let metadata = fs.vfs.metadata_at(base, path, symlinks(flags))?;
            memory.store(out, &filestat(&metadata))
        };
        "path_filestat_set_times" |memory, fs; fd: u32, lookup: u32, ptr: u32, len: u32,
            accessed: u64, modified: u64, flags: u32| {
            let (base, path) = fs.path(memory, fd, ptr, len)?;
            let (accessed, modified) = times(accessed, modified, flags)?;
            Ok(fs.vfs.set_times_at(base, path, symlinks(lookup), accessed, modified)?)
        };
    }
    Ok(())
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

pub(super) fn symlinks(flags: u32) -> Symlinks {
    if flags & LOOKUP_SYMLINK_FOLLOW == 0 { Symlinks::Keep } else { Symlinks::Follow }
}
