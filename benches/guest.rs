//! The WASI runtime without a client: loading the guest, a fresh instance of it, and a whole call.

#![expect(clippy::expect_used, reason = "a benchmark that cannot go on has failed")]

use clap::Parser as _;
use criterion::Criterion;
use mcp_python_sandbox::Cli;
use mcp_python_sandbox::testing::{
    Answer, Artefact, BootstrapOptions, Call, Config, Job, Limits, Output, Request, RunOrder,
    RuntimeKind, Service, ServiceConfig, THREAD_STACK, WasmRuntime,
};
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::sync::Arc;
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;

fn main() -> ExitCode {
    let options = Cli::parse_from(["mcp-python-sandbox", "--native", "off"]).options;
    let config = Config::resolve(&options).expect("options that hold").service;
    let guest = config.runtimes.artefact.module();
    if !guest.exists() {
        // Where stderr is gone there is nobody to tell.
        let _ = writeln!(
            io::stderr(),
            "there is no guest at `{}`; build one with `make python`",
            guest.display()
        );
        return ExitCode::FAILURE;
    }
    let executor = executor();
    let mut criterion = Criterion::default().configure_from_args();
    load(&mut criterion, &config.runtimes.artefact);
    empty_job(&mut criterion, &executor, &config.runtimes.artefact);
    hello(&mut criterion, &executor, config);
    criterion.final_summary();
    ExitCode::SUCCESS
}

/// What a server does once: maps the compiled guest, links it, opens its library.
fn load(criterion: &mut Criterion, artefact: &Artefact) {
    criterion.bench_function("guest/load", |bencher| bencher.iter(|| loaded(artefact)));
}

/// A job without code: an instance, its files, the bootstrap, and the end of them.
fn empty_job(criterion: &mut Criterion, executor: &Runtime, artefact: &Artefact) {
    let guest = Arc::new(loaded(artefact));
    let (job, limits, options) = (job(""), Limits::default(), BootstrapOptions::default());
    let request =
        Request::new(&job, "0", RuntimeKind::Wasm, &options).to_json().expect("a request");
    let request = Arc::from(request);
    let cancel = CancellationToken::new();
    criterion.bench_function("guest/instance and empty job", |bencher| {
        bencher.iter(|| {
            let output = Arc::new(Output::new("0", &limits));
            let request = Arc::clone(&request);
            let (limits, cancel) = (&limits, &cancel);
            let order = RunOrder {
                request,
                limits,
                output: &output,
                cancel,
                spent: std::time::Duration::ZERO,
                keep: None,
            };
            let fresh = guest.guest(None, &[], limits).expect("a guest");
            executor.block_on(guest.run(fresh, &order)).expect("a run")
        });
    });
}

/// A call as the server carries it out, from the job to the answer; only the protocol is left out.
fn hello(criterion: &mut Criterion, executor: &Runtime, config: ServiceConfig) {
    let call = Call::new(job("print(1)"), config.limits.clone());
    let service = Service::new(config);
    let call = || Answer::of(&executor.block_on(service.execute(&call)).expect("an outcome"));
    assert_eq!(call().text, "1");
    criterion.bench_function("guest/call of print(1)", |bencher| bencher.iter(call));
}

fn loaded(artefact: &Artefact) -> WasmRuntime {
    WasmRuntime::load(artefact, None, &[], 0).expect("the guest loads")
}

/// As the server has it.
fn executor() -> Runtime {
    let mut builder = Builder::new_multi_thread();
    builder
        .worker_threads(2)
        .thread_stack_size(THREAD_STACK)
        .enable_all()
        .build()
        .expect("an executor")
}

fn job(code: &str) -> Job {
    Job { runtime: Some(RuntimeKind::Wasm), show_value: true, ..Job::new(code.to_owned()) }
}
