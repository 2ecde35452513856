//! Before rmcp sees a request: who sends it, is it a message, and is there a place for it.

use super::Front;
use super::calls::Call;
use super::clients::Place;
use super::tokens::{anonymous, number, short};
use crate::mcp::wire;
use crate::session::Client;
use axum::body::{Body, to_bytes};
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::stream::StreamExt;
use serde_json::Value;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// JSON-RPC code for refusals of the transport; -32000 is the first that is left to servers (JSON-RPC 2.0 §5.1).
const REFUSED: i64 = -32000;

/// The answer to a request that goes no further.
type Refused = Box<Response>;

/// Lets a request through to the service, or answers it.
pub(super) async fn admit(
    State(front): State<Arc<Front>>,
    ConnectInfo(address): ConnectInfo<SocketAddr>,
    mut request: Request,
    next: Next,
) -> Response {
    let client = match named(&front, request.headers(), Some(address)) {
        Ok(client) => client,
        Err(refused) => return *refused,
    };
    // An address proves nothing: behind it may be a proxy.
    let caller = if front.tokens.is_some() { Client::Caller(number(&client)) } else { Client::Anyone };
    request.extensions_mut().insert(caller);
    if request.method() == Method::DELETE {
        return closed(next.run(request).await);
    }
    if request.method() != Method::POST {
        return next.run(request).await;
    }
    if front.draining.load(Ordering::Acquire) {
        return try_later(StatusCode::SERVICE_UNAVAILABLE, None, "the server is leaving; another one takes over");
    }
    let (parts, body) = request.into_parts();
    let message = match read(body, front.max_request).await {
        Ok(message) => message,
        Err(refused) => return *refused,
    };
    let call = front.calls.begin();
    let place = match message.get("method").and_then(Value::as_str) {
        Some("tools/call") => match front.clients.enter(&client).await {
            Ok(place) => Some(place),
            Err(error) => {
                tracing::warn!(client = short(&client), %error, "call refused");
                let why = "too many calls of this client are running and waiting; try again in a moment";
                return try_later(StatusCode::TOO_MANY_REQUESTS, message.get("id"), why);
            }
        },
        _ => None,
    };
    let body = Body::from(message.to_string());
    // Its length may have changed; axum works it out.
    let mut request = Request::from_parts(parts, body);
    request.headers_mut().remove(header::CONTENT_LENGTH);
    hold(next.run(request).await, call, place)
}

/// The response to the end of a session. rmcp says 202 when it is over; clients take that for a failure (RFC 9110
/// §15.3.5: 204 is for what was done and has nothing to say).
fn closed(mut response: Response) -> Response {
    if response.status() == StatusCode::ACCEPTED {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    response
}

/// The name of the caller.
///
/// # Errors
/// 401 if there are tokens and the request carries none of them.
pub(super) fn named(front: &Front, headers: &HeaderMap, address: Option<SocketAddr>) -> Result<String, Refused> {
    let Some(tokens) = &front.tokens else {
        return Ok(address.map_or_else(String::new, |address| anonymous(address.ip())));
    };
    let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    if let Some(name) = tokens.owner(given) {
        return Ok(name.to_owned());
    }
    let why = "a token is needed: send `Authorization: Bearer TOKEN`";
    let mut response = refusal(StatusCode::UNAUTHORIZED, None, REFUSED, why);
    response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    Err(response.into())
}

/// The message in a body.
///
/// # Errors
/// 413 for a body that is too long, 400 for one that is no message, with the JSON-RPC error.
async fn read(body: Body, max: usize) -> Result<Value, Refused> {
    match to_bytes(body, max).await {
        Ok(bytes) => wire::single(&bytes).map_err(|error| json(StatusCode::BAD_REQUEST, &error).into()),
        Err(_) => Err(json(StatusCode::PAYLOAD_TOO_LARGE, &wire::too_long(&[], max)).into()),
    }
}

/// The response, which counts as a call and keeps its place until its last byte is sent or nobody wants it.
fn hold(response: Response, call: Call, place: Option<Place>) -> Response {
    let held = (call, place);
    response.map(|body| {
        Body::from_stream(body.into_data_stream().map(move |chunk| {
            let _held = &held;
            chunk
        }))
    })
}

fn try_later(status: StatusCode, id: Option<&Value>, why: &str) -> Response {
    let mut response = refusal(status, id, REFUSED, why);
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

fn refusal(status: StatusCode, id: Option<&Value>, code: i64, why: &str) -> Response {
    json(status, &wire::error(id.cloned(), code, why))
}

fn json(status: StatusCode, body: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}
