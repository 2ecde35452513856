//! `serve --http`: MCP over HTTP until a signal asks to leave; a second one does not wait.

use super::{Failure, TERMINATED, serve_with};
use crate::cli::{Config, Mistake, ServeArgs, seconds};
use crate::mcp::http::{self, HttpOptions, Tokens};
use crate::service::{Service, ServiceConfig};
use fs_err as fs;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

pub(super) fn serve(
    address: SocketAddr,
    args: &ServeArgs,
    mut config: Config,
) -> Result<ExitCode, Failure> {
    config.service.instance = args.instance.clone().unwrap_or_default();
    share(&mut config.service, args);
    let options = options(address, args, &config)?;
    serve_with(config.service, async |service| serve_until_asked(service, options, address).await)
}

fn options(address: SocketAddr, args: &ServeArgs, config: &Config) -> Result<HttpOptions, Failure> {
    let tokens = args.token_file.as_deref().map(tokens).transpose()?;
    if tokens.is_none() && !args.http_open && !address.ip().is_loopback() {
        return Err(Mistake(format!(
            "`--http {address}` would let everyone who reaches it run code here: give \
             `--token-file`, or `--http-open` if something before the server asks for a password"
        ))
        .into());
    }
    let drain_delay = match args.drain_delay {
        0.0 => Duration::ZERO,
        delay => seconds("--drain-delay", delay)?,
    };
    Ok(HttpOptions {
        max_wall: config.max_wall,
        max_request: config.max_request,
        hosts: args.http_host.clone(),
        origins: args.http_origin.clone(),
        tokens,
        stateless: args.http_stateless,
        patience: seconds("--http-read-timeout", args.http_read_timeout)?,
        grace: config.eof_grace,
        drain_delay,
    })
}

/// Parts of what one caller could have alone are left for others.
fn share(service: &mut ServiceConfig, args: &ServeArgs) {
    let admission = &mut service.admission;
    admission.running_of_one = match args.client_concurrency {
        0 => admission.running - admission.running / 4,
        running => running,
    };
    admission.waiting_of_one = args.client_queue;
    service.sessions.memory = service.sessions.memory.among_callers();
    service.files.bytes = service.files.bytes.among_callers();
    // One place is left for calls that somebody waits for.
    let background = admission.running_of_one.saturating_sub(1);
    service.jobs.count = service.jobs.count.min(background);
}

fn tokens(path: &Path) -> Result<Tokens, Failure> {
    let text = fs::read_to_string(path).map_err(Mistake::of)?;
    Tokens::parse(&text)
        .map_err(|why| Mistake(format!("`--token-file {}`: {why}", path.display())).into())
}

async fn serve_until_asked(
    service: Arc<Service>,
    options: HttpOptions,
    address: SocketAddr,
) -> Result<ExitCode, Failure> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let listener = TcpListener::bind(address)
        .await
        .map_err(|e| format!("failed to listen at `{address}`: {e}"))?;
    // Not a log line: with port 0 it is the only way to learn the port.
    writeln!(io::stderr(), "listening at http://{}/mcp", listener.local_addr()?)?;
    let leave = CancellationToken::new();
    let serving = http::serve(service, options, listener, leave.clone());
    tokio::pin!(serving);
    let mut asked = async || {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    };
    tokio::select! {
        served = &mut serving => return Ok(served.map(|()| ExitCode::SUCCESS)?),
        () = asked() => leave.cancel(),
    }
    tokio::select! {
        served = serving => Ok(served.map(|()| ExitCode::SUCCESS)?),
        () = asked() => Ok(ExitCode::from(TERMINATED)),
    }
}
