//! Unit tests of `src/mcp/call_sequence.rs`, whose child this module is.

use super::{Arrival, CallSequence, Number, Ticket};
use std::sync::Arc;

fn arrive(sequence: &Arc<CallSequence>, number: u64) -> Ticket {
    sequence.0.send_if_modified(|arrivals| arrivals.numbers.insert(number));
    Ticket(Some(Arrival(Arc::new(Number { number, sequence: Arc::clone(sequence) }))))
}

#[test]
fn the_first_that_has_no_place_has_its_turn() {
    let order = Arc::new(CallSequence::default());
    let (first, second, third) = (arrive(&order, 1), arrive(&order, 2), arrive(&order, 3));
    let is_first = |number| order.0.borrow().is_first(number);
    assert!(is_first(1) && !is_first(2) && !is_first(3));
    drop(second);
    assert!(is_first(1) && !is_first(3));
    // One that is given up counts as placed.
    drop(first);
    assert!(is_first(3));
    drop(third);
    assert!(order.0.borrow().numbers.is_empty());
}
