//! The MCP server: what it offers, and one call from its request to its result.

use super::progress::{Listener, while_telling};
use super::{content, tool};
use crate::answer::Answer;
use crate::limits::Limits;
use crate::live::Live;
use crate::runner::Runner;
use crate::verdict::Verdict;
use futures_util::FutureExt;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorData, Implementation, ListToolsResult, PaginatedRequestParams,
    ProtocolVersion, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

const INSTRUCTIONS: &str = "Use `run_python` whenever a calculation, data analysis, plot or text transformation should be \
exact. Every call is a fresh interpreter: put imports, data and code into one call. Print results. Show plots with \
`plt.show()`.";

/// Answers the requests of one client, or of many that share a process: nothing is shared between calls.
#[derive(Debug, Clone)]
pub(super) struct Server {
    runner: Arc<Runner>,
    max_wall: Duration,
    shutdown: CancellationToken,
}

impl Server {
    /// A server that stops its calls when `shutdown` is cancelled.
    pub(super) fn new(runner: Arc<Runner>, max_wall: Duration, shutdown: CancellationToken) -> Self {
        Self { runner, max_wall, shutdown }
    }

    /// One call, from its arguments to its answer; `listener` hears of its progress.
    async fn run_python(
        &self,
        params: CallToolRequestParams,
        cancelled: CancellationToken,
        listener: Option<Listener>,
    ) -> Answer {
        let defaults: &Limits = &self.runner.config().limits;
        let (job, limits) = match tool::job(params.arguments, defaults, self.max_wall) {
            Ok(parsed) => parsed,
            Err(why) => return Answer::failed(&why),
        };
        let stop = CancellationToken::new();
        // Dropped with this future, which ends the watcher.
        let _guard = stop.clone().drop_guard();
        let (watched, shutdown) = (stop.clone(), self.shutdown.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = cancelled.cancelled() => watched.cancel(),
                () = shutdown.cancelled() => watched.cancel(),
                () = watched.cancelled() => {}
            }
        });
        let live = Live::default();
        let running = self.runner.run(&job, &limits, &live, &stop);
        match while_telling(running, &live, limits.wall, listener).await {
            Ok(outcome) => {
                let (raw, usage) = (&outcome.raw, &outcome.raw.usage);
                let (runtime, reason, end) = (raw.runtime.name(), &outcome.reason, Verdict::of(raw).name());
                tracing::info!(runtime, reason, end, wall = ?usage.wall, fuel = usage.fuel, "job done");
                Answer::of(&outcome, &self.runner.config().budget)
            }
            Err(error) => {
                tracing::warn!(%error, "job not run");
                Answer::failed(&error.to_string())
            }
        }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(server_info())
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(vec![tool::run_python(self.max_wall, &self.runner.network())]))
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if params.name != tool::RUN_PYTHON {
            return Err(ErrorData::invalid_params(
                format!("there is no tool `{}`; the tool is `{}`", params.name, tool::RUN_PYTHON),
                None,
            ));
        }
        let stateless = context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        let listener = context.meta.get_progress_token().map(|token| Listener { peer: context.peer, token });
        // rmcp never answers a call whose handler panicked, and the client would wait for ever.
        let span = tracing::info_span!("call", id = %context.id, tool = %params.name);
        let call = self.run_python(params, context.ct, listener).instrument(span);
        let answer = AssertUnwindSafe(call).catch_unwind().await;
        let answer = answer.unwrap_or_else(|_| {
            tracing::error!("a call panicked");
            Answer::failed("internal error: the call crashed in the server, which lives on; please report it")
        });
        let mut result = content::result(answer);
        if stateless && let Ok(info) = serde_json::to_value(server_info()) {
            result.meta.get_or_insert_default().insert("io.modelcontextprotocol/serverInfo".into(), info);
        }
        Ok(result.into())
    }
}

fn server_info() -> Implementation {
    Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")).with_title("Python sandbox")
}
