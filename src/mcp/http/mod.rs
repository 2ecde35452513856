//! MCP over HTTP (specification 2025-06-18 and 2026-07-28, "Streamable HTTP"), for clients and load
//! balancers.
//!
//! rmcp speaks the protocol; `admit` stands before it and says who calls and what is no message.
//! Leaving takes nothing away from a call that was accepted: see [`serve`].

mod affinity;
mod body;
mod connections;
mod cors;
mod descriptors;
mod middleware;
mod outgoing;
mod paced;
mod reply;
mod routes;
mod socket_table;
mod sockets;
mod tokens;

pub(crate) use self::tokens::Tokens;

use self::connections::ConnectionTable;
use self::descriptors::Shares;
use self::sockets::SocketServer;
use super::server::Server;
use crate::service::Service;
use rmcp::transport::StreamableHttpServerConfig;
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Time that stopped calls have to write their answers, and open streams to close.
const LAST_WORDS: Duration = Duration::from_secs(3);

#[derive(Debug, Clone)]
pub(crate) struct HttpOptions {
    pub max_wall: Duration,
    pub max_request: usize,
    /// Names that the `Host` header may carry, besides those of the loopback interface; with a
    /// port, that one alone.
    pub hosts: Vec<String>,
    /// Origins that a browser may call from, besides pages of the loopback interface.
    pub origins: Vec<String>,
    /// Who may call; `None` is everyone.
    pub tokens: Option<Tokens>,
    /// Whether each request stands alone: no `Mcp-Session-Id`, so that any instance can serve any
    /// request.
    pub stateless: bool,
    /// How long a client may take to send the head of a request, and then its body.
    pub patience: Duration,
    /// How long calls may run on after the server was asked to leave.
    pub grace: Duration,
    /// How long the server then goes on refusing calls by 503, so that a load balancer looks
    /// elsewhere.
    pub drain_delay: Duration,
}

#[derive(Debug)]
struct Front {
    service: Arc<Service>,
    options: HttpOptions,
    /// Calls that are not answered yet.
    calls: TaskTracker,
    table: ConnectionTable,
    connections: Arc<LocalSessionManager>,
    warm: AtomicBool,
    draining: AtomicBool,
}

/// Serves on `listener` until `leave` is cancelled. Then it refuses new calls for
/// [`HttpOptions::drain_delay`], stops listening, lets running calls end within
/// [`HttpOptions::grace`], and stops those that do not; each is answered.
pub(crate) async fn serve(
    service: Arc<Service>,
    options: HttpOptions,
    listener: TcpListener,
    leave: CancellationToken,
) -> io::Result<()> {
    let (stop_jobs, close_streams) = (CancellationToken::new(), CancellationToken::new());
    let front = Arc::new(Front {
        service: Arc::clone(&service),
        calls: TaskTracker::new(),
        table: ConnectionTable::default(),
        connections: Arc::new(connection_manager(&service, &options)),
        options,
        warm: AtomicBool::new(false),
        draining: AtomicBool::new(false),
    });
    let warming = Arc::clone(&front);
    tokio::spawn(async move {
        warming.service.runtimes.warm_up().await;
        warming.warm.store(true, Ordering::Release);
    });
    let local = listener.local_addr()?;
    let options = &front.options;
    let mcp = mcp_service(&front, local, &stop_jobs, &close_streams);
    let app = routes::router(Arc::clone(&front), mcp);
    let drained = CancellationToken::new();
    let shares = Shares::of(descriptors::raise());
    let sockets = SocketServer::new(options.patience, shares);
    let serving = sockets.serve(listener, app, drained.clone());
    let leaving = async {
        leave.cancelled().await;
        front.draining.store(true, Ordering::Release);
        tokio::time::sleep(options.drain_delay).await;
        drained.cancel();
        front.calls.close();
        if timeout(options.grace, front.calls.wait()).await.is_err() {
            stop_jobs.cancel();
            // Those that do not even answer now are lost; nothing waits for them.
            let _ = timeout(LAST_WORDS, front.calls.wait()).await;
        }
        // Streams that clients keep open for notifications would hold the connections.
        close_streams.cancel();
        tokio::time::sleep(LAST_WORDS).await;
    };
    tokio::select! {
        served = serving => served,
        () = leaving => Ok(()),
    }
}

/// The connections, in the older protocols' sense. One is forgotten when nothing was said for
/// longer than what belongs to it lasts: a session between two calls, or a job.
fn connection_manager(service: &Service, options: &HttpOptions) -> LocalSessionManager {
    let config = &service.config;
    let longest = config.sessions.idle.max(config.jobs.wall).max(options.max_wall);
    let mut manager = LocalSessionManager::default();
    manager.session_config.keep_alive = Some(longest + LAST_WORDS);
    manager
}

fn mcp_service(
    front: &Front,
    local: SocketAddr,
    stop_jobs: &CancellationToken,
    close_streams: &CancellationToken,
) -> StreamableHttpService<Server, LocalSessionManager> {
    let options = &front.options;
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(!options.stateless)
        .with_json_response(true)
        .with_max_request_body_bytes(options.max_request)
        .with_cancellation_token(close_streams.clone())
        .with_allowed_hosts(allowed_hosts(&options.hosts, local))
        .with_allowed_origins(allowed_origins(&options.origins))
        .enforce_origin_validation();
    let (service, stop_jobs) = (Arc::clone(&front.service), stop_jobs.clone());
    let (max_wall, stateless) = (options.max_wall, options.stateless);
    let make =
        move || Ok(Server::over_http(Arc::clone(&service), max_wall, stop_jobs.clone(), stateless));
    StreamableHttpService::new(make, Arc::clone(&front.connections), config)
}

/// A foreign page can make a browser send requests to a loopback address under its own name (DNS
/// rebinding), so only names that are ours are answered.
fn allowed_hosts(given: &[String], local: SocketAddr) -> Vec<String> {
    let mut hosts: Vec<String> = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).to_vec();
    if !local.ip().is_unspecified() {
        hosts.push(local.ip().to_string());
    }
    hosts.extend_from_slice(given);
    hosts
}

fn allowed_origins(given: &[String]) -> Vec<String> {
    let loopback =
        ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"].map(str::to_owned);
    loopback.into_iter().chain(given.iter().cloned()).collect()
}
