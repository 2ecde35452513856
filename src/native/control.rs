//! The socket between the server and the fork server.
//!
//! The other end is Python (`sandbox_bootstrap/fork_server/control.py`). It has never run a job's
//! code, and nothing that it is told names anything of a job: it hands each child a channel
//! ([`super::channel`]), over which the child gets its order.

use super::packets;
use rustix::net::{Shutdown, shutdown};
use rustix::process::Signal;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::time::Duration;
use tokio::io::Interest;
use tokio::net::UnixStream;
use tokio::time::sleep;

/// Version of the packets. They change with the fork server, which stands in files of its own.
pub(super) const PROTOCOL: i32 = 5;
/// Bytes of the longest packet from the fork server: numbers and words.
const MAX_EVENT: usize = 8 << 10;
/// After an error that is not the end of the socket.
const PAUSE: Duration = Duration::from_millis(10);

/// From the server to the fork server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ForkCommand {
    /// Fork a child, which gets the descriptor that comes with this. Answered by
    /// [`ForkEvent::Forked`] or [`ForkEvent::NotForked`], in the order of asking.
    Fork,
    /// Send a signal to a child. Nothing happens if there is none of this pid.
    Signal { pid: i32, signal: Signal },
}

/// From the fork server to the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ForkEvent {
    Ready {
        /// Its [`PROTOCOL`].
        protocol: i32,
    },
    /// A module of the preload list could not be imported; jobs that need it will see the same
    /// error.
    Missing {
        why: String,
    },
    /// Names that jobs may import and that it has not, with spaces between them.
    Learnable {
        names: String,
    },
    /// It is about to import a learned module.
    Trying {
        name: String,
    },
    /// A learned module could not be imported.
    Failed {
        name: String,
    },
    Forked {
        pid: i32,
    },
    /// No child was made; the errno.
    NotForked {
        errno: i32,
    },
    /// A child ended, its process group was killed, and it was reaped.
    Ended {
        pid: i32,
        ended: Ended,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

impl ForkCommand {
    fn packet(self) -> Vec<u8> {
        let numbers = match self {
            Self::Fork => [1, 0, 0],
            Self::Signal { pid, signal } => [2, pid, signal.as_raw()],
        };
        numbers.into_iter().flat_map(i32::to_ne_bytes).collect()
    }
}

impl ForkEvent {
    /// Reads four numbers of 32 bits, three of 64, and words.
    fn parse(packet: &[u8]) -> Option<Self> {
        let (small, rest) = packet.split_at_checked(16)?;
        let (large, words) = rest.split_at_checked(24)?;
        let small = |at: usize| {
            small.as_chunks::<4>().0.get(at).copied().map(i32::from_ne_bytes).unwrap_or_default()
        };
        let large = |at: usize| {
            large.as_chunks::<8>().0.get(at).copied().map(u64::from_ne_bytes).unwrap_or_default()
        };
        let words = || String::from_utf8_lossy(words).into_owned();
        let (pid, code, signal) = (small(1), small(2), small(3));
        Some(match small(0) {
            1 => Self::Ready { protocol: code },
            2 => Self::Missing { why: words() },
            3 => Self::Learnable { names: words() },
            4 => Self::Trying { name: words() },
            5 => Self::Failed { name: words() },
            6 => Self::Forked { pid },
            7 => Self::NotForked { errno: code },
            8 => {
                let ended = Ended {
                    code: (code >= 0).then_some(code),
                    signal: (signal > 0).then_some(signal),
                    at: large(0),
                    cpu_ms: large(1),
                    peak: large(2),
                };
                Self::Ended { pid, ended }
            }
            _ => return None,
        })
    }
}

#[derive(Debug)]
pub(super) struct ControlSocket {
    socket: UnixStream,
}

impl ControlSocket {
    /// A connected pair: the server's end, and the one that the helper gets as standard input.
    pub(super) fn pair() -> io::Result<(Self, OwnedFd)> {
        let (socket, theirs) = packets::pair()?;
        Ok((Self { socket }, theirs))
    }

    /// Sends a command, at once or not at all.
    pub(super) fn send(&self, command: ForkCommand, fd: Option<BorrowedFd<'_>>) -> io::Result<()> {
        packets::send(&self.socket, &command.packet(), fd.as_slice())
    }

    pub(super) fn hang_up(&self) {
        // It may be gone already.
        let _ = shutdown(&self.socket, Shutdown::Write);
    }

    /// The next event; `None` once the other end is gone, and for no other reason: what cannot be
    /// read is logged and left.
    pub(super) async fn receive(&self) -> Option<ForkEvent> {
        let mut buffer = vec![0; MAX_EVENT];
        loop {
            let receive = || packets::receive(&self.socket, &mut buffer, false);
            match self.socket.async_io(Interest::READABLE, receive).await {
                Ok((Some(0), _)) => return None,
                Ok((length, _)) => {
                    let event = length.and_then(|length| ForkEvent::parse(&buffer[..length]));
                    if event.is_some() {
                        return event;
                    }
                    tracing::error!(?length, "the fork server sent what means nothing");
                }
                Err(error) if packets::is_gone(&error) => return None,
                Err(error) => {
                    tracing::error!(%error, "failed to read from the fork server");
                    sleep(PAUSE).await;
                }
            }
        }
    }
}
