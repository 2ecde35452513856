//! What the fork server learns from jobs: the modules that those which ended well had imported, as
//! far as the fork server lists them as tried (`sandbox_bootstrap/fork_server/learning.py`).
//!
//! The names come from reports, which jobs can forge: it gains them nothing but an import of what
//! stands in that list.

use std::collections::BTreeSet;

/// Names for the next fork server to import.
#[derive(Debug, Default)]
pub(super) struct ObservedImports {
    /// All that may be learned.
    listed: BTreeSet<String>,
    names: BTreeSet<String>,
    /// A fork server could not import these, or could not be used with them.
    refused: BTreeSet<String>,
}

impl ObservedImports {
    /// Lets `names` be learned from now on.
    pub(super) fn list(&mut self, names: &BTreeSet<String>) {
        self.listed.extend(names.iter().cloned());
    }

    /// Adds `names`; true if any of them is new.
    pub(super) fn add(&mut self, names: &[String]) -> bool {
        let before = self.names.len();
        let may_come =
            |name: &&String| self.listed.contains(*name) && !self.refused.contains(*name);
        self.names.extend(names.iter().filter(may_come).cloned());
        self.names.len() > before
    }

    /// All names, in an order that does not depend on who came first.
    pub(super) fn names(&self) -> Vec<String> {
        self.names.iter().cloned().collect()
    }

    /// Gives up on `names`, for as long as the server lives.
    pub(super) fn refuse<'a>(&mut self, names: impl IntoIterator<Item = &'a String>) {
        for name in names {
            self.names.remove(name);
            self.refused.insert(name.clone());
        }
    }

    pub(super) fn forget(&mut self) {
        self.names.clear();
    }
}
