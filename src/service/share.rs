//! Who must make room: bookkeeping for tables that callers share.

use crate::job::Caller;
use std::collections::HashMap;

/// What one caller may hold of a table, and what all may hold together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    pub(crate) of_one: u64,
    pub(crate) of_all: u64,
}

impl Share {
    /// All for one caller, who is alone.
    pub(crate) fn all(amount: u64) -> Self {
        Self { of_one: amount, of_all: amount }
    }

    /// The same for several callers: one may have three quarters of it.
    pub(crate) fn among_callers(self) -> Self {
        Self { of_one: self.of_all - self.of_all / 4, ..self }
    }

    /// Who must make room, if somebody must, after `asker` has added to what callers have `held`:
    /// a caller beyond its share, or if all hold too much together the one that holds most. Nobody
    /// who holds less than `asker` ever does.
    pub(crate) fn debtor(
        self,
        held: impl IntoIterator<Item = (Caller, u64)>,
        asker: Caller,
    ) -> Option<Caller> {
        let mut by_caller = HashMap::new();
        for (caller, amount) in held {
            *by_caller.entry(caller).or_insert(0) += amount;
        }
        let all: u64 = by_caller.values().sum();
        let most = by_caller.into_iter().max_by_key(|&(caller, own)| (own, caller == asker))?;
        (most.1 > self.of_one || all > self.of_all).then_some(most.0)
    }
}

#[cfg(test)]
#[path = "../../tests/unit/service_share.rs"]
mod tests;
