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
pub(super) const PROTOCOL: u32 = 3;
/// Longest message from the fork server. The longest is a reason in words.
const MAX_MESSAGE: usize = 16 << 10;
/// Descriptors that go with a job.
const MAX_FDS: usize = 5;

/// A job's number, unique in the life of one fork server.
pub(super) type JobId = u64;

/// From the server to the fork server.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case", tag = "do")]
pub(super) enum ForkCommand<'a> {
    /// Fork a child. With it go the descriptors of stdout, stderr, the request, the channel of a
    /// session if it is one, and, if confined, the ruleset.
    Run(ChildSpec<'a>),
    /// Send a signal to a child. Nothing happens if it has ended.
    Signal { job: JobId, signal: i32 },
}

/// How a child is to be set up.
#[derive(Debug, Serialize)]
pub(super) struct ChildSpec<'a> {
    pub(super) job: JobId,
    /// Working directory.
    pub(super) data: &'a Path,
    /// Private temporary directory, also its home.
    pub(super) tmp: &'a Path,
    /// Whether the child waits for further requests on its channel instead of ending.
    pub(super) keep: bool,
    /// Resource, soft limit, hard limit.
    pub(super) rlimits: &'a [(u32, u64, u64)],
    /// What it confines itself with; `None` runs unconfined.
    pub(super) walls: Option<ChildWalls<'a>>,
    /// The address of the proxy with the job's credential; `None` has no network.
    pub(super) proxy: Option<&'a str>,
}

/// What the child needs beside the ruleset.
#[derive(Debug, Serialize)]
pub(super) struct ChildWalls<'a> {
    /// Base64 of the seccomp filter's instructions.
    pub(super) filter: &'a str,
    /// Instructions whose operand becomes the child's pid.
    pub(super) pid_slots: &'a [usize],
    /// Files below its `/proc/self` that it adds to the ruleset, for reading.
    pub(super) own_proc_files: &'a [&'a str],
    /// The number of the call `seccomp`, if the filter asks the server: the child then sends a
    /// listener for that.
    pub(super) listen_by: Option<libc::c_long>,
}

/// From the fork server to the server.
#[derive(Debug, Deserialize)]
pub(super) struct ForkMessage {
    /// The job that it concerns, if any.
    pub(super) job: Option<JobId>,
    #[serde(flatten)]
    pub(super) event: ForkEvent,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub(super) enum ForkEvent {
    Ready {
        /// Its [`PROTOCOL`].
        #[serde(default)]
        protocol: u32,
    },
    /// A module of the preload list could not be imported; jobs that need it will see the same
    /// error.
    Missing { why: String },
    /// The child exists. The process id is for looking at its size; signals go through the fork
    /// server.
    Started { pid: i32 },
    /// The child's walls stand, and it is about to run the job's code. Its last message. With it
    /// comes the descriptor of its filter's listener, if there is one.
    Begins {
        /// Dotted names in the code's imports that the fork server has not imported.
        imports: Vec<String>,
        /// The monotonic clock, in nanoseconds.
        at: u64,
    },
    /// The child was not made, or could not confine itself; no line of the job has run.
    Refused { why: String },
    /// The child ended, its process group was killed, and it was reaped.
    Ended(Ended),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(super) struct Ended {
    /// Exit code, if it exited.
    pub(super) code: Option<i32>,
    /// Signal that ended it otherwise.
    pub(super) signal: Option<i32>,
    /// The monotonic clock, in nanoseconds.
    pub(super) at: u64,
    pub(super) cpu_ms: u64,
    /// Largest resident size in bytes.
    pub(super) peak: u64,
}

#[derive(Debug)]
pub(super) struct ControlSocket {
    /// Readiness is all that tokio's type is used for; the messages go through `sendmsg` and
    /// `recvmsg`.
    socket: UnixStream,
}

impl ControlSocket {
    /// A connected pair: the server's end, and the one that the helper gets as standard input.
    pub(super) fn pair() -> io::Result<(Self, OwnedFd)> {
        let (ours, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        ioctl_fionbio(&ours, true)?;
        Ok((Self { socket: UnixStream::from_std(ours.into())? }, theirs))
    }

    /// Sends one message. Fails if the other end is gone.
    pub(super) async fn send(
        &self,
        command: &ForkCommand<'_>,
        fds: &[BorrowedFd<'_>],
    ) -> io::Result<()> {
        let message = serde_json::to_vec(command)?;
        self.socket.async_io(Interest::WRITABLE, || send_packet(&self.socket, &message, fds)).await
    }

    /// Sends one message if there is room for it at once, which there is unless hundreds wait.
    pub(super) fn send_now(&self, command: &ForkCommand<'_>) {
        if let Ok(message) = serde_json::to_vec(command) {
            let _ = send_packet(&self.socket, &message, &[]);
        }
    }

    pub(super) fn hang_up(&self) {
        // It may be gone already.
        let _ = shutdown(&self.socket, Shutdown::Write);
    }

    /// The next message, with the descriptor that came with it; `None` once the other end is gone.
    pub(super) async fn receive(&self) -> io::Result<Option<(ForkMessage, Option<OwnedFd>)>> {
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
