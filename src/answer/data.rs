//! The facts of an answer as data.

use super::shorten;
use crate::job::RuntimeKind;
use crate::service::{FULL_OUTPUT, JobStatus, Outcome, address};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// The outcome as data, for `_meta` and `run --json`.
pub(super) fn of(outcome: &Outcome) -> Map<String, Value> {
    let status = &outcome.status;
    let mut data = Map::new();
    let mut put = |key: &str, value: Value| {
        data.insert(key.to_owned(), value);
    };
    put("runtime", outcome.runtime.name().into());
    put("reason", outcome.reason.clone().into());
    put("exit", status.name().into());
    put("exitCode", status.exit_code().into());
    put("wallMs", milliseconds(outcome.usage.wall));
    if let Some(fuel) = outcome.usage.fuel {
        put("fuel", fuel.into());
    }
    if let Some(cpu) = outcome.usage.cpu {
        put("cpuMs", milliseconds(cpu));
    }
    if let Some(peak) = outcome.usage.peak_memory {
        put("peakMemory", peak.into());
    }
    match status {
        JobStatus::Exception(error) => {
            put("error", json!({ "type": error.kind, "message": shorten(&error.message) }));
        }
        JobStatus::Limit(hit) => {
            let (name, unit) = (hit.kind.name(), hit.kind.unit());
            let hit = json!({ "name": name, "limit": hit.limit, "used": hit.used, "unit": unit });
            put("limit", hit);
        }
        JobStatus::Crashed(how) => put("crash", how.clone().into()),
        JobStatus::Ok | JobStatus::Exit(_) | JobStatus::Cancelled => {}
    }
    if let (Some(handle), Some(_)) = (&outcome.files_handle, outcome.full_output_bytes) {
        put("wholeOutput", address(handle, FULL_OUTPUT).into());
    }
    let (stdout, stderr) = (outcome.stdout.omitted(), outcome.stderr.omitted());
    let images = outcome.lost_images.len();
    put("omitted", json!({ "stdout": stdout, "stderr": stderr, "images": images }));
    if !outcome.files.is_empty() {
        let session = outcome.session.as_ref().map(|session| &session.handle);
        let handle = session.or(outcome.files_handle.as_ref());
        let file = |(path, size): &(String, u64)| match handle {
            Some(handle) => json!({ "path": path, "size": size, "uri": address(handle, path) }),
            None => json!({ "path": path, "size": size }),
        };
        let files: Vec<Value> = outcome.files.iter().map(file).collect();
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
    if outcome.runtime == RuntimeKind::Native {
        put("confined", outcome.confined.into());
    }
    data
}

/// Milliseconds to the microsecond.
fn milliseconds(time: Duration) -> Value {
    ((time.as_secs_f64() * 1e6).round() / 1e3).into()
}
