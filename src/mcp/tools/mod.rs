//! The tools beside `run_python`, one file each: what a client sees of them, and what they do.

pub(super) mod jobs;
pub(super) mod reset_session;

use rmcp::model::JsonObject;
use serde_json::Value;

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
