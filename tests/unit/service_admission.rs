//! Unit tests of `src/service/admission.rs`, whose child this module is.

#![expect(clippy::expect_used, reason = "a test without its permits fails")]

use super::{Admission, AdmissionConfig, Permit};
use crate::error::Error;
use crate::job::Caller;
use futures_util::FutureExt as _;
use std::pin::pin;

const ADA: Caller = Caller::Token(1);
const BOB: Caller = Caller::Token(2);
const EVE: Caller = Caller::Token(3);

fn admission(running: usize, running_of_one: usize) -> Admission {
    Admission::new(AdmissionConfig { running, waiting: 9, running_of_one, waiting_of_one: 3 })
}

/// A permit that is there at once.
fn now(admission: &Admission, caller: Caller) -> Option<Permit> {
    admission.enter(caller).now_or_never()?.ok()
}

#[tokio::test]
async fn a_caller_of_which_nothing_runs_finds_a_place_when_all_are_taken() {
    let admission = admission(2, 2);
    let _ada = [now(&admission, ADA).expect("one"), now(&admission, ADA).expect("two")];
    assert!(now(&admission, ADA).is_none());
    let bob = now(&admission, BOB).expect("the reserve");
    assert!(now(&admission, BOB).is_none());
    assert!(now(&admission, EVE).is_none());
    assert_eq!((admission.running(), admission.places(), admission.take_peak()), (3, 2, 3));
    drop(bob);
    assert!(now(&admission, EVE).is_some());
    assert_eq!((admission.running(), admission.waiting()), (2, 0));
}

#[tokio::test]
async fn callers_take_turns_whoever_came_first() {
    let admission = admission(1, 1);
    let first = now(&admission, ADA).expect("a place");
    let reserve = now(&admission, EVE).expect("the reserve");
    let (mut one, mut two) = (pin!(admission.enter(ADA)), pin!(admission.enter(ADA)));
    let (mut three, mut bob) = (pin!(admission.enter(ADA)), pin!(admission.enter(BOB)));
    for waiting in [&mut one, &mut two, &mut three, &mut bob] {
        assert!(waiting.as_mut().now_or_never().is_none());
    }
    assert_eq!((admission.of(ADA), admission.of(BOB)), ((1, 3), (0, 1)));
    drop(first);
    let one = one.as_mut().now_or_never().expect("its turn").expect("a place");
    assert!(two.as_mut().now_or_never().is_none());
    drop(one);
    let bob = bob.as_mut().now_or_never().expect("before the next of ada").expect("a place");
    assert!(two.as_mut().now_or_never().is_none());
    drop((bob, reserve));
    assert!(two.as_mut().now_or_never().is_some());
}

#[tokio::test]
async fn a_full_queue_says_whose_it_is_and_an_empty_one_is_forgotten() {
    let admission = admission(1, 1);
    let running = now(&admission, ADA).expect("a place");
    let mut waiting: Vec<_> = (0..3).map(|_| Box::pin(admission.enter(ADA))).collect();
    for waiting in &mut waiting {
        assert!(waiting.as_mut().now_or_never().is_none());
    }
    let refused = admission.enter(ADA).now_or_never();
    assert!(matches!(refused, Some(Err(Error::ClientBusy { running: 1, waiting: 3 }))));
    waiting.truncate(1);
    assert_eq!(admission.of(ADA), (1, 1));
    drop(running);
    // Granted, but nobody asked for it any more.
    drop(waiting);
    assert_eq!((admission.running(), admission.waiting()), (0, 0));
    assert!(super::lock(&admission.0.line).callers.is_empty());
}
