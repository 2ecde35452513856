//! The socket between the server and the fork server: one JSON message a packet, descriptors beside
//! it.
//!
//! `SOCK_SEQPACKET` keeps messages whole and in order in both directions. The other end is Python
//! (`sandbox_bootstrap/fork_server/`); it has never run a job's code, and a forked child closes
//! its copy before it does.

use rustix::io::ioctl_fionbio;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, Shutdown, SocketFlags, SocketType, recvmsg, sendmsg, shutdown,
    socketpair,
};
use serde::{Deserialize, Serialize};
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;
use tokio::io::Interest;
use tokio::net::UnixStream;

/// Version of the messages. They change with the fork server, which stands in files of its own.
pub(in crate::native) const PROTOCOL: u32 = 3;
/// Longest message from the fork server. The longest is a reason in words.
const MAX_MESSAGE: usize = 16 << 10;
/// Descriptors that go with a job.
const MAX_FDS: usize = 5;

/// A job's number, unique in the life of one fork server.
pub(in crate::native) type JobId = u64;

/// From the server to the fork server.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case", tag = "do")]
pub(in crate::native) enum Order<'a> {
    /// Fork a child. With it go the descriptors of stdout, stderr, the request, the channel of a
    /// session if it is one, and, if confined, the ruleset.
    Run(Launch<'a>),
    /// Send a signal to a child. Nothing happens if it has ended.
    Signal {
        /// Which.
        job: JobId,
        /// Signal number.
        signal: i32,
    },
}

/// How a child is to be set up.
#[derive(Debug, Serialize)]
pub(in crate::native) struct Launch<'a> {
    pub(in crate::native) job: JobId,
    /// Working directory.
    pub(in crate::native) data: &'a Path,
    /// Private temporary directory, also its home.
    pub(in crate::native) tmp: &'a Path,
    /// Whether the child waits for further requests on its channel instead of ending.
    pub(in crate::native) keep: bool,
    /// Resource, soft limit, hard limit.
    pub(in crate::native) rlimits: &'a [(u32, u64, u64)],
    /// What it confines itself with; `None` runs unconfined.
    pub(in crate::native) walls: Option<LaunchWalls<'a>>,
    /// The address of the proxy with the job's credential; `None` has no network.
    pub(in crate::native) proxy: Option<&'a str>,
}

/// What the child needs beside the ruleset.
#[derive(Debug, Serialize)]
pub(in crate::native) struct LaunchWalls<'a> {
    /// Base64 of the seccomp filter's instructions.
    pub(in crate::native) filter: &'a str,
    /// Instructions whose operand becomes the child's pid.
    pub(in crate::native) pid_slots: &'a [usize],
    /// Files below its `/proc/self` that it adds to the ruleset, for reading.
    pub(in crate::native) own_proc_files: &'a [&'a str],
    /// The number of the call `seccomp`, if the filter asks the server: the child then sends a
    /// listener for that.
    pub(in crate::native) listen_by: Option<libc::c_long>,
}

/// From the fork server to the server.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub(in crate::native) enum Event {
    /// The imports are done.
    Ready {
        /// The version of these messages that it speaks.
        #[serde(default)]
        protocol: u32,
    },
    /// A module of the preload list could not be imported; jobs that need it will see the same
    /// error.
    Missing {
        /// The error.
        why: String,
    },
    /// The child exists.
    Started {
        /// Which.
        job: JobId,
        /// Its process id, for looking at its size; signals go through the fork server.
        pid: i32,
    },
    /// The child's walls stand, and it is about to run the job's code. Its last word. With it comes
    /// the descriptor of its filter's listener, if there is one.
    Begins {
        /// Which.
        job: JobId,
        /// Dotted names in the code's imports that the parent has not imported.
        imports: Vec<String>,
        /// The monotonic clock, in nanoseconds.
        at: u64,
    },
    /// The child was not made, or could not confine itself; no line of the job has run.
    Refused {
        /// Which.
        job: JobId,
        /// Why.
        why: String,
    },
    /// The child ended, its process group was killed, and it was reaped.
    Ended(Ended),
}

/// How a child ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(in crate::native) struct Ended {
    pub(in crate::native) job: JobId,
    /// Exit code, if it exited.
    pub(in crate::native) code: Option<i32>,
    /// Signal that ended it otherwise.
    pub(in crate::native) signal: Option<i32>,
    /// The monotonic clock, in nanoseconds.
    pub(in crate::native) at: u64,
    /// CPU time in milliseconds.
    pub(in crate::native) cpu_ms: u64,
    /// Largest resident size in bytes.
    pub(in crate::native) peak: u64,
}

/// The server's end.
#[derive(Debug)]
pub(in crate::native) struct Control {
    /// Readiness is all that tokio's type is used for; the messages go through `sendmsg` and
    /// `recvmsg`.
    socket: UnixStream,
}

impl Control {
    /// A connected pair: the server's end, and the one that the helper gets as standard input.
    ///
    /// # Errors
    /// There are no descriptors left.
    pub(in crate::native) fn pair() -> io::Result<(Self, OwnedFd)> {
        let (ours, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        ioctl_fionbio(&ours, true)?;
        Ok((Self { socket: UnixStream::from_std(ours.into())? }, theirs))
    }

    /// Sends one message.
    ///
    /// # Errors
    /// The other end is gone.
    pub(in crate::native) async fn send(
        &self,
        order: &Order<'_>,
        fds: &[BorrowedFd<'_>],
    ) -> io::Result<()> {
        let message = serde_json::to_vec(order)?;
        self.socket.async_io(Interest::WRITABLE, || send_packet(&self.socket, &message, fds)).await
    }

    /// Sends one message if there is room for it at once, which there is unless hundreds wait.
    pub(in crate::native) fn send_now(&self, order: &Order<'_>) {
        if let Ok(message) = serde_json::to_vec(order) {
            let _ = send_packet(&self.socket, &message, &[]);
        }
    }

    /// Tells the other end that nothing more will come.
    pub(in crate::native) fn hang_up(&self) {
        // It may be gone already.
        let _ = shutdown(&self.socket, Shutdown::Write);
    }

    /// The next message, with the descriptor that came with it; `None` once the other end is gone.
    ///
    /// # Errors
    /// What came is no message, or the socket is broken.
    pub(in crate::native) async fn receive(&self) -> io::Result<Option<(Event, Option<OwnedFd>)>> {
        let mut buffer = vec![0; MAX_MESSAGE];
        let receive = || receive_packet(&self.socket, &mut buffer);
        let (length, fd) = self.socket.async_io(Interest::READABLE, receive).await?;
        if length == 0 {
            return Ok(None);
        }
        Ok(Some((serde_json::from_slice(&buffer[..length])?, fd)))
    }
}

fn send_packet(socket: &UnixStream, message: &[u8], fds: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FDS))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !fds.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(fds)) {
        return Err(io::Error::other("too many descriptors for one message"));
    }
    sendmsg(socket, &[IoSlice::new(message)], &mut ancillary, SendFlags::NOSIGNAL)?;
    Ok(())
}

fn receive_packet(socket: &UnixStream, buffer: &mut [u8]) -> io::Result<(usize, Option<OwnedFd>)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let length =
        recvmsg(socket, &mut [IoSliceMut::new(buffer)], &mut ancillary, RecvFlags::CMSG_CLOEXEC)?
            .bytes;
    let fds = ancillary.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(fds) => Some(fds),
        _ => None,
    });
    Ok((length, fds.flatten().next()))
}
