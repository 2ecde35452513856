//! What the fork server learns from jobs: the modules that they imported and it had not.
//!
//! The names come from the forked child before it runs a line of its job, and only those of the
//! venv get here.

use std::collections::BTreeSet;

/// More than the whole venv has in entry points; bounds what imports can cost in memory.
const MAX_NAMES: usize = 64;

/// Names for the next fork server to import.
#[derive(Debug, Default)]
pub(super) struct ObservedImports {
    names: BTreeSet<String>,
    /// A fork server with these could not be started, or could not be used.
    refused: BTreeSet<String>,
}

impl ObservedImports {
    /// Adds `names`; true if any of them is new.
    pub(super) fn add(&mut self, names: Vec<String>) -> bool {
        let before = self.names.len();
        let room = MAX_NAMES.saturating_sub(before);
        let news: Vec<String> = names
            .into_iter()
            .filter(|name| !self.names.contains(name) && !self.refused.contains(name))
            .collect();
        self.names.extend(news.into_iter().take(room));
        self.names.len() > before
    }

    /// All names, in an order that does not depend on who came first.
    pub(super) fn names(&self) -> Vec<String> {
        self.names.iter().cloned().collect()
    }

    /// Gives up on `names`, for as long as the server lives.
    pub(super) fn refuse(&mut self, names: &[String]) {
        for name in names {
            self.names.remove(name);
            self.refused.insert(name.clone());
        }
    }

    pub(super) fn forget(&mut self) {
        self.names.clear();
    }
}
