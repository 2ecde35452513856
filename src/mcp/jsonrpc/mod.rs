//! One line from a client: repaired where that is safe, taken apart, and answered at once where it
//! is no message.
//!
//! rmcp drops lines that it cannot parse without a word, and the client waits for ever. Here each
//! request gets an answer: JSON-RPC 2.0 §5.1 codes, with the id where it can be known.

mod repair;
mod survey;

use self::repair::repair_surrogates;
use self::survey::{Survey, survey};
use rmcp::RoleServer;
use rmcp::model::{
    ClientRequest, CompleteRequestParams, GetPromptRequestParams, InitializeRequestParams,
    JsonRpcMessage, ReadResourceRequestParams,
};
use rmcp::service::RxJsonRpcMessage;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// JSON-RPC 2.0 §5.1.
const PARSE_ERROR: i64 = -32700;
pub(super) const INVALID_REQUEST: i64 = -32600;
const INVALID_PARAMS: i64 = -32602;
pub(super) const INTERNAL_ERROR: i64 = -32603;

pub(super) const ID_IN_USE: &str = "the id is in use by a call that is not answered yet";

/// Messages of one batch; a client has no reason for more.
const MAX_BATCH: usize = 1_000;
/// Values and keys of a line or body. A full batch of calls has half as many, a call a few hundred.
const MAX_PARTS: usize = 50_000;
/// Bytes of an id or a progress token: what comes back with every answer and every report.
const MAX_ID: usize = 1 << 10;
/// Bytes of a message without the arguments of its tool: rmcp copies those several times.
const MAX_ENVELOPE: usize = 256 << 10;
/// Characters of an error that repeats what was sent.
const MAX_WHY: usize = 1_000;

/// Bytes of a message that is read at once, wherever it is.
const MAX_SHORT: usize = 64 << 10;

/// The arguments of a call.
pub(super) type CallArguments = Map<String, Value>;

#[derive(Debug)]
pub(super) enum Incoming {
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    Reply(Value),
}

/// Takes a line apart. A batch gives several messages, and so does a line that should have been
/// several; an empty line, and a broken notification, give none.
pub(super) fn parse(line: &[u8]) -> Vec<Incoming> {
    if line.trim_ascii().is_empty() {
        return Vec::new();
    }
    if let Err(error) = affordable(line) {
        return vec![Incoming::Reply(error)];
    }
    match decode(line) {
        Ok(Value::Array(batch)) if batch.is_empty() || batch.len() > MAX_BATCH => {
            vec![reply(None, INVALID_REQUEST, &format!("a batch holds 1 to {MAX_BATCH} messages"))]
        }
        Ok(Value::Array(batch)) => batch.into_iter().filter_map(message).collect(),
        Ok(value) => message(value).into_iter().collect(),
        Err(error) => match several(line) {
            Some(messages) => messages.into_iter().filter_map(message).collect(),
            None => vec![Incoming::Reply(error)],
        },
    }
}

/// The messages of a line whose sender forgot the line breaks between them.
fn several(line: &[u8]) -> Option<Vec<Value>> {
    let values: Result<Vec<Value>, _> =
        serde_json::Deserializer::from_slice(line).into_iter().take(MAX_BATCH).collect();
    values.ok().filter(|values| values.iter().all(Value::is_object))
}

/// The one message of a body.
#[derive(Debug)]
pub(super) struct Single {
    /// The message. Without the arguments that were set aside, but for those that are short: a
    /// header may repeat them.
    pub(super) message: Value,
    /// The arguments of its call, if the body is long.
    pub(super) arguments: Option<CallArguments>,
    /// Whether `message` says anything else than the body's bytes.
    pub(super) changed: bool,
}

/// The one message of a body (MCP 2025-06-18 "Streamable HTTP": a POST holds a single message),
/// repaired and checked; the error is the response that the sender gets instead.
pub(super) fn single(body: &[u8]) -> Result<Single, Value> {
    affordable(body)?;
    let (mut message, decoded) = match serde_json::from_slice(body) {
        Ok(message) => (message, false),
        Err(_) => (decode(body)?, true),
    };
    let repaired = without_nulls(&mut message) || decoded;
    if message.is_array() {
        let why = "batches are not accepted over HTTP; send one message per request";
        return Err(error(None, INVALID_REQUEST, why));
    }
    let arguments = if is_long(body.len()) { take_arguments(&mut message) } else { None };
    match check(&message) {
        // What nobody waits for is for the service to drop.
        Ok(()) | Err(None) => {}
        Err(Some(reply)) => return Err(reply),
    }
    if let Some(arguments) = &arguments
        && let Some(params) = message.get_mut("params")
    {
        let short = |value: &Value| match value {
            Value::String(text) => text.len() <= MAX_ID,
            Value::Array(_) | Value::Object(_) => false,
            Value::Null | Value::Bool(_) | Value::Number(_) => true,
        };
        let short = arguments.iter().filter(|(_, value)| short(value));
        params["arguments"] = short.map(|(name, value)| (name.clone(), value.clone())).collect();
    }
    let changed = repaired || arguments.is_some();
    Ok(Single { message, arguments, changed })
}

/// Whether a message of so many bytes is to be read away from other clients' messages, and to be
/// accounted for.
pub(super) fn is_long(bytes: usize) -> bool {
    bytes > MAX_SHORT
}

/// Refuses a text of which too much would have to be built.
fn affordable(text: &[u8]) -> Result<(), Value> {
    // Each part takes a byte at least.
    if text.len() <= MAX_PARTS {
        return Ok(());
    }
    let Survey { parts, id } = survey(text);
    if parts <= MAX_PARTS {
        return Ok(());
    }
    let why = format!(
        "the message holds {parts} values and keys, more than the {MAX_PARTS} that are accepted; \
         pass data as the text of a file"
    );
    Err(error(id, INVALID_REQUEST, &why))
}

/// Takes the arguments out of a call, which then has none.
fn take_arguments(message: &mut Value) -> Option<CallArguments> {
    if message.get("method").and_then(Value::as_str) != Some("tools/call") {
        return None;
    }
    let params = message.get_mut("params")?.as_object_mut()?;
    if !params.get("arguments").is_some_and(Value::is_object) {
        return None;
    }
    match params.remove("arguments") {
        Some(Value::Object(arguments)) => Some(arguments),
        _ => None,
    }
}

/// JSON out of bytes, repaired where that is safe, or the error response.
fn decode(bytes: &[u8]) -> Result<Value, Value> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii();
    let text = String::from_utf8_lossy(bytes);
    let value = serde_json::from_str(&text).or_else(|error| {
        // A lone surrogate escape is legal JSON (RFC 8259 §8.2) that no Rust string can hold.
        repair_surrogates(&text).map_or(Err(error), |repaired| serde_json::from_str(&repaired))
    });
    value.map_err(|why| {
        let id = survey(text.as_bytes()).id;
        error(id, PARSE_ERROR, &format!("the message is not JSON: {why}"))
    })
}

/// The error for a line that is longer than `max` bytes; `start` is its beginning.
pub(super) fn too_long(start: &[u8], max: usize) -> Value {
    let why = format!(
        "the message is longer than {max} bytes; send it in parts: the files of a session stay; \
         the operator can raise `--limit-request`"
    );
    error(survey(start).id, INVALID_REQUEST, &why)
}

pub(super) fn error(id: Option<Value>, code: i64, message: &str) -> Value {
    let id = id.unwrap_or(Value::Null);
    let end = message.char_indices().nth(MAX_WHY).map_or(message.len(), |(end, _)| end);
    let message = &message[..end];
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

fn reply(id: Option<Value>, code: i64, message: &str) -> Incoming {
    Incoming::Reply(error(id, code, message))
}

/// Takes `null` for parameters that are not there: clients write it although JSON-RPC 2.0 §4.2 does
/// not let them. Gives whether there was any.
fn without_nulls(value: &mut Value) -> bool {
    let remove = |object: Option<&mut Value>, key: &str| {
        let object = object.and_then(Value::as_object_mut);
        let object = object.filter(|object| object.get(key).is_some_and(Value::is_null));
        object.is_some_and(|object| object.remove(key).is_some())
    };
    let params = remove(Some(value), "params");
    let arguments = remove(value.get_mut("params"), "arguments");
    params || arguments
}

fn message(mut value: Value) -> Option<Incoming> {
    without_nulls(&mut value);
    // rmcp would copy them several times.
    let arguments = take_arguments(&mut value);
    match check(&value) {
        Err(why) => return why.map(Incoming::Reply),
        // Responses to requests that we never send are of no use.
        Ok(()) if value.get("method").is_none() => return None,
        Ok(()) => {}
    }
    let id = value.get("id").cloned();
    match serde_json::from_value(value) {
        Ok(message) => {
            let mut message = Box::new(message);
            if let JsonRpcMessage::Request(request) = &mut *message
                && let ClientRequest::CallToolRequest(call) = &mut request.request
            {
                call.params.arguments = arguments;
            }
            Some(Incoming::Message(message))
        }
        Err(error) => id.map(|id| {
            reply(Some(id), INVALID_PARAMS, &format!("the parameters do not fit: {error}"))
        }),
    }
}

/// Whether a value is a message that can be served; else the error response, or none for what
/// nobody waits for.
fn check(value: &Value) -> Result<(), Option<Value>> {
    let wrong = |id: Option<&Value>, code, why: &str| Err(Some(error(id.cloned(), code, why)));
    let Some(object) = value.as_object() else {
        return wrong(None, INVALID_REQUEST, "a message is a JSON object");
    };
    let id = object.get("id");
    // What is no id does not come back as one.
    let usable = id.filter(|id| is_id(id));
    let Some(method) = object.get("method") else {
        let is_response = object.contains_key("result") || object.contains_key("error");
        let missing = || wrong(usable, INVALID_REQUEST, "`method` is missing");
        return if is_response { Ok(()) } else { missing() };
    };
    let Some(method) = method.as_str() else {
        return wrong(usable, INVALID_REQUEST, "`method` must be a string");
    };
    if id.is_some() && usable.is_none() {
        let why = format!("`id` must be an integer, or a string of at most {MAX_ID} bytes");
        return wrong(None, INVALID_REQUEST, &why);
    }
    if object.get("jsonrpc") != Some(&json!("2.0")) {
        let why = "`jsonrpc` must be \"2.0\"";
        return Err(id.map(|id| error(Some(id.clone()), INVALID_REQUEST, why)));
    }
    if weight(value) > MAX_ENVELOPE {
        let why =
            format!("there are more than {MAX_ENVELOPE} bytes besides the arguments of a tool");
        return Err(id.map(|id| error(Some(id.clone()), INVALID_REQUEST, &why)));
    }
    match (id, check_params(method, object.get("params"))) {
        (Some(id), Err(BadParams(why))) => wrong(Some(id), INVALID_PARAMS, &why),
        _ => Ok(()),
    }
}

/// Whether a value may come back as the id of a request.
fn is_id(value: &Value) -> bool {
    value.is_i64() || value.as_str().is_some_and(|id| id.len() <= MAX_ID)
}

/// About how many bytes a value would have as a text.
fn weight(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(|item| weight(item) + 1).sum(),
        Value::Object(members) => {
            members.iter().map(|(key, value)| key.len() + weight(value) + 1).sum()
        }
    }
}

struct BadParams(String);

/// Finds parameters that rmcp would take for a method it does not know.
fn check_params(method: &str, params: Option<&Value>) -> Result<(), BadParams> {
    let bad = |why: &str| Err(BadParams(why.to_owned()));
    let object = match params {
        None => None,
        Some(Value::Object(object)) => Some(object),
        Some(_) => return bad("`params` must be an object"),
    };
    if let Some(meta) = object.and_then(|params| params.get("_meta")) {
        let Some(meta) = meta.as_object() else { return bad("`params._meta` must be an object") };
        let token = meta.get("progressToken").and_then(Value::as_str);
        if token.is_some_and(|token| token.len() > MAX_ID) {
            let why = format!("`params._meta.progressToken` has more than {MAX_ID} bytes");
            return Err(BadParams(why));
        }
    }
    match method {
        "initialize" => fits::<InitializeRequestParams>(params)?,
        "prompts/get" => fits::<GetPromptRequestParams>(params)?,
        "resources/read" => fits::<ReadResourceRequestParams>(params)?,
        "completion/complete" => fits::<CompleteRequestParams>(params)?,
        _ => {}
    }
    if method == "tools/call" {
        let name = object.and_then(|params| params.get("name"));
        if !name.is_some_and(Value::is_string) {
            return bad("`params.name` must be the name of a tool");
        }
        let arguments = object.and_then(|params| params.get("arguments"));
        if arguments.is_some_and(|arguments| !arguments.is_object()) {
            return bad("`params.arguments` must be an object");
        }
    }
    Ok(())
}

fn fits<T: for<'a> Deserialize<'a>>(params: Option<&Value>) -> Result<(), BadParams> {
    let fits = T::deserialize(params.unwrap_or(&json!({}))).map(drop);
    fits.map_err(|why| BadParams(format!("the parameters do not fit: {why}")))
}
