//! Bytes in and out: `fd_read`, `fd_pread`, `fd_write`, `fd_pwrite`. The guest's buffers are used
//! in place.

use super::abi::MODULE;
use super::descriptors::{Descriptor, GuestFs, Stream};
use super::errno::Errno;
use super::memory::{GuestMemory, Range};
use super::{HostFs, split, with_memory};
use crate::vfs;
use wasmtime::{Caller, Linker};

/// Where a transfer takes place.
#[derive(Debug, Clone, Copy)]
enum At {
    /// At the descriptor's position, which moves.
    Position,
    /// At an offset; the position stays.
    Offset(u64),
}

pub(super) fn add_to_linker<T: HostFs>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    linker.func_wrap(
        MODULE,
        "fd_read",
        |caller: Caller<'_, T>, fd: u32, vectors: u32, count: u32, done: u32| {
            with_memory(caller, |memory, fs| {
                read(memory, fs, fd, (vectors, count), At::Position, done)
            })
        },
    )?;
    linker.func_wrap(
        MODULE,
        "fd_pread",
        |caller: Caller<'_, T>, fd: u32, vectors: u32, count: u32, offset: u64, done: u32| {
            with_memory(caller, |memory, fs| {
                read(memory, fs, fd, (vectors, count), At::Offset(offset), done)
            })
        },
    )?;
    linker.func_wrap(
        MODULE,
        "fd_write",
        |mut caller: Caller<'_, T>, fd: u32, vectors: u32, count: u32, done: u32| {
            write(&mut caller, fd, (vectors, count), At::Position, done)
        },
    )?;
    linker.func_wrap(
        MODULE,
        "fd_pwrite",
        |mut caller: Caller<'_, T>, fd: u32, vectors: u32, count: u32, offset: u64, done: u32| {
            write(&mut caller, fd, (vectors, count), At::Offset(offset), done)
        },
    )?;
    Ok(())
}

fn read(
    memory: &mut GuestMemory<'_>,
    fs: &mut GuestFs,
    fd: u32,
    (vectors, count): (u32, u32),
    at: At,
    done: u32,
) -> Result<(), Errno> {
    memory.check(done, 4)?;
    let buffers = memory.vectors(vectors, count)?;
    if let Descriptor::Stream(stream) = fs.get(fd)? {
        return match (stream, at) {
            (Stream::Stdin, At::Position) => memory.store(done, &0u32.to_le_bytes()),
            (Stream::Stdin, At::Offset(_)) => Err(Errno::SPIPE),
            (Stream::Stdout | Stream::Stderr, _) => Err(Errno::BADF),
        };
    }
    let (vfs, file) = fs.file(fd)?;
    let mut total = 0;
    // A read of nothing must still tell whether reading is possible.
    vfs.read_at(file, 0, &mut [])?;
    for buffer in buffers {
        let buffer = memory.bytes_mut(buffer)?;
        let wanted = buffer.len();
        let result = match at {
            At::Position => vfs.read(file, buffer),
            At::Offset(offset) => vfs.read_at(file, offset.saturating_add(total as u64), buffer),
        };
        match settle(result, wanted, &mut total)? {
            Next::Go => {}
            Next::Stop => break,
        }
    }
    store_count(memory, done, total)
}

fn write<T: HostFs>(
    caller: &mut Caller<'_, T>,
    fd: u32,
    (vectors, count): (u32, u32),
    at: At,
    done: u32,
) -> wasmtime::Result<u32> {
    let (mut memory, host) = match split(caller) {
        Ok(split) => split,
        Err(errno) => return Ok(Errno::code(Err(errno))),
    };
    let buffers = match memory.check(done, 4).and_then(|()| memory.vectors(vectors, count)) {
        Ok(buffers) => buffers,
        Err(errno) => return Ok(Errno::code(Err(errno))),
    };
    let result = match (host.fs().get(fd), at) {
        (Err(errno), _) => Err(errno),
        (Ok(Descriptor::File { .. }), _) => write_file(&memory, host.fs(), fd, &buffers, at),
        (Ok(Descriptor::Stream(Stream::Stdin)), _) => Err(Errno::BADF),
        (Ok(Descriptor::Stream(Stream::Stdout | Stream::Stderr)), At::Offset(_)) => {
            Err(Errno::SPIPE)
        }
        (Ok(Descriptor::Stream(stream)), At::Position) => {
            let stream = *stream;
            write_stream(&memory, host, stream, &buffers)?
        }
    };
    Ok(Errno::code(result.and_then(|total| store_count(&mut memory, done, total))))
}

/// The outer error ends the guest, the inner one is an answer.
fn write_stream<T: HostFs>(
    memory: &GuestMemory<'_>,
    host: &mut T,
    stream: Stream,
    buffers: &[Range],
) -> wasmtime::Result<Result<usize, Errno>> {
    let mut total = 0;
    for buffer in buffers {
        let bytes = match memory.bytes(*buffer) {
            Ok(bytes) => bytes,
            Err(errno) => return Ok(Err(errno)),
        };
        match stream {
            Stream::Stdout => host.stdout(bytes)?,
            Stream::Stderr => host.stderr(bytes)?,
            Stream::Stdin => return Ok(Err(Errno::BADF)),
        }
        total += bytes.len();
    }
    Ok(Ok(total))
}

fn write_file(
    memory: &GuestMemory<'_>,
    fs: &mut GuestFs,
    fd: u32,
    buffers: &[Range],
    at: At,
) -> Result<usize, Errno> {
    let (vfs, file) = fs.file(fd)?;
    if !file.is_writable() {
        return Err(Errno::BADF);
    }
    let mut total = 0;
    for buffer in buffers {
        let bytes = memory.bytes(*buffer)?;
        let result = match at {
            At::Position => vfs.write(file, bytes),
            At::Offset(offset) => vfs.write_at(file, offset.saturating_add(total as u64), bytes),
        };
        match settle(result, bytes.len(), &mut total)? {
            Next::Go => {}
            Next::Stop => break,
        }
    }
    Ok(total)
}

enum Next {
    Go,
    Stop,
}

/// What was transferred before an error counts; the error shows at the next call.
fn settle(result: vfs::Result<usize>, wanted: usize, total: &mut usize) -> Result<Next, Errno> {
    match result {
        Ok(count) => {
            *total += count;
            Ok(if count < wanted { Next::Stop } else { Next::Go })
        }
        Err(_) if *total > 0 => Ok(Next::Stop),
        Err(error) => Err(error.into()),
    }
}

fn store_count(memory: &mut GuestMemory<'_>, ptr: u32, count: usize) -> Result<(), Errno> {
    memory.store(ptr, &u32::try_from(count).map_err(|_| Errno::INVAL)?.to_le_bytes())
}
