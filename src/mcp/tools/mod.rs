//! The tools beside `run_python`, one file each: what a client sees of them, and what they do.

pub(super) mod jobs;
pub(super) mod reset_session;

use rmcp::model::{JsonObject, Tool};
use serde_json::Value;
use std::sync::Arc;

/// Arguments that hold handles, and the ends of the headers that repeat them.
const HANDLES: [(&str, &str); 2] = [("session", "Session"), ("job", "Job")];

/// Has clients repeat handles in headers, `Mcp-Param-Session` and `Mcp-Param-Job`, where routers can read them (MCP
/// 2026-07-28, "Streamable HTTP"). Requests without them are then refused, as that version asks for.
pub(super) fn mirror_handles(tools: &mut [Tool]) {
    for tool in tools {
        let schema = Arc::make_mut(&mut tool.input_schema);
        let Some(Value::Object(properties)) = schema.get_mut("properties") else { continue };
        for (argument, header) in HANDLES {
            if let Some(Value::Object(property)) = properties.get_mut(argument) {
                property.insert("x-mcp-header".into(), header.into());
            }
        }
    }
}

/// The string argument `name`, which must be the last that is left of `arguments`; `all` names those that the tool takes.
///
/// # Errors
/// A text for the model that names the argument and says what it must be.
fn text_argument(tool: &str, name: &str, mut arguments: JsonObject, all: &str) -> Result<String, String> {
    let value = match arguments.remove(name) {
        Some(Value::String(value)) => value,
        Some(_) => return Err(format!("`{name}` must be a string")),
        None => return Err(format!("`{name}` is missing")),
    };
    match arguments.keys().next() {
        Some(unknown) => Err(format!("unknown argument `{unknown}`: `{tool}` takes {all}")),
        None => Ok(value),
    }
}
