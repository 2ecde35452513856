//! `check_job`: what became of a job in the background.

use super::arguments::{Arguments, BadArgument, number};
use super::{Hints, Offer, ToolCall, ToolEntry, ToolError, describe, jobs};
use crate::answer::Answer;
use crate::service::gone;
use futures_util::FutureExt as _;
use rmcp::model::{JsonObject, Tool};
use rmcp::object;
use std::time::Duration;

pub(super) const ENTRY: ToolEntry = ToolEntry {
    name: NAME,
    is_on: |service| service.config.jobs.count > 0,
    describe: tool,
    call: |call| check(call).boxed(),
};

pub(super) const NAME: &str = "check_job";

const DESCRIPTION: &str = "Tells how a job of `run_python` with `background: true` is: what it has \
printed so far, or its result. The images of a result come once.";

/// Longest that one call waits for the end of a job, in seconds.
const MAX_WAIT: u32 = 50;

fn tool(_: &Offer<'_>) -> Tool {
    let properties = object!({
        "job": jobs::handle_schema(),
        "wait": {
            "type": "number", "title": "Wait", "description": "Seconds to wait for its end.",
            "minimum": 0, "maximum": MAX_WAIT, "default": 0
        }
    });
    let hints = Hints { read_only: true, destructive: false, idempotent: true };
    describe(NAME, "Check job", DESCRIPTION.into(), "job", &properties, hints)
}

async fn check(call: ToolCall) -> Result<Answer, ToolError> {
    let ToolCall { service, client, asked, cancel, arguments, ticket, .. } = call;
    drop(ticket);
    let (handle, wait) = arguments_of(arguments)?;
    tokio::select! {
        waited = service.jobs.wait(&handle, client.caller, wait) => waited?,
        () = cancel.cancelled() => {}
        () = gone(asked.as_ref()) => {}
    }
    service.room_for_answer(asked.as_ref()).await;
    Ok(jobs::describe(&handle, service.jobs.check(&handle, client.caller)?))
}

/// The handle, and how long to wait for its job.
fn arguments_of(arguments: JsonObject) -> Result<(String, Duration), BadArgument> {
    let mut arguments = Arguments::new(NAME, arguments);
    let wait = match arguments.take("wait") {
        None => Duration::ZERO,
        Some(value) => {
            let seconds = number(&value).filter(|wait| (0.0..=f64::from(MAX_WAIT)).contains(wait));
            let wrong = || format!("`wait` must be a number of seconds from 0 to {MAX_WAIT}");
            Duration::from_secs_f64(seconds.ok_or_else(wrong)?)
        }
    };
    let handle = arguments.only_text("job", "`job` and `wait`")?;
    Ok((handle, wait))
}
