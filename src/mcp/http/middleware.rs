//! Before rmcp sees a request: who sends it, is it a message, and is its connection its own.

use super::Front;
use super::body::{self, Read};
use super::connections::{InUse, OpenId};
use super::reply::{Refused, json, refusal, try_later};
use super::tokens::Known;
use super::{affinity, cors, sockets};
use crate::job::Caller;
use crate::mcp::jsonrpc;
use crate::mcp::set_aside::SetAside;
use crate::service::{Asking, Resource};
use axum::body::Body;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use futures_util::stream::StreamExt;
use rmcp::model::ProtocolVersion;
use rmcp::transport::streamable_http_server::session::SessionManager as _;
use serde_json::Value;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// What rmcp wants every client to accept.
const ACCEPTED: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");

/// Bytes that a request takes whatever it asks.
const REQUEST: usize = 32 << 10;

/// Lets a request through to the service, or answers it.
pub(super) async fn admit(
    State(front): State<Arc<Front>>,
    ConnectInfo(address): ConnectInfo<SocketAddr>,
    request: Request,
    next: Next,
) -> Response {
    let (parts, body) = request.into_parts();
    let page = cors::welcome(&parts, &next).await;
    let response = match &page {
        // Browsers send no token with the question.
        Some(_) if cors::is_question(&parts) => cors::permission(),
        Some(_) | None => {
            let request = Request::from_parts(parts, body);
            admitted(&front, address, request, next).await.unwrap_or_else(|refused| *refused)
        }
    };
    let response = affinity::leave(&front.service.config.instance, response);
    match page {
        Some(page) => cors::let_read(page, response),
        None => response,
    }
}

async fn admitted(
    front: &Front,
    address: SocketAddr,
    mut request: Request,
    next: Next,
) -> Result<Response, Refused> {
    let Known { caller, .. } = identify(front, request.headers(), address)?;
    sockets::known(&request, caller)?;
    let asking = Asking::by(caller);
    request.extensions_mut().insert(asking.clone());
    affinity::enter(&front.service.config.instance, request.headers_mut())
        .map_err(|error| refusal(StatusCode::NOT_FOUND, None, &error.to_string()))?;
    accept_all(request.headers_mut());
    if needs_no_connection(front, request.headers()) {
        request.headers_mut().remove(affinity::SESSION_ID);
    }
    if request.method() == Method::POST {
        return post(front, asking, request, next).await;
    }
    own_connection(front, caller, request.headers(), None).await?;
    if request.method() == Method::DELETE {
        return Ok(close(front, request, next).await);
    }
    stream(front, caller, request, next).await
}

/// Whether a request belongs to no connection, whatever id it carries: since 2026-07-28 there are
/// none in the protocol.
fn needs_no_connection(front: &Front, headers: &HeaderMap) -> bool {
    let version = headers.get(PROTOCOL_VERSION).and_then(|version| version.to_str().ok());
    let first = ProtocolVersion::V_2026_07_28;
    front.options.stateless || version.is_some_and(|version| version >= first.as_str())
}

/// Refuses a connection that is not one of `caller`: that of another gets the same answer as one
/// that never was. rmcp does not see the request.
async fn own_connection(
    front: &Front,
    caller: Caller,
    headers: &HeaderMap,
    id: Option<&Value>,
) -> Result<(), Refused> {
    let Some(connection) = headers.get(affinity::SESSION_ID) else { return Ok(()) };
    let is_own = front.table.touch(connection, caller);
    if is_own && let Ok(known) = connection.to_str() {
        // rmcp ends those that were silent for long.
        if front.connections.has_session(&known.into()).await.unwrap_or_default() {
            return Ok(());
        }
        front.table.end(connection);
    }
    let why = "there is no connection with this `Mcp-Session-Id`";
    Err(refusal(StatusCode::NOT_FOUND, id, why).into())
}

/// A stream of events on which nothing was asked, or a method that is none.
async fn stream(
    front: &Front,
    caller: Caller,
    request: Request,
    next: Next,
) -> Result<Response, Refused> {
    // Clients take 405 for a server that offers no stream (MCP 2025-06-18 "Listening for Messages
    // from the Server") and go on.
    let held =
        front.service.accounts.take(caller, Resource::Streams, 1).map_err(|exceeded| {
            refusal(StatusCode::METHOD_NOT_ALLOWED, None, &exceeded.to_string())
        })?;
    Ok(hold(next.run(request).await, held))
}

async fn post(
    front: &Front,
    asking: Asking,
    request: Request,
    next: Next,
) -> Result<Response, Refused> {
    let caller = asking.caller;
    // In a response that is not read to its end, or was never begun.
    let gone = asking.gone.drop_guard();
    // Counted first, so that a server that leaves either waits for it or has refused it.
    let call = front.calls.token();
    if front.draining.load(Ordering::Acquire) {
        let why = "the server is leaving; another one takes over";
        return Err(try_later(StatusCode::SERVICE_UNAVAILABLE, None, why).into());
    }
    let (mut parts, body) = request.into_parts();
    // Nothing is read for a caller that holds as much as one may.
    let bytes = cost(&parts.headers, front.options.max_request);
    asking
        .until_sent
        .keep(front.service.accounts.wait_for(caller, Resource::Requests, bytes).await);
    let Read { message, bytes, arguments } =
        body::read(&parts.headers, body, front.options.max_request, front.options.patience).await?;
    let id = message.get("id");
    own_connection(front, caller, &parts.headers, id).await?;
    let request_id = id.filter(|_| message.get("method").is_some());
    let open = in_use(front, parts.headers.get(affinity::SESSION_ID), request_id)?;
    drop(message);
    arguments.map(|arguments| parts.extensions.insert(SetAside::new(arguments)));
    // Its length may have changed; axum works it out.
    parts.headers.remove(header::CONTENT_LENGTH);
    let request = Request::from_parts(parts, Body::from(bytes));
    let response = next.run(request).await;
    if let Some(connection) = response.headers().get(affinity::SESSION_ID) {
        for silent in front.table.begin(connection.clone(), caller) {
            forget(front, &silent).await;
        }
    }
    Ok(hold(response, (call, open, gone, asking.until_sent)))
}

/// What a request takes of memory, in bytes: some for itself, and its body as it came, as it was
/// parsed, and as the job finds it.
fn cost(headers: &HeaderMap, max: usize) -> u64 {
    let length = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    let length = length.and_then(|length| length.parse().ok()).unwrap_or(max).min(max);
    (REQUEST + 3 * length) as u64
}

/// Marks the id of a request as in use on its connection.
fn in_use(
    front: &Front,
    connection: Option<&HeaderValue>,
    id: Option<&Value>,
) -> Result<Option<OpenId>, Refused> {
    let Some(connection) = connection else { return Ok(None) };
    let Some(id) = id else { return Ok(None) };
    front.table.open(connection, id).map_err(|InUse| {
        let error = jsonrpc::error(Some(id.clone()), jsonrpc::INVALID_REQUEST, jsonrpc::ID_IN_USE);
        json(StatusCode::BAD_REQUEST, &error).into()
    })
}

async fn forget(front: &Front, connection: &HeaderValue) {
    let Ok(id) = connection.to_str() else { return };
    if let Err(error) = front.connections.close_session(&id.into()).await {
        tracing::debug!(%error, "a connection did not end");
    }
}

/// The end of a connection. rmcp says 202 when it is over, also if it never was; clients take that
/// for a failure (RFC 9110 §15.3.5: 204 is for what was done and has nothing to say).
async fn close(front: &Front, request: Request, next: Next) -> Response {
    let connection = request.headers().get(affinity::SESSION_ID).cloned();
    let mut response = next.run(request).await;
    if response.status() == StatusCode::ACCEPTED {
        if let Some(connection) = connection {
            front.table.end(&connection);
        }
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    response
}

/// Whoever accepts anything accepts what we send (RFC 9110 §12.5.1: so does who says nothing).
fn accept_all(headers: &mut HeaderMap) {
    let says = |value: &HeaderValue| value.to_str().unwrap_or_default().trim().to_owned();
    let anything = headers.get(header::ACCEPT).map(says).is_none_or(|accept| accept == "*/*");
    if anything {
        headers.insert(header::ACCEPT, ACCEPTED);
    }
}

/// Who sends a request.
pub(super) fn identify(
    front: &Front,
    headers: &HeaderMap,
    address: SocketAddr,
) -> Result<Known, Refused> {
    let Some(tokens) = &front.options.tokens else {
        let is_operator = address.ip().to_canonical().is_loopback();
        return Ok(Known { caller: Caller::at(address.ip()), is_operator });
    };
    let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    if let Some(known) = tokens.owner(given) {
        return Ok(known);
    }
    let why = "a token is needed: send `Authorization: Bearer TOKEN`";
    let mut response = refusal(StatusCode::UNAUTHORIZED, None, why);
    response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    Err(response.into())
}

/// The response, which keeps `held` until its last byte is sent or nobody wants it.
fn hold(response: Response, held: impl Send + 'static) -> Response {
    response.map(|body| {
        Body::from_stream(body.into_data_stream().map(move |chunk| {
            let _held = &held;
            chunk
        }))
    })
}
