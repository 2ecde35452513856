//! What a job may use, and how it ends when it uses more.

use super::harness::{Ran, Sandbox, Setup, plain, scientific};
use mcp_python_sandbox::testing::ReportedExit;
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
fn a_sleeping_job_unwinds_at_its_deadline_and_says_where_it_was() {
    let ran = plain().run_within("import time\nprint('before')\ntime.sleep(60)", &within(500));
    let asked = ran.result.as_ref().expect("it ran").asked.expect("it was asked to unwind");
    assert_eq!((asked.kind, asked.limit), (LimitKind::Wall, 500));
    assert_eq!(ran.captured.report.exit, Some(ReportedExit::Deadline));
    assert_eq!(
        ran.captured.report.at.as_deref().map(|at| at.contains("line 3")),
        Some(true),
        "{ran:?}"
    );
    assert_eq!(ran.stdout(), "before\n");
    assert!(ran.took < Duration::from_secs(1) + SLOW, "{:?}", ran.took);
}

#[test]
fn a_busy_job_unwinds_at_its_deadline() {
    let ran = plain().run_within("while True: pass", &within(500));
    assert_eq!(ran.captured.report.exit, Some(ReportedExit::Deadline));
}

#[test]
fn a_stubborn_job_is_killed_a_grace_later() {
    let code = "
import time
print('stubborn', flush=True)
while True:
    try:
        time.sleep(60)
    except BaseException:
        pass
";
    let ran = plain().run_within(code, &within(300));
    let hit = hit(&ran);
    assert_eq!((hit.kind, hit.limit), (LimitKind::Wall, 300));
    assert_eq!(ran.stdout(), "stubborn\n");
    assert!(ran.took < Duration::from_secs(1) + SLOW, "{:?}", ran.took);
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
            ran = sandbox.start("while True: pass", &limits, &cancel) => panic!("it ended: {ran:?}"),
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
fn numpy_that_takes_too_much_memory_gets_a_memory_error() {
    let code = "
import numpy as np
print('allocating', flush=True)
keep = []
while True:
    keep.append(np.ones(4_000_000))
";
    let ran = scientific().run_within(code, &Limits { memory: 512 << 20, ..Limits::default() });
    assert_eq!(ran.stdout(), "allocating\n");
    let error = ran.captured.report.error.as_ref().expect("an exception");
    assert!(error.kind.ends_with("MemoryError"), "{error:?}");
}

#[test]
fn memory_that_no_process_limit_counts_is_watched() {
    let code = "
import mmap
keep = []
while True:
    block = mmap.mmap(-1, 16 << 20)  # shared: RLIMIT_DATA does not see it
    block.write(b'x' * (16 << 20))
    keep.append(block)
";
    let limits = Limits { memory: 256 << 20, ..Limits::default() };
    let hit = hit(&plain().run_within(code, &limits));
    assert_eq!((hit.kind, hit.limit), (LimitKind::Memory, 256 << 20));
    assert!(hit.used > hit.limit);
}

#[test]
fn one_huge_file_is_refused() {
    let code = "
import errno
try:
    with open('big', 'wb') as file:
        for _ in range(1000):
            file.write(bytes(1 << 20))
except OSError as error:
    print(errno.errorcode[error.errno])
";
    let ran = plain().run(code);
    assert!(ran.stdout() == "EFBIG\n" || matches!(ran.end(), RunEnd::Limit(_)), "{ran:?}");
    assert!(ran.files.iter().all(|file| file.size <= 64 << 20), "{:?}", ran.files);
}

#[test]
fn many_files_that_fill_the_disk_end_the_job() {
    let code = "
for number in range(1000):
    with open(f'file-{number}', 'wb') as file:
        file.write(bytes(8 << 20))
";
    let hit = hit(&plain().run(code));
    assert_eq!((hit.kind, hit.limit), (LimitKind::Files, 64 << 20));
}

#[test]
fn files_in_the_temporary_directory_count_too() {
    let code = "
import tempfile
for _ in range(1000):
    tempfile.NamedTemporaryFile(delete=False).write(bytes(8 << 20))
";
    assert_eq!(hit(&plain().run(code)).kind, LimitKind::Files);
}

#[test]
fn files_in_an_unreadable_directory_count_too() {
    let code = "
import os
os.mkdir('hidden', 0o300)
for number in range(1000):
    with open(f'hidden/{number}', 'wb') as file:
        file.write(bytes(8 << 20))
";
    assert_eq!(hit(&plain().run(code)).kind, LimitKind::Files);
}

#[test]
fn countless_files_end_the_job() {
    let code = "
import time
for number in range(5000):
    open(f'file-{number}', 'w').close()
time.sleep(20)
";
    let ran = plain().run(code);
    assert_eq!((hit(&ran).kind, hit(&ran).limit), (LimitKind::FileCount, 2000));
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
fn too_many_open_files_are_refused() {
    let code = "
import errno
keep = []
try:
    while True:
        keep.append(open('/dev/null'))
except OSError as error:
    print(errno.errorcode[error.errno], len(keep) < 64)
";
    assert_eq!(plain().run(code).ok(), "EMFILE True\n");
}

#[test]
fn sixteen_threads_are_fine() {
    let code = "
import threading, time
threads = [threading.Thread(target=time.sleep, args=(0.2,)) for _ in range(16)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print('threads', len(threads))
";
    assert_eq!(plain().run(code).ok(), "threads 16\n");
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
fn a_fork_bomb_cannot_begin() {
    let code = "
import os
started = 0
try:
    while True:
        if os.fork() == 0:
            while True: pass
        started += 1
except OSError as error:
    print('stopped at', started, type(error).__name__)
";
    assert_eq!(plain().run(code).ok(), "stopped at 0 PermissionError\n");
}

#[test]
fn cpu_time_is_limited() {
    let limits = Limits { cpu: Duration::from_millis(300), ..Limits::default() };
    let hit = hit(&plain().run_within("while True: pass", &limits));
    assert_eq!((hit.kind, hit.limit), (LimitKind::Cpu, 300));
}

#[test]
fn a_flood_of_output_ends_the_job() {
    let limits = Limits { stdout: 1 << 20, ..Limits::default() };
    let hit = hit(&plain().run_within("while True: print('x' * 10000)", &limits));
    assert_eq!((hit.kind, hit.limit), (LimitKind::Stdout, 1 << 20));
    let hit = self::hit(&plain().run_within(
        "import sys\nwhile True: print('x' * 10000, file=sys.stderr)",
        &Limits { stderr: 1 << 20, ..Limits::default() },
    ));
    assert_eq!((hit.kind, hit.limit), (LimitKind::Stderr, 1 << 20));
}

#[test]
fn exit_codes_come_through() {
    for (code, expected) in
        [("import sys; sys.exit(213)", 213), ("import os; os._exit(7)", 7), ("1/0", 1)]
    {
        assert_eq!(plain().run(code).end(), &RunEnd::Returned(expected), "{code}");
    }
}

#[test]
fn a_death_by_signal_is_named() {
    for (code, name) in [
        ("import ctypes; ctypes.string_at(0)", "SIGSEGV"),
        ("import os; os.abort()", "SIGABRT"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGILL)", "SIGILL"),
    ] {
        let ran = plain().run(&format!("print('up', flush=True)\n{code}"));
        assert!(matches!(ran.end(), RunEnd::Crashed(how) if how.contains(name)), "{code}: {ran:?}");
        assert_eq!(ran.stdout(), "up\n");
    }
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
    let code = "
import os, time
if os.fork() == 0:
    time.sleep(600)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(600)
    os._exit(0)
print('parent done')
os._exit(0)
";
    let sandbox = Sandbox::new(&Setup { unconfined: true, ..Setup::default() });
    let ran = sandbox.run(code);
    assert_eq!(ran.ok(), "parent done\n");
    assert!(!ran.result.as_ref().expect("it ran").confined);
    assert!(ran.took < Duration::from_secs(5) + SLOW, "{:?}", ran.took);
    thread::sleep(Duration::from_millis(300));
    assert_eq!(sandbox.jobs(), &[] as &[u32]);
}
