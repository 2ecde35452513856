//! The facts of an answer as data.

use super::{MAX_SENTENCE, shorten};
use crate::host::{printable, printable_within};
use crate::job::RuntimeKind;
use crate::service::{FULL_OUTPUT, JobStatus, Outcome, address};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// Bytes of the paths and addresses of the files that are named.
const MAX_FILES: usize = 256 << 10;
/// Variables named that could not move with a session.
const MAX_LEFT: usize = 100;

/// The outcome as data, for `_meta` and `run --json`.
pub(super) fn of(outcome: &Outcome) -> Map<String, Value> {
    let status = &outcome.status;
    let mut data = Map::new();
    let mut put = |key: &str, value: Value| {
        data.insert(key.to_owned(), value);
    };
    put("runtime", outcome.runtime.name().into());
    put("reason", sentence(&outcome.reason));
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
            let message = shorten(&error.message);
            put("error", json!({ "type": sentence(&error.kind), "message": message }));
        }
        JobStatus::Limit(hit) => {
            let (name, unit) = (hit.kind.name(), hit.kind.unit());
            let hit = json!({ "name": name, "limit": hit.limit, "used": hit.used, "unit": unit });
            put("limit", hit);
        }
        JobStatus::Crashed(how) => put("crash", sentence(how)),
        JobStatus::Ok | JobStatus::Exit(_) | JobStatus::Cancelled => {}
    }
    if let (Some(handle), Some(_)) = (&outcome.files_handle, outcome.full_output_bytes) {
        put("wholeOutput", address(handle, FULL_OUTPUT).into());
    }
    let (stdout, stderr) = (outcome.stdout.omitted(), outcome.stderr.omitted());
    let images = outcome.lost_images.total();
    put("omitted", json!({ "stdout": stdout, "stderr": stderr, "images": images }));
    if !outcome.files.is_empty() {
        let files = files(outcome);
        let omitted = outcome.files.len() - files.len();
        put("files", files.into());
        if omitted > 0 {
            put("filesOmitted", omitted.into());
        }
    }
    if let Some(session) = &outcome.session {
        put("session", session.handle.clone().into());
        put("sessionMoved", session.moved.into());
        put("sessionLost", session.lost.into());
        if !session.left.is_empty() {
            let left: Vec<Value> =
                session.left.iter().take(MAX_LEFT).map(|left| sentence(left)).collect();
            put("sessionLeft", left.into());
        }
    }
    if outcome.runtime == RuntimeKind::Native {
        put("confined", outcome.confined.into());
    }
    data
}

/// The files that the job wrote, as many as an answer names. A path is for people; the address
/// holds it as it is.
fn files(outcome: &Outcome) -> Vec<Value> {
    let session = outcome.session.as_ref().map(|session| &session.handle);
    let handle = session.or(outcome.files_handle.as_ref());
    let mut left = MAX_FILES;
    let mut files = Vec::new();
    for (path, size) in &outcome.files {
        let address = address(handle.map_or("", String::as_str), path);
        let path = printable(path);
        let Some(rest) = left.checked_sub(address.len() + path.len()) else { break };
        left = rest;
        files.push(match handle {
            Some(_) => json!({ "path": path, "size": size, "uri": address }),
            None => json!({ "path": path, "size": size }),
        });
    }
    files
}

fn sentence(text: &str) -> Value {
    printable_within(text, MAX_SENTENCE).into()
}

/// Milliseconds to the microsecond.
fn milliseconds(time: Duration) -> Value {
    ((time.as_secs_f64() * 1e6).round() / 1e3).into()
}
