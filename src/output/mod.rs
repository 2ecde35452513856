//! The input of a run, and what a job writes, split and bounded as it arrives.

mod bounded;
pub mod frames;
mod order;
mod stream;
mod tap;
mod written_files;

pub(crate) use bounded::FirstFew;
pub use bounded::{HeadTail, escape_invalid};
pub use order::RunOrder;
pub(crate) use stream::PlacedImage;
pub use stream::{Captured, Output};
pub(crate) use tap::OutputTap;
pub(crate) use written_files::{NotShown, PictureOrder, Pictures, ShownFile, read_texts, reported};
