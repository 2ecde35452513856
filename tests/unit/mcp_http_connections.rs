//! Unit tests of `src/mcp/http/connections.rs`, whose child this module is.

use super::{ConnectionTable, InUse, MAX};
use axum::http::HeaderValue;
use serde_json::json;

#[test]
fn the_connection_silent_longest_makes_room_unless_something_runs_on_it() {
    let table = ConnectionTable::default();
    let name = |n: usize| HeaderValue::from(n);
    for n in 0..MAX {
        assert_eq!(table.begin(name(n)), Vec::<HeaderValue>::new());
    }
    let running = table.open(&name(0), &json!(1));
    assert!(matches!(running, Ok(Some(_))));
    assert_eq!(table.open(&name(0), &json!(1)).err(), Some(InUse));
    table.touch(&name(1));
    assert_eq!(table.begin(name(MAX)), [name(2)]);
    drop(running);
    assert!(matches!(table.open(&name(0), &json!(1)), Ok(Some(_))));
    table.end(&name(3));
    assert_eq!(table.begin(name(MAX + 1)), Vec::<HeaderValue>::new());
    assert_eq!(table.begin(name(MAX + 2)), [name(4)]);
}
