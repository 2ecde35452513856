//! Unit tests of `src/mcp/http/connections.rs`, whose child this module is.

use super::{ConnectionTable, InUse, MAX};
use crate::job::Caller;
use axum::http::HeaderValue;
use serde_json::json;

const ME: Caller = Caller::Token(1);

#[test]
fn the_connection_silent_longest_makes_room_unless_something_runs_on_it() {
    let table = ConnectionTable::default();
    let name = |n: usize| HeaderValue::from(n);
    for n in 0..MAX {
        assert_eq!(table.begin(name(n), ME), Vec::<HeaderValue>::new());
    }
    let running = table.open(&name(0), &json!(1));
    assert!(matches!(running, Ok(Some(_))));
    assert_eq!(table.open(&name(0), &json!(1)).err(), Some(InUse));
    assert!(table.touch(&name(1), ME));
    assert_eq!(table.begin(name(MAX), ME), [name(2)]);
    drop(running);
    assert!(matches!(table.open(&name(0), &json!(1)), Ok(Some(_))));
    table.end(&name(3));
    assert_eq!(table.begin(name(MAX + 1), ME), Vec::<HeaderValue>::new());
    assert_eq!(table.begin(name(MAX + 2), ME), [name(4)]);
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
