//! Open files: position, length, closing, renumbering, and the calls that memory has nothing to do
//! for.

use super::HostFs;
use super::abi::{prestat_dir, whence};
use super::descriptors::{Descriptor, GuestFs, must_be_preopened};
use super::errno::Errno;
use super::memory::GuestMemory;
use crate::vfs::FileKind;
use wasmtime::Linker;

/// The name of the one preopened directory, as wasi-libc asks for it.
const ROOT: &str = "/";

pub(super) fn add_to_linker<T: HostFs>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    bind! { linker:
        "fd_seek" |memory, fs; fd: u32, offset: i64, whence: u32, out: u32|
            seek(memory, fs, fd, offset, whence, out);
        "fd_tell" |memory, fs; fd: u32, out: u32| seek(memory, fs, fd, 0, whence::CUR, out);
        "fd_allocate" |_, fs; fd: u32, offset: u64, len: u64| {
            let (vfs, file) = fs.file(fd)?;
            Ok(vfs.allocate(file, offset, len)?)
        };
        "fd_filestat_set_size" |_, fs; fd: u32, size: u64| {
            let (vfs, file) = fs.file(fd)?;
            Ok(vfs.set_len(file, size)?)
        };
        "fd_close" |_, fs; fd: u32| fs.close(fd);
        "fd_renumber" |_, fs; fd: u32, to: u32| fs.renumber(fd, to);
        // In memory everything is in sync, and advice helps nothing.
        "fd_sync" |_, fs; fd: u32| fs.get(fd).map(|_| ());
        "fd_datasync" |_, fs; fd: u32| fs.get(fd).map(|_| ());
        "fd_advise" |_, fs; fd: u32, _offset: u64, _len: u64, _advice: u32|
            fs.file(fd).map(|_| ());
        "fd_prestat_get" |memory, _; fd: u32, out: u32| {
            must_be_preopened(fd)?;
            memory.store(out, &prestat_dir(ROOT))
        };
        "fd_prestat_dir_name" |memory, _; fd: u32, ptr: u32, len: u32| {
            must_be_preopened(fd)?;
            if (len as usize) < ROOT.len() {
                return Err(Errno::NAMETOOLONG);
            }
            memory.check(ptr, len)?;
            memory.store(ptr, ROOT.as_bytes())
        };
        // No descriptor is a socket.
        "sock_accept" |_, fs; fd: u32, _flags: u32, _out: u32| not_a_socket(fs, fd);
        "sock_recv"
            |_, fs; fd: u32, _vectors: u32, _count: u32, _flags: u32, _done: u32, _out: u32|
            not_a_socket(fs, fd);
        "sock_send" |_, fs; fd: u32, _vectors: u32, _count: u32, _flags: u32, _done: u32|
            not_a_socket(fs, fd);
        "sock_shutdown" |_, fs; fd: u32, _how: u32| not_a_socket(fs, fd);
    }
    Ok(())
}

fn not_a_socket(fs: &GuestFs, fd: u32) -> Result<(), Errno> {
    fs.get(fd).and(Err(Errno::NOTSOCK))
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
