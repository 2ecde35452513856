//! The one engine of the process.

use crate::error::Error;
use rustix::process::{Resource, getrlimit};
use wasmtime::{Config, Engine};

/// Bytes of stack that WebAssembly code may use; the guest's own C stack lies in its linear memory.
pub(super) const WASM_STACK: usize = 16 << 20;

/// Stack that a thread needs to run a guest: `WASM_STACK` and room for host calls above it.
pub const THREAD_STACK: usize = WASM_STACK + (4 << 20);

/// Bytes of address space below which a guest does not get the 4 GiB that its pointers can reach. A
/// busy server holds dozens of guests.
const AMPLE_ADDRESS_SPACE: u64 = 256 << 30;

/// Whether address space is scarce (`ulimit -v`). Guests then reserve what they use, and the code
/// is another: it checks each access to memory.
pub(super) fn address_space_is_limited() -> bool {
    getrlimit(Resource::As).current.is_some_and(|limit| limit < AMPLE_ADDRESS_SPACE)
}

pub(super) fn engine() -> Result<Engine, Error> {
    let engine = config().and_then(|config| Engine::new(&config));
    engine.map_err(|source| Error::engine("set up the WebAssembly engine", source))
}

fn config() -> wasmtime::Result<Config> {
    let mut config = Config::new();
    // Code for the baseline of the architecture: the same artefact then serves a CPU without AVX,
    // at no measurable cost.
    if cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        // wasmtime loads nothing for another C library, although the code is the same.
        config.target(if cfg!(target_env = "musl") {
            "x86_64-unknown-linux-musl"
        } else {
            "x86_64-unknown-linux-gnu"
        })?;
    }
    config
        // Neither fuel nor epochs: see `meter`, whose branches to the host are hinted to be
        // unlikely.
        .wasm_branch_hinting(true)
        // Nobody reads where in the WebAssembly a trap was: the guest names the Python line. This
        // saves a tenth on disk.
        .generate_address_map(false)
        .native_unwind_info(false)
        .wasm_backtrace_max_frames(None)
        .max_wasm_stack(WASM_STACK)
        // Unused, since guests run on threads of their own, but checked against the line above.
        .async_stack_size(WASM_STACK)
        // Instances start as copy-on-write views of the snapshot. The default bound (16 MiB) is
        // below the snapshot's size and would silently copy it for each job.
        .memory_init_cow(true)
        .memory_guaranteed_dense_image_size(256 << 20);
    if address_space_is_limited() {
        config
            .memory_reservation(0)
            .memory_guard_size(64 << 10)
            // A memory that outgrows this moves, which copies it.
            .memory_reservation_for_growth(64 << 20);
    }
    Ok(config)
}
