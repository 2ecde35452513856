//! The host: private directories, walks through trees that jobs made, random names, locks.

mod lock;
mod private_dir;
mod random;
pub(crate) mod walk;

pub(crate) use lock::lock;
pub(crate) use private_dir::{PrivateDir, make_private, put};
pub(crate) use random::{hex, nonce};
