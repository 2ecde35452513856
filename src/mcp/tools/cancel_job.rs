//! `cancel_job`: ends a job in the background.

use super::arguments::Arguments;
use super::{Hints, Offer, ToolCall, ToolEntry, ToolError, describe, jobs};
use crate::answer::Answer;
use futures_util::FutureExt as _;
use rmcp::model::Tool;
use rmcp::object;

pub(super) const ENTRY: ToolEntry = ToolEntry {
    name: NAME,
    is_on: |service| service.config.jobs.count > 0,
    describe: tool,
    call: |call| cancel(call).boxed(),
};

const NAME: &str = "cancel_job";

const DESCRIPTION: &str = "Ends a job in the background and returns what it has.";

fn tool(_: &Offer<'_>) -> Tool {
    let properties = object!({ "job": jobs::handle_schema() });
    let hints = Hints { read_only: false, destructive: true, idempotent: true };
    describe(NAME, "Cancel job", DESCRIPTION.into(), "job", &properties, hints)
}

async fn cancel(call: ToolCall) -> Result<Answer, ToolError> {
    let ToolCall { service, client, asked, arguments, ticket, .. } = call;
    drop(ticket);
    service.room_for_answer(asked.as_ref()).await;
    let handle = Arguments::new(NAME, arguments).only_text("job", "`job`")?;
    Ok(jobs::describe(&handle, service.jobs.cancel(&handle, client.caller).await?))
}
