//! Who asks: the owner of all that comes of it.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicU64, Ordering};

/// Who asks, and so who owns connections, sessions, jobs, files and places: part of the key of
/// every table. What belongs to another caller does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Caller {
    /// The one that started the process: over stdio, or from a shell.
    Process,
    /// Whoever has a token: a number that stands for the token's name.
    Token(u64),
    /// Where there are no tokens: an address, of IPv6 its network.
    Address(IpAddr),
}

/// A caller, and the connection through which it asks.
// same name: the command line's is a program that can be configured to use this server
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Client {
    pub(crate) caller: Caller,
    /// `None` where a request stands alone. Several people may stand behind one caller, such as a
    /// proxy's address: nothing is listed but what was begun over the same connection, and who
    /// knows a handle finds what it stands for.
    pub(crate) connection: Option<u64>,
}

impl Caller {
    /// The caller at `address`. A network of IPv6 is one: whoever has an address there has 2^64
    /// (RFC 4291 §2.5.4).
    pub(crate) fn at(address: IpAddr) -> Self {
        Self::Address(match address.to_canonical() {
            IpAddr::V6(address) => {
                let network = address.to_bits() >> 64 << 64;
                IpAddr::V6(Ipv6Addr::from_bits(network))
            }
            address @ IpAddr::V4(_) => address,
        })
    }
}

impl fmt::Display for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Process => f.write_str("process"),
            // Half of it tells tokens apart in a log.
            Self::Token(name) => write!(f, "token-{:08x}", name >> 32),
            Self::Address(address) => address.fmt(f),
        }
    }
}

impl Client {
    /// One who asks without a connection.
    pub(crate) fn alone(caller: Caller) -> Self {
        Self { caller, connection: None }
    }

    /// Whether this lists what `other` began.
    pub(crate) fn lists(self, other: Self) -> bool {
        self.connection.is_some() && self == other
    }
}

/// A number for a connection that no other one has.
pub(crate) fn new_connection() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

#[cfg(test)]
#[path = "../../tests/unit/job_caller.rs"]
mod tests;
