//! Unit tests of `src/mcp/http/connections.rs`, whose child this module is.

use super::{ConnectionTable, InUse};
use crate::job::Caller;
use axum::http::HeaderValue;
use serde_json::json;

const ME: Caller = Caller::Token(1);
const COUNT: usize = 750;

#[test]
fn the_connection_silent_longest_makes_room_unless_something_runs_on_it() {
    let table = ConnectionTable::default();
    let name = |n: usize| HeaderValue::from(n);
    for n in 0..COUNT {
        assert_eq!(table.begin(name(n), ME), Vec::<HeaderValue>::new());
    }
    let running = table.open(&name(0), &json!(1));
    assert!(matches!(running, Ok(Some(_))));
    assert_eq!(table.open(&name(0), &json!(1)).err(), Some(InUse));
    assert!(table.touch(&name(1), ME));
    assert_eq!(table.begin(name(COUNT), ME), [name(2)]);
    drop(running);
    assert!(table.touch(&name(0), ME));
    assert!(matches!(table.open(&name(0), &json!(1)), Ok(Some(_))));
    table.end(&name(3));
    assert_eq!(table.begin(name(COUNT + 1), ME), Vec::<HeaderValue>::new());
    assert_eq!(table.begin(name(COUNT + 2), ME), [name(4)]);
}

#[test]
fn the_connection_of_another_is_as_unknown_as_none() {
    let table = ConnectionTable::default();
    let name = HeaderValue::from(7);
    table.begin(name.clone(), ME);
    assert!(table.touch(&name, ME));
    assert!(!table.touch(&name, Caller::Token(2)));
    assert!(!table.touch(&HeaderValue::from(8), ME));
}

#[test]
fn a_caller_beyond_its_share_ends_no_connection_of_another() {
    let table = ConnectionTable::default();
    let (name, bob) = (|n: usize| HeaderValue::from(n), Caller::Token(2));
    table.begin(name(9_999), bob);
    for n in 0..1_001 {
        let gone = table.begin(name(n), ME);
        assert_eq!(gone, n.checked_sub(COUNT).map(name).into_iter().collect::<Vec<_>>());
    }
    assert!(table.touch(&name(9_999), bob));
}
