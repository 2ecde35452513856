//! Sockets: there are none, and no descriptor is one.

use super::abi::MODULE;
use super::errno::Errno;
use super::{HostFs, with_files};
use wasmtime::{Caller, Linker};

pub(super) fn add_to_linker<T: HostFs>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    linker.func_wrap(
        MODULE,
        "sock_accept",
        |caller: Caller<'_, T>, fd: u32, _flags: u32, _out: u32| not_a_socket(caller, fd),
    )?;
    linker.func_wrap(
        MODULE,
        "sock_recv",
        |caller: Caller<'_, T>,
         fd: u32,
         _vectors: u32,
         _count: u32,
         _flags: u32,
         _done: u32,
         _out_flags: u32| { not_a_socket(caller, fd) },
    )?;
    linker.func_wrap(
        MODULE,
        "sock_send",
        |caller: Caller<'_, T>, fd: u32, _vectors: u32, _count: u32, _flags: u32, _done: u32| {
            not_a_socket(caller, fd)
        },
    )?;
    linker.func_wrap(MODULE, "sock_shutdown", |caller: Caller<'_, T>, fd: u32, _how: u32| {
        not_a_socket(caller, fd)
    })?;
    Ok(())
}

fn not_a_socket<T: HostFs>(caller: Caller<'_, T>, fd: u32) -> u32 {
    with_files(caller, |fs| fs.get(fd).and(Err(Errno::NOTSOCK)))
}
