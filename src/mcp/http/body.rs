//! The body of a request: bounded in bytes and in time, one message, repaired where that is safe.
//!
//! The layers of `tower-http` would answer without the JSON-RPC error, and without the id that the
//! beginning of a body may hold.

use super::reply::{Refused, json};
use crate::mcp::jsonrpc::{self, CallArguments, Single};
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, StatusCode, header};
use futures_util::StreamExt as _;
use serde_json::Value;
use std::time::Duration;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// A message, and the bytes that say it to rmcp: those that came, if nothing had to be changed.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) message: Value,
    pub(super) bytes: Bytes,
    /// The arguments of a long call, which are neither in `message` nor in `bytes`.
    pub(super) arguments: Option<CallArguments>,
}

/// Reads a body of at most `max` bytes. Refuses it by 408 if it takes longer than `patience`, by
/// 413 if it is too long or says that it will be, by 400 if it breaks off or is no message.
pub(super) async fn read(
    headers: &HeaderMap,
    body: Body,
    max: usize,
    patience: Duration,
) -> Result<Read, Refused> {
    let refused = |status, why: &str| {
        Err(json(status, &jsonrpc::error(None, jsonrpc::INVALID_REQUEST, why)).into())
    };
    let declared = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    let declared: Option<usize> = declared.and_then(|length| length.parse().ok());
    let bytes = match timeout(patience, collect(headers, body, declared, max)).await {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(Broken::TooLong(start))) => {
            return Err(json(StatusCode::PAYLOAD_TOO_LARGE, &jsonrpc::too_long(&start, max)).into());
        }
        Ok(Err(Broken::Off)) => return refused(StatusCode::BAD_REQUEST, "the body broke off"),
        Err(_) => {
            let why = format!("the body did not come within {} s", patience.as_secs_f64());
            return refused(StatusCode::REQUEST_TIMEOUT, &why);
        }
    };
    let read = if jsonrpc::is_long(bytes.len()) {
        // It takes milliseconds, in which nobody else would be served.
        let crashed = |_| jsonrpc::error(None, jsonrpc::INTERNAL_ERROR, "failed to read the body");
        spawn_blocking(move || parsed(bytes)).await.map_err(crashed).flatten()
    } else {
        parsed(bytes)
    };
    read.map_err(|error| json(StatusCode::BAD_REQUEST, &error).into())
}

fn parsed(bytes: Bytes) -> Result<Read, Value> {
    let Single { message, arguments, changed } = jsonrpc::single(&bytes)?;
    let bytes = if changed { message.to_string().into() } else { bytes };
    Ok(Read { message, bytes, arguments })
}

enum Broken {
    /// There is more than may be; this is its beginning.
    TooLong(Vec<u8>),
    /// The client is gone, or what it sends is no body.
    Off,
}

async fn collect(
    headers: &HeaderMap,
    body: Body,
    declared: Option<usize>,
    max: usize,
) -> Result<Bytes, Broken> {
    let mut chunks = body.into_data_stream();
    let mut bytes =
        Vec::with_capacity(declared.filter(|length| *length <= max).unwrap_or_default());
    let is_too_long = declared.is_some_and(|length| length > max);
    // Who asks first has sent nothing yet.
    if is_too_long && headers.contains_key(header::EXPECT) {
        return Err(Broken::TooLong(bytes));
    }
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|_| Broken::Off)?;
        if is_too_long {
            return Err(Broken::TooLong(chunk.into()));
        }
        if bytes.len() + chunk.len() > max {
            return Err(Broken::TooLong(bytes));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes.into())
}
