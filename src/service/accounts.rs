//! Accounts: what each caller holds of what the server has for all, in memory and in open streams.
//!
//! Nobody gets more than half of it. The last quarter is for callers that hold little, so that one
//! who comes late finds something whoever came before. A caller that holds nothing has no account.

use crate::host::lock;
use crate::job::Caller;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tokio::sync::Notify;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resource {
    /// Bytes of requests that are not answered yet, and of what they were parsed to.
    Requests,
    /// Bytes of answers that are not sent yet. Apart from the requests: those wait for places, and
    /// who has a place may wait for room for its answer.
    Answers,
    /// Event streams that nobody asked a question on.
    Streams,
    /// Threads that list and read files.
    Reads,
}

/// Number of [`Resource`]s.
const KINDS: usize = 4;
/// Parts of all that nobody holds more of than one, and that are left for those who hold little.
const OF_ONE: u64 = 2;
const RESERVE: u64 = 4;
/// Part of all that is little; one is, always.
const LITTLE: u64 = 32;

/// How much there is for all callers together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccountsConfig {
    /// Bytes of requests.
    pub requests: u64,
    /// Bytes of answers.
    pub answers: u64,
    /// Event streams.
    pub streams: u64,
    /// Threads that list and read files.
    pub reads: u64,
}

impl Default for AccountsConfig {
    fn default() -> Self {
        Self { requests: 256 << 20, answers: 128 << 20, streams: 512, reads: 4 }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Accounts(Arc<AllAccounts>);

#[derive(Debug)]
struct AllAccounts {
    config: AccountsConfig,
    books: Mutex<Books>,
    given_back: Notify,
}

#[derive(Debug, Default)]
struct Books {
    all: [u64; KINDS],
    of: HashMap<Caller, [u64; KINDS]>,
}

/// What a caller holds; given back when dropped.
#[derive(Debug)]
pub(crate) struct Held {
    accounts: Accounts,
    caller: Caller,
    resource: Resource,
    amount: u64,
}

/// There is not so much left for this caller; later there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the server is busy: this client holds as much of it as one may; try again in a moment")]
pub(crate) struct Exceeded;

impl Accounts {
    pub(crate) fn new(config: AccountsConfig) -> Self {
        let books = Mutex::default();
        Self(Arc::new(AllAccounts { config, books, given_back: Notify::new() }))
    }

    /// Puts `amount` on the account of `caller`.
    pub(crate) fn take(
        &self,
        caller: Caller,
        resource: Resource,
        amount: u64,
    ) -> Result<Held, Exceeded> {
        let mut held = Held { accounts: self.clone(), caller, resource, amount: 0 };
        held.grow(amount)?;
        Ok(held)
    }

    /// The same, after waiting for what comes back. More than one caller may hold counts as that.
    pub(crate) async fn wait_for(&self, caller: Caller, resource: Resource, amount: u64) -> Held {
        let amount = amount.min(self.0.total(resource) / OF_ONE);
        let mut held = Held { accounts: self.clone(), caller, resource, amount: 0 };
        loop {
            // Listens first, so that nothing that comes back between the two is missed.
            let given_back = self.0.given_back.notified();
            if held.grow(amount).is_ok() {
                return held;
            }
            given_back.await;
        }
    }
}

impl AllAccounts {
    fn total(&self, resource: Resource) -> u64 {
        match resource {
            Resource::Requests => self.config.requests,
            Resource::Answers => self.config.answers,
            Resource::Streams => self.config.streams,
            Resource::Reads => self.config.reads,
        }
    }

    /// Whether one may have `own`, while all together have `all`.
    fn allows(&self, resource: Resource, own: u64, all: u64) -> bool {
        let total = self.total(resource);
        let is_little = own <= (total / LITTLE).max(1);
        own <= total / OF_ONE && all <= if is_little { total } else { total - total / RESERVE }
    }
}

impl Held {
    /// Puts `more` on the same account.
    pub(crate) fn grow(&mut self, more: u64) -> Result<(), Exceeded> {
        let (ledger, kind) = (&self.accounts.0, self.resource as usize);
        let mut books = lock(&ledger.books);
        let own = books.of.get(&self.caller).map_or(0, |own| own[kind]).saturating_add(more);
        let all = books.all[kind].saturating_add(more);
        if !ledger.allows(self.resource, own, all) {
            return Err(Exceeded);
        }
        books.all[kind] = all;
        books.of.entry(self.caller).or_default()[kind] = own;
        self.amount += more;
        Ok(())
    }

    /// Gives back what is held beyond `amount`.
    pub(crate) fn shrink_to(&mut self, amount: u64) {
        let rest = self.amount.saturating_sub(amount);
        self.amount -= rest;
        let Self { accounts, caller, resource, .. } = self;
        drop(Self {
            accounts: accounts.clone(),
            caller: *caller,
            resource: *resource,
            amount: rest,
        });
    }
}

/// What is held for a request until its answer is sent, or nobody wants it any more.
#[derive(Debug, Clone, Default)]
pub(crate) struct UntilSent(Arc<Mutex<Vec<Held>>>);

impl UntilSent {
    pub(crate) fn keep(&self, held: Held) {
        lock(&self.0).push(held);
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let (ledger, kind) = (&self.accounts.0, self.resource as usize);
        {
            let mut books = lock(&ledger.books);
            books.all[kind] -= self.amount;
            if let Some(own) = books.of.get_mut(&self.caller) {
                own[kind] -= self.amount;
                if *own == [0; KINDS] {
                    books.of.remove(&self.caller);
                }
            }
        }
        ledger.given_back.notify_waiters();
    }
}

#[cfg(test)]
#[path = "../../tests/unit/service_accounts.rs"]
mod tests;
