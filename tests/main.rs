//! The one integration binary. Each module tests one road through the real program.

mod budget;
mod cli;
mod images;
mod jobs;
mod protocol;
mod stops;
mod support;
mod text;
