//! Any stream of a job, in pieces of any size.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| mcp_python_sandbox_fuzz::properties::markers(data));
