//! `serve`: MCP over stdin and stdout (over HTTP in `serve_http`), with a clean way out for every
//! way in which a client leaves.

use super::{Failure, LEAVE, TERMINATED, serve_http, serve_with};
use crate::cli::{Config, ServeArgs};
use crate::mcp::{self, StdioOptions};
use crate::service::Service;
use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Serves until the client leaves or a signal asks to.
pub(super) fn serve(args: &ServeArgs, config: Config) -> Result<ExitCode, Failure> {
    if let Some(address) = args.http {
        return serve_http::serve(address, args, config);
    }
    let options = StdioOptions {
        max_wall: config.max_wall,
        max_request: config.max_request,
        grace: config.eof_grace,
    };
    serve_with(config.service, async |service| serve_until_asked(service, options).await)
}

async fn serve_until_asked(
    service: Arc<Service>,
    options: StdioOptions,
) -> Result<ExitCode, Failure> {
    let shutdown = CancellationToken::new();
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hangup = signal(SignalKind::hangup())?;
    let warming = Arc::clone(&service);
    // Behind `initialize`: the client does not wait for it.
    tokio::spawn(async move { warming.runtimes.warm_up().await });
    let serving = mcp::serve(service, options, io::stdin(), io::stdout(), shutdown.clone());
    tokio::pin!(serving);
    tokio::select! {
        served = &mut serving => return served.map(|()| ExitCode::SUCCESS),
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
        _ = hangup.recv() => {}
    }
    // Calls see this and are answered as cancelled; then the transport is left as it is, since its
    // reader sits in a read that nothing can end.
    shutdown.cancel();
    let _ = tokio::time::timeout(LEAVE, serving).await;
    Ok(ExitCode::from(TERMINATED))
}
