//! Who may still be found, and who must make room: pure bookkeeping over a clock that the caller
//! reads.

use crate::job::{Caller, Client};
use crate::service::share::Share;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// Handles and what they stand for, bounded in number, memory and time.
#[derive(Debug)]
pub(super) struct Table<S> {
    entries: HashMap<String, SessionEntry<S>>,
    bounds: Bounds,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) count: Share,
    /// Bytes that sessions hold.
    pub(super) memory: Share,
    /// Each ends after so long without a call.
    pub(super) idle: Duration,
    /// Each ends so long after it began.
    pub(super) life: Duration,
}

#[derive(Debug)]
struct SessionEntry<S> {
    client: Client,
    session: S,
    began: Instant,
    used: Instant,
    /// Calls that run in it or wait for it.
    inside: usize,
    memory: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It is not known, or not to this caller.
    Unknown,
    /// Too many calls wait already.
    Crowded,
}

impl<S: Clone> Table<S> {
    pub(super) fn new(bounds: Bounds) -> Self {
        Self { entries: HashMap::new(), bounds }
    }

    /// Puts a session in, with one call inside; gives those that had to go for it. `None` if all
    /// of the caller who must make room are busy.
    pub(super) fn insert(
        &mut self,
        now: Instant,
        client: Client,
        handle: &str,
        session: S,
    ) -> Option<Vec<S>> {
        let mut gone = self.expire(now);
        let asker = client.caller;
        loop {
            let held = self.entries.values().map(|entry| (entry.client.caller, 1));
            let Some(debtor) = self.bounds.count.debtor(held.chain([(asker, 1)]), asker) else {
                break;
            };
            let handle = self.longest_unused(debtor)?;
            gone.extend(self.entries.remove(&handle).map(|entry| entry.session));
        }
        let entry = SessionEntry { client, session, began: now, used: now, inside: 1, memory: 0 };
        self.entries.insert(handle.to_owned(), entry);
        Some(gone)
    }

    /// Lets a call of `caller` in.
    pub(super) fn enter(
        &mut self,
        now: Instant,
        handle: &str,
        caller: Caller,
        waiting: usize,
    ) -> Result<S, Refusal> {
        let Bounds { idle, life, .. } = self.bounds;
        let entry = self
            .entries
            .get_mut(handle)
            .filter(|entry| entry.client.caller == caller && !entry.is_over(now, idle, life));
        let entry = entry.ok_or(Refusal::Unknown)?;
        // One of those inside runs.
        if entry.inside > waiting {
            return Err(Refusal::Crowded);
        }
        entry.inside += 1;
        entry.used = now;
        Ok(entry.session.clone())
    }

    /// A call is over; the session now holds `memory`, or what it held
    /// before. Gives the sessions that must go for that.
    pub(super) fn leave(&mut self, now: Instant, handle: &str, memory: Option<u64>) -> Vec<S> {
        let mut gone = self.expire(now);
        // It may have been taken out meanwhile.
        let Some(entry) = self.entries.get_mut(handle) else { return gone };
        entry.inside -= 1;
        entry.used = now;
        entry.memory = memory.unwrap_or(entry.memory);
        let asker = entry.client.caller;
        loop {
            let held = self.entries.values().map(|entry| (entry.client.caller, entry.memory));
            let debtor = self.bounds.memory.debtor(held, asker);
            // It may be this very one, if it alone is too large.
            let Some(oldest) = debtor.and_then(|debtor| self.longest_unused(debtor)) else {
                return gone;
            };
            gone.extend(self.entries.remove(&oldest).map(|entry| entry.session));
        }
    }

    /// Takes out those whose time is over. One with a call in it is left until the call is over.
    pub(super) fn expire(&mut self, now: Instant) -> Vec<S> {
        let Bounds { idle, life, .. } = self.bounds;
        let over = |entry: &SessionEntry<S>| entry.inside == 0 && entry.is_over(now, idle, life);
        self.remove_if(over)
    }

    /// Those of the clients that are `wanted`, the youngest last.
    pub(super) fn of(&self, now: Instant, wanted: impl Fn(Client) -> bool) -> Vec<S> {
        let is_own = |entry: &&SessionEntry<S>| {
            wanted(entry.client) && !entry.is_over(now, self.bounds.idle, self.bounds.life)
        };
        let mut own: Vec<_> = self.entries.values().filter(is_own).collect();
        own.sort_by_key(|entry| entry.began);
        own.into_iter().map(|entry| entry.session.clone()).collect()
    }

    pub(super) fn drain(&mut self) -> Vec<S> {
        self.remove_if(|_| true)
    }

    fn remove_if(&mut self, is_gone: impl Fn(&SessionEntry<S>) -> bool) -> Vec<S> {
        self.entries.extract_if(|_, entry| is_gone(entry)).map(|(_, entry)| entry.session).collect()
    }

    fn longest_unused(&self, caller: Caller) -> Option<String> {
        let unused = self.entries.iter().filter(|(_, entry)| entry.inside == 0);
        let unused = unused.filter(|(_, entry)| entry.client.caller == caller);
        unused.min_by_key(|(_, entry)| entry.used).map(|(handle, _)| handle.clone())
    }
}

impl<S> SessionEntry<S> {
    fn is_over(&self, now: Instant, idle: Duration, life: Duration) -> bool {
        let idle_for = now.saturating_duration_since(self.used);
        (self.inside == 0 && idle_for >= idle) || now.saturating_duration_since(self.began) >= life
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/service_session_table.rs"]
mod tests;
