//! `check_job` and `cancel_job`: what became of a job in the background, and its end.

use super::{Hints, describe, text_argument};
use crate::answer::Answer;
use crate::background::{Background, Progress};
use crate::error::Error;
use crate::mcp::order::Turn;
use crate::mcp::progress::{Listener, while_telling};
use crate::mcp::tool::Call;
use crate::runner::Runner;
use crate::session::Client;
use rmcp::model::{JsonObject, Tool};
use rmcp::object;
use serde_json::Value;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// Names of the tools.
pub(in crate::mcp) const CHECK: &str = "check_job";
pub(in crate::mcp) const CANCEL: &str = "cancel_job";

const CHECK_DESCRIPTION: &str = "Tells how a job of `run_python` with `background: true` is: what it has printed so far, \
or its result. The images of a result come once.";
const CANCEL_DESCRIPTION: &str = "Ends a job in the background and returns what it has.";

/// Longest that one call waits for the end of a job, in seconds.
const MAX_WAIT: u32 = 50;

/// Both tools with their schemas.
pub(in crate::mcp) fn tools() -> [Tool; 2] {
    let job = object!({ "type": "string", "title": "Job", "description": "Handle of the job." });
    let check = object!({
        "job": job.clone(),
        "wait": { "type": "number", "title": "Wait", "description": "Seconds to wait for its end.", "minimum": 0, "maximum": MAX_WAIT, "default": 0 }
    });
    let cancel = object!({ "job": job });
    let looks = Hints { read_only: true, destructive: false, idempotent: true };
    let ends = Hints { read_only: false, destructive: true, idempotent: true };
    [
        describe(CHECK, "Check job", CHECK_DESCRIPTION.into(), "job", &check, looks),
        describe(CANCEL, "Cancel job", CANCEL_DESCRIPTION.into(), "job", &cancel, ends),
    ]
}

/// Carries out a call of `check_job`.
pub(in crate::mcp) async fn check(jobs: &Background, client: Client, arguments: Option<JsonObject>) -> Answer {
    let mut arguments = arguments.unwrap_or_default();
    let wait = match arguments.remove("wait") {
        None => Duration::ZERO,
        Some(value) => match wait(&value) {
            Some(wait) => wait,
            None => return Answer::failed(&format!("`wait` must be a number of seconds from 0 to {MAX_WAIT}")),
        },
    };
    match text_argument(CHECK, "job", arguments, "`job` and `wait`") {
        Ok(handle) => told(&handle, jobs.check(&handle, client, wait).await),
        Err(why) => Answer::failed(&why),
    }
}

/// Carries out a call of `cancel_job`.
pub(in crate::mcp) async fn cancel(jobs: &Background, client: Client, arguments: Option<JsonObject>) -> Answer {
    match text_argument(CANCEL, "job", arguments.unwrap_or_default(), "`job`") {
        Ok(handle) => told(&handle, jobs.cancel(&handle, client).await),
        Err(why) => Answer::failed(&why),
    }
}

/// Begins a job that nobody waits for.
pub(in crate::mcp) async fn begin(runner: &Arc<Runner>, client: Client, call: Call) -> Answer {
    match runner.background().start(runner, client, call.job, call.limits, call.session).await {
        Ok(begun) => {
            let mut answer =
                Answer::plain(&format!("[job {} runs in the background: `{CHECK}` tells how it is]", begun.handle));
            answer.data.insert("job".into(), begun.handle.into());
            answer
        }
        Err(error) => Answer::failed(&error.to_string()),
    }
}

/// Begins a job and waits for its end for up to `patience`; then it goes on without a listener. `turn` is over once the job
/// has its place; `stop` ends the job.
pub(in crate::mcp) async fn begin_and_wait(
    runner: &Arc<Runner>,
    client: Client,
    call: Call,
    patience: Duration,
    turn: Turn,
    stop: CancellationToken,
    listener: Option<Listener>,
) -> Answer {
    let jobs = runner.background();
    let begun = match jobs.start(runner, client, call.job, call.limits, call.session).await {
        Ok(begun) => begun,
        Err(error) => return Answer::failed(&error.to_string()),
    };
    drop(turn);
    let over = timeout(patience, begun.until_over());
    tokio::select! {
        biased;
        () = stop.cancelled() => {
            // What there is of it is told below.
            let _ = jobs.cancel(&begun.handle, client).await;
        }
        _ = while_telling(over, begun.live(), patience, listener) => {}
    }
    if let Some(answer) = jobs.take(&begun) {
        return answer;
    }
    let mut answer = told(&begun.handle, jobs.check(&begun.handle, client, Duration::ZERO).await);
    let _ = write!(answer.text, "\n[it goes on in the background as job {}: `{CHECK}` tells how it is]", begun.handle);
    answer
}

fn wait(value: &Value) -> Option<Duration> {
    value.as_f64().filter(|wait| (0.0..=f64::from(MAX_WAIT)).contains(wait)).map(Duration::from_secs_f64)
}

fn told(handle: &str, progress: Result<Progress, Error>) -> Answer {
    let mut answer = match progress {
        Err(error) => return Answer::failed(&error.to_string()),
        Ok(Progress::Running { elapsed, so_far }) => {
            let status = match &so_far {
                Some(_) => format!("[the job runs for {:.1} s]", elapsed.as_secs_f64()),
                None => "[the job waits for a place]".to_owned(),
            };
            let mut answer = Answer::so_far(so_far.as_deref(), &status);
            answer.data.insert("status".into(), "running".into());
            answer
        }
        Ok(Progress::Done(mut answer)) => {
            answer.data.insert("status".into(), "done".into());
            answer
        }
    };
    answer.data.insert("job".into(), handle.into());
    answer
}
