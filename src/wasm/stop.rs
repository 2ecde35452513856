//! How a running guest is stopped: first asked, so that it can say where it was; then forced.

use crate::host::lock;
use crate::job::{LimitHit, RunEnd};
use crate::vfs::Interrupt;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The order to stop, shared by the thread that runs the guest and the one that watches the clock.
#[derive(Debug, Default)]
pub(super) struct Stop {
    phase: AtomicU8,
    reason: Mutex<Reason>,
    changed: Condvar,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    Run = 0,
    /// The guest is to unwind: Python's signal flags are set in it.
    Ask = 1,
    /// The guest is to be trapped at the next tick or host call.
    Force = 2,
}

#[derive(Debug, Default)]
struct Reason {
    asked: Option<LimitHit>,
    forced: Option<RunEnd>,
}

impl Interrupt for Stop {
    /// A guest that was only asked to unwind still needs its files.
    fn is_due(&self) -> bool {
        self.phase() == Phase::Force
    }
}

impl Stop {
    /// Asks the guest to unwind because of a limit. The first reason counts.
    pub(super) fn ask(&self, hit: LimitHit) {
        let mut reason = lock(&self.reason);
        reason.asked.get_or_insert(hit);
        self.raise(Phase::Ask);
    }

    /// Asks the guest to unwind because its call was withdrawn.
    pub(super) fn nudge(&self) {
        let _reason = lock(&self.reason);
        self.raise(Phase::Ask);
    }

    /// Stops the guest for good. The first reason counts, and a limit that was asked for before
    /// goes first.
    pub(super) fn force(&self, end: RunEnd) {
        let mut reason = lock(&self.reason);
        let end = reason.asked.map_or(end, RunEnd::Limit);
        reason.forced.get_or_insert(end);
        self.raise(Phase::Force);
    }

    /// How far the order has gone; one atomic load.
    pub(super) fn phase(&self) -> Phase {
        match self.phase.load(Ordering::Acquire) {
            0 => Phase::Run,
            1 => Phase::Ask,
            _ => Phase::Force,
        }
    }

    pub(super) fn asked(&self) -> Option<LimitHit> {
        lock(&self.reason).asked
    }

    pub(super) fn forced(&self) -> Option<RunEnd> {
        lock(&self.reason).forced.clone()
    }

    /// Sleeps until `until` or until the order changes from `known`; true if the order changed.
    pub(super) fn sleep(&self, until: Instant, known: Phase) -> bool {
        let mut guard = lock(&self.reason);
        while self.phase() == known {
            let left = until.saturating_duration_since(Instant::now());
            if left == Duration::ZERO {
                return false;
            }
            let woken = self.changed.wait_timeout(guard, left);
            guard = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    /// Called with the lock held, so that a sleeper cannot miss it.
    fn raise(&self, phase: Phase) {
        self.phase.fetch_max(phase as u8, Ordering::AcqRel);
        self.changed.notify_all();
    }
}
