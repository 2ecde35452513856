//! The host: private directories, walks through trees that jobs made, random names, locks, and
//! text of others made fit for lines of ours.

mod apart;
mod folder_lock;
mod lock;
mod printable;
mod priority;
mod private_dir;
mod random;
mod uses;
mod waiting_room;
pub(crate) mod walk;

pub(crate) use apart::apart;
pub(crate) use folder_lock::{FolderLock, remove_leftovers};
pub(crate) use lock::lock;
pub(crate) use printable::{amount, printable, printable_json, printable_lines, printable_within};
pub(crate) use priority::let_give_way;
pub(crate) use private_dir::{PrivateDir, make_private, put, read_start};
pub(crate) use random::{hex, nonce};
pub(crate) use uses::Uses;
pub(crate) use waiting_room::{Seat, WaitingRoom};
