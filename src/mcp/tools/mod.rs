//! The tools beside `run_python`, one file each: what a client sees of them, and what they do. Here is what all have in common.

pub(super) mod jobs;
pub(super) mod reset_session;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use rmcp::object;
use serde_json::Value;
use std::sync::Arc;

/// Arguments that hold handles, and the ends of the headers that repeat them.
const HANDLES: [(&str, &str); 2] = [("session", "Session"), ("job", "Job")];

/// What a client may assume of a tool before it calls it (MCP, "Tool annotations"). No tool here meets an open world.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hints {
    /// It changes nothing.
    pub(super) read_only: bool,
    /// It may take something away.
    pub(super) destructive: bool,
    /// A second call like the first one changes nothing more.
    pub(super) idempotent: bool,
}

/// A tool that takes `properties` and no other arguments; `required` must be among them.
pub(super) fn describe(
    name: &'static str,
    title: &str,
    description: String,
    required: &str,
    properties: &JsonObject,
    hints: Hints,
) -> Tool {
    let schema: JsonObject = object!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "additionalProperties": false,
        "required": [required],
        "properties": properties
    });
    let Hints { read_only, destructive, idempotent } = hints;
    let annotations = ToolAnnotations::from_raw(
        Some(title.into()),
        Some(read_only),
        Some(destructive),
        Some(idempotent),
        Some(false),
    );
    Tool::new(name, description, Arc::new(schema)).with_title(title).with_annotations(annotations)
}

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
