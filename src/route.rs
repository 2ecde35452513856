//! Which runtime a job runs in, and why: pure decisions, the words of which stand in every answer.

use crate::error::Error;
use crate::outcome::{Noticed, Report, ReportedExit, RuntimeKind};

/// What the router knows about the native runtime.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NativeState {
    /// It runs jobs.
    On,
    /// It does not; the text says why and what would help.
    Off(String),
}

/// Where a job goes first, with the reason.
///
/// # Errors
/// [`Error::RuntimeOff`] if the caller insists on a runtime that is off.
pub fn first(asked: Option<RuntimeKind>, native: &NativeState) -> Result<(RuntimeKind, &'static str), Error> {
    match (asked, native) {
        (None, _) => Ok((RuntimeKind::Wasm, "pure Python")),
        (Some(RuntimeKind::Wasm), _) => Ok((RuntimeKind::Wasm, "asked for by the caller")),
        (Some(RuntimeKind::Native), NativeState::On) => Ok((RuntimeKind::Native, "asked for by the caller")),
        (Some(RuntimeKind::Native), NativeState::Off(why)) => {
            Err(Error::RuntimeOff(format!("the native runtime was asked for but is off: {why}")))
        }
    }
}

/// Whether a run in the WASI runtime must be dropped and repeated natively, with the reason.
pub fn after_wasm(report: &Report) -> Option<String> {
    if report.exit != Some(ReportedExit::NeedsNative) {
        return None;
    }
    let module = report.module.as_deref().unwrap_or("a module");
    Some(match report.how {
        Some(Noticed::Attempt) => {
            format!("rerun from the start in the native runtime: `{module}` was needed while the code ran")
        }
        Some(Noticed::Import) | None => format!("`{module}` needs the native runtime"),
    })
}
