//! One line from a client: repaired where that is safe, taken apart, and answered at once where it
//! is no message.
//!
//! rmcp drops lines that it cannot parse without a word, and the client waits for ever. Here each
//! request gets an answer: JSON-RPC 2.0 §5.1 codes, with the id where it can be known.

use rmcp::RoleServer;
use rmcp::model::{
    CompleteRequestParams, GetPromptRequestParams, InitializeRequestParams,
    ReadResourceRequestParams,
};
use rmcp::service::RxJsonRpcMessage;
use serde::Deserialize;
use serde_json::{Value, json};

/// JSON-RPC 2.0 §5.1.
const PARSE_ERROR: i64 = -32700;
pub(super) const INVALID_REQUEST: i64 = -32600;
const INVALID_PARAMS: i64 = -32602;

pub(super) const ID_IN_USE: &str = "the id is in use by a call that is not answered yet";

/// Messages of one batch; a client has no reason for more.
const MAX_BATCH: usize = 1_000;

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

/// The one message of a body, and whether it says anything else than the body's bytes.
#[derive(Debug)]
pub(super) struct Single {
    pub(super) message: Value,
    pub(super) repaired: bool,
}

/// The one message of a body (MCP 2025-06-18 "Streamable HTTP": a POST holds a single message),
/// repaired and checked; the error is the response that the sender gets instead.
pub(super) fn single(body: &[u8]) -> Result<Single, Value> {
    let (mut message, decoded) = match serde_json::from_slice(body) {
        Ok(message) => (message, false),
        Err(_) => (decode(body)?, true),
    };
    let repaired = without_nulls(&mut message) || decoded;
    if message.is_array() {
        let why = "batches are not accepted over HTTP; send one message per request";
        return Err(error(None, INVALID_REQUEST, why));
    }
    match check(&message) {
        // What nobody waits for is for the service to drop.
        Ok(()) | Err(None) => Ok(Single { message, repaired }),
        Err(Some(reply)) => Err(reply),
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
        error(id_in_broken(&text), PARSE_ERROR, &format!("the message is not JSON: {why}"))
    })
}

/// The error for a line that is longer than `max` bytes; `start` is its beginning.
pub(super) fn too_long(start: &[u8], max: usize) -> Value {
    let why = format!(
        "the message is longer than {max} bytes; send it in parts: the files of a session stay; \
         the operator can raise `--limit-request`"
    );
    error(id_in_broken(&String::from_utf8_lossy(start)), INVALID_REQUEST, &why)
}

pub(super) fn error(id: Option<Value>, code: i64, message: &str) -> Value {
    let id = id.unwrap_or(Value::Null);
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
    match check(&value) {
        Err(why) => return why.map(Incoming::Reply),
        // Responses to requests that we never send are of no use.
        Ok(()) if value.get("method").is_none() => return None,
        Ok(()) => {}
    }
    let id = value.get("id").cloned();
    match serde_json::from_value(value) {
        Ok(message) => Some(Incoming::Message(Box::new(message))),
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
    let usable = id.filter(|id| id.is_string() || id.is_i64());
    let Some(method) = object.get("method") else {
        let is_response = object.contains_key("result") || object.contains_key("error");
        let missing = || wrong(usable, INVALID_REQUEST, "`method` is missing");
        return if is_response { Ok(()) } else { missing() };
    };
    let Some(method) = method.as_str() else {
        return wrong(usable, INVALID_REQUEST, "`method` must be a string");
    };
    if id.is_some() && usable.is_none() {
        return wrong(None, INVALID_REQUEST, "`id` must be a string or an integer");
    }
    if object.get("jsonrpc") != Some(&json!("2.0")) {
        let why = "`jsonrpc` must be \"2.0\"";
        return Err(id.map(|id| error(Some(id.clone()), INVALID_REQUEST, why)));
    }
    match (id, check_params(method, object.get("params"))) {
        (Some(id), Err(BadParams(why))) => wrong(Some(id), INVALID_PARAMS, &why),
        _ => Ok(()),
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
    if object.and_then(|params| params.get("_meta")).is_some_and(|meta| !meta.is_object()) {
        return bad("`params._meta` must be an object");
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

/// Replaces `\uD800`-`\uDFFF` escapes that have no partner by `\uFFFD`; `None` if there are none.
fn repair_surrogates(text: &str) -> Option<String> {
    let mut repaired = String::with_capacity(text.len());
    let mut changed = false;
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        repaired.push_str(&rest[..at]);
        rest = &rest[at..];
        let low_follows =
            || matches!(rest.get(6..).and_then(unicode_escape), Some(0xdc00..=0xdfff));
        let (kept, length) = match unicode_escape(rest) {
            Some(0xd800..=0xdbff) if low_follows() => (true, 12),
            Some(0xd800..=0xdfff) => (false, 6),
            Some(_) => (true, 6),
            None => (true, rest.chars().take(2).map(char::len_utf8).sum()),
        };
        repaired.push_str(if kept { &rest[..length] } else { "\\ufffd" });
        changed |= !kept;
        rest = &rest[length..];
    }
    repaired.push_str(rest);
    changed.then_some(repaired)
}

fn unicode_escape(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    // `from_str_radix` takes a sign as well.
    let is_hex = digits.bytes().all(|b| b.is_ascii_hexdigit());
    is_hex.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
}

/// The id of a request that is not whole JSON: the first `"id":` followed by a string or an
/// integer.
fn id_in_broken(text: &str) -> Option<Value> {
    let head = &text[..text.floor_char_boundary(4096)];
    let after = head.split_once("\"id\"")?.1.trim_start().strip_prefix(':')?.trim_start();
    let end = if let Some(string) = after.strip_prefix('"') {
        string.find('"')? + 2
    } else {
        after.find(|c: char| !c.is_ascii_digit() && c != '-')?
    };
    serde_json::from_str::<Value>(&after[..end]).ok().filter(|id| id.is_string() || id.is_i64())
}
