//! The system calls that no crate wraps. The only unsafe code of the native runtime.
#![expect(unsafe_code, reason = "three system calls without a safe wrapper; each block names why it is sound")]

use rustix::io::Errno;
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::ptr::null;

/// `LANDLOCK_CREATE_RULESET_VERSION`: ask for the ABI instead of making a ruleset.
const CREATE_RULESET_VERSION: u32 = 1;
/// Descriptors are closed at exec instead of now.
const CLOSE_RANGE_CLOEXEC: u32 = 4;

/// The Landlock ABI of the running kernel.
pub(in crate::native) fn landlock_abi() -> Result<u8, Errno> {
    // SAFETY: with this flag the kernel takes a null pointer and size 0, touches no memory and makes no descriptor.
    let answer =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, null::<u8>(), 0_usize, CREATE_RULESET_VERSION) };
    if answer < 0 { Err(last_errno()) } else { Ok(u8::try_from(answer).unwrap_or(u8::MAX)) }
}

/// Marks every descriptor from `first` on to be closed when this process executes another program.
pub(in crate::native) fn close_from_at_exec(first: u32) -> Result<(), Errno> {
    // SAFETY: only a flag of descriptors changes; every one stays open, so no owner of one is deceived.
    let answer = unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, CLOSE_RANGE_CLOEXEC) };
    if answer < 0 { Err(last_errno()) } else { Ok(()) }
}

/// Puts a copy of `fd` at descriptor `number`, to be inherited by the program that this process will execute. For the
/// helper, which has one thread and owns nothing at the numbers it passes.
pub(in crate::native) fn place_at(fd: &OwnedFd, number: i32) -> Result<(), Errno> {
    // SAFETY: the caller's numbers are standard input and the control socket, which no value in this process owns.
    let answer = unsafe { libc::dup2(fd.as_raw_fd(), number) };
    if answer < 0 { Err(last_errno()) } else { Ok(()) }
}

fn last_errno() -> Errno {
    Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::IO)
}
