//! What operations cost the host, so that whoever runs the job can charge it for them, and the
//! order to break off one that takes long.
//!
//! The unit is about 4 ns. Costs are rough, and none is forgotten that a job can make as large as
//! it likes.

use super::Vfs;
use super::error::{Error, Result};
use std::fmt::Debug;
use std::sync::Arc;

/// A name that is looked up in memory.
pub(super) const NAME: u64 = 48;
/// An entry of a directory of the host.
pub(super) const ENTRY: u64 = 256;
/// A path that the host looks up.
pub(super) const LOOKUP: u64 = 8_000;

/// Says when a job is to be stopped in the middle of an operation.
pub trait Interrupt: Debug + Send + Sync {
    /// Whether the operation under way is to fail.
    fn is_due(&self) -> bool;
}

/// Work that was done and not charged yet.
#[derive(Debug, Default)]
pub(super) struct Work {
    units: u64,
    interrupt: Option<Arc<dyn Interrupt>>,
}

impl Work {
    pub(super) fn add(&mut self, units: u64) {
        self.units = self.units.saturating_add(units);
    }

    /// Bytes that are copied, cleared or freed in memory.
    pub(super) fn bytes(&mut self, count: u64) {
        self.add(count / 8);
    }

    /// Bytes that the host reads.
    pub(super) fn host_bytes(&mut self, count: u64) {
        self.add(count / 4);
    }

    /// Called between the steps of what can take long.
    pub(super) fn go_on(&self) -> Result<()> {
        let is_due = self.interrupt.as_ref().is_some_and(|interrupt| interrupt.is_due());
        if is_due { Err(Error::Interrupted) } else { Ok(()) }
    }
}

impl Vfs {
    /// Units of work since the last question.
    pub fn take_work(&mut self) -> u64 {
        std::mem::take(&mut self.work.units)
    }

    /// Adds work that was done for the job beside its files.
    pub fn add_work(&mut self, units: u64) {
        self.work.add(units);
    }

    /// Has operations break off when `interrupt` says so; never with `None`.
    pub fn interrupt_by(&mut self, interrupt: Option<Arc<dyn Interrupt>>) {
        self.work.interrupt = interrupt;
    }
}
