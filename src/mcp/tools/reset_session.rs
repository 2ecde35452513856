//! `reset_session`: a session begins again, without variables and files, under the same handle.

use super::arguments::Arguments;
use super::{Hints, Offer, ToolCall, ToolEntry, ToolError, describe};
use crate::answer::Answer;
use futures_util::FutureExt as _;
use rmcp::model::Tool;
use rmcp::object;

pub(super) const ENTRY: ToolEntry = ToolEntry {
    name: NAME,
    is_on: |service| service.config.sessions.count > 0,
    describe: tool,
    call: |call| reset(call).boxed(),
};

const NAME: &str = "reset_session";

const DESCRIPTION: &str = "Empties a session of `run_python`: its variables, imports and files are \
gone, a call that runs in it is stopped. The handle stays good.";

fn tool(_: &Offer<'_>) -> Tool {
    let properties = object!({
        "session": {
            "type": "string", "title": "Session", "description": "Handle of the session."
        }
    });
    let hints = Hints { read_only: false, destructive: true, idempotent: true };
    describe(NAME, "Reset session", DESCRIPTION.into(), "session", &properties, hints)
}

async fn reset(call: ToolCall) -> Result<Answer, ToolError> {
    let ToolCall { service, client, arguments, ticket, .. } = call;
    drop(ticket);
    let handle = Arguments::new(NAME, arguments).only_text("session", "`session`")?;
    service.sessions.reset(&handle, client.caller).await?;
    Ok(Answer::plain("the session is empty"))
}
