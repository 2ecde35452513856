//! Listing: `fd_readdir`. The buffer is filled completely, the last entry cut off if need be: a
//! short count means the end.

use super::HostFs;
use super::abi::dirent;
use super::memory::{Range, copy_what_fits};
use wasmtime::Linker;

pub(super) fn add_to_linker<T: HostFs>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    bind! { linker:
        "fd_readdir" |memory, fs; fd: u32, ptr: u32, len: u32, cookie: u64, out: u32| {
            // Nothing may be listed for a result that cannot be stored.
            memory.check(out, 4)?;
            let node = fs.base(fd)?;
            let target = memory.bytes_mut(Range { ptr, len })?;
            let mut used = 0;
            fs.vfs.read_dir(node, cookie, |entry| {
                used += copy_what_fits(&mut target[used..], &dirent(&entry));
                used += copy_what_fits(&mut target[used..], entry.name.as_bytes());
                used < target.len()
            })?;
            memory.store_count(out, used)
        };
    }
    Ok(())
}
