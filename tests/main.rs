//! The one integration binary. Each module tests one road through the real program.

#![allow(clippy::expect_used, reason = "a test that cannot go on has failed")]
#![allow(unreachable_pub, reason = "nothing of a test binary is reachable")]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "figures of slow tests are there to be read"
)]
#![allow(clippy::needless_pass_by_value, reason = "`json!` in place reads better")]

mod attack_soak;
mod background;
mod bad_requests;
mod budget;
mod cases;
mod cli;
mod completion;
mod contract;
mod guest;
mod http;
mod http_edges;
mod http_sockets;
mod images;
mod instances;
mod jobs;
mod limits;
mod load;
mod mounts;
mod native;
mod network;
mod priorities;
mod prompts;
mod properties;
mod protocol;
mod proxy;
mod resources;
mod sessions;
mod soak;
mod stops;
mod support;
mod tenants;
mod text;
mod vfs;
