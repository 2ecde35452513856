//! File descriptors: how many the process may have, and how many of them sockets may take.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// More would only make tables larger.
const ENOUGH: u64 = 1 << 14;
/// What is assumed where there is no limit.
const SOCKETS: usize = 2_048;
/// A client may well open some hundreds of connections at once, and then say who it is on each.
const STRANGERS: usize = 2_048;

/// How many sockets there may be at once. The other half of all descriptors is for jobs: pipes and
/// files, and connections to hosts that are open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shares {
    /// Of all callers.
    pub(super) of_all: usize,
    /// Of one caller.
    pub(super) of_one: usize,
    /// Of those who have shown no credential yet, and of one address among them.
    pub(super) strangers: usize,
    pub(super) of_address: usize,
}

/// Raises the limit of this process as far as it may be (getrlimit(2)), and gives it.
pub(super) fn raise() -> u64 {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let current = current.unwrap_or(ENOUGH);
    let wanted = maximum.unwrap_or(ENOUGH).min(ENOUGH);
    if current >= wanted {
        return current;
    }
    match setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum }) {
        Ok(()) => wanted,
        Err(error) => {
            tracing::debug!(%error, "the limit of file descriptors stays as it is");
            current
        }
    }
}

impl Shares {
    /// Of so many descriptors.
    pub(super) fn of(descriptors: u64) -> Self {
        let descriptors = usize::try_from(descriptors).unwrap_or(usize::MAX);
        let strangers = (descriptors / 8).clamp(8, STRANGERS);
        let of_all = (descriptors / 2).saturating_sub(strangers).clamp(16, SOCKETS);
        Self { of_all, of_one: of_all / 2, strangers, of_address: strangers * 3 / 4 }
    }
}
