//! What the tools share that begin background jobs or look at them.

use super::{ToolCall, ToolError, check_job};
use crate::answer::Answer;
use crate::mcp::progress::while_reporting;
use crate::service::{Call, Progress};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::time::Duration;
use tokio::time::timeout;

pub(super) fn handle_schema() -> Value {
    json!({ "type": "string", "title": "Job", "description": "Handle of the job." })
}

pub(super) async fn begin(tool_call: ToolCall, call: Call) -> Result<Answer, ToolError> {
    let started = tool_call.service.jobs.start(&tool_call.service, call).await?;
    let (handle, check) = (&started.handle, check_job::NAME);
    let text = format!("[job {handle} runs in the background: `{check}` tells how it is]");
    let mut answer = Answer::plain(&text);
    answer.data.insert("job".into(), handle.as_str().into());
    Ok(answer)
}

/// Begins a job and waits for its end for up to `patience`; then it goes on without progress
/// reports. The next calls of its connection have their turns once it has its place.
pub(super) async fn begin_and_wait(
    tool_call: ToolCall,
    call: Call,
    patience: Duration,
) -> Result<Answer, ToolError> {
    let ToolCall { service, client, asked, cancel, ticket, listener, .. } = tool_call;
    let jobs = &service.jobs;
    let started = jobs.start(&service, call).await?;
    drop(ticket);
    let over = timeout(patience, started.until_over());
    tokio::select! {
        biased;
        // The answer below gives what there is of it.
        () = cancel.cancelled() => jobs.end(&started).await,
        _ = while_reporting(over, &started.output, patience, listener) => {}
    }
    service.room_for_answer(asked.as_ref()).await;
    if let Some(outcome) = jobs.take(&started) {
        return Ok(Answer::of_result(&outcome));
    }
    let handle = &started.handle;
    let mut answer = describe(handle, jobs.check(handle, client.caller)?);
    let check = check_job::NAME;
    let _ = write!(
        answer.text,
        "\n[it goes on in the background as job {handle}: `{check}` tells how it is]"
    );
    Ok(answer)
}

/// How the job with this handle is.
pub(super) fn describe(handle: &str, progress: Progress) -> Answer {
    let (mut answer, status) = match progress {
        Progress::Running { elapsed, so_far } => {
            let status = match &so_far {
                Some(_) => format!("[the job runs for {:.1} s]", elapsed.as_secs_f64()),
                None => "[the job waits for a place]".to_owned(),
            };
            (Answer::so_far(so_far.as_deref(), &status), "running")
        }
        Progress::Done { outcome, images_are_given } => {
            let mut answer = Answer::of_result(&outcome);
            if images_are_given && !answer.images.is_empty() {
                answer.images.clear();
                answer.text.push_str("\n[the images came with an earlier answer]");
            }
            (answer, "done")
        }
    };
    answer.data.insert("status".into(), status.into());
    answer.data.insert("job".into(), handle.into());
    answer
}
