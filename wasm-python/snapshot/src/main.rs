//! Build step: runs the guest's initialisation once and writes the resulting state as a new module.
//!
//! The same inputs must give the same bytes. The guest therefore sees no environment, clocks that only count, and random
//! bytes that repeat; whatever a job needs fresh is renewed by the bootstrap when the job starts.

use std::env;
use std::error::Error;
use std::fs;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::runtime::Runtime;
use wasmtime::{Caller, Config, Engine, Instance, Linker, Module, Store, Val};
use wasmtime_wasi::p1::{self, WasiP1Ctx};
use wasmtime_wasi::random::Deterministic;
use wasmtime_wasi::{FsPerms, HostMonotonicClock, HostWallClock, WasiCtxBuilder};
use wasmtime_wizer::{InstanceState, SnapshotVal, ValType, Wizer};

/// The guest's day of birth: 2025-01-01, as `SOURCE_DATE_EPOCH` of the build scripts.
const EPOCH: Duration = Duration::from_hours(482_136);

/// Must be enough for the deepest import; the product's own limit is larger.
const MAX_WASM_STACK: usize = 8 << 20;

#[expect(clippy::print_stderr, reason = "a build step reports to the person who runs it")]
fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [guest, library, bootstrap, output] = arguments.as_slice() else {
        eprintln!("usage: snapshot-guest GUEST.wasm LIBRARY-DIR BOOTSTRAP-DIR OUTPUT.wasm");
        return ExitCode::from(2);
    };
    let result =
        Runtime::new().map_err(Into::into).and_then(|runtime| runtime.block_on(run(guest, library, bootstrap, output)));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: failed to make the snapshot of `{guest}`: {error:?}");
            ExitCode::FAILURE
        }
    }
}

async fn run(guest: &str, library: &str, bootstrap: &str, output: &str) -> Result<(), Box<dyn Error>> {
    let wasm = fs::read(guest)?;
    let wizer = Wizer::new();
    let (context, instrumented) = wizer.instrument(&wasm)?;

    let mut config = Config::new();
    config.max_wasm_stack(MAX_WASM_STACK).async_stack_size(2 * MAX_WASM_STACK);
    let engine = Engine::new(&config)?;
    let module = Module::new(&engine, &instrumented)?;
    let mut linker = Linker::new(&engine);
    p1::add_to_linker_async(&mut linker, |wasi: &mut WasiP1Ctx| wasi)?;
    linker.func_wrap("mcp_python_sandbox", "emit", |_: Caller<'_, WasiP1Ctx>, _: u32, _: u32| {})?;

    let mut store = Store::new(&engine, world(library, bootstrap)?);
    let instance = linker.instantiate_async(&mut store, &module).await?;
    for name in ["_initialize", wizer.get_init_func()] {
        instance.get_typed_func::<(), ()>(&mut store, name)?.call_async(&mut store, ()).await?;
    }

    let snapshot = wizer.snapshot(&context, &mut Initialised { store, instance }).await?;
    fs::write(output, snapshot)?;
    Ok(())
}

/// What the guest sees while it initialises:
/// - its library at `/lib`, the bootstrap at `/bootstrap`, both read-only
/// - standard output and error of this process, no input
/// - no arguments, no environment, no network
/// - clocks and randomness that are the same in every run
fn world(library: &str, bootstrap: &str) -> wasmtime::Result<WasiP1Ctx> {
    let mut wasi = WasiCtxBuilder::new();
    wasi.inherit_stdout()
        .inherit_stderr()
        .secure_random(Deterministic::new((0..=u8::MAX).collect()))
        .insecure_random(Deterministic::new((0..=u8::MAX).collect()))
        .wall_clock(CountingClock::default())
        .monotonic_clock(CountingClock::default())
        .preopened_dir(library, "/lib", FsPerms::ReadOnly)?
        .preopened_dir(bootstrap, "/bootstrap", FsPerms::ReadOnly)?;
    Ok(wasi.build_p1())
}

/// Advances a millisecond whenever it is read, so that nothing can wait for it for ever.
#[derive(Default)]
struct CountingClock(AtomicU64);

impl CountingClock {
    fn elapsed(&self) -> Duration {
        Duration::from_millis(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

impl HostWallClock for CountingClock {
    fn resolution(&self) -> Duration {
        Duration::from_millis(1)
    }

    fn now(&self) -> Duration {
        EPOCH + self.elapsed()
    }
}

impl HostMonotonicClock for CountingClock {
    fn resolution(&self) -> u64 {
        1_000_000
    }

    fn now(&self) -> u64 {
        u64::try_from(self.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

/// An instance whose state is ready to be written down.
struct Initialised {
    store: Store<WasiP1Ctx>,
    instance: Instance,
}

impl InstanceState for Initialised {
    async fn global_get(&mut self, name: &str, _: ValType) -> SnapshotVal {
        let value = self.instance.get_global(&mut self.store, name).map(|global| global.get(&mut self.store));
        match value {
            Some(Val::I32(value)) => SnapshotVal::I32(value),
            Some(Val::I64(value)) => SnapshotVal::I64(value),
            Some(Val::F32(bits)) => SnapshotVal::F32(bits),
            Some(Val::F64(bits)) => SnapshotVal::F64(bits),
            Some(Val::V128(value)) => SnapshotVal::V128(value.as_u128()),
            other => panic!("`{name}` was instrumented as a global of numbers, but is {other:?}"),
        }
    }

    async fn memory_contents(&mut self, name: &str, contents: impl FnOnce(&[u8]) + Send) {
        let memory = self.instance.get_memory(&mut self.store, name);
        contents(memory.map(|memory| memory.data(&self.store)).unwrap_or_default());
    }
}
