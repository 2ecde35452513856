//! What the tools share that begin background jobs or look at them.

use super::{ToolCall, check_job};
use crate::answer::Answer;
use crate::error::Error;
use crate::mcp::progress::while_reporting;
use crate::service::{Call, Outcome, Progress};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::time::Duration;
use tokio::time::timeout;

pub(super) fn handle_schema() -> Value {
    json!({ "type": "string", "title": "Job", "description": "Handle of the job." })
}

pub(super) async fn begin(tool_call: ToolCall, call: Call) -> Answer {
    match tool_call.service.jobs.start(&tool_call.service, call).await {
        Ok(started) => {
            let handle = started.handle;
            let check = check_job::NAME;
            let mut answer = Answer::plain(&format!(
                "[job {handle} runs in the background: `{check}` tells how it is]"
            ));
            answer.data.insert("job".into(), handle.into());
            answer
        }
        Err(error) => Answer::failed(&error.to_string()),
    }
}

/// Begins a job and waits for its end for up to `patience`; then it goes on without progress
/// reports. The next calls of its connection have their turns once it has its place.
pub(super) async fn begin_and_wait(tool_call: ToolCall, call: Call, patience: Duration) -> Answer {
    let ToolCall { service, client, cancel, ticket, listener, .. } = tool_call;
    let jobs = &service.jobs;
    let started = match jobs.start(&service, call).await {
        Ok(started) => started,
        Err(error) => return Answer::failed(&error.to_string()),
    };
    drop(ticket);
    let over = timeout(patience, started.until_over());
    tokio::select! {
        biased;
        () = cancel.cancelled() => {
            // The answer below gives what there is of it.
            let _ = jobs.cancel(&started.handle, client).await;
        }
        _ = while_reporting(over, &started.call().output, patience, listener) => {}
    }
    if let Some(outcome) = jobs.take(&started) {
        return Answer::of_result(&outcome);
    }
    let handle = &started.handle;
    let mut answer = describe(handle, jobs.check(handle, client, Duration::ZERO).await);
    let check = check_job::NAME;
    let _ = write!(
        answer.text,
        "\n[it goes on in the background as job {handle}: `{check}` tells how it is]"
    );
    answer
}

/// How the job with this handle is.
pub(super) fn describe(handle: &str, progress: Result<Progress, Error>) -> Answer {
    let (mut answer, status) = match progress {
        Err(error) => return Answer::failed(&error.to_string()),
        Ok(Progress::Running { elapsed, so_far }) => {
            let status = match &so_far {
                Some(_) => format!("[the job runs for {:.1} s]", elapsed.as_secs_f64()),
                None => "[the job waits for a place]".to_owned(),
            };
            (Answer::so_far(so_far.as_deref(), &status), "running")
        }
        Ok(Progress::Done { outcome, images_are_given }) => {
            (done(&outcome, images_are_given), "done")
        }
    };
    answer.data.insert("status".into(), status.into());
    answer.data.insert("job".into(), handle.into());
    answer
}

fn done(outcome: &Result<Outcome, Error>, images_are_given: bool) -> Answer {
    let mut answer = Answer::of_result(outcome);
    if images_are_given && !answer.images.is_empty() {
        answer.images.clear();
        answer.text.push_str("\n[the images came with an earlier answer]");
    }
    answer
}
