//! Connections: accepted, served, and let go of. Who sends nothing, or half a request, does not
//! hold one for long.
//!
//! `axum::serve` has no limit for that, and the time limit of `tower-http` begins after the head.

use axum::Router;
use axum::extract::{ConnectInfo, Request};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower_service::Service as _;

/// Time until the next try when a connection cannot be accepted: usually there are too many files
/// open.
const PAUSE: Duration = Duration::from_millis(100);

/// Accepts connections until `leave` is cancelled, then waits for those that are there to end. A
/// connection is closed when no whole head of a request has come for `patience`.
pub(super) async fn serve(
    listener: TcpListener,
    app: Router,
    patience: Duration,
    leave: CancellationToken,
) -> io::Result<()> {
    let open = TaskTracker::new();
    loop {
        let accepted = tokio::select! {
            () = leave.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, address)) => {
                open.spawn(converse(stream, address, app.clone(), patience, leave.clone()));
            }
            // The client is gone already.
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
            Err(error) => {
                tracing::warn!(%error, "failed to accept a connection");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
    drop(listener);
    open.close();
    open.wait().await;
    Ok(())
}

async fn converse(
    stream: TcpStream,
    address: SocketAddr,
    app: Router,
    patience: Duration,
    leave: CancellationToken,
) {
    // Without it the last bytes of an answer wait for the client's acknowledgement.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "no `TCP_NODELAY`");
    }
    let service =
        hyper::service::service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
            let mut request: Request = request.map(axum::body::Body::new);
            request.extensions_mut().insert(ConnectInfo(address));
            app.clone().call(request)
        });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(patience);
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = leave.cancelled() => {
            // The request that is under way is answered.
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection broke off");
    }
}
