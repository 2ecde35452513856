//! Any line of a client.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| mcp_python_sandbox_fuzz::properties::line(data));
