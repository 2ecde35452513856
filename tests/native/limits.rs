//! What a job may use, and how it ends when it uses more.

use super::harness::{Ran, Sandbox, Setup, plain};
use mcp_python_sandbox::testing::RunEnd;
use mcp_python_sandbox::testing::{LimitHit, LimitKind, Limits};
use std::thread;
use std::time::{Duration, Instant};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// What a machine with more to do may add to a deadline.
const SLOW: Duration = Duration::from_secs(2);

fn within(wall_ms: u64) -> Limits {
    Limits {
        wall: Duration::from_millis(wall_ms),
        grace: Duration::from_millis(500),
        ..Limits::default()
    }
}

#[track_caller]
fn hit(ran: &Ran) -> LimitHit {
    match ran.end() {
        RunEnd::Limit(hit) => *hit,
        other => panic!("not ended by a limit but by {other:?}: {ran:?}"),
    }
}

#[test]
fn a_stubborn_job_is_killed_a_grace_later() {
    let ran = plain().run_within(include_str!("../programs/stubborn.py"), &within(300));
    let hit = hit(&ran);
    assert_eq!((hit.kind, hit.limit), (LimitKind::Wall, 300));
    assert_eq!(ran.stdout(), "stubborn\n");
    assert!(ran.took < Duration::from_secs(1) + SLOW, "{:?}", ran.took);
}

#[test]
fn a_job_with_an_odd_name_is_watched_all_the_same() {
    let ran = plain().run_within(include_str!("../programs/nameless_threads.py"), &within(15_000));
    assert_eq!(ran.stdout(), "0\n");
    assert_eq!(hit(&ran).kind, LimitKind::Threads);
}

#[test]
fn files_that_have_lost_their_names_are_counted() {
    let limits = Limits { file_bytes: 8 << 20, ..within(15_000) };
    for how in ["unlinked", "unnamed", "mapped"] {
        let code = include_str!("../programs/nameless_files.py").replace("HOW", how);
        let ran = plain().run_within(&code, &limits);
        assert_eq!(hit(&ran).kind, LimitKind::Files, "{how}");
    }
    let half = include_str!("../programs/nameless_files.py").replace("20):", "7):");
    for how in ["unlinked", "unnamed"] {
        let code = half.replace("HOW", how).replace("sleep(20)", "sleep(0.5)");
        assert_eq!(plain().run_within(&code, &limits).ok(), "held\n", "{how}");
    }
}

#[test]
fn files_are_weighed_once_more_at_the_end() {
    let code = "for n in range(3): open(f'{n}', 'wb').write(bytes(8 << 20))";
    let ran = plain().run_within(code, &Limits { file_bytes: 8 << 20, ..Limits::default() });
    assert_eq!(hit(&ran).kind, LimitKind::Files);
}

#[test]
fn a_job_whose_first_thread_has_ended_cannot_be_watched_and_ends() {
    let ran = plain().run_within(include_str!("../programs/first_thread_ends.py"), &within(15_000));
    let how = "its use could not be watched: invalid data";
    assert_eq!(ran.end(), &RunEnd::Crashed(how.to_owned()));
}

#[test]
fn what_a_job_was_forked_with_is_not_charged_to_it() {
    let setup = Setup { preload: &["numpy", "pandas", "scipy.stats"], ..Setup::default() };
    let sandbox = Sandbox::new(&setup);
    let code = "import numpy\nprint(numpy.ones(900 << 17).nbytes >> 20)";
    assert_eq!(sandbox.run(code).ok(), "900\n");
    let code = code.replace("900", "1030");
    let error = sandbox.run(&code).captured.report.error.expect("it was refused");
    assert_eq!(error.kind, "numpy._core._exceptions._ArrayMemoryError");
}

#[test]
fn tables_of_pages_are_bounded() {
    let code = include_str!("../programs/sparse_mappings.py");
    let mapped: u64 = plain().run(code).ok().trim().parse().expect("GiB");
    assert!((16..24).contains(&mapped), "{mapped} GiB of address space");
}

#[test]
fn honest_programs_have_room_for_threads_and_mappings() {
    plain().run(include_str!("../programs/near_the_limits.py")).ok();
}

#[test]
fn a_job_deep_in_c_code_is_killed_a_grace_later() {
    let ran = plain().run_within("max(range(10 ** 12))", &within(300));
    assert_eq!(hit(&ran).kind, LimitKind::Wall);
}

#[test]
fn a_cancelled_job_is_gone_within_100_ms() {
    let sandbox = Sandbox::new(&Setup::default());
    sandbox.run("1").ok();
    let (ran, asked_at) = sandbox.block_on(async {
        let cancel = CancellationToken::new();
        let limits = Limits::default();
        let withdraw = async {
            sandbox.wait_for_job().await;
            cancel.cancel();
            Instant::now()
        };
        let job = async {
            let ran = sandbox.start("while True: pass", &limits, &cancel).await;
            (ran, Instant::now())
        };
        let ((ran, ended_at), asked_at) = tokio::join!(job, withdraw);
        (ran, ended_at.duration_since(asked_at))
    });
    assert_eq!(ran.end(), &RunEnd::Cancelled);
    assert!(asked_at < Duration::from_millis(100), "{asked_at:?}");
    assert_eq!(sandbox.jobs(), &[] as &[u32]);
    assert_eq!(sandbox.leftovers(), &[] as &[String]);
}

#[test]
fn a_dropped_future_ends_its_job() {
    let sandbox = Sandbox::new(&Setup::default());
    sandbox.block_on(async {
        let cancel = CancellationToken::new();
        let limits = Limits::default();
        tokio::select! {
            ran = sandbox.start("while True: pass", &limits, &cancel) =>
                panic!("it ended: {ran:?}"),
            _ = sandbox.wait_for_job() => {}
        }
        for _ in 0..100 {
            if sandbox.jobs().is_empty() {
                return;
            }
            sleep(Duration::from_millis(20)).await;
        }
        panic!("the job lives on: {:?}", sandbox.jobs());
    });
}

#[test]
fn a_tree_without_end_ends_the_job_and_is_removed() {
    let code = "
import os, time
for _ in range(1500):
    os.mkdir('d')
    os.chdir('d')
time.sleep(20)
";
    let sandbox = Sandbox::new(&Setup::default());
    assert_eq!(hit(&sandbox.run(code)).kind, LimitKind::FileCount);
    assert_eq!(sandbox.leftovers(), &[] as &[String]);
}

#[test]
fn a_thread_bomb_ends_itself_or_is_ended() {
    let code = "
import threading, time
threading.stack_size(64 << 10)
while True:
    threading.Thread(target=time.sleep, args=(20,), daemon=True).start()
";
    let ran = plain().run(code);
    let refused = ran
        .captured
        .report
        .error
        .as_ref()
        .is_some_and(|error| error.message.contains("start new thread"));
    assert!(refused || hit(&ran).kind == LimitKind::Threads, "{ran:?}");
}

#[test]
fn usage_is_measured() {
    let ran = plain().run("sum(range(3_000_000)); block = b'x' * (64 << 20)");
    ran.ok();
    let usage = ran.result.expect("it ran").usage;
    assert!(usage.cpu.expect("CPU time") > Duration::from_millis(20), "{usage:?}");
    assert!(usage.peak_memory.expect("a size") > 64 << 20, "{usage:?}");
    assert!(usage.wall <= ran.took, "{usage:?}");
}

#[test]
fn an_unconfined_job_leaves_no_process_and_nobody_holds_its_pipes() {
    let sandbox = Sandbox::new(&Setup { unconfined: true, ..Setup::default() });
    let ran = sandbox.run(include_str!("../programs/processes_that_stay.py"));
    assert_eq!(ran.ok(), "parent done\n");
    assert!(!ran.result.as_ref().expect("it ran").confined);
    assert!(ran.took < Duration::from_secs(5) + SLOW, "{:?}", ran.took);
    thread::sleep(Duration::from_millis(300));
    assert_eq!(sandbox.jobs(), &[] as &[u32]);
}
