//! Arguments of a call, taken one by one: what is missing, of the wrong kind or unknown is named in
//! words for the model.

use crate::job::WORKDIR;
use rmcp::model::JsonObject;
use serde_json::Value;

/// What is wrong with an argument, as a text for the model.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct BadArgument(String);

impl From<String> for BadArgument {
    fn from(why: String) -> Self {
        Self(why)
    }
}

impl From<&str> for BadArgument {
    fn from(why: &str) -> Self {
        Self(why.to_owned())
    }
}

pub(super) fn bad<T>(why: impl Into<BadArgument>) -> Result<T, BadArgument> {
    Err(why.into())
}

#[derive(Debug)]
pub(super) struct Arguments {
    tool: &'static str,
    left: JsonObject,
}

impl Arguments {
    /// Some models write `null` for what they leave out.
    pub(super) fn new(tool: &'static str, mut left: JsonObject) -> Self {
        left.retain(|_, value| !value.is_null());
        Self { tool, left }
    }

    pub(super) fn take(&mut self, name: &str) -> Option<Value> {
        self.left.remove(name)
    }

    pub(super) fn take_list(&mut self, name: &str, what: &str) -> Result<Vec<Value>, BadArgument> {
        match self.take(name) {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) => Ok(items),
            Some(other) => bad(format!("`{name}` must be a list of {what}, not {}", kind(&other))),
        }
    }

    /// The string `name`, which must be the last that is left; `all` names those that the tool
    /// takes.
    pub(super) fn only_text(mut self, name: &str, all: &str) -> Result<String, BadArgument> {
        let value = match self.take(name) {
            Some(Value::String(value)) => value,
            Some(_) => return bad(format!("`{name}` must be a string")),
            None => return bad(format!("`{name}` is missing")),
        };
        self.finish(all)?;
        Ok(value)
    }

    /// Checks that nothing is left; `all` names the arguments that the tool takes.
    pub(super) fn finish(self, all: &str) -> Result<(), BadArgument> {
        match self.left.keys().next() {
            Some(unknown) => {
                bad(format!("unknown argument `{unknown}`: `{}` takes {all}", self.tool))
            }
            None => Ok(()),
        }
    }
}

/// A path below the working directory, without `.` and empty parts. `/mnt/data/x` is taken as `x`.
pub(super) fn relative(path: &str) -> Result<String, BadArgument> {
    let below = path.strip_prefix(WORKDIR).filter(|rest| rest.starts_with('/')).unwrap_or(path);
    let below = if below.len() == path.len() { path } else { below.trim_start_matches('/') };
    let wrong = |why: &str| {
        bad(format!("`path` {path:?} {why}; give a path relative to the working directory"))
    };
    if below.starts_with('/') {
        return wrong("is absolute");
    }
    if below.contains('\0') {
        return wrong("holds a NUL character");
    }
    let parts: Vec<&str> =
        below.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    if parts.contains(&"..") {
        return wrong("leaves the working directory");
    }
    if parts.is_empty() { wrong("names no file") } else { Ok(parts.join("/")) }
}

/// A number, also as a text: some models write `"5"` for 5.
pub(super) fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())
}

/// True or false, also as a text.
pub(super) fn boolean(value: &Value) -> Option<bool> {
    value.as_bool().or_else(|| value.as_str()?.trim().to_ascii_lowercase().parse().ok())
}

pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
