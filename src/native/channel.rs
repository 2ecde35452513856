//! The channel between the server and one child of the fork server: its order and its requests one
//! way, how far it has come the other way.
//!
//! The child of a session keeps it while its job's code runs, so whatever comes from there may be
//! the job's. It is bounded, it is taken from that job alone, and what is not in the grammar ends
//! its process.

use super::packets;
use crate::error::Error;
use crate::host::nonce;
use crate::job::resources;
use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::time::{Duration, Instant};
use tokio::io::Interest;
use tokio::net::UnixStream;
use tokio::time::sleep;

/// Bytes of a request in one packet.
const CHUNK: usize = 64 << 10;
/// How long a packet is tried that cannot be sent at the moment.
const HAND_OVER: Duration = Duration::from_secs(5);
const RETRY: Duration = Duration::from_millis(10);

/// What a child says.
#[derive(Debug)]
pub(super) enum Said {
    /// The listener of its filter, if it leaves calls to the server.
    Listener(OwnedFd),
    /// Its walls stand, and it waits for its request.
    Waits,
    /// It is about to run the job's code. The monotonic clock, in nanoseconds.
    Begins { at: u64 },
    /// It could not become the job's process; no line of the job has run.
    Refused { why: String },
    /// The child of a session has run its request, and ends with this code.
    Done { code: i32 },
    /// Nothing that a child says.
    Nonsense,
    /// It has closed its end.
    Closed,
    /// What it was to get could not be sent.
    Unsent(io::Error),
}

/// The server's end of a channel.
#[derive(Debug)]
pub(super) struct Channel {
    socket: UnixStream,
    unsent: VecDeque<(Vec<u8>, Vec<OwnedFd>)>,
    /// When sending began to fail.
    stuck: Option<Instant>,
    /// What an answer to the present request begins with.
    key: String,
}

impl Channel {
    /// A channel, and the child's end of it.
    pub(super) fn pair() -> io::Result<(Self, OwnedFd)> {
        let (socket, theirs) = packets::pair()?;
        let (unsent, stuck, key) = (VecDeque::new(), None, String::new());
        Ok((Self { socket, unsent, stuck, key }, theirs))
    }

    /// Gives the child its order.
    pub(super) fn order(&mut self, fds: Vec<OwnedFd>) {
        self.unsent.push_back((b"O".to_vec(), fds));
    }

    /// Gives the child a request; `keep` says that it will answer. It then finds a key behind it,
    /// which it takes when the request is done: until then the key is neither in its memory nor in
    /// a frame.
    pub(super) fn ask(&mut self, request: &[u8], keep: bool) -> Result<(), Error> {
        let length = u32::try_from(request.len()).map_err(|source| Error::engine("ask", source))?;
        self.unsent.push_back((length.to_le_bytes().to_vec(), Vec::new()));
        self.unsent.extend(request.chunks(CHUNK).map(|chunk| (chunk.to_vec(), Vec::new())));
        if keep {
            self.key = nonce()?;
            self.unsent.push_back((self.key.as_bytes().to_vec(), Vec::new()));
        }
        Ok(())
    }

    /// What the child says next; meanwhile sends what it is to get. Cancel-safe.
    pub(super) async fn next(&mut self) -> Said {
        loop {
            let waits = !self.unsent.is_empty() && self.stuck.is_none();
            let interest =
                if waits { Interest::READABLE | Interest::WRITABLE } else { Interest::READABLE };
            let is_ready = tokio::select! {
                ready = self.socket.ready(interest) => ready.is_ok(),
                () = sleep(RETRY), if self.stuck.is_some() => true,
            };
            if !is_ready {
                return Said::Closed;
            }
            let (socket, key) = (&self.socket, &self.key);
            match socket.try_io(Interest::READABLE, || hear(socket, key)) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => return Said::Closed,
                Ok(said) => return said,
            }
            if let Err(error) = self.send() {
                return Said::Unsent(error);
            }
        }
    }

    /// What the child has said already, if anything.
    pub(super) fn heard(&self) -> Option<Said> {
        match hear(&self.socket, &self.key) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => None,
            Err(_) => Some(Said::Closed),
            Ok(said) => Some(said),
        }
    }

    /// Sends one packet, if there is one and it can be sent.
    fn send(&mut self) -> io::Result<()> {
        let Some((bytes, fds)) = self.unsent.front() else { return Ok(()) };
        let fds: Vec<_> = fds.iter().map(OwnedFd::as_fd).collect();
        match self.socket.try_io(Interest::WRITABLE, || packets::send(&self.socket, bytes, &fds)) {
            Ok(()) => {
                self.unsent.pop_front();
                self.stuck = None;
            }
            // Only a full socket: the child reads when it can, and its call has a deadline.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.stuck = None,
            Err(error) if packets::may_pass(&error) => {
                let since = *self.stuck.get_or_insert_with(Instant::now);
                if since.elapsed() > HAND_OVER {
                    return Err(error);
                }
            }
            // It is gone, and will be found so by reading.
            Err(_) => self.unsent.clear(),
        }
        Ok(())
    }
}

fn hear(socket: &UnixStream, key: &str) -> io::Result<Said> {
    let mut buffer = [0; resources::MESSAGE];
    let (length, fd) = packets::receive(socket, &mut buffer, true)?;
    let Some(length) = length else { return Ok(Said::Nonsense) };
    Ok(match (&buffer[..length], fd) {
        ([], None) => Said::Closed,
        (b"L", Some(listener)) => Said::Listener(listener),
        // The kernel drops a descriptor for which there is no number left.
        (b"L", None) => Said::Refused { why: "no descriptor is left for its listener".to_owned() },
        (b"W", None) => Said::Waits,
        ([b'B', at @ ..], None) => match at.try_into() {
            Ok(at) => Said::Begins { at: u64::from_le_bytes(at) },
            Err(_) => Said::Nonsense,
        },
        ([b'R', why @ ..], None) => {
            Said::Refused { why: String::from_utf8_lossy(why).into_owned() }
        }
        ([b'D', answer @ ..], None) => done(answer, key).unwrap_or(Said::Nonsense),
        _ => Said::Nonsense,
    })
}

fn done(answer: &[u8], key: &str) -> Option<Said> {
    let code = answer.strip_prefix(key.as_bytes())?.try_into().ok()?;
    (!key.is_empty()).then(|| Said::Done { code: i32::from_le_bytes(code) })
}
