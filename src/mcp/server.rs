//! The MCP server: what it offers, and one call from its request to its result.

use super::call_sequence::Ticket;
use super::progress::Listener;
use super::set_aside::SetAside;
use super::stdio::ClientId;
use super::tools::{self, Offer, ToolCall};
use super::{completion, content, prompt, resources};
use crate::answer::Answer;
use crate::error::Error;
use crate::host::printable_within;
use crate::job::{Caller, Client, new_connection};
use crate::service::{Asking, Held, Resource, Service};
use axum::http::request::Parts;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::FutureExt;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest,
    CustomResult, ErrorCode, ErrorData, GetPromptRequestParams, GetPromptResponse, Icon,
    Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use std::net::Ipv6Addr;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tokio::task::JoinError;
use tokio_util::sync::{CancellationToken, DropGuard};
use tracing::Instrument as _;

const INSTRUCTIONS: &str = "Use `run_python` whenever a calculation, data analysis, plot or text \
transformation should be exact. Every call is a fresh interpreter, unless you pass `session`: put \
imports, data and code into one call, or work step by step in a session. Print results. Show plots \
with `plt.show()`.";

/// Characters of a name or an id that a client gave, where we repeat it.
const MAX_NAME: usize = 100;

/// [`INSTRUCTIONS`], and what is installed, in one line.
fn instructions(service: &Service) -> String {
    let packages = service.runtimes.packages().join(", ");
    format!("{INSTRUCTIONS} Beside the standard library these packages are installed: {packages}.")
}

/// Answers the requests of one client, or of many that share a process. Calls share nothing but
/// the sessions, jobs and files of their caller.
#[derive(Debug, Clone)]
pub(super) struct Server {
    service: Arc<Service>,
    max_wall: Duration,
    shutdown: CancellationToken,
    is_http: bool,
    /// `None` if each request stands alone.
    connection: Option<u64>,
}

impl Server {
    /// A server that stops its calls when `shutdown` is cancelled.
    pub(super) fn new(
        service: Arc<Service>,
        max_wall: Duration,
        shutdown: CancellationToken,
    ) -> Self {
        let connection = Some(new_connection());
        Self { service, max_wall, shutdown, is_http: false, connection }
    }

    /// The same for HTTP, where requests of newer protocols, and all of them if `stateless`, belong
    /// to no connection.
    pub(super) fn over_http(
        service: Arc<Service>,
        max_wall: Duration,
        shutdown: CancellationToken,
        stateless: bool,
    ) -> Self {
        let server = Self::new(service, max_wall, shutdown);
        let connection = server.connection.filter(|_| !stateless);
        Self { is_http: true, connection, ..server }
    }

    /// Who asks, and over HTTP by which request.
    fn client(&self, context: &RequestContext<RoleServer>) -> (Client, Option<Asking>) {
        if !self.is_http {
            return (Client { caller: Caller::Process, connection: self.connection }, None);
        }
        let parts = context.extensions.get::<Parts>();
        let asked = parts.and_then(|parts| parts.extensions.get::<Asking>()).cloned();
        // Nothing belongs to a request that lost its caller on the way.
        let asked = asked.unwrap_or_else(|| Asking::by(Caller::at(Ipv6Addr::UNSPECIFIED.into())));
        let connection = self.connection.filter(|_| !is_stateless(context));
        (Client { caller: asked.caller, connection }, Some(asked))
    }

    /// Reads files, as many at once as one caller may, on a thread where waiting for a disk delays
    /// nobody.
    async fn read<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        read: impl FnOnce(&Service, Client) -> Result<T, ErrorData> + Send + 'static,
    ) -> Result<T, ErrorData> {
        let (client, asked) = self.client(context);
        let _turn = self.service.accounts.wait_for(client.caller, Resource::Reads, 1).await;
        if asked.as_ref().is_some_and(|asked| asked.gone.is_cancelled()) {
            return Err(ErrorData::internal_error("the client hung up", None));
        }
        let service = Arc::clone(&self.service);
        let failed =
            |error: JoinError| ErrorData::internal_error(format!("failed to read: {error}"), None);
        tokio::task::spawn_blocking(move || read(&service, client)).await.map_err(failed)?
    }

    /// Room on the caller's account for the largest file there may be.
    async fn room_for_file(&self, context: &RequestContext<RoleServer>) -> Option<(Asking, Held)> {
        let asked = self.client(context).1?;
        let (accounts, bytes) = (&self.service.accounts, 2 * resources::MAX_BYTES);
        let room = accounts.wait_for(asked.caller, Resource::Answers, bytes).await;
        Some((asked, room))
    }

    fn tools(&self) -> Vec<Tool> {
        tools::offered(&Offer { service: &self.service, max_wall: self.max_wall })
    }

    /// A token that ends a call: its own, which the client cancels, or the server's.
    fn cancel_token(&self, own: CancellationToken) -> (CancellationToken, DropGuard) {
        let stop = self.shutdown.child_token();
        // Dropped with the call, which ends the watcher.
        let guard = stop.clone().drop_guard();
        let watched = stop.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = own.cancelled() => watched.cancel(),
                () = watched.cancelled() => {}
            }
        });
        (stop, guard)
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let offered =
            ServerCapabilities::builder().enable_prompts().enable_tools().enable_resources();
        ServerConfig::new(offered.enable_completions().build())
            .with_server_info(server_info())
            .with_instructions(instructions(&self.service))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools().into_iter().find(|tool| tool.name == name)
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools()))
    }

    async fn list_prompts(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(prompt::list())
    }

    async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        Ok(prompt::get(&params)?.into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let why = format!("there is no method `{}`", printable_within(&request.method, MAX_NAME));
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, why, None))
    }

    async fn complete(
        &self,
        params: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        self.read(&context, move |service, client| completion::complete(service, client, &params))
            .await
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = page.and_then(|page| page.cursor);
        self.read(&context, move |service, client| {
            resources::list(service, client, cursor.as_deref())
        })
        .await
    }

    async fn list_resource_templates(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(resources::templates())
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let room = self.room_for_file(&context).await;
        let read = self.read(&context, move |service, client| {
            resources::read(service, client.caller, &params.uri)
        });
        let (result, bytes) = read.await?;
        if let Some((asked, mut room)) = room {
            // What it is, and what is sent of it.
            room.shrink_to(bytes * 2);
            asked.until_sent.keep(room);
        }
        Ok(result.into())
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let stateless = is_stateless(&context);
        let (client, asked) = self.client(&context);
        let listener =
            context.meta.get_progress_token().map(|token| Listener { peer: context.peer, token });
        // Both are the client's, and stand in every line of the log.
        let id = context.extensions.get::<ClientId>().map_or(&context.id, |ClientId(id)| id);
        let id = printable_within(&id.to_string(), MAX_NAME).into_owned();
        let tool = printable_within(&params.name, MAX_NAME).into_owned();
        let span = tracing::info_span!("call", id, tool);
        let (cancel, _guard) = self.cancel_token(context.ct);
        let call = ToolCall {
            service: Arc::clone(&self.service),
            client,
            asked,
            arguments: SetAside::take(&context.extensions).or(params.arguments).unwrap_or_default(),
            max_wall: self.max_wall,
            cancel,
            ticket: Ticket::of(&context.extensions),
            listener,
        };
        let name = &params.name;
        // rmcp never answers a call whose handler panicked, and the client would wait for ever.
        let call = tools::call(name, call).instrument(span);
        let answer = AssertUnwindSafe(call).catch_unwind().await;
        let answer = answer.unwrap_or_else(|_| {
            tracing::error!("a call panicked");
            Some(Answer::failed(&Error::Panicked.to_string()))
        });
        let answer = answer.ok_or_else(|| {
            let tools = self.tools();
            let names: Vec<_> = tools.iter().map(|tool| format!("`{}`", tool.name)).collect();
            let name = printable_within(name, MAX_NAME);
            let why = format!("there is no tool `{name}`; there are {}", names.join(", "));
            ErrorData::invalid_params(why, None)
        })?;
        let mut result = content::result(answer);
        if stateless && let Ok(info) = serde_json::to_value(server_info()) {
            let meta = result.meta.get_or_insert_default();
            meta.insert("io.modelcontextprotocol/serverInfo".into(), info);
        }
        Ok(result.into())
    }
}

/// Whether a request stands alone: since 2026-07-28 there are no connections in the protocol.
fn is_stateless(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

/// Made once: newer protocols want it in every answer.
fn server_info() -> Implementation {
    static INFO: LazyLock<Implementation> = LazyLock::new(|| {
        let icon =
            format!("data:image/svg+xml;base64,{}", STANDARD.encode(include_bytes!("icon.svg")));
        Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"))
            .with_title("Python sandbox")
            .with_icons(vec![
                Icon::new(icon).with_mime_type("image/svg+xml").with_sizes(vec!["any".into()]),
            ])
    });
    INFO.clone()
}
