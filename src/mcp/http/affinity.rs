//! The id of a connection (`Mcp-Session-Id`) names the server that holds it, as handles do. rmcp
//! knows the rest of it only.

use crate::job::{HeldBy, Instance};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::Response;

pub(super) const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");

/// Another server should have got the request. That depends on the form of the id alone.
#[derive(Debug, thiserror::Error)]
#[error(
    "the server `{holder}` holds this connection, but the request came to `{here}`: send \
     `initialize` again (for the operator: requests must be sent to the server that \
     `Mcp-Session-Id` names)"
)]
pub(super) struct WrongServer {
    holder: String,
    here: String,
}

/// Takes our name off the id that a request carries.
pub(super) fn enter(instance: &Instance, headers: &mut HeaderMap) -> Result<(), WrongServer> {
    let Some(given) = headers.get(SESSION_ID).and_then(|id| id.to_str().ok()) else {
        return Ok(());
    };
    let id = match instance.holder(given) {
        HeldBy::Here(id) => HeaderValue::from_str(id).ok(),
        HeldBy::Elsewhere(name) => {
            let here = instance.name().unwrap_or_default().to_owned();
            return Err(WrongServer { holder: name.to_owned(), here });
        }
        HeldBy::Nowhere => None,
    };
    // One of no form of ours is left as it is, and is unknown.
    if let Some(id) = id {
        headers.insert(SESSION_ID, id);
    }
    Ok(())
}

/// Puts our name before the id of a new connection.
pub(super) fn leave(instance: &Instance, mut response: Response) -> Response {
    let id = response.headers().get(SESSION_ID).and_then(|id| id.to_str().ok());
    if let Some(id) = id.and_then(|id| HeaderValue::from_str(&instance.own(id)).ok()) {
        response.headers_mut().insert(SESSION_ID, id);
    }
    response
}
