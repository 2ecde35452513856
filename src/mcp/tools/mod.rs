//! The tools, one file each: what a client sees of them, and what they do. A new one is a file with
//! an [`ToolEntry`], and a row in [`TOOLS`].

mod arguments;
mod cancel_job;
mod check_job;
mod jobs;
mod reset_session;
mod run_python;

use self::arguments::BadArgument;
use super::call_sequence::Ticket;
use super::progress::Listener;
use crate::answer::Answer;
use crate::error::Error;
use crate::job::Client;
use crate::service::{Asking, Service};
use futures_util::future::BoxFuture;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use rmcp::object;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// All tools, in the order in which clients see them.
const TOOLS: [ToolEntry; 4] =
    [run_python::ENTRY, reset_session::ENTRY, check_job::ENTRY, cancel_job::ENTRY];

/// Arguments that hold handles, and the ends of the headers that repeat them.
const HANDLES: [(&str, &str); 2] = [("session", "Session"), ("job", "Job")];

pub(super) struct ToolEntry {
    name: &'static str,
    /// Whether the operator wants it.
    is_on: fn(&Service) -> bool,
    describe: fn(&Offer<'_>) -> Tool,
    call: fn(ToolCall) -> BoxFuture<'static, Result<Answer, ToolError>>,
}

/// Why a tool did nothing, as its caller reads it.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
enum ToolError {
    Argument(#[from] BadArgument),
    Service(#[from] Error),
}

/// What descriptions depend on.
#[derive(Debug)]
pub(super) struct Offer<'a> {
    pub(super) service: &'a Service,
    pub(super) max_wall: Duration,
}

#[derive(Debug)]
pub(super) struct ToolCall {
    pub(super) service: Arc<Service>,
    pub(super) client: Client,
    /// The request over HTTP that brought it.
    pub(super) asked: Option<Asking>,
    pub(super) arguments: JsonObject,
    /// Longest deadline that it may ask for.
    pub(super) max_wall: Duration,
    /// Cancelled when its caller withdraws it, or the server leaves.
    pub(super) cancel: CancellationToken,
    /// Its place among the calls of its connection.
    pub(super) ticket: Ticket,
    /// Hears of its progress.
    pub(super) listener: Option<Listener>,
}

/// The tools that the operator wants, as clients see them.
pub(super) fn offered(offer: &Offer<'_>) -> Vec<Tool> {
    let is_on = |entry: &&ToolEntry| (entry.is_on)(offer.service);
    let mut tools: Vec<Tool> =
        TOOLS.iter().filter(is_on).map(|entry| (entry.describe)(offer)).collect();
    if offer.service.config.instance.name().is_some() {
        mirror_handles(&mut tools);
    }
    tools
}

/// Carries out a call of the tool `name`; `None` if there is no such tool.
pub(super) async fn call(name: &str, call: ToolCall) -> Option<Answer> {
    let entry = TOOLS.iter().find(|entry| entry.name == name && (entry.is_on)(&call.service))?;
    let answer = (entry.call)(call).await;
    Some(answer.unwrap_or_else(|error| Answer::failed(&error.to_string())))
}

/// What a client may assume of a tool before it calls it (MCP, "Tool annotations"). No tool here
/// meets an open world.
#[derive(Debug, Clone, Copy)]
struct Hints {
    /// It changes nothing.
    read_only: bool,
    /// It may take something away.
    destructive: bool,
    /// A second call like the first one changes nothing more.
    idempotent: bool,
}

/// A tool that takes `properties` and no other arguments; `required` must be among them.
fn describe(
    name: &'static str,
    title: &str,
    description: String,
    required: &str,
    properties: &JsonObject,
    hints: Hints,
) -> Tool {
    let schema: JsonObject = object!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "additionalProperties": false,
        "required": [required],
        "properties": properties
    });
    let Hints { read_only, destructive, idempotent } = hints;
    let annotations = ToolAnnotations::from_raw(
        Some(title.into()),
        Some(read_only),
        Some(destructive),
        Some(idempotent),
        Some(false),
    );
    Tool::new(name, description, Arc::new(schema)).with_title(title).with_annotations(annotations)
}

/// Has clients repeat handles in headers, `Mcp-Param-Session` and `Mcp-Param-Job`, where routers
/// can read them (MCP 2026-07-28, "Streamable HTTP"). Requests without them are then refused, as
/// that version asks for.
fn mirror_handles(tools: &mut [Tool]) {
    for tool in tools {
        let schema = Arc::make_mut(&mut tool.input_schema);
        let Some(Value::Object(properties)) = schema.get_mut("properties") else { continue };
        for (argument, header) in HANDLES {
            if let Some(Value::Object(property)) = properties.get_mut(argument) {
                property.insert("x-mcp-header".into(), header.into());
            }
        }
    }
}
