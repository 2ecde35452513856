//! The arguments of a long call over HTTP. We have parsed them; rmcp takes bytes, and would parse
//! them again and copy them several times. So they go past it, with the request.

use super::jsonrpc::CallArguments;
use crate::host::lock;
use axum::http::request::Parts;
use rmcp::model::Extensions;
use std::sync::{Arc, Mutex};

/// Travels as an extension of the HTTP request.
#[derive(Debug, Clone)]
pub(super) struct SetAside(Arc<Mutex<Option<CallArguments>>>);

impl SetAside {
    pub(super) fn new(arguments: CallArguments) -> Self {
        Self(Arc::new(Mutex::new(Some(arguments))))
    }

    /// What was set aside of the request with these extensions; once.
    pub(super) fn take(extensions: &Extensions) -> Option<CallArguments> {
        let Self(arguments) = extensions.get::<Parts>()?.extensions.get()?;
        lock(arguments).take()
    }
}
