//! Responses of our own, each with a JSON-RPC error that says what is wrong.

use crate::mcp::jsonrpc;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde_json::Value;

/// JSON-RPC code for refusals of the transport; -32000 is the first that is left to servers
/// (JSON-RPC 2.0 §5.1).
const REFUSED: i64 = -32000;

/// A response instead of what was asked for.
pub(super) type Refused = Box<Response>;

pub(super) fn refusal(status: StatusCode, id: Option<&Value>, why: &str) -> Response {
    json(status, &jsonrpc::error(id.cloned(), REFUSED, why))
}

pub(super) fn try_later(status: StatusCode, id: Option<&Value>, why: &str) -> Response {
    let mut response = refusal(status, id, why);
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

pub(super) fn json(status: StatusCode, message: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], message.to_string()).into_response()
}
