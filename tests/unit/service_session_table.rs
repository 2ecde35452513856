//! Unit tests of `src/service/session/table.rs`, whose child this module is.

use super::{Bounds, Refusal, Share, Table};
use crate::job::{Caller, Client};
use std::time::{Duration, Instant};

const IDLE: Duration = Duration::from_secs(10);
const ALMOST_IDLE: Duration = Duration::from_millis(9_999);
const LIFE: Duration = Duration::from_secs(100);
const ALMOST_LIFE: Duration = Duration::from_millis(99_999);

const ME: Caller = Caller::Token(1);
const OTHER: Caller = Caller::Token(2);

fn table() -> (Table<&'static str>, Instant, Client) {
    let (count, memory) = (Share::all(2), Share::all(100));
    let bounds = Bounds { count, memory, idle: IDLE, life: LIFE };
    (Table::new(bounds), Instant::now(), Client::alone(ME))
}

#[test]
fn the_one_unused_longest_makes_room_and_busy_ones_never_do() {
    let (mut table, start, me) = table();
    let at = |seconds| start + Duration::from_secs(seconds);
    assert_eq!(table.insert(at(0), me, "a", "A"), Some(vec![]));
    assert_eq!(table.insert(at(1), me, "b", "B"), Some(vec![]));
    assert_eq!(table.insert(at(2), me, "c", "C"), None);
    table.leave(at(3), "b", Some(1));
    table.leave(at(4), "a", Some(1));
    assert_eq!(table.enter(at(5), "b", ME, 1), Ok("B"));
    assert_eq!(table.insert(at(6), me, "c", "C"), Some(vec!["A"]));
    assert_eq!(table.enter(at(7), "a", ME, 1), Err(Refusal::Unknown));
}

#[test]
fn a_session_is_there_until_the_very_moment_its_time_is_over() {
    let (mut table, start, me) = table();
    table.insert(start, me, "a", "A");
    // Nobody leaves: a call in it keeps it from being idle, but not from the end of its life.
    assert_eq!(table.enter(start + ALMOST_LIFE, "a", ME, 9), Ok("A"));
    assert_eq!(table.enter(start + LIFE, "a", ME, 9), Err(Refusal::Unknown));
    table.insert(start, me, "b", "B");
    table.leave(start, "b", Some(0));
    assert_eq!(table.expire(start + ALMOST_IDLE), Vec::<&str>::new());
    assert_eq!(table.enter(start + IDLE, "b", ME, 9), Err(Refusal::Unknown));
    assert_eq!(table.expire(start + IDLE), vec!["B"]);
}

#[test]
fn memory_over_the_cap_costs_the_one_unused_longest() {
    let (mut table, start, me) = table();
    table.insert(start, me, "a", "A");
    table.insert(start, me, "b", "B");
    assert_eq!(table.leave(start, "a", Some(60)), Vec::<&str>::new());
    assert_eq!(table.leave(start + Duration::from_secs(1), "b", Some(40)), Vec::<&str>::new());
    assert_eq!(table.enter(start + Duration::from_secs(2), "b", ME, 9), Ok("B"));
    // A call that did not run leaves what was held before: 60 and 40.
    assert_eq!(table.leave(start + Duration::from_secs(2), "b", None), Vec::<&str>::new());
    assert_eq!(table.enter(start + Duration::from_secs(2), "b", ME, 9), Ok("B"));
    assert_eq!(table.leave(start + Duration::from_secs(3), "b", Some(41)), vec!["A"]);
    assert_eq!(table.enter(start + Duration::from_secs(4), "b", ME, 9), Ok("B"));
    assert_eq!(table.leave(start + Duration::from_secs(5), "b", Some(101)), vec!["B"]);
    assert_eq!(table.drain(), Vec::<&str>::new());
}

#[test]
fn one_runs_and_as_many_wait_as_may() {
    let (mut table, now, me) = table();
    table.insert(now, me, "a", "A");
    assert_eq!(table.enter(now, "a", ME, 2), Ok("A"));
    assert_eq!(table.enter(now, "a", ME, 2), Ok("A"));
    assert_eq!(table.enter(now, "a", ME, 2), Err(Refusal::Crowded));
}

#[test]
fn callers_find_their_own_only() {
    let (mut table, now, me) = table();
    let other = Client::alone(OTHER);
    table.insert(now, me, "a", "A");
    table.insert(now, other, "b", "B");
    assert_eq!(table.enter(now, "b", ME, 9), Err(Refusal::Unknown));
    assert_eq!(table.of(now, |began| began.caller == ME), vec!["A"]);
}

#[test]
fn what_makes_room_is_of_the_caller_beyond_its_share() {
    let (count, memory) = (Share { of_one: 2, of_all: 3 }, Share { of_one: 75, of_all: 100 });
    let mut table = Table::new(Bounds { count, memory, idle: IDLE, life: LIFE });
    let (mut now, me, other) = (Instant::now(), Client::alone(ME), Client::alone(OTHER));
    table.insert(now, other, "o", "O");
    table.leave(now, "o", Some(10));
    for (handle, session, gone) in [("a", "A", vec![]), ("b", "B", vec![]), ("c", "C", vec!["A"])] {
        now += Duration::from_secs(1);
        assert_eq!(table.insert(now, me, handle, session), Some(gone));
        table.leave(now, handle, Some(30));
    }
    // Those of one are all busy: the other has its part all the same.
    assert_eq!(table.enter(now, "b", ME, 9), Ok("B"));
    assert_eq!(table.enter(now, "c", ME, 9), Ok("C"));
    assert_eq!(table.insert(now, me, "d", "D"), None);
    assert_eq!(table.insert(now, other, "p", "P"), Some(vec!["O"]));
    assert_eq!(table.leave(now, "b", Some(50)), vec!["B"]);
    assert_eq!(table.leave(now, "p", Some(70)), Vec::<&str>::new());
}
