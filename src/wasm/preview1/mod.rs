//! The file functions of WASI preview 1 (`fd_*`, `path_*`, `sock_*`) over a job's
//! [`Vfs`](crate::vfs::Vfs). They replace those of wasmtime-wasi, which know host directories only.
//!
//! The rule that must stay true: whatever a guest passes, the answer is an errno, and what it cost
//! is charged. Only the host itself ([`HostFs::charge`], [`HostFs::stdout`]) may end the guest.
//! Source: `wasi_snapshot_preview1.witx` and `typenames.witx`, as they come with wasmtime-wasi.

/// Binds functions over whatever the linker had under their names: name, arguments, answer. The
/// answer may use the guest's memory and the job's files.
macro_rules! bind {
    ($linker:ident: $(
        $name:literal |$memory:tt, $fs:tt; $($arg:ident: $kind:ty),*| $answer:expr;
    )*) => {
        $($linker.func_wrap(
            $crate::wasm::preview1::abi::MODULE,
            $name,
            |caller: wasmtime::Caller<'_, T>, $($arg: $kind),*| {
                $crate::wasm::preview1::answer(caller, |$memory, $fs| $answer)
            },
        )?;)*
    };
}

mod abi;
mod descriptors;
mod directory;
mod errno;
mod file;
mod memory;
mod path;
mod stat;
mod transfer;

#[cfg(test)]
#[path = "../../../tests/unit/wasm_preview1.rs"]
mod tests;

pub(super) use descriptors::GuestFs;

use errno::Errno;
use memory::GuestMemory;
use wasmtime::{Caller, Extern, Linker, Memory};

/// Units that any call costs.
pub(super) const CALL: u64 = 32;

/// What the file functions need of a store's data.
pub(super) trait HostFs: 'static {
    fn fs(&mut self) -> &mut GuestFs;

    /// The guest's memory, if the host has looked it up already; otherwise each call does. It must
    /// belong to the store.
    fn memory(&self) -> Option<Memory>;

    /// Books what the host did for the guest in one call. An error ends the guest.
    fn charge(caller: &mut Caller<'_, Self>, units: u64) -> wasmtime::Result<()>
    where
        Self: Sized;

    /// Takes what the guest writes to its standard output. An error ends the guest.
    fn stdout(&mut self, bytes: &[u8]) -> wasmtime::Result<()>;

    /// Takes what the guest writes to its standard error. An error ends the guest.
    fn stderr(&mut self, bytes: &[u8]) -> wasmtime::Result<()>;
}

/// Binds the file functions, over whatever the linker had under their names.
pub(super) fn add_to_linker<T: HostFs>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    linker.allow_shadowing(true);
    transfer::add_to_linker(linker)?;
    file::add_to_linker(linker)?;
    stat::add_to_linker(linker)?;
    directory::add_to_linker(linker)?;
    path::add_to_linker(linker)
}

/// The guest's memory and the store's data, side by side.
fn split<'a, T: HostFs>(
    caller: &'a mut Caller<'_, T>,
) -> Result<(GuestMemory<'a>, &'a mut T), Errno> {
    let known = caller.data().memory();
    let memory = known
        .or_else(|| caller.get_export("memory").and_then(Extern::into_memory))
        .ok_or(Errno::FAULT)?;
    let (bytes, host) = memory.data_and_store_mut(caller);
    Ok((GuestMemory(bytes), host))
}

/// The answer to one call.
fn answer<T: HostFs>(
    mut caller: Caller<'_, T>,
    act: impl FnOnce(&mut GuestMemory<'_>, &mut GuestFs) -> Result<(), Errno>,
) -> wasmtime::Result<u32> {
    let result = split(&mut caller).and_then(|(mut memory, host)| act(&mut memory, host.fs()));
    answered(&mut caller, result)
}

/// Charges the call that comes to this.
fn answered<T: HostFs>(
    caller: &mut Caller<'_, T>,
    result: Result<(), Errno>,
) -> wasmtime::Result<u32> {
    let work = caller.data_mut().fs().vfs.take_work();
    T::charge(caller, CALL + work)?;
    Ok(Errno::code(result))
}
