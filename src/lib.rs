//! An MCP server that runs Python for a language model.
//!
//! The road of one call: [`mcp`] makes a [`outcome::Job`] of a request, [`runner`] has it run in [`wasm`] or in the
//! native runtime as [`route`] says, [`output`] and [`images`] take apart what it wrote, [`answer`] renders the
//! [`outcome::Outcome`], and [`mcp`] sends it. `ARCHITECTURE.md` tells where to change what.

pub mod answer;
pub mod background;
pub mod budget;
pub mod cli;
pub mod commands;
pub mod config;
mod ending;
pub mod error;
pub mod files;
mod folder;
pub mod gate;
pub mod handle;
pub mod images;
mod leavings;
pub mod limits;
pub mod live;
mod lock;
pub mod mcp;
pub mod metrics;
pub mod mounts;
pub mod native;
pub mod outcome;
pub mod output;
pub mod packages;
pub mod proxy;
pub mod request;
pub mod route;
pub mod runner;
pub mod session;
pub mod shelf;
pub mod terminal;
pub mod text;
mod tree;
mod trim;
pub mod verdict;
pub mod vfs;
pub mod wasm;
