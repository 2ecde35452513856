//! Unit tests of `src/job/caller.rs`, whose child this module is.

#![expect(clippy::expect_used, reason = "a test without its addresses fails")]

use super::{Caller, Client};

fn at(address: &str) -> Caller {
    Caller::at(address.parse().expect("an address"))
}

#[test]
fn a_network_of_ipv6_and_an_address_of_ipv4_are_one_caller() {
    assert_eq!(at("2001:db8:1:2::1"), at("2001:db8:1:2:ffff:ffff:ffff:ffff"));
    assert_ne!(at("2001:db8:1:2::1"), at("2001:db8:1:3::1"));
    assert_eq!(at("::ffff:192.0.2.1"), at("192.0.2.1"));
    assert_ne!(at("192.0.2.1"), at("192.0.2.2"));
}

#[test]
fn only_a_connection_lists_what_it_began() {
    let over = |caller, connection| Client { caller, connection };
    let (here, there) = (at("192.0.2.1"), at("192.0.2.2"));
    assert!(over(here, Some(1)).lists(over(here, Some(1))));
    assert!(!over(here, Some(1)).lists(over(here, Some(2))));
    assert!(!over(here, Some(1)).lists(over(there, Some(1))));
    assert!(!Client::alone(here).lists(Client::alone(here)));
}
