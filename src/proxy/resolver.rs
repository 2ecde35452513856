//! Where the addresses of a name come from.

use std::io;
use std::net::IpAddr;
use tokio::net::lookup_host;

/// The names that the machine's administrator set by hand (hosts(5)).
const HOSTS: &str = "/etc/hosts";

/// Where addresses come from.
#[derive(Debug, Clone, Copy)]
pub enum Resolver {
    /// The machine's hosts file, then its resolver.
    System,
    /// For tests: this function, which gets the name as the machine's resolver would.
    Test(fn(&str) -> Vec<IpAddr>),
}

impl Resolver {
    /// All addresses of `host`, which may be an address itself. A name is looked up as absolute,
    /// with a final dot: a relative one would also be tried below the search domains of the machine
    /// (resolv.conf(5)), and be another's name.
    pub(super) async fn addresses(self, host: &str) -> io::Result<Vec<IpAddr>> {
        if let Ok(address) = host.parse::<IpAddr>() {
            return Ok(vec![address]);
        }
        let absolute = format!("{host}.");
        let set_by_hand = match self {
            Self::Test(answer) => return Ok(answer(&absolute)),
            // The resolver does not find names with a final dot there.
            Self::System => tokio::fs::read_to_string(HOSTS).await.unwrap_or_default(),
        };
        let addresses = in_hosts(&set_by_hand, host);
        if !addresses.is_empty() {
            return Ok(addresses);
        }
        Ok(lookup_host((absolute, 0)).await?.map(|address| address.ip()).collect())
    }
}

/// The addresses of `host` in a hosts file.
pub fn in_hosts(file: &str, host: &str) -> Vec<IpAddr> {
    let address = |line: &str| {
        let mut words = line.split('#').next()?.split_whitespace();
        let address = words.next()?.parse().ok()?;
        words.any(|name| name.eq_ignore_ascii_case(host)).then_some(address)
    };
    file.lines().filter_map(address).collect()
}
