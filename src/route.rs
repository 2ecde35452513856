//! Which runtime a job runs in, and why: pure decisions, the words of which stand in every answer.

use crate::outcome::{Noticed, Report, ReportedExit, RuntimeKind};

/// What the router knows about the native runtime.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NativeState {
    /// It runs jobs.
    On,
    /// It does not; the text says why and what would help.
    Off(String),
}

/// The reason for a runtime that the call names.
pub const ASKED_FOR: &str = "asked for by the caller";

/// Where a job goes first, with the reason.
pub fn first(asked: Option<RuntimeKind>) -> (RuntimeKind, &'static str) {
    match asked {
        None => (RuntimeKind::Wasm, "pure Python"),
        Some(runtime) => (runtime, ASKED_FOR),
    }
}

/// A job that must be repeated in the native runtime.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reroute {
    /// Why, in one line.
    pub reason: String,
    /// Whether its code had begun to run.
    pub had_begun: bool,
}

/// Whether a run in the WASI runtime must be dropped and repeated natively.
pub fn after_wasm(report: &Report) -> Option<Reroute> {
    if report.exit != Some(ReportedExit::NeedsNative) {
        return None;
    }
    let module = report.module.as_deref().unwrap_or("a module");
    let reason = format!("`{module}` needs the native runtime");
    Some(match report.how {
        Some(Noticed::Attempt) => Reroute { reason: reason + ", which was noticed when the code ran", had_begun: true },
        Some(Noticed::Import) | None => Reroute { reason, had_begun: false },
    })
}
