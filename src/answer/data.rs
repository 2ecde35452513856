//! The facts of an answer as data.

use super::shorten;
use crate::outcome::{Outcome, RuntimeKind};
use crate::shelf;
use crate::verdict::Verdict;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// The outcome as data, for `_meta` and `run --json`.
pub(super) fn of(outcome: &Outcome, verdict: &Verdict) -> Map<String, Value> {
    let raw = &outcome.raw;
    let mut data = Map::new();
    let mut put = |key: &str, value: Value| {
        data.insert(key.to_owned(), value);
    };
    put("runtime", raw.runtime.name().into());
    put("reason", outcome.reason.clone().into());
    put("exit", verdict.name().into());
    put("exitCode", verdict.exit_code().into());
    put("wallMs", milliseconds(raw.usage.wall));
    if let Some(fuel) = raw.usage.fuel {
        put("fuel", fuel.into());
    }
    if let Some(cpu) = raw.usage.cpu {
        put("cpuMs", milliseconds(cpu));
    }
    if let Some(peak) = raw.usage.peak_memory {
        put("peakMemory", peak.into());
    }
    match verdict {
        Verdict::Exception(error) => put("error", json!({ "type": error.kind, "message": shorten(&error.message) })),
        Verdict::Limit(hit) => {
            put(
                "limit",
                json!({ "name": hit.kind.name(), "limit": hit.limit, "used": hit.used, "unit": hit.kind.unit() }),
            );
        }
        Verdict::Crashed(how) => put("crash", how.clone().into()),
        Verdict::Ok | Verdict::Exit(_) | Verdict::Cancelled => {}
    }
    if let (Some(handle), Some(_)) = (&outcome.kept, outcome.whole_kept) {
        put("wholeOutput", shelf::address(handle, shelf::WHOLE_OUTPUT).into());
    }
    let omitted =
        json!({ "stdout": raw.stdout.omitted(), "stderr": raw.stderr.omitted(), "images": raw.lost_images.len() });
    put("omitted", omitted);
    if !raw.files.is_empty() {
        let handle = outcome.session.as_ref().map(|session| &session.handle).or(outcome.kept.as_ref());
        let files: Vec<Value> = raw
            .files
            .iter()
            .map(|file| match handle {
                Some(handle) => {
                    json!({ "path": file.path, "size": file.size, "uri": shelf::address(handle, &file.path) })
                }
                None => json!({ "path": file.path, "size": file.size }),
            })
            .collect();
        put("files", files.into());
    }
    if let Some(session) = &outcome.session {
        put("session", session.handle.clone().into());
        put("sessionMoved", session.moved.into());
        put("sessionLost", session.lost.into());
        if !session.left.is_empty() {
            put("sessionLeft", session.left.clone().into());
        }
    }
    if raw.runtime == RuntimeKind::Native {
        put("confined", raw.confined.into());
    }
    data
}

/// Milliseconds to the microsecond.
fn milliseconds(time: Duration) -> Value {
    ((time.as_secs_f64() * 1e6).round() / 1e3).into()
}
