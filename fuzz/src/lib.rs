//! The parsers under test, compiled from the server's own sources without the rest of the server,
//! and what must hold for them.

#![allow(dead_code, reason = "the parsers' other callers are not here")]

#[path = "../../src/output/frames.rs"]
pub mod frames;
#[path = "../properties.rs"]
pub mod properties;
#[path = "../../src/mcp/jsonrpc/mod.rs"]
mod wire;
