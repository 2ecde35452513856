//! Unit tests of `src/service/accounts.rs`, whose child this module is.

#![expect(clippy::expect_used, reason = "a test without what it takes fails")]

use super::{Accounts, AccountsConfig, Exceeded, Resource};
use crate::job::Caller;

const ADA: Caller = Caller::Token(1);
const BOB: Caller = Caller::Token(2);

fn accounts() -> Accounts {
    Accounts::new(AccountsConfig { requests: 3_200, answers: 0, streams: 64, reads: 4 })
}

#[test]
fn one_caller_gets_half_and_what_it_gives_back() {
    let accounts = accounts();
    let mut held = accounts.take(ADA, Resource::Requests, 1_500).expect("it is there");
    assert_eq!(held.grow(101), Err(Exceeded));
    assert_eq!(held.grow(100), Ok(()));
    assert_eq!(accounts.take(ADA, Resource::Requests, 1).err(), Some(Exceeded));
    // What is counted apart is apart.
    drop(accounts.take(ADA, Resource::Streams, 32).expect("it is there"));
    held.shrink_to(1_500);
    drop(accounts.take(ADA, Resource::Requests, 100).expect("it is there"));
    drop(held);
    assert!(super::lock(&accounts.0.books).of.is_empty());
    assert!(accounts.take(ADA, Resource::Requests, 1_600).is_ok());
}

#[test]
fn the_last_quarter_is_for_those_who_hold_little() {
    let accounts = accounts();
    let _ada = accounts.take(ADA, Resource::Requests, 1_600).expect("it is there");
    let _other = accounts.take(Caller::Token(3), Resource::Requests, 800).expect("it is there");
    let mut bob = accounts.take(BOB, Resource::Requests, 100).expect("it is little");
    assert_eq!(bob.grow(1), Err(Exceeded));
    for other in 4..11 {
        std::mem::forget(accounts.take(Caller::Token(other), Resource::Requests, 100));
    }
    assert_eq!(accounts.take(Caller::Token(11), Resource::Requests, 1).err(), Some(Exceeded));
}

#[tokio::test]
async fn who_waits_gets_what_comes_back() {
    let accounts = accounts();
    let first = accounts.wait_for(ADA, Resource::Requests, 1_600).await;
    let second = accounts.wait_for(ADA, Resource::Requests, 1_600);
    let (second, ()) = tokio::join!(second, async move { drop(first) });
    assert_eq!(second.amount, 1_600);
}

#[test]
fn of_few_there_is_one_for_who_comes_late() {
    let accounts = accounts();
    let take = |caller| accounts.take(caller, Resource::Reads, 1);
    let _ada = [take(ADA).expect("one"), take(ADA).expect("two")];
    assert_eq!(take(ADA).err(), Some(Exceeded));
    let _bob = take(BOB).expect("one");
    assert_eq!(take(BOB).err(), Some(Exceeded));
    assert!(take(Caller::Token(3)).is_ok());
}
