//! Nothing of one job enters what the next one inherits: memory, frames, modules, descriptors.

use super::harness::{Sandbox, Setup, plain};
use crate::support::program;
use mcp_python_sandbox::proxy::ProxyConfig;
use mcp_python_sandbox::testing::Limits;
use std::fs::read_dir;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

fn with_network() -> Sandbox {
    let network = Some(ProxyConfig::new(vec!["example.org".parse().expect("a host")]));
    Sandbox::new(&Setup { network, preload: &["numpy"], ..Setup::default() })
}

#[test]
fn a_child_has_nothing_of_earlier_jobs_and_nothing_of_the_loop() {
    let sandbox = with_network();
    let code = "# heap-marker-fedcba9876543210fedcba9876543210\nimport numpy, time\n\
                SECONDS = 0\ntime.sleep(SECONDS)";
    let (limits, cancel) = (Limits::default(), CancellationToken::new());
    let (done, running) = (program::set(code, "SECONDS", 0), program::set(code, "SECONDS", 30));
    for _ in 0..3 {
        sandbox.run(&done).ok();
    }
    let scan = include_str!("../programs/scan_memory.py");
    let found = sandbox.block_on(async {
        let work = async {
            sandbox.wait_for_job().await;
            let found = sandbox.start(scan, &limits, &CancellationToken::new()).await;
            cancel.cancel();
            found
        };
        tokio::join!(sandbox.start(&running, &limits, &cancel), work).1
    });
    let expected = "marker True []\ncredential True []\nfolder True []\n\
                    main_module.py run.py child.py __main__.py\n5 200\n";
    assert_eq!(found.ok(), expected);
}

#[test]
fn a_job_asks_clocks_and_pids_of_itself_only() {
    let others: Vec<u32> = read_dir("/proc")
        .expect("the processes")
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect();
    assert!(others.len() > 2, "{others:?}");
    let code = include_str!("../programs/ask_about_others.py");
    let code = program::set(code, "OTHERS", format!("{others:?}"));
    let expected = "clock_gettime 0 False False\nclock_getres 0 False False\n\
                    clock_nanosleep 0 False False\ngetsid 0 True True\ngetpgid 0 True True\n\
                    getpriority 0 True True\nsched_getaffinity 0 True True\nkill 0 False True\n\
                    True True True\n";
    assert_eq!(plain().run(&code).ok(), expected);
    let unconfined = Sandbox::new(&Setup { unconfined: true, ..Setup::default() });
    let found = unconfined.run(&code).ok();
    for name in ["clock_gettime", "getsid", "getpgid", "getpriority", "sched_getaffinity"] {
        assert!(!found.contains(&format!("{name} 0 ")), "the control: {found}");
    }
}

#[test]
fn each_child_draws_random_numbers_of_its_own() {
    let sandbox = with_network();
    let code = "import numpy, random, tempfile, uuid\n\
                print(random.random(), numpy.random.rand(), numpy.random.default_rng().random())\n\
                print(tempfile.mktemp(), uuid.uuid4(), uuid.uuid1())";
    // One that names no import, and one whose modules the parent has.
    let hidden = "m = vars(__builtins__)['__imp' + 'ort__']('numpy').random\nprint(m.rand())";
    for code in [code, hidden] {
        assert_ne!(sandbox.run(code).ok(), sandbox.run(code).ok());
    }
}

#[test]
fn what_is_learned_changes_nothing_for_those_who_do_not_import_it() {
    let sandbox = Sandbox::new(&Setup {
        preload: &["numpy", "pandas", "matplotlib.pyplot"],
        ..Setup::default()
    });
    let learnable = "import sys\nfrom sandbox_bootstrap.fork_server import learning\n\
                     print(repr(learning.NAMES))";
    let names = sandbox.run(learnable).ok();
    let code = include_str!("../programs/what_imports_change.py");
    let code = program::set(code, "MODULES", names.trim());
    let limits =
        Limits { wall: Duration::from_mins(4), cpu: Duration::from_mins(4), ..Limits::default() };
    let ran = sandbox.run_within(&code, &limits);
    assert_eq!(ran.ok(), "done\n");
}

#[test]
fn names_that_are_not_in_the_list_are_never_learned() {
    let sandbox = Sandbox::new(&Setup::default());
    sandbox.run("1").ok();
    let parent = sandbox.fork_server();
    let long = "a".repeat(20_000);
    let named = ["numpy.f2py.__main__", "sklearn.experimental", "os", "", "x y", &long];
    sandbox.block_on(async {
        sandbox.native.learn(&named.map(str::to_owned));
        tokio::time::sleep(Duration::from_secs(2)).await;
    });
    // One that names them all, and does not import them.
    let code = format!("if 0:\n    import {long}, sklearn.cluster, curl_cffi.__main__\nprint(1)");
    assert_eq!(sandbox.run(&code).ok(), "1\n");
    sandbox.block_on(async { tokio::time::sleep(Duration::from_secs(2)).await });
    assert_eq!(sandbox.fork_server(), parent);
    assert_eq!(sandbox.run("import sys; print('sklearn' in sys.modules)").ok(), "False\n");
}

#[test]
fn a_module_that_exits_when_it_is_imported_costs_itself_alone() {
    let preload = &["numpy.f2py.__main__", "curl_cffi.__main__", "json.tool"];
    let sandbox = Sandbox::new(&Setup { preload, ..Setup::default() });
    assert_eq!(sandbox.run("import sys; print('json.tool' in sys.modules)").ok(), "True\n");
}
