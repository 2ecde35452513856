//! The head of a request to the proxy: `CONNECT host:port`, or a whole `http://` address with any
//! other method.
//!
//! httparse reads it; hyper would not shorten the rest, which is checks of what it says. A server
//! and a client of hyper would also parse the bodies, which nobody here looks at.

use super::rules::Destination;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use httparse::{EMPTY_HEADER, Header, Status};

pub const MAX_HEAD: usize = 16 << 10;
const MAX_HEADERS: usize = 100;

/// An answer that refuses: an HTTP status and the reason, which clients show in their exceptions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpRefusal {
    pub status: u16,
    pub why: String,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Ask {
    pub target: Destination,
    pub way: Way,
    /// The password of the credential, if one was shown.
    pub password: Option<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Way {
    /// Bytes in both directions.
    Tunnel,
    /// This head first, then bytes in both directions.
    Forward(Vec<u8>),
}

/// Reads the head at the start of `bytes`; with it, its length. `None` if it is not all there yet.
pub fn parse(bytes: &[u8]) -> Result<Option<(Ask, usize)>, HttpRefusal> {
    let mut headers = [EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let length = match request.parse(bytes) {
        Ok(Status::Complete(length)) => length,
        Ok(Status::Partial) if bytes.len() < MAX_HEAD => return Ok(None),
        Ok(Status::Partial) => {
            return Err(refusal(431, format!("the request head is longer than {MAX_HEAD} bytes")));
        }
        Err(error) => return Err(refusal(400, format!("the request cannot be read: {error}"))),
    };
    let (method, path) = (request.method.unwrap_or_default(), request.path.unwrap_or_default());
    let version = request.version.unwrap_or_default();
    let password = password(request.headers);
    let bad_target = || refusal(400, "the request names no host that can be read");
    let (target, way) = if method == "CONNECT" {
        (Destination::parse(path, None).ok_or_else(bad_target)?, Way::Tunnel)
    } else {
        let (authority, origin) = split(path)?;
        let target = Destination::parse(authority, Some(80)).ok_or_else(bad_target)?;
        let head = forwarded(method, &origin, version, &target, request.headers);
        (target, Way::Forward(head))
    };
    Ok(Some((Ask { target, way, password }, length)))
}

/// Authority, and path with query, of an `http` address.
fn split(url: &str) -> Result<(&str, String), HttpRefusal> {
    let scheme = url.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("http://"));
    let Some(rest) = scheme.and_then(|scheme| url.get(scheme.len()..)) else {
        let why = "this is a proxy: it takes `CONNECT`, and addresses that begin with `http://`";
        return Err(refusal(400, why));
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, origin) = rest.split_at(end);
    let origin = origin.split('#').next().unwrap_or_default();
    let slash = if origin.starts_with('/') { "" } else { "/" };
    Ok((authority, format!("{slash}{origin}")))
}

/// The head for the host itself: its own name, nothing that was meant for the proxy, one request
/// for each connection.
fn forwarded(
    method: &str,
    origin: &str,
    version: u8,
    target: &Destination,
    headers: &[Header<'_>],
) -> Vec<u8> {
    let mut dropped = "connection,host,keep-alive,proxy-authorization,proxy-connection,te,trailer,\
                       upgrade"
        .to_owned();
    // Headers that the client names in `Connection` concern this connection only.
    for header in headers.iter().filter(|header| header.name.eq_ignore_ascii_case("connection")) {
        dropped.push(',');
        dropped.push_str(&String::from_utf8_lossy(header.value));
    }
    let is_dropped =
        |name: &str| dropped.split(',').any(|dropped| dropped.trim().eq_ignore_ascii_case(name));
    let host = target.authority(80);
    let mut head = format!("{method} {origin} HTTP/1.{version}\r\nHost: {host}\r\n").into_bytes();
    for header in headers.iter().filter(|header| !is_dropped(header.name)) {
        head.extend_from_slice(header.name.as_bytes());
        head.extend_from_slice(b": ");
        head.extend_from_slice(header.value);
        head.extend_from_slice(b"\r\n");
    }
    head.extend_from_slice(b"Connection: close\r\n\r\n");
    head
}

fn password(headers: &[Header<'_>]) -> Option<String> {
    let header =
        headers.iter().find(|header| header.name.eq_ignore_ascii_case("proxy-authorization"))?;
    let (scheme, credential) = str::from_utf8(header.value).ok()?.trim().split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let credential = String::from_utf8(STANDARD.decode(credential.trim()).ok()?).ok()?;
    let (_, password) = credential.split_once(':')?;
    Some(password.to_owned())
}

pub(super) fn refusal(status: u16, why: impl Into<String>) -> HttpRefusal {
    HttpRefusal { status, why: why.into() }
}
