//! Build steps that run the guest: its initialisation, whose resulting state is written as a new
//! module, and the training run whose profile `CPython` is compiled with.
//!
//! The same inputs must give the same bytes. The guest therefore sees no environment, clocks that
//! only count, and random bytes that repeat; whatever a job needs fresh is renewed by the bootstrap
//! when the job starts.

use std::env;
use std::error::Error;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{self, ExitCode};
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
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments.as_slice() {
        ["train", python, library, training, output] => {
            blocking(train(python, library, training, output))
        }
        [guest, library, bootstrap, output] => {
            blocking(snapshot(guest, library, bootstrap, output))
        }
        _ => {
            eprintln!("usage: snapshot-guest GUEST.wasm LIBRARY-DIR BOOTSTRAP-DIR OUTPUT.wasm");
            eprintln!(
                "       snapshot-guest train PYTHON.wasm LIBRARY-DIR TRAINING-DIR OUTPUT.profraw"
            );
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: failed to make `{}`: {error:?}", arguments.last().unwrap_or(&""));
            ExitCode::FAILURE
        }
    }
}

fn blocking(work: impl Future<Output = Result<(), Box<dyn Error>>>) -> Result<(), Box<dyn Error>> {
    Runtime::new()?.block_on(work)
}

/// Writes the state of the guest after its initialisation.
async fn snapshot(
    guest: &str,
    library: &str,
    bootstrap: &str,
    output: &str,
) -> Result<(), Box<dyn Error>> {
    let wizer = Wizer::new();
    let wasm = fs::read(guest)?;
    let (context, instrumented) = wizer.instrument(&wasm)?;
    let scratch = Scratch::new()?;
    let folders =
        [(library, "/lib", FsPerms::ReadOnly), (bootstrap, "/bootstrap", FsPerms::ReadOnly)];
    let mut guest = Instantiated::of(&instrumented, world(&folders, &scratch.0, &[])?).await?;
    guest.call("_initialize").await?;
    guest.call(wizer.get_init_func()).await?;
    let snapshot = wizer.snapshot(&context, &mut guest).await?;
    fs::write(output, snapshot)?;
    Ok(())
}

/// Runs `train.py` in a Python that counts what it executes (`wasm-python/training`), and writes
/// the counts.
async fn train(
    python: &str,
    library: &str,
    training: &str,
    output: &str,
) -> Result<(), Box<dyn Error>> {
    let scratch = Scratch::new()?;
    let folders =
        [(library, "/lib", FsPerms::ReadOnly), (training, "/training", FsPerms::ReadOnly)];
    // Alone with its library, of which it compiles the sources: bytecode may be there or not.
    let options = ["-I", "-S", "-B", "-X", "pycache_prefix=/none"];
    let arguments =
        [&["python3", "/tmp/profile"], options.as_slice(), &["/training/train.py"]].concat();
    let mut python =
        Instantiated::of(&fs::read(python)?, world(&folders, &scratch.0, &arguments)?).await?;
    python.call("_start").await?;
    fs::copy(scratch.0.join("tmp/profile"), output)?;
    Ok(())
}

/// What the guest sees:
/// - the given folders of the build machine
/// - empty folders at `/tmp` and `/mnt/data`, which the warm-up jobs write to
/// - standard output and error of this process, no input
/// - no environment, no network
/// - clocks and randomness that are the same in every run
fn world(
    folders: &[(&str, &str, FsPerms)],
    scratch: &Path,
    arguments: &[&str],
) -> wasmtime::Result<WasiP1Ctx> {
    let mut wasi = WasiCtxBuilder::new();
    wasi.inherit_stdout()
        .inherit_stderr()
        .args(arguments)
        .secure_random(Deterministic::new((0..=u8::MAX).collect()))
        .insecure_random(Deterministic::new((0..=u8::MAX).collect()))
        .wall_clock(CountingClock::default())
        .monotonic_clock(CountingClock::default());
    for (folder, path, permissions) in folders {
        wasi.preopened_dir(folder, path, *permissions)?;
    }
    wasi.preopened_dir(scratch.join("tmp"), "/tmp", FsPerms::ReadWrite)?.preopened_dir(
        scratch.join("data"),
        "/mnt/data",
        FsPerms::ReadWrite,
    )?;
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

/// A program and its state, which can be written down.
struct Instantiated {
    store: Store<WasiP1Ctx>,
    instance: Instance,
}

impl Instantiated {
    async fn of(wasm: &[u8], world: WasiP1Ctx) -> wasmtime::Result<Self> {
        let mut config = Config::new();
        config.max_wasm_stack(MAX_WASM_STACK).async_stack_size(2 * MAX_WASM_STACK);
        let engine = Engine::new(&config)?;
        let module = Module::new(&engine, wasm)?;
        let mut linker = Linker::new(&engine);
        p1::add_to_linker_async(&mut linker, |wasi: &mut WasiP1Ctx| wasi)?;
        linker.func_wrap(
            "mcp_python_sandbox",
            "emit",
            |_: Caller<'_, WasiP1Ctx>, _: u32, _: u32| {},
        )?;
        let mut store = Store::new(&engine, world);
        let instance = linker.instantiate_async(&mut store, &module).await?;
        Ok(Self { store, instance })
    }

    async fn call(&mut self, name: &str) -> wasmtime::Result<()> {
        self.instance
            .get_typed_func::<(), ()>(&mut self.store, name)?
            .call_async(&mut self.store, ())
            .await
    }
}

impl InstanceState for Instantiated {
    async fn global_get(&mut self, name: &str, _: ValType) -> SnapshotVal {
        let value = self
            .instance
            .get_global(&mut self.store, name)
            .map(|global| global.get(&mut self.store));
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
