//! The child that waits for its job: it is used once, and only where it is what would be forked.

use super::harness::{Ran, Sandbox, Setup, is_dead, kill, until};
use mcp_python_sandbox::testing::Limits;
use std::fs;
use std::time::Duration;

const PID: &str = "import os; print(os.getpid())";

/// A runtime in which a child waits, and its process.
fn with_spare() -> (Sandbox, u32) {
    let sandbox = Sandbox::new(&Setup { spares: 1, ..Setup::default() });
    sandbox.run("1").ok();
    let spare = sandbox.spare();
    (sandbox, spare)
}

fn pid(ran: &Ran) -> u32 {
    ran.ok().trim().parse().expect("a pid")
}

/// That the job ran in a new child, and that the one that waited is gone.
#[track_caller]
fn assert_not_used(sandbox: &Sandbox, spare: u32, ran: &Ran) {
    assert_ne!(pid(ran), spare);
    sandbox.block_on(until("the child that did not fit to be gone", || is_dead(spare)));
}

#[test]
fn it_gets_the_next_job_and_no_other() {
    let (sandbox, spare) = with_spare();
    let ran = sandbox.run_next(PID, &Limits::default());
    assert_eq!(pid(&ran), spare);
    let usage = ran.result.expect("it ran").usage;
    assert!(usage.wall <= ran.took, "{usage:?}");
    let next = sandbox.spare();
    assert_ne!(next, spare);
    assert_eq!(pid(&sandbox.run_next(PID, &Limits::default())), next);
}

#[test]
fn it_stands_behind_its_walls_while_it_waits() {
    let (sandbox, spare) = with_spare();
    let status = fs::read_to_string(format!("/proc/{spare}/status")).expect("its status");
    assert!(status.contains("\nSeccomp:\t2\n"), "{status}");
    let limits = fs::read_to_string(format!("/proc/{spare}/limits")).expect("its limits");
    let open_files = limits.lines().find(|line| line.starts_with("Max open files"));
    let most = Limits::default().open_files.to_string();
    assert_eq!(open_files.and_then(|line| line.split_whitespace().nth(3)), Some(&*most));
    assert_eq!(sandbox.jobs(), [spare]);
}

#[test]
fn under_other_limits_it_is_not_used() {
    let (sandbox, spare) = with_spare();
    let limits = Limits { memory: 512 << 20, ..Limits::default() };
    assert_not_used(&sandbox, spare, &sandbox.run_next(PID, &limits));
    // The next one is made under the limits of the last job.
    let next = sandbox.spare();
    assert_eq!(pid(&sandbox.run_next(PID, &limits)), next);
}

#[test]
fn of_a_fork_server_that_died_it_is_not_used() {
    let (sandbox, spare) = with_spare();
    kill(sandbox.fork_server().expect("a fork server"));
    sandbox.block_on(until("its child to die with it", || is_dead(spare)));
    assert_not_used(&sandbox, spare, &sandbox.run_next(PID, &Limits::default()));
}

#[test]
fn one_that_died_costs_its_job_nothing() {
    let (sandbox, spare) = with_spare();
    kill(spare);
    assert_not_used(&sandbox, spare, &sandbox.run_next(PID, &Limits::default()));
}

#[test]
fn without_its_directory_it_is_not_used() {
    let (sandbox, spare) = with_spare();
    for name in sandbox.leftovers() {
        fs::remove_dir_all(sandbox.runtime_dir().join(name)).expect("it is removed");
    }
    assert_not_used(&sandbox, spare, &sandbox.run_next(PID, &Limits::default()));
}

#[test]
fn it_ends_with_the_runtime() {
    let (sandbox, spare) = with_spare();
    let directory = sandbox.runtime_dir();
    drop(sandbox);
    assert!(is_dead(spare));
    let left = fs::read_dir(directory).map(|entries| entries.flatten().count());
    assert!(left.is_err(), "{left:?}");
}

#[test]
fn it_ends_when_no_job_comes() {
    let spare_idle = Some(Duration::from_millis(300));
    let sandbox = Sandbox::new(&Setup { spares: 1, spare_idle, ..Setup::default() });
    sandbox.run("1").ok();
    sandbox.block_on(until("nothing to be left", || {
        sandbox.native.spares() == 0 && sandbox.jobs().is_empty() && sandbox.leftovers().is_empty()
    }));
    assert_ne!(pid(&sandbox.run_next(PID, &Limits::default())), 0);
}

#[test]
fn an_idle_fork_server_is_ended_all_the_same() {
    let idle = Some(Duration::from_millis(1500));
    let sandbox = Sandbox::new(&Setup { spares: 1, idle, ..Setup::default() });
    sandbox.run("1").ok();
    let spare = sandbox.spare();
    sandbox.block_on(until("the idle parent to end", || sandbox.fork_server().is_none()));
    sandbox.block_on(until("its child to end", || is_dead(spare)));
    assert_ne!(pid(&sandbox.run_next(PID, &Limits::default())), spare);
}
