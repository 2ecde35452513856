//! Long calls over stdio: how many bytes of them may be there at once.

use super::content;
use crate::answer::Answer;
use rmcp::RoleServer;
use rmcp::model::{ClientRequest, GetExtensions as _, JsonRpcMessage};
use rmcp::service::RxJsonRpcMessage;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of all; one alone may have more.
const MAX: usize = 128 << 20;

#[derive(Debug, Default)]
pub(super) struct LongCalls(Arc<AtomicUsize>);

/// The bytes of one call; travels with it.
#[derive(Debug)]
struct Counted {
    bytes: usize,
    all: Arc<AtomicUsize>,
}

impl LongCalls {
    /// Counts a call of so many bytes as long as it is there; the error is the answer to one that
    /// is too much.
    pub(super) fn begin(
        &self,
        message: &mut RxJsonRpcMessage<RoleServer>,
        bytes: usize,
    ) -> Result<(), Value> {
        let JsonRpcMessage::Request(request) = message else { return Ok(()) };
        let ClientRequest::CallToolRequest(call) = &mut request.request else { return Ok(()) };
        // Only the thread that reads adds to them.
        let held = self.0.load(Ordering::Relaxed);
        if held > 0 && held + bytes > MAX {
            let why = format!(
                "the server is busy: calls that are not done yet hold {} MiB; try again when one \
                 is answered",
                MAX >> 20
            );
            let result = content::result(Answer::failed(&why));
            return Err(json!({ "jsonrpc": "2.0", "id": request.id, "result": result }));
        }
        self.0.fetch_add(bytes, Ordering::Relaxed);
        let counted = Counted { bytes, all: Arc::clone(&self.0) };
        call.extensions_mut().insert(Arc::new(counted));
        Ok(())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.all.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
