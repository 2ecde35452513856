//! From a name to addresses.

use std::io;
use std::net::IpAddr;
use tokio::net::lookup_host;

/// Where addresses come from.
#[derive(Debug, Clone, Copy)]
pub enum Resolver {
    System,
    /// For tests: this function.
    Test(fn(&str) -> Vec<IpAddr>),
}

impl Resolver {
    /// All addresses of `host`, which may be an address itself.
    pub(super) async fn addresses(self, host: &str) -> io::Result<Vec<IpAddr>> {
        if let Ok(address) = host.parse::<IpAddr>() {
            return Ok(vec![address]);
        }
        match self {
            Self::System => Ok(lookup_host((host, 0)).await?.map(|address| address.ip()).collect()),
            Self::Test(answer) => Ok(answer(host)),
        }
    }
}
