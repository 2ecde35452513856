//! A native runtime as the tests start it, and jobs on it.

use crate::support::processes::children_of;
use mcp_python_sandbox::proxy::ProxyConfig;
use mcp_python_sandbox::testing::{
    BootstrapOptions, Captured, Confinement, Error, Job, JobDir, Limits, NativeConfig,
    NativeInterpreter, NativeRuntime, Network, Output, Request, RunEnd, RunOrder, RunRecord,
    RuntimeKind,
};
use rustix::process::{Pid, Signal, kill_process};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Once, OnceLock};
use std::time::{Duration, Instant};
use std::{env, fs, process};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// A runtime with its own directories. Ends with the value.
pub(super) struct Sandbox {
    pub(super) native: NativeRuntime,
    executor: Runtime,
    directory: TempDir,
}

/// How a sandbox differs from the usual.
#[derive(Clone, Default)]
pub(super) struct Setup {
    pub(super) unconfined: bool,
    pub(super) abi: Option<u8>,
    pub(super) preload: &'static [&'static str],
    pub(super) idle: Option<Duration>,
    pub(super) network: Option<ProxyConfig>,
    /// Children that are made before their job comes.
    pub(super) spares: usize,
    pub(super) spare_idle: Option<Duration>,
}

/// What came of a job.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) result: Result<RunRecord, Error>,
    pub(super) captured: Captured,
    pub(super) took: Duration,
}

impl Sandbox {
    pub(super) fn new(setup: &Setup) -> Self {
        LEFTOVERS.call_once(remove_leftovers);
        let directory = TempDir::with_prefix(format!("{PREFIX}{}-", process::id()))
            .expect("a temporary directory");
        let mut config = NativeConfig::new(venv(), bootstrap(), directory.path().join("run"));
        config.helper = Some(env!("CARGO_BIN_EXE_mcp-python-sandbox").into());
        config.test_landlock_abi = setup.abi;
        config.preload = setup.preload.iter().map(|&name| name.to_owned()).collect();
        config.idle = setup.idle;
        config.spares = setup.spares;
        config.spare_idle = setup.spare_idle.unwrap_or(Duration::from_mins(1));
        config.network.clone_from(&setup.network);
        if setup.unconfined {
            config.confinement = Confinement::Unconfined;
        }
        let executor = Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("an executor");
        let native = executor.block_on(async { NativeRuntime::start(config) });
        Self { native, executor, directory }
    }

    pub(super) fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.executor.block_on(future)
    }

    pub(super) fn runtime_dir(&self) -> PathBuf {
        self.directory.path().join("run")
    }

    /// Runs `code` within the default limits.
    pub(super) fn run(&self, code: &str) -> Ran {
        self.run_within(code, &Limits::default())
    }

    pub(super) fn run_within(&self, code: &str, limits: &Limits) -> Ran {
        self.block_on(self.start(code, limits, &CancellationToken::new()))
    }

    pub(super) async fn start(
        &self,
        code: &str,
        limits: &Limits,
        cancel: &CancellationToken,
    ) -> Ran {
        let dir = self.native.job_dir(None).expect("a job directory");
        self.start_in(dir, code, limits, cancel).await
    }

    pub(super) async fn start_in(
        &self,
        dir: JobDir,
        code: &str,
        limits: &Limits,
        cancel: &CancellationToken,
    ) -> Ran {
        self.start_as(NativeInterpreter::new(dir), code, limits, cancel).await
    }

    /// Runs `code` where the server would run it, perhaps in a child that waits.
    pub(super) fn run_next(&self, code: &str, limits: &Limits) -> Ran {
        let interpreter = self.native.interpreter(None).expect("an interpreter");
        self.block_on(self.start_as(interpreter, code, limits, &CancellationToken::new()))
    }

    async fn start_as(
        &self,
        mut interpreter: NativeInterpreter,
        code: &str,
        limits: &Limits,
        cancel: &CancellationToken,
    ) -> Ran {
        let dir = interpreter.dir();
        let nonce = "00112233445566778899aabbccddeeff";
        let network = match self.native.network() {
            Network::Open(hosts) => hosts,
            Network::Closed | Network::Refused(_) => Vec::new(),
        };
        let job = Job { show_value: true, ..Job::new(code.to_owned()) };
        let options = BootstrapOptions { figure_text: false, ..BootstrapOptions::default() };
        let mut request = Request::new(&job, nonce, RuntimeKind::Native, &options);
        request.hostdir = Some(dir.data().to_string_lossy().into_owned());
        request.network = network;
        let request = request.to_json().expect("JSON").into();
        let output = Arc::new(Output::new(nonce, limits));
        let spent = Duration::ZERO;
        let order = RunOrder { request, limits, output: &output, cancel, spent, keep: None };
        let before = Instant::now();
        let result = self.native.run(&mut interpreter, &order).await;
        let took = before.elapsed();
        let captured = output.finish();
        if result.is_ok() {
            self.native.learn(&captured.report.imported);
        }
        Ran { result, captured, took }
    }

    /// The processes of fork servers: our children that live in this sandbox's directory.
    pub(super) fn fork_servers(&self) -> Vec<u32> {
        let home = self.runtime_dir().join("fork-server");
        let lives_there =
            |pid: &u32| fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd == home);
        children_of(process::id()).into_iter().filter(lives_there).collect()
    }

    /// The process of the fork server, where there is only one.
    pub(super) fn fork_server(&self) -> Option<u32> {
        self.fork_servers().first().copied()
    }

    /// Processes of jobs.
    pub(super) fn jobs(&self) -> Vec<u32> {
        self.fork_server().map(children_of).unwrap_or_default()
    }

    /// The process of a job, once it has a session of its own, which it gets on its way to its
    /// walls.
    pub(super) async fn wait_for_job(&self) -> u32 {
        for _ in 0..1000 {
            if let Some(&job) = self.jobs().iter().find(|&&pid| has_filter_of_its_own(pid)) {
                return job;
            }
            sleep(Duration::from_millis(10)).await;
        }
        panic!("no job came up");
    }

    /// The process that waits for the next job.
    pub(super) fn spare(&self) -> u32 {
        self.block_on(until("a child that waits", || self.native.spares() == 1));
        self.jobs()[0]
    }

    /// Whether a job has made a file of this name in its working directory.
    pub(super) fn job_wrote(&self, name: &str) -> bool {
        let entries = fs::read_dir(self.runtime_dir()).expect("the runtime directory");
        entries.flatten().any(|entry| entry.path().join("data").join(name).exists())
    }

    /// What is left below the runtime directory, beside the fork server's home.
    pub(super) fn leftovers(&self) -> Vec<String> {
        let entries = fs::read_dir(self.runtime_dir()).expect("the runtime directory");
        let names = entries
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
        names.filter(|name| name != "fork-server").collect()
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        self.executor.block_on(self.native.shut_down());
    }
}

impl Ran {
    /// What it printed.
    #[track_caller]
    pub(super) fn stdout(&self) -> String {
        String::from_utf8(self.captured.stdout.head().to_vec()).expect("stdout is UTF-8")
    }

    /// How it ended.
    #[track_caller]
    pub(super) fn end(&self) -> &RunEnd {
        &self
            .result
            .as_ref()
            .unwrap_or_else(|error| panic!("the job was not run: {error}; {self:?}"))
            .end
    }

    /// That it ran to its end, and what it printed.
    #[track_caller]
    pub(super) fn ok(&self) -> String {
        let error = self.captured.report.error.as_ref().map_or("", |error| &error.traceback);
        let stderr = String::from_utf8_lossy(self.captured.stderr.head());
        assert_eq!(
            self.end(),
            &RunEnd::Returned(0),
            "{error}\nstdout: {}\nstderr: {stderr}",
            self.stdout()
        );
        self.stdout()
    }
}

const PREFIX: &str = "native-test-";
static LEFTOVERS: Once = Once::new();

/// What lives as long as its process stays behind when that ends; the next one removes it.
fn remove_leftovers() {
    for entry in fs::read_dir(env::temp_dir()).expect("temporary files").flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split_once('-'));
        if owner.is_some_and(|(pid, _)| !Path::new("/proc").join(pid).exists()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// A confined sandbox for all tests that need nothing special; its fork server has imported
/// nothing.
pub(super) fn plain() -> &'static Sandbox {
    static SANDBOX: OnceLock<Sandbox> = OnceLock::new();
    SANDBOX.get_or_init(|| Sandbox::new(&Setup::default()))
}

/// Whether a process wears one filter more than its parent, that is, whether its walls stand.
fn has_filter_of_its_own(pid: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let count = status.lines().find_map(|line| line.strip_prefix("Seccomp_filters:"));
    // One is the fork server's; with an open host there are two beside it.
    count.is_some_and(|count| count.trim().parse::<u32>().is_ok_and(|count| count > 1))
}

pub(super) fn kill(pid: u32) {
    signal(pid, Signal::KILL);
}

pub(super) fn stop(pid: u32) {
    signal(pid, Signal::STOP);
}

pub(super) fn signal(pid: u32, signal: Signal) {
    let pid = Pid::from_raw(pid.cast_signed()).expect("a pid");
    kill_process(pid, signal).expect("it can be signalled");
}

/// Gone, or dead and waiting for whoever inherited it.
pub(super) fn is_dead(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with('Z'))
}

pub(super) async fn until(what: &str, mut condition: impl FnMut() -> bool) {
    for _ in 0..500 {
        if condition() {
            return;
        }
        sleep(Duration::from_millis(20)).await;
    }
    panic!("waited in vain for {what}");
}

/// The venv that `make venv` built.
pub(super) fn venv() -> PathBuf {
    if let Some(venv) = env::var_os("MCP_PYTHON_SANDBOX_VENV") {
        return venv.into();
    }
    let cache = env::var_os("XDG_CACHE_HOME").map_or_else(
        || PathBuf::from(env::var_os("HOME").expect("HOME is set")).join(".cache"),
        PathBuf::from,
    );
    let venv = cache.join("mcp-python-sandbox/venv/current");
    assert!(
        venv.exists(),
        "these tests need the venv: run `make venv`, or set MCP_PYTHON_SANDBOX_VENV"
    );
    venv
}

fn bootstrap() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("wasm-python/bootstrap")
}
