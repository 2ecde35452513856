//! Which runtime a call runs in, and why: pure decisions, the words of which stand in every answer.

use super::JobStatus;
use super::execute::{Attempt, Route};
use crate::error::Error;
use crate::host::printable_within;
use crate::job::{Noticed, ReportedExit, RuntimeKind};

/// Characters of the name of a module in a reason.
const MAX_MODULE: usize = 100;
const ASKED_FOR: &str = "asked for by the caller";

/// Where a call goes first, with the reason: `at` is where its session is, `asked` what the caller
/// wants.
pub(super) fn choose(
    at: Option<RuntimeKind>,
    asked: Option<RuntimeKind>,
) -> Result<(RuntimeKind, &'static str), Error> {
    match (at, asked) {
        (Some(RuntimeKind::Native), Some(RuntimeKind::Wasm)) => Err(Error::Request(
            "this session runs in the native runtime and cannot go back; leave `runtime` out, or \
             begin another session"
                .into(),
        )),
        (Some(RuntimeKind::Native), _) => {
            Ok((RuntimeKind::Native, "the session runs in the native runtime"))
        }
        // Asking for native, the call still begins in the guest, which saves its variables and
        // gives up; `reroute` then moves it.
        (Some(RuntimeKind::Wasm), Some(_)) => Ok((RuntimeKind::Wasm, ASKED_FOR)),
        (None, Some(asked)) => Ok((asked, ASKED_FOR)),
        (_, None) => Ok((RuntimeKind::Wasm, "pure Python")),
    }
}

/// Why a run in the WASI runtime must be dropped and repeated natively, if it must.
pub(super) fn reroute(attempt: &Attempt, asked: Option<RuntimeKind>) -> Option<Route> {
    let report = &attempt.captured.report;
    let wants_native =
        attempt.runtime == RuntimeKind::Wasm && report.exit == Some(ReportedExit::NeedsNative);
    if !wants_native || attempt.status == JobStatus::Cancelled {
        return None;
    }
    let rerouted = report.how == Some(Noticed::Attempt);
    let module = report.module.as_deref().unwrap_or("a module");
    let module = printable_within(module, MAX_MODULE);
    let reason = match (asked, rerouted) {
        (Some(RuntimeKind::Native), _) => ASKED_FOR.to_owned(),
        (_, false) => format!("`{module}` needs the native runtime"),
        (_, true) => {
            format!("`{module}` needs the native runtime, which was noticed when the code ran")
        }
    };
    Some(Route { reason, rerouted })
}
