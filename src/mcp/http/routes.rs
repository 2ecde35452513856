//! The paths: `/mcp`, and what operators and orchestrators ask.

use super::tokens::Known;
use super::{Front, middleware};
use crate::mcp::server::Server;
use axum::Router;
use axum::extract::{ConnectInfo, DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Type of the Prometheus text format that `/metrics` answers with.
const METRICS_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

pub(super) fn router(
    front: Arc<Front>,
    mcp: StreamableHttpService<Server, LocalSessionManager>,
) -> Router {
    let routes = Router::new()
        .route_service("/mcp", mcp.clone())
        // What people paste often ends so.
        .route_service("/mcp/", mcp)
        // `admit` bounds the body.
        .layer(DefaultBodyLimit::disable())
        .layer(from_fn_with_state(Arc::clone(&front), middleware::admit));
    Router::new()
        .merge(routes)
        .route("/healthz", get(async || "ok\n"))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
        .fallback(async || (StatusCode::NOT_FOUND, "there is nothing here; MCP is at `/mcp`\n"))
        .with_state(front)
}

/// 200 when calls are served at once: the runtimes are warm, and the server is not leaving.
async fn ready(State(front): State<Arc<Front>>) -> Response {
    let why = match (front.draining.load(Ordering::Acquire), front.warm.load(Ordering::Acquire)) {
        (true, _) => "leaving\n",
        (false, false) => "warming up\n",
        (false, true) => return "ready\n".into_response(),
    };
    (StatusCode::SERVICE_UNAVAILABLE, why).into_response()
}

/// Figures for Prometheus: the caller's own, or for the operator those of all.
async fn metrics(
    State(front): State<Arc<Front>>,
    ConnectInfo(address): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
) -> Response {
    match middleware::identify(&front, &headers, address) {
        Err(refused) => *refused,
        Ok(Known { caller, is_operator }) => {
            let own = (!is_operator).then_some(caller);
            ([(header::CONTENT_TYPE, METRICS_TYPE)], front.service.metrics(own)).into_response()
        }
    }
}
