//! The connections of the older protocols, as far as rmcp leaves them to us: whose they are, which
//! ids are in use on each, and how many there may be.
//!
//! rmcp lets whoever knows an id use the connection. It would answer one of two requests with the
//! same id and leave the other without an end, and it keeps as many connections as clients care to
//! begin, 50 to 70 KiB each.

use crate::host::lock;
use crate::job::Caller;
use crate::service::Share;
use axum::http::HeaderValue;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

/// Connections at a time. What is beyond them costs one of the caller who must make room.
const MAX: Share = Share { of_one: 750, of_all: 1_000 };

#[derive(Debug, Clone, Default)]
pub(super) struct ConnectionTable(Arc<Mutex<HashMap<HeaderValue, OpenConnection>>>);

#[derive(Debug)]
struct OpenConnection {
    caller: Caller,
    used: Instant,
    /// Ids of requests that are not answered yet, as JSON: 1 and "1" are two.
    open: HashSet<String>,
}

/// An id in use; free again when dropped.
#[derive(Debug)]
pub(super) struct OpenId {
    connection: HeaderValue,
    id: String,
    table: ConnectionTable,
}

impl ConnectionTable {
    /// A connection of `caller` begins. Gives those that must end for it: they have been silent
    /// longest, and nothing runs on them.
    pub(super) fn begin(&self, connection: HeaderValue, caller: Caller) -> Vec<HeaderValue> {
        let mut entries = self.entries();
        let entry = OpenConnection { caller, used: Instant::now(), open: HashSet::new() };
        entries.insert(connection, entry);
        let mut ended = Vec::new();
        while let Some(debtor) = MAX.debtor(entries.values().map(|entry| (entry.caller, 1)), caller)
        {
            let own = entries.iter().filter(|(_, entry)| entry.caller == debtor);
            let idle = own.filter(|(_, entry)| entry.open.is_empty());
            let Some(oldest) =
                idle.min_by_key(|(_, entry)| entry.used).map(|(connection, _)| connection.clone())
            else {
                break;
            };
            entries.remove(&oldest);
            ended.push(oldest);
        }
        ended
    }

    /// A request of `caller` comes over a connection; gives whether there is such a one of its own.
    pub(super) fn touch(&self, connection: &HeaderValue, caller: Caller) -> bool {
        let mut entries = self.entries();
        let own = entries.get_mut(connection).filter(|entry| entry.caller == caller);
        own.map(|entry| entry.used = Instant::now()).is_some()
    }

    pub(super) fn end(&self, connection: &HeaderValue) {
        self.entries().remove(connection);
    }

    /// A request with an id comes over a connection.
    pub(super) fn open(
        &self,
        connection: &HeaderValue,
        id: &Value,
    ) -> Result<Option<OpenId>, InUse> {
        let mut entries = self.entries();
        // It has ended meanwhile; rmcp knows what to say.
        let Some(entry) = entries.get_mut(connection) else { return Ok(None) };
        let id = id.to_string();
        if entry.open.insert(id.clone()) {
            Ok(Some(OpenId { connection: connection.clone(), id, table: self.clone() }))
        } else {
            Err(InUse)
        }
    }

    fn entries(&self) -> MutexGuard<'_, HashMap<HeaderValue, OpenConnection>> {
        lock(&self.0)
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct InUse;

impl Drop for OpenId {
    fn drop(&mut self) {
        if let Some(entry) = self.table.entries().get_mut(&self.connection) {
            entry.open.remove(&self.id);
        }
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/mcp_http_connections.rs"]
mod tests;
