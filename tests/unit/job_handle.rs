//! Unit tests of `src/job/handle.rs`, whose child this module is.

#![expect(clippy::unwrap_used, reason = "a test without its names fails")]

use super::{HeldBy, Instance};

fn named(name: &str) -> Instance {
    name.parse().unwrap()
}

#[test]
fn names_have_a_strict_alphabet() {
    for name in ["one", "mcp-python-sandbox-7d9c6d5b4-x2x9z", "0", &"x".repeat(63)] {
        assert_eq!(named(name).name(), Some(name));
    }
    let too_long = "x".repeat(64);
    for name in ["", "One", "a.b", "a_b", "-a", "a-", "a b", "ä", "a/b", "a\n", &too_long] {
        assert!(name.parse::<Instance>().is_err(), "{name:?}");
    }
}

#[test]
fn a_handle_is_random_and_says_who_holds_it() {
    let (first, second) = (named("one").new_handle().unwrap(), named("one").new_handle().unwrap());
    assert_ne!(first, second);
    let digits = first.strip_prefix("one.").unwrap();
    assert_eq!(digits.len(), 32);
    assert_eq!(named("one").holder(&first), HeldBy::Here(digits));
    assert_eq!(named("two").holder(&first), HeldBy::Elsewhere("one"));
    let nameless = Instance::default();
    assert_eq!(nameless.new_handle().unwrap().len(), 32);
    assert_eq!(nameless.holder(&first), HeldBy::Here(&first));
    assert_eq!(nameless.elsewhere(&first).map(|error| error.to_string()), None);
}

#[test]
fn what_only_looks_like_a_handle_of_another_is_none() {
    let digits = "0123456789abcdef0123456789abcdef";
    let two = named("two");
    let says = |handle: &str| two.elsewhere(handle).map(|error| error.to_string());
    assert_eq!(
        says(&format!("one.{digits}")).unwrap(),
        "the server `one` holds this handle, but the call came to `two`: try again, or begin \
         anew without the handle (for the operator: calls must be sent to the server that \
         their handle names)"
    );
    let upper = digits.to_uppercase();
    let of_no_other = ["", "two.", "One.", "<b>.", ".", "one.two."];
    let mut handles = of_no_other.map(|name| format!("{name}{digits}")).to_vec();
    handles.extend([format!("one.{upper}"), format!("one.{digits}0")]);
    handles.extend(["one.", "new", ""].map(str::to_owned));
    for handle in handles {
        assert_eq!(says(&handle), None, "{handle}");
    }
}
