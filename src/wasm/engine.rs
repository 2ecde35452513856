//! The one engine of the process, and the thread that makes its epochs pass.

use crate::error::Error;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use wasmtime::{Config, Engine};

/// Time between two epochs: how long a guest may run before the host looks at it.
pub(super) const TICK: Duration = Duration::from_millis(10);

/// Bytes of stack that WebAssembly code may use; the guest's own C stack lies in its linear memory.
pub(super) const WASM_STACK: usize = 16 << 20;

/// Stack that a thread needs to run a guest: [`WASM_STACK`] and room for host calls above it.
pub const THREAD_STACK: usize = WASM_STACK + (4 << 20);

/// Makes the engine.
///
/// # Errors
/// If this wasmtime was built without what the configuration asks for.
pub(super) fn engine() -> Result<Engine, Error> {
    let engine = config().and_then(|config| Engine::new(&config));
    engine.map_err(|source| Error::Engine { what: "set up the WebAssembly engine", source: source.into() })
}

fn config() -> wasmtime::Result<Config> {
    let mut config = Config::new();
    // Code for the baseline of the architecture: the same artefact then serves a CPU without AVX, at no measurable cost.
    if cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        config.target("x86_64-unknown-linux-gnu")?;
    }
    config
        .consume_fuel(true)
        .epoch_interruption(true)
        .max_wasm_stack(WASM_STACK)
        // Not used, since guests run on threads of their own, but checked against the line above.
        .async_stack_size(WASM_STACK)
        // Instances start as copy-on-write views of the snapshot. The default bound (16 MiB) is below the snapshot's
        // size and would silently copy it for each job.
        .memory_init_cow(true)
        .memory_guaranteed_dense_image_size(256 << 20);
    Ok(config)
}

/// Advances an engine's epoch every [`TICK`] until it is dropped.
#[derive(Debug)]
pub(super) struct EpochThread {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl EpochThread {
    /// Starts the thread.
    pub(super) fn start(engine: &Engine) -> io::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let (engine, stopped) = (engine.weak(), Arc::clone(&stop));
        let thread = thread::Builder::new().name("epoch".into()).spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                thread::park_timeout(TICK);
                match engine.upgrade() {
                    Some(engine) => engine.increment_epoch(),
                    None => return,
                }
            }
        })?;
        Ok(Self { stop, thread: Some(thread) })
    }
}

impl Drop for EpochThread {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // The thread does nothing that could panic, and a failed join would change nothing here.
            let _ = thread.join();
        }
    }
}
