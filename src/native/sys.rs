//! The system calls that no crate wraps. The only unsafe code of the native runtime.
#![expect(
    unsafe_code,
    reason = "system calls without a safe wrapper; each block names why it is sound"
)]

use rustix::io::Errno;
use std::io;
use std::mem::zeroed;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::ptr::null;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// `LANDLOCK_CREATE_RULESET_VERSION`: ask for the ABI instead of making a ruleset.
const CREATE_RULESET_VERSION: u32 = 1;
/// Descriptors are closed at exec instead of now.
const CLOSE_RANGE_CLOEXEC: u32 = 4;

/// The Landlock ABI of the running kernel.
pub(super) fn landlock_abi() -> Result<u8, Errno> {
    // SAFETY: with this flag the kernel takes a null pointer and size 0, touches no memory and
    // makes no descriptor.
    let answer = unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            null::<u8>(),
            0_usize,
            CREATE_RULESET_VERSION,
        )
    };
    if answer < 0 { Err(last_errno()) } else { Ok(u8::try_from(answer).unwrap_or(u8::MAX)) }
}

/// Marks every descriptor from `first` on to be closed when this process executes another program.
pub(super) fn close_from_at_exec(first: u32) -> Result<(), Errno> {
    // SAFETY: only a flag of descriptors changes; all stay open, as their owners expect.
    let answer =
        unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, CLOSE_RANGE_CLOEXEC) };
    done(answer)
}

/// Puts a copy of `fd` at descriptor `number`, to be inherited by the program that this process
/// will execute. For the helper, which has one thread and owns nothing at the numbers it passes.
pub(super) fn place_at(fd: &OwnedFd, number: i32) -> Result<(), Errno> {
    // SAFETY: the caller's numbers are standard input and the control socket, which no value in
    // this process owns.
    let answer = unsafe { libc::dup2(fd.as_raw_fd(), number) };
    done(answer.into())
}

/// Lets a socket send and receive by the loopback device only.
pub(super) fn bind_to_loopback_device(socket: &OwnedFd) -> Result<(), Errno> {
    // SAFETY: the kernel reads three bytes of the name, which is static.
    let answer = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_BINDTODEVICE,
            c"lo".as_ptr().cast(),
            3,
        )
    };
    done(answer.into())
}

/// Registers a descriptor with the executor, to wait until there is something to read.
pub(super) fn watch_readable(fd: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: an owned descriptor keeps its number, and stays open until the registration, which
    // owns it, is dropped.
    unsafe { AsyncFd::register_with_interest(fd, Interest::READABLE) }.map_err(Into::into)
}

/// A call that waits for our answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Asked {
    id: u64,
    /// The thread that waits.
    pub(super) thread: u32,
    /// Its number.
    pub(super) call: libc::c_long,
    /// The low words of its first arguments.
    pub(super) arguments: [u32; 3],
}

/// `SECCOMP_IOCTL_NOTIF_RECV`, `SECCOMP_IOCTL_NOTIF_SEND`, `SECCOMP_IOCTL_NOTIF_ADDFD`: the same on
/// all architectures that we have tables for.
const NOTIF_RECV: libc::Ioctl = request(0xc050_2100);
const NOTIF_SEND: libc::Ioctl = request(0xc018_2101);
const NOTIF_ADDFD: libc::Ioctl = request(0x4018_2103);

/// Its type is `unsigned long` in glibc and `int` in musl; the kernel looks at these 32 bits.
const fn request(number: u32) -> libc::Ioctl {
    number as libc::Ioctl
}

const SECCOMP_USER_NOTIF_FLAG_CONTINUE: u32 = 1;
/// The new descriptor's number is the answer to the call, in one step.
const ADDFD_FLAG_SEND: u32 = 2;

/// Takes the next waiting call from a seccomp listener. Blocks if there is none.
pub(super) fn receive_call(listener: &OwnedFd) -> Result<Asked, Errno> {
    // SAFETY: the structure is made of integers, for which zero is a value; the kernel wants it so.
    let mut call: libc::seccomp_notif = unsafe { zeroed() };
    // SAFETY: the number of the request carries the size of this structure, and the kernel writes
    // no more than that.
    let answer = unsafe { libc::ioctl(listener.as_raw_fd(), NOTIF_RECV, &raw mut call) };
    if answer < 0 {
        return Err(last_errno());
    }
    let [a, b, c, ..] = call.data.args;
    #[expect(clippy::cast_possible_truncation, reason = "the kernel looks at these words only")]
    let arguments = [a, b, c].map(|argument| argument as u32);
    Ok(Asked { id: call.id, thread: call.pid, call: call.data.nr.into(), arguments })
}

/// Answers a waiting call with a copy of `fd`.
pub(super) fn give(
    listener: &OwnedFd,
    asked: &Asked,
    fd: &OwnedFd,
    close_on_exec: bool,
) -> Result<(), Errno> {
    let add = libc::seccomp_notif_addfd {
        id: asked.id,
        flags: ADDFD_FLAG_SEND,
        srcfd: fd.as_raw_fd().cast_unsigned(),
        newfd: 0,
        newfd_flags: if close_on_exec { libc::O_CLOEXEC.cast_unsigned() } else { 0 },
    };
    // SAFETY: the kernel reads this structure, whose size the request carries, and copies a
    // descriptor that is open.
    let answer = unsafe { libc::ioctl(listener.as_raw_fd(), NOTIF_ADDFD, &raw const add) };
    done(answer.into())
}

/// Answers a waiting call with an errno.
pub(super) fn refuse(listener: &OwnedFd, asked: &Asked, errno: Errno) -> Result<(), Errno> {
    respond(listener, asked, -errno.raw_os_error(), 0)
}

/// Answers a waiting call with 0, as if it had been carried out.
pub(super) fn pretend(listener: &OwnedFd, asked: &Asked) -> Result<(), Errno> {
    respond(listener, asked, 0, 0)
}

/// Lets the kernel carry out a waiting call. It looks at the arguments again, and what they mean
/// may have changed meanwhile.
pub(super) fn carry_out(listener: &OwnedFd, asked: &Asked) -> Result<(), Errno> {
    respond(listener, asked, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE)
}

fn respond(listener: &OwnedFd, asked: &Asked, error: i32, flags: u32) -> Result<(), Errno> {
    let response = libc::seccomp_notif_resp { id: asked.id, val: 0, error, flags };
    // SAFETY: the kernel reads this structure, whose size the request carries.
    let answer = unsafe { libc::ioctl(listener.as_raw_fd(), NOTIF_SEND, &raw const response) };
    done(answer.into())
}

fn done(answer: i64) -> Result<(), Errno> {
    if answer < 0 { Err(last_errno()) } else { Ok(()) }
}

fn last_errno() -> Errno {
    Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::IO)
}
