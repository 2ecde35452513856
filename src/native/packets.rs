//! Packets over sockets of our own: whole and in order (`SOCK_SEQPACKET`), descriptors beside them.

use rustix::io::{Errno, ioctl_fionbio};
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags,
    SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg,
    sendmsg, socketpair,
};
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use tokio::net::UnixStream;

/// Descriptors that go with one packet at most.
const MAX_FDS: usize = 4;

/// A connected pair: our end, whose readiness tokio watches, and the other one.
pub(super) fn pair() -> io::Result<(UnixStream, OwnedFd)> {
    let (ours, theirs) =
        socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
    ioctl_fionbio(&ours, true)?;
    Ok((UnixStream::from_std(ours.into())?, theirs))
}

/// Sends one packet, at once or not at all.
pub(super) fn send(socket: &UnixStream, bytes: &[u8], fds: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FDS))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !fds.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(fds)) {
        return Err(io::Error::other("too many descriptors for one packet"));
    }
    sendmsg(socket, &[IoSlice::new(bytes)], &mut ancillary, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Whether a packet that could not be sent may go out a moment later: the socket is full, memory is
/// short, or the descriptors of this user that are in flight are too many (unix(7)).
pub(super) fn may_pass(error: &io::Error) -> bool {
    let passing =
        [Errno::AGAIN, Errno::INTR, Errno::NOBUFS, Errno::NOMEM, Errno::TOOMANYREFS, Errno::MFILE];
    Errno::from_io_error(error).is_some_and(|errno| passing.contains(&errno))
}

/// Whether the other end of a socket is gone.
pub(super) fn is_gone(error: &io::Error) -> bool {
    let gone = [Errno::CONNRESET, Errno::PIPE, Errno::NOTCONN];
    Errno::from_io_error(error).is_some_and(|errno| gone.contains(&errno))
}

/// The next packet: how many bytes of `buffer` it fills, 0 at the end, and the descriptor with it;
/// `None` for one that is larger than the buffer. Unless `with_fd`, the kernel closes what comes
/// with it.
pub(super) fn receive(
    socket: impl AsFd,
    buffer: &mut [u8],
    with_fd: bool,
) -> io::Result<(Option<usize>, Option<OwnedFd>)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let space: &mut [_] = if with_fd { &mut space } else { &mut [] };
    let mut ancillary = RecvAncillaryBuffer::new(space);
    let flags = RecvFlags::CMSG_CLOEXEC | RecvFlags::DONTWAIT;
    let mut receive = || recvmsg(&socket, &mut [IoSliceMut::new(buffer)], &mut ancillary, flags);
    let received = match receive() {
        // The other end closed and had not read everything. This is said once, and before what it
        // had sent.
        Err(Errno::CONNRESET) => receive(),
        received => received,
    }?;
    let fds = ancillary.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(fds) => Some(fds),
        _ => None,
    });
    let fd = fds.flatten().next();
    Ok(((!received.flags.contains(ReturnFlags::TRUNC)).then_some(received.bytes), fd))
}
