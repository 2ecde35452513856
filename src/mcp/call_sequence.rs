//! The order in which calls arrived over one pipe: rmcp runs each in a task of its own, and tasks
//! start in any order. Calls of one session must keep it.

use rmcp::RoleServer;
use rmcp::model::{ClientRequest, Extensions, GetExtensions as _, JsonRpcMessage};
use rmcp::service::RxJsonRpcMessage;
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::sync::watch;

/// Calls of one connection that have arrived and not taken their place yet.
#[derive(Debug, Default)]
pub(super) struct CallSequence(watch::Sender<Arrivals>);

#[derive(Debug, Default)]
struct Arrivals {
    last: u64,
    numbers: BTreeSet<u64>,
}

/// When a call arrived; travels with it. Dropped with it too, so that a call that never runs holds
/// nobody up.
#[derive(Debug, Clone)]
struct Arrival(Arc<Number>);

#[derive(Debug)]
struct Number {
    number: u64,
    sequence: Arc<CallSequence>,
}

/// A call's turn to enter the line of its session; dropped when it has, or wants none.
#[derive(Debug)]
pub(super) struct Ticket(Option<Arrival>);

impl CallSequence {
    /// Marks a message that is a call.
    pub(super) fn mark(self: &Arc<Self>, message: &mut RxJsonRpcMessage<RoleServer>) {
        if let JsonRpcMessage::Request(request) = message
            && matches!(request.request, ClientRequest::CallToolRequest(_))
        {
            let mut number = 0;
            self.0.send_modify(|arrivals| {
                arrivals.last += 1;
                number = arrivals.last;
                arrivals.numbers.insert(number);
            });
            let number = Number { number, sequence: Arc::clone(self) };
            request.request.extensions_mut().insert(Arrival(Arc::new(number)));
        }
    }

    fn take_place(&self, number: u64) {
        self.0.send_if_modified(|arrivals| arrivals.numbers.remove(&number));
    }
}

impl Arrivals {
    fn is_first(&self, number: u64) -> bool {
        self.numbers.first().is_none_or(|first| *first >= number)
    }
}

impl Ticket {
    /// That of the call with these extensions; a call that came over no pipe has its turn at once.
    pub(super) fn of(extensions: &Extensions) -> Self {
        Self(extensions.get::<Arrival>().cloned())
    }

    /// Returns once all calls that arrived before have taken their places.
    pub(super) async fn wait(&self) {
        let Some(Arrival(arrival)) = &self.0 else { return };
        let mut arrivals = arrival.sequence.0.subscribe();
        // The sender lives in the arrival.
        let _ = arrivals.wait_for(|arrivals| arrivals.is_first(arrival.number)).await;
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if let Some(Arrival(arrival)) = &self.0 {
            arrival.sequence.take_place(arrival.number);
        }
    }
}

impl Drop for Number {
    fn drop(&mut self) {
        self.sequence.take_place(self.number);
    }
}

#[cfg(test)]
#[path = "../../tests/unit/mcp_call_sequence.rs"]
mod tests;
