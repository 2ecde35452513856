//! Handles: the names of what a server keeps between calls, of sessions, background jobs and files.
//!
//! A handle is 32 lower-case hexadecimal digits, 128 random bits. Where several servers work side
//! by side, the name of the one that holds it and a dot come first,
//! `one.0123456789abcdef0123456789abcdef`, so that a router can send a call there. Only the random
//! part is a secret.

use crate::error::Error;
use crate::host::nonce;
use std::str::FromStr;
use std::sync::Arc;

/// Longest name: that of a label in DNS (RFC 1035 §2.3.4), which names of pods keep to as well.
const MAX_NAME: usize = 63;
/// Hexadecimal digits of a handle.
const DIGITS: usize = 32;
/// Between the two parts: no name contains it, and no part of an address has to encode it.
const SEPARATOR: char = '.';

/// The server as others of its kind know it; nameless where there is only one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Instance(Option<Arc<str>>);

/// What a name must be.
#[derive(Debug, thiserror::Error)]
#[error(
    "a name has 1 to {MAX_NAME} characters out of a-z, 0-9 and -, and neither begins nor ends \
     with -"
)]
pub struct BadName;

impl FromStr for Instance {
    type Err = BadName;

    fn from_str(name: &str) -> Result<Self, BadName> {
        is_name(name).then(|| Self(Some(name.into()))).ok_or(BadName)
    }
}

impl Instance {
    pub fn name(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// A handle that no other server gives out.
    pub fn new_handle(&self) -> Result<String, Error> {
        Ok(self.own(&nonce()?))
    }

    /// `id` with the name before it.
    pub fn own(&self, id: &str) -> String {
        self.name().map_or_else(|| id.to_owned(), |name| format!("{name}{SEPARATOR}{id}"))
    }

    /// Who holds what a handle, made by [`Self::own`] of some server, stands for.
    pub(crate) fn holder<'a>(&self, owned: &'a str) -> HeldBy<'a> {
        let Some(own) = self.name() else { return HeldBy::Here(owned) };
        match owned.split_once(SEPARATOR) {
            Some((name, id)) if name == own => HeldBy::Here(id),
            Some((name, _)) if is_name(name) => HeldBy::Elsewhere(name),
            Some(_) | None => HeldBy::Nowhere,
        }
    }

    /// The error for a handle that another server would have to know. It depends on the form of the
    /// handle alone, so it tells nothing about what is here.
    pub(crate) fn elsewhere(&self, handle: &str) -> Option<Error> {
        let digits = handle.split_once(SEPARATOR)?.1;
        let is_random = digits.len() == DIGITS
            && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        match self.holder(handle) {
            HeldBy::Elsewhere(name) if is_random => Some(Error::Elsewhere {
                holder: name.to_owned(),
                here: self.name().unwrap_or_default().to_owned(),
            }),
            _ => None,
        }
    }
}

/// Where something is held.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum HeldBy<'a> {
    /// Here, if anywhere; without our name.
    Here(&'a str),
    /// By the server of this name, if anywhere.
    Elsewhere(&'a str),
    /// The form is not that of any server here.
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
#[path = "../../tests/unit/job_handle.rs"]
mod tests;
