//! Bytes in and out: `fd_read`, `fd_pread`, `fd_write`, `fd_pwrite`. The guest's buffers are used
//! in place.

use super::abi::MODULE;
use super::descriptors::{Descriptor, GuestFs, Stream};
use super::errno::Errno;
use super::memory::{GuestMemory, Range};
use super::{HostFs, answered, split};
use crate::vfs;
use wasmtime::{Caller, Linker};

/// The offset of a transfer; `None` for the descriptor's position, which then moves.
type At = Option<u64>;

pub(super) fn add_to_linker<T: HostFs>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    bind! { linker:
        "fd_read" |memory, fs; fd: u32, vectors: u32, count: u32, done: u32|
            read(memory, fs, fd, (vectors, count), None, done);
        "fd_pread" |memory, fs; fd: u32, vectors: u32, count: u32, offset: u64, done: u32|
            read(memory, fs, fd, (vectors, count), Some(offset), done);
    }
    linker.func_wrap(
        MODULE,
        "fd_write",
        |mut caller: Caller<'_, T>, fd: u32, vectors: u32, count: u32, done: u32| {
            let written = write(&mut caller, fd, (vectors, count), None, done);
            answer_write(&mut caller, written)
        },
    )?;
    linker.func_wrap(
        MODULE,
        "fd_pwrite",
        |mut caller: Caller<'_, T>, fd: u32, vectors: u32, count: u32, offset: u64, done: u32| {
            let written = write(&mut caller, fd, (vectors, count), Some(offset), done);
            answer_write(&mut caller, written)
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
            (Stream::Stdin, None) => memory.store_count(done, 0),
            (Stream::Stdin, Some(_)) => Err(Errno::SPIPE),
            (Stream::Stdout | Stream::Stderr, _) => Err(Errno::BADF),
        };
    }
    let (vfs, file) = fs.file(fd)?;
    let mut total = 0;
    // A read of nothing must still fail if reading is not possible.
    vfs.read_at(file, 0, &mut [])?;
    for buffer in buffers {
        let buffer = memory.bytes_mut(buffer)?;
        let wanted = buffer.len();
        let result = match at {
            None => vfs.read(file, buffer),
            Some(offset) => vfs.read_at(file, offset.saturating_add(total as u64), buffer),
        };
        if !goes_on(result, wanted, &mut total)? {
            break;
        }
    }
    memory.store_count(done, total)
}

/// Why a write was not done.
enum NotWritten {
    /// The guest gets this answer.
    Answer(Errno),
    /// The host ends the guest.
    Ended(wasmtime::Error),
}

impl From<Errno> for NotWritten {
    fn from(errno: Errno) -> Self {
        Self::Answer(errno)
    }
}

fn answer_write<T: HostFs>(
    caller: &mut Caller<'_, T>,
    result: Result<(), NotWritten>,
) -> wasmtime::Result<u32> {
    match result {
        Ok(()) => answered(caller, Ok(())),
        Err(NotWritten::Answer(errno)) => answered(caller, Err(errno)),
        Err(NotWritten::Ended(error)) => Err(error),
    }
}

fn write<T: HostFs>(
    caller: &mut Caller<'_, T>,
    fd: u32,
    (vectors, count): (u32, u32),
    at: At,
    done: u32,
) -> Result<(), NotWritten> {
    let (mut memory, host) = split(caller)?;
    memory.check(done, 4)?;
    let buffers = memory.vectors(vectors, count)?;
    let total = match (host.fs().get(fd)?, at) {
        (Descriptor::File { .. }, _) => write_file(&memory, host.fs(), fd, &buffers, at)?,
        (Descriptor::Stream(Stream::Stdin), _) => return Err(Errno::BADF.into()),
        (Descriptor::Stream(_), Some(_)) => return Err(Errno::SPIPE.into()),
        (Descriptor::Stream(stream), None) => {
            let to = if *stream == Stream::Stdout { T::stdout } else { T::stderr };
            let mut total = 0;
            for buffer in buffers {
                let bytes = memory.bytes(buffer)?;
                to(host, bytes).map_err(NotWritten::Ended)?;
                host.fs().vfs.add_work(bytes.len() as u64 / 8);
                total += bytes.len();
            }
            total
        }
    };
    Ok(memory.store_count(done, total)?)
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
            None => vfs.write(file, bytes),
            Some(offset) => vfs.write_at(file, offset.saturating_add(total as u64), bytes),
        };
        if !goes_on(result, bytes.len(), &mut total)? {
            break;
        }
    }
    Ok(total)
}

/// Adds up what was transferred; whether the next buffer is to follow. What was transferred before
/// an error counts; the error shows at the next call.
fn goes_on(result: vfs::Result<usize>, wanted: usize, total: &mut usize) -> Result<bool, Errno> {
    match result {
        Ok(count) => {
            *total += count;
            Ok(count == wanted)
        }
        Err(_) if *total > 0 => Ok(false),
        Err(error) => Err(error.into()),
    }
}
