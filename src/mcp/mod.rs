//! The MCP side: this module alone names rmcp.

mod call_sequence;
mod completion;
mod content;
pub(crate) mod http;
mod jsonrpc;
mod long_calls;
mod progress;
mod prompt;
mod resources;
mod server;
mod set_aside;
mod stdio;
mod tools;

use crate::service::Service;
use rmcp::ServiceExt;
use rmcp::model::{ErrorData, ProtocolVersion};
use rmcp::service::ServerInitializeError;
use std::io::{Read, Write};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Refuses a request for its parameters.
fn invalid<T>(why: String) -> Result<T, ErrorData> {
    Err(ErrorData::invalid_params(why, None))
}

/// The protocol versions that the server speaks, oldest first.
pub(crate) fn protocol_versions() -> Vec<&'static str> {
    ProtocolVersion::KNOWN_VERSIONS.iter().map(ProtocolVersion::as_str).collect()
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct StdioOptions {
    pub max_wall: Duration,
    /// Bytes of a line; the rest of a longer one is read over, and it is answered by an error.
    pub max_request: usize,
    /// How long calls may still run after the client has closed its end.
    pub grace: Duration,
}

/// Serves one client until its input ends or `shutdown` is cancelled; every accepted call is
/// answered first.
pub(crate) async fn serve(
    service: Arc<Service>,
    options: StdioOptions,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    shutdown: CancellationToken,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let transport = stdio::StdioTransport::start(input, output, options, shutdown.clone())?;
    let server = server::Server::new(service, options.max_wall, shutdown);
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
