//! Pages in a browser (Fetch standard, "CORS protocol"): those that may call may also ask first,
//! and read the answers.
//!
//! Who may is rmcp's to say, by the lists of `Host` and `Origin`; it is asked with a request that
//! does nothing. The layer of `tower-http` would need those rules a second time.

use axum::body::Body;
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

/// Headers that a client sends, beyond those that every page may (MCP 2025-06-18 and 2026-07-28,
/// "Streamable HTTP").
const SENT: &str = "authorization, content-type, last-event-id, mcp-method, mcp-name, \
                    mcp-param-job, mcp-param-session, mcp-protocol-version, mcp-session-id";
const READ: &str = "mcp-session-id, retry-after, www-authenticate";
/// How long a browser may remember the answer, in seconds.
const REMEMBER: &str = "600";

/// The page that a request comes from, if it may call.
pub(super) async fn welcome(parts: &Parts, next: &Next) -> Option<HeaderValue> {
    let origin = parts.headers.get(header::ORIGIN)?;
    let mut question = Request::new(Body::empty());
    *question.method_mut() = Method::OPTIONS;
    question.uri_mut().clone_from(&parts.uri);
    for name in [header::HOST, header::ORIGIN] {
        if let Some(value) = parts.headers.get(&name) {
            question.headers_mut().insert(name, value.clone());
        }
    }
    // 403 is for pages that may not call; the others get 405.
    let answer = next.clone().run(question).await;
    (answer.status() == StatusCode::METHOD_NOT_ALLOWED).then(|| origin.clone())
}

/// Whether a browser asks what a page may send.
pub(super) fn is_question(parts: &Parts) -> bool {
    parts.method == Method::OPTIONS
        && parts.headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

pub(super) fn permission() -> Response {
    let headers = [
        (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, DELETE"),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, SENT),
        (header::ACCESS_CONTROL_MAX_AGE, REMEMBER),
    ];
    (StatusCode::NO_CONTENT, headers).into_response()
}

pub(super) fn let_read(origin: HeaderValue, mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(READ));
    headers.append(header::VARY, HeaderValue::from_static("origin"));
    response
}
