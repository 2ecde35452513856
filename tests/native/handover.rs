//! Orders and descriptors on their way to a child: what is not handed over is an error of that job,
//! never a success, and costs nobody else anything.

use super::harness::{Ran, Sandbox, Setup, plain};
use mcp_python_sandbox::proxy::ProxyConfig;
use mcp_python_sandbox::testing::{Error, Limits};
use std::fs;
use std::time::Duration;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

#[track_caller]
fn failure(ran: &Ran) -> String {
    match &ran.result {
        Err(error @ Error::Native(_)) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_job_that_cannot_be_set_up_is_an_error_and_no_success() {
    let sandbox = Sandbox::new(&Setup { unconfined: true, ..Setup::default() });
    sandbox.run("1").ok();
    let parent = sandbox.fork_server();
    let dir = sandbox.native.job_dir(None).expect("a job directory");
    fs::remove_dir(dir.data()).expect("it can be removed");
    let (limits, cancel) = (Limits::default(), CancellationToken::new());
    let ran = sandbox.block_on(sandbox.start_in(dir, "print(1)", &limits, &cancel));
    let why = failure(&ran);
    let expected = "failed to run the job in the native runtime: \
                    failed to set up its process: FileNotFoundError: ";
    assert!(why.starts_with(expected), "{why}");
    assert_eq!(sandbox.run("print('next')").ok(), "next\n");
    assert_eq!(sandbox.fork_server(), parent);
}

#[test]
fn a_job_that_dies_before_its_code_is_an_error_and_no_success() {
    let limits = Limits { open_files: 3, ..Limits::default() };
    let why = failure(&plain().run_within("print(1)", &limits));
    let expected = "failed to run the job in the native runtime: \
                    failed to set up its process: OSError: [Errno 24] Too many open files: \
                    '/proc/self/maps'";
    assert_eq!(why, expected);
}

#[test]
fn descriptors_in_flight_of_one_job_keep_no_other_from_running() {
    let network = Some(ProxyConfig::new(vec!["example.org".parse().expect("a host")]));
    let sandbox = Sandbox::new(&Setup { network, ..Setup::default() });
    sandbox.run("1").ok();
    let parent = sandbox.fork_server();
    let fill = include_str!("../programs/fill_descriptors_in_flight.py");
    let (limits, cancel) = (Limits::default(), CancellationToken::new());
    sandbox.block_on(async {
        let others = async {
            while !sandbox.job_wrote("full") {
                sleep(Duration::from_millis(20)).await;
            }
            for _ in 0..3 {
                let ran = sandbox.start("print('runs')", &limits, &CancellationToken::new()).await;
                assert_eq!(ran.ok(), "runs\n");
            }
            cancel.cancel();
        };
        tokio::join!(sandbox.start(fill, &limits, &cancel), others)
    });
    assert_eq!(sandbox.fork_server(), parent);
}

#[test]
fn a_name_of_any_length_costs_nothing() {
    let sandbox = Sandbox::new(&Setup::default());
    sandbox.run("1").ok();
    let parent = sandbox.fork_server();
    for name in ["a".repeat(20_000), "ä".repeat(70_000)] {
        let code = format!("def never():\n    import {name}\nprint('ran')");
        assert_eq!(sandbox.run(&code).ok(), "ran\n");
    }
    assert_eq!(sandbox.fork_server(), parent);
}

#[test]
fn requests_larger_than_any_buffer_arrive() {
    let code = format!("text = '{}'\nprint(len(text))", "x".repeat(8 << 20));
    assert_eq!(plain().run(&code).ok(), "8388608\n");
}
