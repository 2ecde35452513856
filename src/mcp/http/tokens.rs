//! Bearer tokens (RFC 6750 §2.1): who may call.

use crate::job::Caller;
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// Shorter tokens can be guessed.
const MIN_LENGTH: usize = 16;

/// The tokens of an operator's file. Only their hashes are kept: a comparison then takes the same
/// time whatever is sent.
#[derive(Debug, Clone)]
pub(crate) struct Tokens(HashMap<[u8; 32], Known>);

/// Somebody who may call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    pub(super) caller: Caller,
    /// Whether it may see the figures of all callers.
    pub(super) is_operator: bool,
}

/// What is wrong with a file of tokens, and in which line. The token is never shown.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BadTokens {
    #[error("line {0} must be `NAME TOKEN` or `TOKEN`")]
    Line(usize),
    #[error("the token in line {0} is shorter than {MIN_LENGTH} characters")]
    Short(usize),
    #[error("the token in line {0} stands there twice")]
    Twice(usize),
    #[error("it holds no token")]
    None,
}

impl Tokens {
    /// Reads a file of tokens: one a line, `NAME TOKEN` or `TOKEN` alone, or `NAME TOKEN operator`;
    /// empty lines and lines that begin with `#` do not count.
    pub(crate) fn parse(text: &str) -> Result<Self, BadTokens> {
        let mut tokens = HashMap::new();
        // Some editors put a byte order mark first.
        for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            let (line, number) = (line.trim(), index + 1);
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let mut words = line.split_whitespace();
            let words = [words.next(), words.next(), words.next(), words.next()];
            let (caller, token, is_operator) = match words {
                [Some(token), None, ..] => (of_name(&format!("token-{number}")), token, false),
                [Some(name), Some(token), None, _] => (of_name(name), token, false),
                [Some(name), Some(token), Some("operator"), None] => (of_name(name), token, true),
                _ => return Err(BadTokens::Line(number)),
            };
            if token.len() < MIN_LENGTH {
                return Err(BadTokens::Short(number));
            }
            if tokens.insert(digest(token), Known { caller, is_operator }).is_some() {
                return Err(BadTokens::Twice(number));
            }
        }
        if tokens.is_empty() { Err(BadTokens::None) } else { Ok(Self(tokens)) }
    }

    /// Whom an `Authorization` header proves.
    pub(super) fn owner(&self, header: Option<&str>) -> Option<Known> {
        let (scheme, token) = header?.split_once(' ')?;
        let token = scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())?;
        self.0.get(&digest(token)).copied()
    }
}

fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

/// The caller of this name; no other name has its number.
fn of_name(name: &str) -> Caller {
    let number = digest(name).iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte));
    Caller::Token(number)
}
