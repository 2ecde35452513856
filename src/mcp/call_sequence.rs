//! The order in which calls arrived over one pipe: rmcp runs each in a task of its own, and tasks
//! start in any order. Calls of one session must keep it.

use crate::host::lock;
use rmcp::RoleServer;
use rmcp::model::{ClientRequest, Extensions, GetExtensions as _, JsonRpcMessage};
use rmcp::service::RxJsonRpcMessage;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use tokio::sync::Notify;

/// Calls of one connection that have arrived and not taken their place yet.
#[derive(Debug, Default)]
pub(super) struct CallSequence {
    waiting: Mutex<Arrivals>,
    changed: Notify,
}

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

/// A call's turn to take its place; dropped when it has it, or wants none.
#[derive(Debug)]
pub(super) struct Ticket(Option<Arrival>);

impl CallSequence {
    /// Marks a message that is a call.
    pub(super) fn mark(self: &Arc<Self>, message: &mut RxJsonRpcMessage<RoleServer>) {
        if let JsonRpcMessage::Request(request) = message
            && matches!(request.request, ClientRequest::CallToolRequest(_))
        {
            let mut waiting = lock(&self.waiting);
            waiting.last += 1;
            let number = waiting.last;
            waiting.numbers.insert(number);
            drop(waiting);
            request
                .request
                .extensions_mut()
                .insert(Arrival(Arc::new(Number { number, sequence: Arc::clone(self) })));
        }
    }

    fn is_first(&self, number: u64) -> bool {
        let waiting = lock(&self.waiting);
        waiting.numbers.first().is_none_or(|first| *first >= number)
    }

    fn take_place(&self, number: u64) {
        lock(&self.waiting).numbers.remove(&number);
        self.changed.notify_waiters();
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
        loop {
            let changed = arrival.sequence.changed.notified();
            if arrival.sequence.is_first(arrival.number) {
                return;
            }
            changed.await;
        }
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
mod tests {
    use super::{Arrival, CallSequence, Number, Ticket};
    use crate::host::lock;
    use std::sync::Arc;

    fn arrive(sequence: &Arc<CallSequence>, number: u64) -> Ticket {
        lock(&sequence.waiting).numbers.insert(number);
        Ticket(Some(Arrival(Arc::new(Number { number, sequence: Arc::clone(sequence) }))))
    }

    #[test]
    fn the_first_that_has_no_place_has_its_turn() {
        let order = Arc::new(CallSequence::default());
        let (first, second, third) = (arrive(&order, 1), arrive(&order, 2), arrive(&order, 3));
        assert!(order.is_first(1) && !order.is_first(2) && !order.is_first(3));
        drop(second);
        assert!(order.is_first(1) && !order.is_first(3));
        // One that is given up counts as placed.
        drop(first);
        assert!(order.is_first(3));
        drop(third);
        assert!(lock(&order.waiting).numbers.is_empty());
    }
}
