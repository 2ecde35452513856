//! Handles: the names of what a server keeps between calls, of sessions, background jobs and files.
//!
//! A handle is 32 lower-case hexadecimal digits, 128 random bits. Where several servers stand side
//! by side, the name of the one that holds it and a dot come first,
//! `one.0123456789abcdef0123456789abcdef`, so that a router can send a call home. The random part
//! alone opens anything; the name is no secret.

use crate::error::Error;
use crate::host::nonce;
use std::str::FromStr;
use std::sync::Arc;

/// Longest name: that of a label in DNS (RFC 1035 §2.3.4), which names of pods keep to as well.
const MAX_NAME: usize = 63;
/// Hexadecimal digits of a handle.
const DIGITS: usize = 32;
/// Between the two parts: no name can hold it, and no part of an address has to encode it.
const SEPARATOR: char = '.';

/// The server as others of its kind know it; nameless where there is only one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Instance(Option<Arc<str>>);

impl FromStr for Instance {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        if is_name(name) {
            return Ok(Self(Some(name.into())));
        }
        Err(format!(
            "a name has 1 to {MAX_NAME} characters out of a-z, 0-9 and -, and neither begins nor ends with -"
        ))
    }
}

impl Instance {
    /// Its name, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// A handle that no other server gives out.
    ///
    /// # Errors
    /// [`Error::Request`] if the kernel gives no randomness.
    pub fn new_handle(&self) -> Result<String, Error> {
        Ok(self.own(&nonce()?))
    }

    /// `id` with the name before it.
    pub fn own(&self, id: &str) -> String {
        self.name().map_or_else(|| id.to_owned(), |name| format!("{name}{SEPARATOR}{id}"))
    }

    /// What [`Self::own`] made the given text of, or the name of the other server that did.
    pub(crate) fn home<'a>(&self, owned: &'a str) -> Home<'a> {
        let Some(own) = self.name() else { return Home::Here(owned) };
        match owned.split_once(SEPARATOR) {
            Some((name, id)) if name == own => Home::Here(id),
            Some((name, _)) if is_name(name) => Home::Elsewhere(name),
            Some(_) | None => Home::Nowhere,
        }
    }

    /// Why a handle opens nothing here, if another server would have to know it. That depends on
    /// its form alone, so nothing is learnt of what is there.
    pub(crate) fn elsewhere(&self, handle: &str) -> Option<Error> {
        let digits = handle.split_once(SEPARATOR)?.1;
        let is_random = digits.len() == DIGITS
            && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        match self.home(handle) {
            Home::Elsewhere(name) if is_random => Some(Error::Elsewhere {
                holder: name.to_owned(),
                here: self.name().unwrap_or_default().to_owned(),
            }),
            Home::Elsewhere(_) | Home::Here(_) | Home::Nowhere => None,
        }
    }
}

/// Where something is held.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Home<'a> {
    /// Here, if anywhere; without our name.
    Here(&'a str),
    /// By the server of this name, if anywhere.
    Elsewhere(&'a str),
    /// It is of no form that a server here gives out.
    Nowhere,
}

fn is_name(name: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    (1..=MAX_NAME).contains(&name.len())
        && name.bytes().all(allowed)
        && !name.starts_with('-')
        && !name.ends_with('-')
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test without its names fails")]
mod tests {
    use super::{Home, Instance};

    fn named(name: &str) -> Instance {
        name.parse().unwrap()
    }

    #[test]
    fn names_have_a_strict_alphabet() {
        let longest = "x".repeat(63);
        for name in ["one", "mcp-python-sandbox-7d9c6d5b4-x2x9z", "0", longest.as_str()] {
            assert_eq!(named(name).name(), Some(name));
        }
        let too_long = "x".repeat(64);
        for name in
            ["", "One", "a.b", "a_b", "-a", "a-", "a b", "ä", "a/b", "a\n", too_long.as_str()]
        {
            assert!(name.parse::<Instance>().is_err(), "{name:?}");
        }
    }

    #[test]
    fn a_handle_is_random_and_says_who_holds_it() {
        let (first, second) =
            (named("one").new_handle().unwrap(), named("one").new_handle().unwrap());
        assert_ne!(first, second);
        let digits = first.strip_prefix("one.").unwrap();
        assert_eq!(digits.len(), 32);
        assert_eq!(named("one").home(&first), Home::Here(digits));
        assert_eq!(named("two").home(&first), Home::Elsewhere("one"));
        let nameless = Instance::default();
        assert_eq!(nameless.new_handle().unwrap().len(), 32);
        assert_eq!(nameless.home(&first), Home::Here(&first));
        assert_eq!(nameless.elsewhere(&first).map(|error| error.to_string()), None);
    }

    #[test]
    fn what_only_looks_like_a_handle_of_another_is_none() {
        let digits = "0123456789abcdef0123456789abcdef";
        let two = named("two");
        let says = |handle: &str| two.elsewhere(handle).map(|error| error.to_string());
        assert_eq!(
            says(&format!("one.{digits}")).unwrap(),
            "the server `one` holds this handle, but the call came to `two`: try again, or begin anew without the handle \
             (for the operator: calls must be sent to the server that their handle names)"
        );
        let upper = digits.to_uppercase();
        for handle in [
            digits.to_owned(),
            format!("two.{digits}"),
            format!("One.{digits}"),
            format!("<b>.{digits}"),
            format!(".{digits}"),
            format!("one.{upper}"),
            format!("one.{digits}0"),
            format!("one.two.{digits}"),
            "one.".to_owned(),
            "new".to_owned(),
            String::new(),
        ] {
            assert_eq!(says(&handle), None, "{handle}");
        }
    }
}
