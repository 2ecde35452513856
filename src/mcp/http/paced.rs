//! A socket to whose reader there is a limit as well: an answer that nobody reads is not waited for
//! without an end. When it closes early, what the client still sends is read over for a moment.

use super::socket_table::Activity;
use crate::host::lock;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep, sleep_until};

/// Bytes of a second that a client must take, once it is behind.
const MIN_RATE: u32 = 16 << 10;
/// What is read over, when a connection closes, of what nobody wants any more. Closing at once
/// would reset the connection, and the client would lose the answer that says why (RFC 9112 §9.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Farewell {
    /// Nothing: all was read.
    None,
    /// A little, of somebody who has shown no credential.
    Stranger,
    /// A body that is somewhat too long.
    Caller,
}

/// A socket that gives up a reader who takes less than [`MIN_RATE`] for `patience`.
#[derive(Debug)]
pub(super) struct Paced {
    stream: TcpStream,
    patience: Duration,
    activity: Arc<Activity>,
    farewell: Arc<Mutex<Farewell>>,
    behind: Option<Behind>,
    leaving: Option<Leaving>,
}

/// A client that has not taken all that was there for it.
#[derive(Debug)]
struct Behind {
    /// When a span of `patience` began, and the bytes that it has taken since.
    since: Instant,
    taken: u32,
    end: Pin<Box<Sleep>>,
}

#[derive(Debug)]
struct Leaving {
    read_over: usize,
    end: Pin<Box<Sleep>>,
}

impl Farewell {
    /// At most so many bytes, and so long.
    fn bounds(self) -> (usize, Duration) {
        match self {
            Self::None => (0, Duration::ZERO),
            Self::Stranger => (1 << 20, Duration::from_secs(1)),
            Self::Caller => (64 << 20, Duration::from_secs(5)),
        }
    }
}

impl Paced {
    pub(super) fn new(
        stream: TcpStream,
        patience: Duration,
        activity: Arc<Activity>,
        farewell: Arc<Mutex<Farewell>>,
    ) -> Self {
        Self { stream, patience, activity, farewell, behind: None, leaving: None }
    }

    /// Notes what became of a try to write.
    fn written(
        &mut self,
        cx: &mut Context<'_>,
        tried: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        match tried {
            Poll::Ready(Ok(count)) => {
                if let Some(behind) = &mut self.behind {
                    let count = u32::try_from(count).unwrap_or(u32::MAX);
                    behind.taken = behind.taken.saturating_add(count);
                }
                tried
            }
            Poll::Ready(Err(_)) => tried,
            Poll::Pending => {
                let (now, patience) = (Instant::now(), self.patience);
                let behind = self.behind.get_or_insert_with(|| Behind {
                    since: now,
                    taken: 0,
                    end: Box::pin(sleep_until(now + patience)),
                });
                // Buffers of the kernel take megabytes at once: that counts for one span alone.
                let least = f64::from(MIN_RATE) * patience.as_secs_f64();
                if behind.since + patience <= now && f64::from(behind.taken) >= least {
                    (behind.since, behind.taken) = (now, 0);
                }
                behind.end.as_mut().reset(behind.since + patience);
                ready!(behind.end.as_mut().poll(cx));
                let why = "the client does not read the answer";
                Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, why)))
            }
        }
    }
}

impl AsyncRead for Paced {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        if buffer.filled().len() > before {
            self.activity.hear();
        }
        read
    }
}

impl AsyncWrite for Paced {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let tried = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.written(cx, tried)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let tried = Pin::new(&mut self.stream).poll_write_vectored(cx, pieces);
        self.written(cx, tried)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// Called when all that was there is written.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.behind = None;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.leaving.is_none() {
            ready!(Pin::new(&mut this.stream).poll_shutdown(cx))?;
        }
        let (most, time) = lock(&this.farewell).bounds();
        let leaving = this
            .leaving
            .get_or_insert_with(|| Leaving { read_over: 0, end: Box::pin(sleep(time)) });
        let mut buffer = [0; 8 << 10];
        while leaving.read_over < most && leaving.end.as_mut().poll(cx).is_pending() {
            let mut buffer = ReadBuf::new(&mut buffer);
            match ready!(Pin::new(&mut this.stream).poll_read(cx, &mut buffer)) {
                Ok(()) if !buffer.filled().is_empty() => leaving.read_over += buffer.filled().len(),
                // It is gone.
                Ok(()) | Err(_) => break,
            }
        }
        Poll::Ready(Ok(()))
    }
}
