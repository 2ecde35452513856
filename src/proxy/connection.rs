//! One connection of a client, from its head to the last byte.
//!
//! Our own, not hyper's or a proxy crate's: those connect to a name, and we must connect to the
//! address that we checked. What is left, copying bytes within a budget, needs no HTTP.

use super::address::is_public;
use super::head::{self, Ask, HttpRefusal, MAX_HEAD, Way, refusal};
use super::rules::Destination;
use super::{Account, JobConnection, Shared};
use crate::host::{Seat, lock};
use crate::job::resources::TRAFFIC;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout};

/// Time for a client to say what it wants, and to show its credential.
const HEAD_TIME: Duration = Duration::from_secs(2);
/// Time for a name to be resolved, and for a host to answer a connection.
const CONNECT_TIME: Duration = Duration::from_secs(15);
/// A connection on which nothing moves ends after this time.
const IDLE: Duration = Duration::from_mins(1);
/// How much a refused client may still send before it reads the refusal.
const MAX_DRAINED: usize = 1 << 20;
const DRAIN_TIME: Duration = Duration::from_secs(2);
const CHUNK: usize = 32 << 10;
const MAX_REASON: usize = 400;

/// Why a connection that was let through ended early.
#[derive(Debug, thiserror::Error)]
enum Cut {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("nothing moved for {} s", IDLE.as_secs())]
    Idle,
    #[error("the job has transferred more than {} MiB", TRAFFIC >> 20)]
    TooMuch,
}

/// Serves one client; returns when both sides are done.
pub(super) async fn serve(shared: &Shared, mut client: TcpStream, seat: Seat) {
    let leave = seat.leave.clone();
    let coming = leave.run_until_cancelled(come_in(shared, &mut client));
    let Some(Some(came)) = coming.await else { return };
    let refused = match came {
        Ok((ask, early, account)) => {
            drop(seat);
            return serve_job(shared, client, &ask, &early, &account).await;
        }
        Err(refused) => refused,
    };
    leave.run_until_cancelled(refuse(client, &refused)).await;
}

type Came = (Ask, Vec<u8>, Arc<Account>);

/// What a client asks for, what came after it, and the account of its job. `None` if it says
/// nothing.
async fn come_in(shared: &Shared, client: &mut TcpStream) -> Option<Result<Came, HttpRefusal>> {
    let (ask, early) = match timeout(HEAD_TIME, read_ask(client)).await.ok()? {
        Ok(asked) => asked?,
        Err(refused) => return Some(Err(refused)),
    };
    let account = admitted(shared, &ask).inspect_err(|refused| {
        let status = refused.status;
        tracing::info!(status, "the proxy turned away a client without a valid credential");
    });
    Some(account.map(|account| (ask, early, account)))
}

async fn serve_job(shared: &Shared, client: TcpStream, ask: &Ask, early: &[u8], account: &Account) {
    let Some(_connection) = JobConnection::begin(shared, account) else {
        return refuse(client, &refusal(503, "this job has too many connections at once")).await;
    };
    let target = ask.target.to_string();
    let ended = &account.ended;
    let connecting = connect(shared, &ask.target);
    let Some(connected) = ended.run_until_cancelled(connecting).await else { return };
    match connected {
        Ok((host, address)) => {
            tracing::info!(target, %address, "the proxy lets a job through");
            let passing = pass(client, host, &ask.way, early, account);
            match ended.run_until_cancelled(passing).await {
                Some(Ok(())) => {}
                Some(Err(why)) => tracing::info!(target, %why, "a job's connection was ended"),
                None => tracing::debug!(target, "a connection ends with its job"),
            }
        }
        Err(refusal) => {
            let HttpRefusal { status, why } = &refusal;
            tracing::info!(target, status, why, "the proxy refuses a job");
            refuse(client, &refusal).await;
        }
    }
}

/// The head, and what came after it. `None` if the client left.
async fn read_ask(client: &mut TcpStream) -> Result<Option<(Ask, Vec<u8>)>, HttpRefusal> {
    let mut bytes = Vec::with_capacity(1 << 10);
    loop {
        let room = (MAX_HEAD - bytes.len()) as u64;
        let read = client.take(room).read_buf(&mut bytes).await;
        if !matches!(read, Ok(1..)) {
            return Ok(None);
        }
        if let Some((ask, length)) = head::parse(&bytes)? {
            return Ok(Some((ask, bytes.split_off(length))));
        }
    }
}

/// The account of the job whose credential was shown.
fn admitted(shared: &Shared, ask: &Ask) -> Result<Arc<Account>, HttpRefusal> {
    let accounts = lock(&shared.accounts);
    let account = ask.password.as_ref().and_then(|password| accounts.get(password));
    let why = "this proxy serves running jobs of one server, each with its own credential";
    account.cloned().ok_or_else(|| refusal(407, why))
}

/// A connection to the target, if it is open and lies in the public network.
async fn connect(
    shared: &Shared,
    target: &Destination,
) -> Result<(TcpStream, SocketAddr), HttpRefusal> {
    let config = &shared.config;
    let host = &target.host;
    if !config.hosts.iter().any(|rule| rule.opens(target)) {
        let open: Vec<String> = config.hosts.iter().map(ToString::to_string).collect();
        let (open, wanted) = (open.join(", "), target.authority(443));
        let why = format!(
            "`{target}` is not open to jobs (open: {open}); \
             the operator can add it with --allow-host {wanted}"
        );
        return Err(refusal(403, why));
    }
    let resolved = timeout(CONNECT_TIME, config.resolver.addresses(host)).await;
    let addresses = resolved
        .map_err(|_| refusal(504, format!("`{host}` was not resolved in time")))?
        .map_err(|error| refusal(502, format!("failed to resolve `{host}`: {error}")))?;
    if addresses.is_empty() {
        return Err(refusal(502, format!("`{host}` has no address")));
    }
    let may_be_reached =
        |address: &IpAddr| is_public(*address) || (config.test_loopback && address.is_loopback());
    let mut last = None;
    for address in addresses.into_iter().filter(may_be_reached) {
        let address = SocketAddr::new(address, target.port);
        // The address that was checked, not the name again.
        last = Some(match timeout(CONNECT_TIME, TcpStream::connect(address)).await {
            Ok(Ok(host)) => return Ok((host, address)),
            Ok(Err(error)) => refusal(502, format!("failed to connect to `{target}`: {error}")),
            Err(_) => refusal(504, format!("`{target}` did not answer in time")),
        });
    }
    Err(last.unwrap_or_else(|| {
        let why = "has no address in the public network, and others are never opened";
        refusal(403, format!("`{host}` {why}"))
    }))
}

/// Passes bytes in both directions until both sides are done.
async fn pass(
    mut client: TcpStream,
    mut host: TcpStream,
    way: &Way,
    early: &[u8],
    account: &Account,
) -> Result<(), Cut> {
    match way {
        Way::Tunnel => {
            client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?;
        }
        Way::Forward(head) => host.write_all(head).await?,
    }
    host.write_all(early).await?;
    let traffic = Traffic { account, moved: AtomicU64::new(0) };
    let (from_client, to_client) = client.split();
    let (from_host, to_host) = host.split();
    let both = async {
        tokio::try_join!(traffic.pump(from_client, to_host), traffic.pump(from_host, to_client))
    };
    tokio::select! {
        done = both => done.map(|_| ()),
        () = traffic.idle() => Err(Cut::Idle),
    }
}

struct Traffic<'a> {
    account: &'a Account,
    /// Bytes on this connection.
    moved: AtomicU64,
}

impl Traffic<'_> {
    async fn pump(
        &self,
        mut from: impl AsyncRead + Unpin,
        mut to: impl AsyncWrite + Unpin,
    ) -> Result<(), Cut> {
        let mut buffer = vec![0; CHUNK];
        loop {
            let count = from.read(&mut buffer).await?;
            if count == 0 {
                // The other side may have gone already.
                let _ = to.shutdown().await;
                return Ok(());
            }
            let bytes = count as u64;
            self.moved.fetch_add(bytes, Ordering::Relaxed);
            if self.account.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes > TRAFFIC {
                return Err(Cut::TooMuch);
            }
            to.write_all(&buffer[..count]).await?;
        }
    }

    /// Returns once nothing has moved for [`IDLE`].
    async fn idle(&self) {
        let mut seen = self.moved.load(Ordering::Relaxed);
        loop {
            sleep(IDLE).await;
            let now = self.moved.load(Ordering::Relaxed);
            if now == seen {
                return;
            }
            seen = now;
        }
    }
}

/// Answers with the reason on the status line, where clients show it, and in the body.
async fn refuse(mut client: TcpStream, refusal: &HttpRefusal) {
    let HttpRefusal { status, why } = refusal;
    let line: String =
        why.chars().map(|c| if c.is_ascii_graphic() { c } else { ' ' }).take(MAX_REASON).collect();
    let ask = if *status == 407 { "Proxy-Authenticate: Basic realm=\"jobs\"\r\n" } else { "" };
    let length = why.len() + 1;
    let answer = format!(
        "HTTP/1.1 {status} {line}\r\nContent-Type: text/plain; charset=utf-8\r\n\
         Content-Length: {length}\r\n{ask}Connection: close\r\n\r\n{why}\n"
    );
    let farewell = async {
        client.write_all(answer.as_bytes()).await?;
        client.shutdown().await?;
        // If we closed while the client still sends, the reset would discard the answer.
        let mut buffer = vec![0; CHUNK];
        let until = Instant::now() + DRAIN_TIME;
        let mut drained = 0;
        while drained < MAX_DRAINED && Instant::now() < until {
            match client.read(&mut buffer).await? {
                0 => break,
                count => drained += count,
            }
        }
        io::Result::Ok(())
    };
    // The client may be gone.
    let _ = timeout(DRAIN_TIME, farewell).await;
}
