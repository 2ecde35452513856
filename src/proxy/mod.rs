//! The one way out of a native job: an HTTP proxy inside of the server that reaches the hosts of
//! `--allow-host` alone.
//!
//! A job can connect to nothing but this proxy (`native::policy`, `native::sockets`), and shows a
//! credential that is valid while the job runs, so the open port is of no use to other users of the
//! machine. The proxy resolves names itself, checks the addresses after that, and connects to the
//! address that it checked: a name whose address changes in between gains nothing. Heads, time,
//! connections and bytes are bounded. Each decision is logged, and nothing of what is transferred.

pub mod address;
mod connection;
pub mod head;
mod resolver;
pub mod rules;

pub use self::resolver::{Resolver, in_hosts};
pub use self::rules::{HostRule, NotAHost};

use crate::error::Error;
use crate::host::{WaitingRoom, lock, nonce};
use crate::job::resources;
use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, TcpListener as StdListener};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// User name of the credential; the password is what counts.
const USER: &str = "job";
/// Connections of all jobs at once, beyond those that each has for certain.
const CONNECTIONS: usize = 128;
/// Connections that a job may have however many others have.
const CERTAIN_OF_A_JOB: usize = 4;
/// Connections that have shown no credential yet, and the time that each has for certain.
const STRANGERS: usize = 128;
const CERTAIN: Duration = Duration::from_millis(40);
/// After an `accept` that failed, most likely for want of descriptors: trying again at once would
/// not help.
const PAUSE: Duration = Duration::from_millis(100);

#[derive(Debug, Clone)]
pub struct ProxyConfig {
    pub hosts: Vec<HostRule>,
    /// Test switch: loopback addresses may be reached.
    pub test_loopback: bool,
    /// Where addresses come from.
    pub resolver: Resolver,
}

impl ProxyConfig {
    pub fn new(hosts: Vec<HostRule>) -> Self {
        Self { hosts, test_loopback: false, resolver: Resolver::System }
    }
}

/// A running proxy. Ends with the value, and with it every connection.
#[derive(Debug)]
pub(crate) struct Proxy {
    shared: Arc<Shared>,
    port: u16,
    accepting: JoinHandle<()>,
}

#[derive(Debug)]
struct Shared {
    config: ProxyConfig,
    /// By password.
    accounts: Mutex<HashMap<String, Arc<Account>>>,
    /// For connections without a credential.
    room: Arc<WaitingRoom>,
    /// Connections of jobs.
    open: AtomicUsize,
    closed: CancellationToken,
}

/// What one job has used, and whether it still runs.
#[derive(Debug)]
struct Account {
    ended: CancellationToken,
    /// Connections.
    open: AtomicUsize,
    /// In both directions.
    bytes: AtomicU64,
}

impl Proxy {
    /// Listens on a random port of the loopback address. Must be called inside of a tokio runtime.
    pub(crate) fn start(config: ProxyConfig) -> io::Result<Self> {
        let listener = StdListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let listener = TcpListener::from_std(listener)?;
        let port = listener.local_addr()?.port();
        let shared = Arc::new(Shared {
            config,
            accounts: Mutex::default(),
            room: WaitingRoom::new(STRANGERS, STRANGERS, CERTAIN),
            open: AtomicUsize::new(0),
            closed: CancellationToken::new(),
        });
        let accepting = tokio::spawn(accept(listener, Arc::clone(&shared)));
        Ok(Self { shared, port, accepting })
    }

    /// The port of 127.0.0.1 on which it listens.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Lets a job in, until the returned value is dropped.
    pub(crate) fn admit(&self) -> Result<Pass, Error> {
        let password = nonce()?;
        let account = Account {
            ended: self.shared.closed.child_token(),
            open: AtomicUsize::new(0),
            bytes: AtomicU64::new(0),
        };
        let url = format!("http://{USER}:{password}@127.0.0.1:{}", self.port);
        lock(&self.shared.accounts).insert(password.clone(), Arc::new(account));
        Ok(Pass { shared: Arc::clone(&self.shared), password, url })
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
        self.shared.closed.cancel();
    }
}

/// The credential of one job. When it is dropped, the job's connections end.
#[derive(Debug)]
pub(crate) struct Pass {
    shared: Arc<Shared>,
    password: String,
    url: String,
}

impl Pass {
    /// The proxy's address with the credential, as `HTTP_PROXY` has it.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        if let Some(account) = lock(&self.shared.accounts).remove(&self.password) {
            account.ended.cancel();
        }
    }
}

/// A connection of a job; no longer one when dropped.
#[derive(Debug)]
struct JobConnection<'a> {
    shared: &'a Shared,
    account: &'a Account,
}

impl<'a> JobConnection<'a> {
    /// `None` if the job has too many.
    fn begin(shared: &'a Shared, account: &'a Account) -> Option<Self> {
        let of_all = shared.open.fetch_add(1, Ordering::Relaxed);
        let of_job = account.open.fetch_add(1, Ordering::Relaxed);
        let connection = Self { shared, account };
        let fits =
            of_job < CERTAIN_OF_A_JOB || (of_job < resources::CONNECTIONS && of_all < CONNECTIONS);
        fits.then_some(connection)
    }
}

impl Drop for JobConnection<'_> {
    fn drop(&mut self) {
        self.shared.open.fetch_sub(1, Ordering::Relaxed);
        self.account.open.fetch_sub(1, Ordering::Relaxed);
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    loop {
        match listener.accept().await {
            Ok((client, address)) => {
                let (shared, seat) = (Arc::clone(&shared), shared.room.enter(address.ip()).await);
                tokio::spawn(async move {
                    let closed = shared.closed.clone();
                    closed.run_until_cancelled(connection::serve(&shared, client, seat)).await;
                });
            }
            Err(error) => {
                tracing::warn!(%error, "the proxy failed to accept a connection");
                sleep(PAUSE).await;
            }
        }
    }
}
