//! An MCP server that runs Python for a language model.
//!
//! `ARCHITECTURE.md` follows one call through the code and says where to change what. Nothing here
//! is an interface for other crates; the only interface is the program.

mod answer;
mod cli;
mod commands;
mod error;
mod host;
mod images;
mod job;
mod mcp;
mod native;
mod output;
#[doc(hidden)]
pub mod proxy;
mod runtime;
mod service;
#[doc(hidden)]
pub mod vfs;
mod wasm;

pub use cli::{Cli, Mistake, command};
pub use commands::execute;
pub use native::helper::{SUBCOMMAND as HELPER, main as become_helper};

/// What tests and benchmarks reach of the inside.
#[doc(hidden)]
pub mod testing {
    pub use crate::answer::{Answer, as_terminal, for_terminal};
    pub use crate::cli::Config;
    pub use crate::error::Error;
    pub use crate::images::{Budget, Fitted, fit};
    pub use crate::job::{
        BootstrapOptions, Job, LimitHit, LimitKind, Limits, Noticed, OutputFile, PythonError,
        Report, ReportedExit, Request, RunEnd, RunRecord, RuntimeKind, WrittenPicture,
    };
    pub use crate::native::probe::{Bounded, Control, PROBES, Probe, is_root};
    pub use crate::native::{
        Confinement, JobDir, NativeConfig, NativeInterpreter, NativeRuntime, Network, Status,
        WALLS, close_own_process,
    };
    pub use crate::output::{Captured, HeadTail, Output, RunOrder, escape_invalid, frames};
    pub use crate::service::{Call, Service, ServiceConfig};
    pub use crate::wasm::{Artefact, THREAD_STACK, WasmRuntime};
}
