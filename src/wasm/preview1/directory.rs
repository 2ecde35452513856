//! Listing: `fd_readdir`. The buffer is filled to the brim, the last entry cut off if need be: a
//! short count means the end.

use super::abi::{MODULE, dirent};
use super::descriptors::GuestFs;
use super::errno::Errno;
use super::memory::{GuestMemory, Range};
use super::{HostFs, with_memory};
use wasmtime::{Caller, Linker};

pub(super) fn add_to_linker<T: HostFs>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    linker.func_wrap(
        MODULE,
        "fd_readdir",
        |caller: Caller<'_, T>, fd: u32, ptr: u32, len: u32, cookie: u64, out: u32| {
            with_memory(caller, |memory, fs| {
                read_dir(memory, fs, fd, Range { ptr, len }, cookie, out)
            })
        },
    )?;
    Ok(())
}

fn read_dir(
    memory: &mut GuestMemory<'_>,
    fs: &mut GuestFs,
    fd: u32,
    buffer: Range,
    cookie: u64,
    out: u32,
) -> Result<(), Errno> {
    memory.check(out, 4)?;
    let node = fs.base(fd)?;
    let target = memory.bytes_mut(buffer)?;
    let mut used = 0;
    fs.vfs.read_dir(node, cookie, |entry| {
        used += fill(target, used, &dirent(&entry));
        used += fill(target, used, entry.name.as_bytes());
        used < target.len()
    })?;
    memory.store(out, &u32::try_from(used).map_err(|_| Errno::INVAL)?.to_le_bytes())
}

/// Copies what fits; gives how much.
fn fill(target: &mut [u8], used: usize, bytes: &[u8]) -> usize {
    let Some(free) = target.get_mut(used..) else { return 0 };
    let count = bytes.len().min(free.len());
    if let (Some(place), Some(bytes)) = (free.get_mut(..count), bytes.get(..count)) {
        place.copy_from_slice(bytes);
    }
    count
}
