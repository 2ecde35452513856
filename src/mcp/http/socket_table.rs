//! The sockets of callers that are known: how many there may be, and which one is closed when there
//! are too many.

use crate::host::lock;
use crate::job::Caller;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Sockets that a caller may have however many others have.
const CERTAIN: usize = 8;
/// What [`Activity`] says of a socket on which a request is under way, and no head.
const BUSY: u64 = u64::MAX;

/// What goes on on a socket. Times are milliseconds since it was opened.
#[derive(Debug)]
pub(super) struct Activity {
    begun: Instant,
    /// Since when it is idle, or [`BUSY`].
    since: AtomicU64,
    /// When the head began that has not come to its end, or [`BUSY`].
    head: AtomicU64,
}

#[derive(Debug)]
pub(super) struct SocketTable {
    /// Sockets of all callers, and of one.
    pub(super) of_all: usize,
    pub(super) of_one: usize,
    sockets: Mutex<ListedSockets>,
}

#[derive(Debug, Default)]
struct ListedSockets {
    next: u64,
    open: HashMap<u64, Entry>,
}

#[derive(Debug)]
struct Entry {
    caller: Caller,
    activity: Arc<Activity>,
    close: CancellationToken,
}

/// A socket in the table; out of it when dropped.
#[derive(Debug)]
pub(super) struct Listed {
    pub(super) caller: Caller,
    table: Arc<SocketTable>,
    number: u64,
}

/// There is no room for a socket: requests are under way on all that the caller has.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NoRoom;

impl Activity {
    pub(super) fn new() -> Arc<Self> {
        let (since, head) = (AtomicU64::new(0), AtomicU64::new(BUSY));
        Arc::new(Self { begun: Instant::now(), since, head })
    }

    /// Bytes came.
    pub(super) fn hear(&self) {
        let _ = self.head.compare_exchange(BUSY, self.now(), Ordering::Relaxed, Ordering::Relaxed);
    }

    /// A head is whole; its request is under way.
    pub(super) fn begin(&self) {
        self.since.store(BUSY, Ordering::Relaxed);
        self.head.store(BUSY, Ordering::Relaxed);
    }

    pub(super) fn end(&self) {
        self.since.store(self.now(), Ordering::Relaxed);
    }

    /// How long the socket has been idle; `None` while it is in use.
    fn idle(&self) -> Option<Duration> {
        self.age(&self.since)
    }

    /// How long ago the head began that is not whole yet.
    pub(super) fn half_head(&self) -> Option<Duration> {
        self.age(&self.head)
    }

    fn age(&self, since: &AtomicU64) -> Option<Duration> {
        let since = Some(since.load(Ordering::Relaxed)).filter(|since| *since != BUSY)?;
        Some(Duration::from_millis(self.now().saturating_sub(since)))
    }

    fn now(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(BUSY - 1)
    }
}

impl SocketTable {
    pub(super) fn new(of_all: usize, of_one: usize) -> Arc<Self> {
        Arc::new(Self { of_all, of_one, sockets: Mutex::default() })
    }

    /// Lists a socket of `caller`. If that is one too many, the one is closed that has been idle
    /// longest: of this caller if it has many, otherwise of the caller that has most.
    pub(super) fn list(
        self: &Arc<Self>,
        caller: Caller,
        activity: &Arc<Activity>,
        close: &CancellationToken,
    ) -> Result<Listed, NoRoom> {
        let mut sockets = lock(&self.sockets);
        let mut held = HashMap::new();
        for entry in sockets.open.values() {
            *held.entry(entry.caller).or_insert(0_usize) += 1;
        }
        let own = held.get(&caller).copied().unwrap_or_default();
        if own >= self.of_one {
            sockets.close_idle(|owner| owner == caller).ok_or(NoRoom)?;
        } else if sockets.open.len() >= self.of_all {
            let most = held.values().copied().max().unwrap_or_default();
            let closed = sockets
                .close_idle(|owner| held.get(&owner) == Some(&most))
                .or_else(|| sockets.close_idle(|_| true));
            if closed.is_none() && own >= CERTAIN {
                return Err(NoRoom);
            }
        }
        let number = sockets.next;
        sockets.next += 1;
        let entry = Entry { caller, activity: Arc::clone(activity), close: close.clone() };
        sockets.open.insert(number, entry);
        Ok(Listed { caller, table: Arc::clone(self), number })
    }
}

impl ListedSockets {
    /// Closes the socket that has been idle longest among those of some callers.
    fn close_idle(&mut self, of: impl Fn(Caller) -> bool) -> Option<()> {
        let idle = self.open.iter().filter(|(_, entry)| of(entry.caller));
        let idle = idle.filter_map(|(number, entry)| Some((entry.activity.idle()?, *number)));
        let (_, number) = idle.max()?;
        self.open.remove(&number)?.close.cancel();
        Some(())
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        lock(&self.table.sockets).open.remove(&self.number);
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/mcp_http_socket_table.rs"]
mod tests;
