//! `reset_session`: a session begins again, without variables and files, under the same handle.

use super::{Hints, describe, text_argument};
use crate::answer::Answer;
use crate::session::{Client, Sessions};
use rmcp::model::{JsonObject, Tool};
use rmcp::object;

/// Name of the tool.
pub(in crate::mcp) const NAME: &str = "reset_session";

const DESCRIPTION: &str = "Empties a session of `run_python`: its variables, imports and files are gone, a call that \
runs in it is stopped. The handle stays good.";

/// The tool with its schema.
pub(in crate::mcp) fn tool() -> Tool {
    let properties = object!({
        "session": { "type": "string", "title": "Session", "description": "Handle of the session." }
    });
    let hints = Hints { read_only: false, destructive: true, idempotent: true };
    describe(NAME, "Reset session", DESCRIPTION.into(), "session", &properties, hints)
}

/// Carries a call out.
pub(in crate::mcp) async fn call(sessions: &Sessions, client: Client, arguments: Option<JsonObject>) -> Answer {
    let handle = match text_argument(NAME, "session", arguments.unwrap_or_default(), "`session`") {
        Ok(handle) => handle,
        Err(why) => return Answer::failed(&why),
    };
    match sessions.reset(&handle, client).await {
        Ok(()) => Answer::plain("the session is empty"),
        Err(error) => Answer::failed(&error.to_string()),
    }
}
