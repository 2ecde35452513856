//! Which hosts are open: `example.org`, `example.org:8443`, `*.example.org`.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

/// Ports that a rule without one opens.
const USUAL_PORTS: [u16; 2] = [443, 80];
/// Longest name that DNS has.
const MAX_NAME: usize = 253;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostRule {
    name: HostName,
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum HostName {
    Exact(String),
    /// All names that end in `.` and this.
    Below(String),
}

/// Where a job wants to go: a name in lower case without a final dot, or an address without
/// brackets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    pub host: String,
    pub port: u16,
}

impl HostRule {
    pub fn opens(&self, target: &Destination) -> bool {
        let port = self
            .port
            .map_or_else(|| USUAL_PORTS.contains(&target.port), |port| port == target.port);
        port && match &self.name {
            HostName::Exact(name) => *name == target.host,
            HostName::Below(parent) => target
                .host
                .strip_suffix(parent)
                .and_then(|rest| rest.strip_suffix('.'))
                .is_some_and(|rest| !rest.is_empty()),
        }
    }
}

/// A text that is not a [`HostRule`].
#[derive(Debug, thiserror::Error)]
#[error(
    "`--allow-host` takes a host name, such as `api.example.org`, `*.example.org` or \
     `example.org:8443` (international names as `xn--…`), not `{0}`"
)]
pub struct NotAHost(String);

impl FromStr for HostRule {
    type Err = NotAHost;

    fn from_str(text: &str) -> Result<Self, NotAHost> {
        let wrong = || NotAHost(text.to_owned());
        let (below, rest) = text.strip_prefix("*.").map_or((false, text), |rest| (true, rest));
        let (host, port) = split(rest).ok_or_else(wrong)?;
        let name = match below {
            true if host.parse::<IpAddr>().is_ok() => return Err(wrong()),
            true => HostName::Below(host),
            false => HostName::Exact(host),
        };
        Ok(Self { name, port })
    }
}

impl fmt::Display for HostRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            HostName::Exact(name) => write_host(f, name)?,
            HostName::Below(parent) => write!(f, "*.{parent}")?,
        }
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

impl Destination {
    /// Reads `host:port`, `host`, `[address]:port` or `[address]`; without a port it is
    /// `default_port`.
    pub fn parse(authority: &str, default_port: Option<u16>) -> Option<Self> {
        let (host, port) = split(authority)?;
        Some(Self { host, port: port.or(default_port)? })
    }

    /// Host and, unless it is `usual`, port: what a `Host` header says.
    pub(super) fn authority(&self, usual: u16) -> String {
        let text = self.to_string();
        if self.port != usual {
            return text;
        }
        text.rsplit_once(':').map_or_else(String::new, |(host, _)| host.to_owned())
    }
}

impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_host(f, &self.host)?;
        write!(f, ":{}", self.port)
    }
}

fn write_host(f: &mut fmt::Formatter<'_>, host: &str) -> fmt::Result {
    if host.contains(':') { write!(f, "[{host}]") } else { f.write_str(host) }
}

/// Host and port of an authority; nothing that could mean something else to another reader.
fn split(authority: &str) -> Option<(String, Option<u16>)> {
    if let Some(rest) = authority.strip_prefix('[') {
        let (address, rest) = rest.split_once(']')?;
        let address = address.parse::<Ipv6Addr>().ok()?;
        let port = if rest.is_empty() { None } else { Some(port(rest.strip_prefix(':')?)?) };
        return Some((address.to_string(), port));
    }
    let (host, port) = match authority.split_once(':') {
        Some((host, text)) => (host, Some(port(text)?)),
        None => (authority, None),
    };
    let host = host.strip_suffix('.').unwrap_or(host);
    let plain = |label: &str| {
        !label.is_empty()
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
    };
    let is_name = host.len() <= MAX_NAME && host.split('.').all(plain);
    is_name.then(|| (host.to_ascii_lowercase(), port))
}

fn port(text: &str) -> Option<u16> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|&port| digits && port != 0)
}
