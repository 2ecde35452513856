//! The MCP side: this module alone names rmcp.

mod completion;
mod content;
pub mod http;
mod order;
mod progress;
mod prompt;
mod resources;
mod server;
mod tool;
mod tools;
mod transport;
mod wire;

use crate::runner::Runner;
use rmcp::ServiceExt;
use rmcp::model::ProtocolVersion;
use rmcp::service::ServerInitializeError;
use std::io::{Read, Write};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The protocol versions that the server speaks, oldest first.
pub fn protocol_versions() -> Vec<&'static str> {
    ProtocolVersion::KNOWN_VERSIONS.iter().map(ProtocolVersion::as_str).collect()
}

/// How a server over a pair of streams behaves.
#[derive(Debug, Clone, Copy)]
pub struct StdioOptions {
    /// Longest deadline that a call may ask for.
    pub max_wall: Duration,
    /// Bytes of a line; the rest of a longer one is read over, and it is answered by an error.
    pub max_request: usize,
    /// How long calls may still run after the client has closed its end.
    pub grace: Duration,
}

/// Serves one client until its input ends or `shutdown` is cancelled; every accepted call is answered first.
///
/// # Errors
/// What kept the server from starting, or the transport from working.
pub async fn serve(
    runner: Arc<Runner>,
    options: StdioOptions,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    shutdown: CancellationToken,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let transport = transport::StdioTransport::start(input, output, options, shutdown.clone())?;
    let server = server::Server::new(runner, options.max_wall, shutdown);
    match Box::pin(server.serve(transport)).await {
        Ok(service) => {
            service.waiting().await?;
            Ok(())
        }
        // Input ended before a client introduced itself: nothing was asked, nothing is wrong.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
