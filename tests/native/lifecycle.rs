//! The fork server: that it dies, that it is started again, that it leaves nothing behind.

use super::harness::{Sandbox, Setup, is_dead, kill, plain, signal, stop, until, venv};
use crate::support::processes::{children_of, descendants_of};
use crate::support::{Answer, Client};
use futures_util::future::join_all;
use mcp_python_sandbox::testing::Error;
use mcp_python_sandbox::testing::Limits;
use mcp_python_sandbox::testing::{
    Confinement, NativeConfig, NativeRuntime, Status, close_own_process,
};
use rustix::process::{DumpableBehavior, Signal, dumpable_behavior, set_dumpable_behavior};
use serde_json::json;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

#[test]
fn a_job_whose_warm_parent_is_killed_fails_cleanly_and_the_next_ones_run() {
    let sandbox = Sandbox::new(&Setup::default());
    let (ran, job) = sandbox.block_on(async {
        let (limits, cancel) = (Limits::default(), CancellationToken::new());
        let murder = async {
            let job = sandbox.wait_for_job().await;
            // Before its first line has run, it would only be run again.
            until("the job's first line", || sandbox.job_wrote("begun")).await;
            kill(sandbox.fork_server().expect("a fork server"));
            job
        };
        tokio::join!(
            sandbox.start("open('begun', 'w').close()\nwhile True: pass", &limits, &cancel),
            murder
        )
    });
    assert!(matches!(&ran.result, Err(Error::Native(_))), "{ran:?}");
    sandbox.block_on(until("the job to die with its parent", || is_dead(job)));
    assert_eq!(sandbox.run("print('next')").ok(), "next\n");
    assert_eq!(sandbox.leftovers(), &[] as &[String]);
}

#[test]
fn a_job_whose_warm_parent_is_killed_before_its_first_line_is_run_again() {
    let sandbox = Sandbox::new(&Setup::default());
    sandbox.run("1").ok();
    let parent = sandbox.fork_server().expect("a fork server");
    stop(parent);
    let ran = sandbox.block_on(async {
        let (limits, cancel) = (Limits::default(), CancellationToken::new());
        let murder = async {
            sleep(Duration::from_millis(200)).await;
            kill(parent);
        };
        tokio::join!(sandbox.start("print('once')", &limits, &cancel), murder).0
    });
    assert_eq!(ran.ok(), "once\n");
}

#[test]
fn a_warm_parent_that_dies_between_jobs_costs_no_job() {
    let sandbox = Sandbox::new(&Setup::default());
    sandbox.run("1").ok();
    for _ in 0..3 {
        kill(sandbox.fork_server().expect("a fork server"));
        assert_eq!(sandbox.run("print('still here')").ok(), "still here\n");
    }
}

#[test]
fn jobs_that_come_before_it_is_ready_wait_for_it() {
    let sandbox = Sandbox::new(&Setup { preload: &["numpy"], ..Setup::default() });
    assert_eq!(sandbox.run("import sys; print('numpy' in sys.modules)").ok(), "True\n");
}

#[test]
fn it_gives_memory_back_when_nobody_needs_it_and_comes_again() {
    let idle = Some(Duration::from_millis(1500));
    let sandbox = Sandbox::new(&Setup { idle, ..Setup::default() });
    sandbox.run("1").ok();
    assert!(sandbox.fork_server().is_some());
    sandbox.block_on(until("the idle parent to end", || sandbox.fork_server().is_none()));
    assert!(matches!(sandbox.native.status(), Status::On { .. }));
    assert_eq!(sandbox.run("print('again')").ok(), "again\n");
}

#[test]
fn it_learns_what_jobs_import_and_no_running_job_is_disturbed() {
    let sandbox = Sandbox::new(&Setup::default());
    assert_eq!(sandbox.run("import sys; print('lxml.etree' in sys.modules)").ok(), "False\n");
    let first = sandbox.fork_server().expect("a fork server");
    let (limits, cancel) = (Limits::default(), CancellationToken::new());
    sandbox.block_on(async {
        let long =
            sandbox.start("import time; time.sleep(4); print('undisturbed')", &limits, &cancel);
        let short = async {
            sandbox.start("from lxml import etree", &limits, &cancel).await.ok();
            until("a better parent", || sandbox.fork_servers().iter().any(|&pid| pid != first))
                .await;
            // Until it has taken over, the first one serves.
            for _ in 0..100 {
                if sandbox
                    .start("import sys; print('lxml.etree' in sys.modules)", &limits, &cancel)
                    .await
                    .ok()
                    == "True\n"
                {
                    return;
                }
                sleep(Duration::from_millis(100)).await;
            }
            panic!("it did not learn");
        };
        let (long, ()) = tokio::join!(long, short);
        assert_eq!(long.ok(), "undisturbed\n");
    });
    sandbox.block_on(until("the first parent to retire", || is_dead(first)));
    assert_eq!(sandbox.fork_servers().len(), 1);
}

#[test]
fn the_second_job_with_scikit_learn_finds_it_and_still_fits() {
    let sandbox = Sandbox::new(&Setup { preload: &["numpy"], ..Setup::default() });
    let code = include_str!("../programs/k_means.py");
    assert_eq!(sandbox.run(code).ok(), "False\n[0.05, 9.05]\n");
    let parent = sandbox.fork_server().expect("a fork server");
    sandbox.block_on(until("a parent that has learned", || {
        sandbox.fork_servers().iter().all(|&pid| pid != parent)
    }));
    assert_eq!(sandbox.run(code).ok(), "True\n[0.05, 9.05]\n");
}

#[test]
fn a_long_job_is_not_idleness() {
    let idle = Some(Duration::from_millis(200));
    let sandbox = Sandbox::new(&Setup { idle, ..Setup::default() });
    assert_eq!(sandbox.run("import time; time.sleep(1.5); print('done')").ok(), "done\n");
}

#[test]
fn nothing_is_left_when_it_is_shut_down() {
    let sandbox = Sandbox::new(&Setup::default());
    sandbox.run("1").ok();
    let parent = sandbox.fork_server().expect("a fork server");
    sandbox.block_on(async {
        let (limits, cancel) = (Limits::default(), CancellationToken::new());
        let leave = async {
            sandbox.wait_for_job().await;
            sandbox.native.shut_down().await;
        };
        tokio::join!(sandbox.start("while True: pass", &limits, &cancel), leave)
    });
    sandbox
        .block_on(until("both to be gone", || is_dead(parent) && children_of(parent).is_empty()));
}

#[test]
fn a_cleaner_that_removes_the_runtime_directory_costs_no_job() {
    let sandbox = Sandbox::new(&Setup::default());
    sandbox.run("1").ok();
    fs::remove_dir_all(sandbox.runtime_dir()).expect("it can be removed");
    assert_eq!(sandbox.run("open('x', 'w').write('1'); print('written')").ok(), "written\n");
}

#[test]
fn jobs_at_once_do_not_mix() {
    let sandbox = plain();
    let code = |number: usize| {
        format!("import time\nfor i in range(20): print('job', {number}, i); time.sleep(0.01)")
    };
    let (limits, cancel) = (Limits::default(), CancellationToken::new());
    let codes: Vec<String> = (0..8).map(code).collect();
    let jobs = codes.iter().map(|code| sandbox.start(code, &limits, &cancel));
    let outputs = sandbox.block_on(join_all(jobs));
    for (number, ran) in outputs.iter().enumerate() {
        let expected: Vec<String> = (0..20).map(|i| format!("job {number} {i}")).collect();
        assert_eq!(ran.ok().lines().collect::<Vec<_>>(), expected);
    }
}

#[test]
fn a_place_that_cannot_be_used_switches_native_off_and_says_why() {
    let start = |venv: &str, bootstrap: &str| {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let runtime = Runtime::new().expect("an executor");
        let config = NativeConfig::new(venv.into(), bootstrap.into(), directory.path().join("run"));
        let native = runtime.block_on(async { NativeRuntime::start(config) });
        native.status()
    };
    let Status::Off { why } = start("/nonexistent/venv", "/") else {
        panic!("native is on without a venv")
    };
    assert!(why.contains("no Python at `/nonexistent/venv/bin/python3`"), "{why}");
    let venv = venv();
    let Status::Off { why } = start(venv.to_str().expect("a path"), "/nonexistent") else {
        panic!("native is on without its bootstrap")
    };
    assert!(why.contains("failed to open `/nonexistent`, which native jobs need"), "{why}");
}

#[test]
fn unconfined_is_never_the_default() {
    let config = NativeConfig::new("/a".into(), "/b".into(), "/c".into());
    assert_eq!(config.confinement, Confinement::Enforced);
}

#[test]
fn the_server_closes_its_entries_in_proc() {
    // In a process of its own would be better, but nothing else in this binary needs to be
    // dumpable.
    close_own_process().expect("it can");
    let dumpable = dumpable_behavior().expect("it can be asked");
    assert_eq!(dumpable, DumpableBehavior::NotDumpable);
    set_dumpable_behavior(DumpableBehavior::Dumpable).expect("it can be undone");
}

#[test]
fn a_server_that_is_asked_to_leave_ends_its_processes_and_reaps_them() {
    let mut client = Client::start(&[]);
    client.send_call(json!({ "code": "import numpy\nprint('so far', flush=True)\nwhile True: \
            numpy.ones(1000).sum()" }));
    let begun = Instant::now();
    let family = loop {
        let family = descendants_of(client.pid());
        // The fork server, and the job.
        if family.len() > 1 {
            break family;
        }
        assert!(begun.elapsed() < Duration::from_mins(1), "no job");
        std::thread::sleep(Duration::from_millis(20));
    };
    let asked = Instant::now();
    signal(client.pid(), Signal::TERM);
    assert!(Answer::of(&client.receive()).failed().ends_with("[the call was cancelled]"));
    assert_eq!(client.wait().code(), Some(143));
    // Clients kill two seconds after the signal.
    assert!(asked.elapsed() < Duration::from_millis(1900), "{:?}", asked.elapsed());
    // Not even as zombies, which an init that is none would keep for ever.
    let left: Vec<u32> =
        family.into_iter().filter(|pid| Path::new(&format!("/proc/{pid}")).exists()).collect();
    assert_eq!(left, Vec::<u32>::new());
}
