//! Build step: runs the guest's initialisation once and writes the resulting state as a new module.
//!
//! The same inputs must give the same bytes. The guest therefore sees no environment, clocks that only count, and random
//! bytes that repeat; whatever a job needs fresh is renewed by the bootstrap when the job starts.

use std::env;
use std::error::Error;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{self, ExitCode};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::json;
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
    let [guest, library, bootstrap, output, training @ ..] = arguments.as_slice() else {
        eprintln!("usage: snapshot-guest GUEST.wasm LIBRARY-DIR BOOTSTRAP-DIR OUTPUT.wasm");
        eprintln!("       snapshot-guest INSTRUMENTED.wasm LIBRARY-DIR BOOTSTRAP-DIR OUTPUT.profraw TRAINING.py");
        return ExitCode::from(2);
    };
    let result = Runtime::new().map_err(Into::into).and_then(|runtime| {
        runtime.block_on(async {
            match training.first() {
                None => snapshot(guest, library, bootstrap, output).await,
                Some(training) => profile(guest, library, bootstrap, output, training).await,
            }
        })
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: failed to make the snapshot of `{guest}`: {error:?}");
            ExitCode::FAILURE
        }
    }
}

/// Writes the state of the guest after its initialisation.
async fn snapshot(guest: &str, library: &str, bootstrap: &str, output: &str) -> Result<(), Box<dyn Error>> {
    let wizer = Wizer::new();
    let wasm = fs::read(guest)?;
    let (context, instrumented) = wizer.instrument(&wasm)?;
    let scratch = Scratch::new()?;
    let mut guest = initialised(&instrumented, world(library, bootstrap, &scratch.0)?).await?;
    let snapshot = wizer.snapshot(&context, &mut guest).await?;
    fs::write(output, snapshot)?;
    Ok(())
}

/// Runs a guest that counts what it executes through its initialisation and a job, and writes the counts.
async fn profile(
    guest: &str,
    library: &str,
    bootstrap: &str,
    output: &str,
    training: &str,
) -> Result<(), Box<dyn Error>> {
    let scratch = Scratch::new()?;
    let Initialised { mut store, instance } =
        initialised(&fs::read(guest)?, world(library, bootstrap, &scratch.0)?).await?;
    let code = fs::read_to_string(training)?;
    let nonce = "0".repeat(32);
    let request = json!({ "code": code, "nonce": nonce, "runtime": "wasm", "native": "off" }).to_string();
    let allocate = instance.get_typed_func::<u32, u32>(&mut store, "sandbox_alloc")?;
    let run = instance.get_typed_func::<(u32, u32), i32>(&mut store, "sandbox_run")?;
    let write = instance.get_typed_func::<(), i32>(&mut store, "profile_write")?;
    let memory = instance.get_memory(&mut store, "memory").ok_or("the guest exports no memory")?;

    let len = u32::try_from(request.len())?;
    let address = allocate.call_async(&mut store, len).await?;
    memory.write(&mut store, address as usize, request.as_bytes())?;
    if run.call_async(&mut store, (address, len)).await? != 0 {
        return Err(format!("`{training}` failed in the guest").into());
    }
    if write.call_async(&mut store, ()).await? != 0 {
        return Err("the guest could not write its profile".into());
    }
    fs::copy(scratch.0.join("data/guest.profraw"), output)?;
    Ok(())
}

/// An instance of `wasm` that has run its initialisation in `world`.
async fn initialised(wasm: &[u8], world: WasiP1Ctx) -> Result<Initialised, Box<dyn Error>> {
    let mut config = Config::new();
    config.max_wasm_stack(MAX_WASM_STACK).async_stack_size(2 * MAX_WASM_STACK);
    let engine = Engine::new(&config)?;
    let module = Module::new(&engine, wasm)?;
    let mut linker = Linker::new(&engine);
    p1::add_to_linker_async(&mut linker, |wasi: &mut WasiP1Ctx| wasi)?;
    linker.func_wrap("mcp_python_sandbox", "emit", |_: Caller<'_, WasiP1Ctx>, _: u32, _: u32| {})?;

    let mut store = Store::new(&engine, world);
    let instance = linker.instantiate_async(&mut store, &module).await?;
    for name in ["_initialize", Wizer::new().get_init_func()] {
        instance.get_typed_func::<(), ()>(&mut store, name)?.call_async(&mut store, ()).await?;
    }
    Ok(Initialised { store, instance })
}

/// What the guest sees while it initialises:
/// - its library at `/lib`, the bootstrap at `/bootstrap`, both read-only
/// - empty folders at `/tmp` and `/mnt/data`, which the rehearsed jobs write to
/// - standard output and error of this process, no input
/// - no arguments, no environment, no network
/// - clocks and randomness that are the same in every run
fn world(library: &str, bootstrap: &str, scratch: &Path) -> wasmtime::Result<WasiP1Ctx> {
    let mut wasi = WasiCtxBuilder::new();
    wasi.inherit_stdout()
        .inherit_stderr()
        .secure_random(Deterministic::new((0..=u8::MAX).collect()))
        .insecure_random(Deterministic::new((0..=u8::MAX).collect()))
        .wall_clock(CountingClock::default())
        .monotonic_clock(CountingClock::default())
        .preopened_dir(library, "/lib", FsPerms::ReadOnly)?
        .preopened_dir(bootstrap, "/bootstrap", FsPerms::ReadOnly)?
        .preopened_dir(scratch.join("tmp"), "/tmp", FsPerms::ReadWrite)?
        .preopened_dir(scratch.join("data"), "/mnt/data", FsPerms::ReadWrite)?;
    Ok(wasi.build_p1())
}

/// A folder for the guest's own files, gone with this value.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> io::Result<Self> {
        let folder = env::temp_dir().join(format!("snapshot-guest-{}", process::id()));
        fs::create_dir_all(folder.join("tmp"))?;
        fs::create_dir_all(folder.join("data"))?;
        Ok(Self(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left over lies among temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
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
