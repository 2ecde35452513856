//! Every probe at every kind of kernel, the control of every probe, and walls that no errno shows.

use super::harness::{Sandbox, Setup, plain};
use mcp_python_sandbox::proxy::ProxyConfig;
use mcp_python_sandbox::testing::Error;
use mcp_python_sandbox::testing::Limits;
use mcp_python_sandbox::testing::RunEnd;
use mcp_python_sandbox::testing::{Control, PROBES, is_root};
use mcp_python_sandbox::testing::{Status, WALLS};
use std::fs::read_to_string;
use tokio_util::sync::CancellationToken;

fn every_wall_holds(abi: Option<u8>) {
    every_wall_of(&Setup { abi, ..Setup::default() });
}

fn every_wall_of(setup: &Setup) {
    let sandbox = Sandbox::new(setup);
    let findings = sandbox.block_on(sandbox.native.probe()).expect("the probes ran");
    let fallen: Vec<_> = findings.iter().filter(|finding| !finding.holds).collect();
    assert!(fallen.is_empty(), "{fallen:#?}");
    assert_eq!(findings.len(), PROBES.len());
    if let Some(abi) = setup.abi {
        assert_eq!(sandbox.native.status(), Status::On { landlock_abi: Some(abi) });
    }
}

#[test]
fn walls_hold_with_the_landlock_of_linux_5_13() {
    every_wall_holds(Some(1));
}

#[test]
fn walls_hold_with_the_landlock_of_linux_5_19() {
    every_wall_holds(Some(2));
}

#[test]
fn walls_hold_with_the_landlock_of_linux_6_7() {
    every_wall_holds(Some(4));
}

#[test]
fn walls_hold_with_the_landlock_of_this_kernel() {
    every_wall_holds(None);
}

#[test]
fn walls_hold_where_a_host_is_open() {
    for abi in [Some(4), None] {
        let network = Some(ProxyConfig::new(vec!["example.org".parse().expect("a host")]));
        every_wall_of(&Setup { abi, network, ..Setup::default() });
    }
}

#[test]
fn every_attempt_can_succeed() {
    let sandbox = Sandbox::new(&Setup { unconfined: true, ..Setup::default() });
    let findings = sandbox.block_on(sandbox.native.probe()).expect("the probes ran");
    let astray: Vec<_> = PROBES
        .iter()
        .zip(&findings)
        .filter(|(probe, finding)| {
            let wanted = match probe.control {
                Control::Succeeds => None,
                Control::SucceedsAsRoot if is_root() => None,
                Control::SucceedsAsRoot => return false,
                Control::Reaches(errno) => Some(errno),
            };
            finding.errno != wanted
        })
        .collect();
    assert!(astray.is_empty(), "{astray:#?}");
}

#[test]
fn every_bound_strikes() {
    let sandbox = Sandbox::new(&Setup::default());
    let found = sandbox.block_on(sandbox.native.climb()).expect("the climbs ran");
    let missed: Vec<_> = found.iter().filter(|bounded| !bounded.holds).collect();
    assert!(missed.is_empty(), "{missed:#?}");
    assert_eq!(found.len(), 11);
}

#[test]
fn every_wall_has_a_probe() {
    // The last one kills instead of answering, see below.
    let unproved: Vec<_> = WALLS
        .iter()
        .map(|wall| wall.name)
        .filter(|name| {
            *name != "enter by the x32 or 32-bit tables"
                && PROBES.iter().all(|probe| probe.wall != *name)
        })
        .collect();
    assert!(unproved.is_empty(), "{unproved:?}");
    assert!(PROBES.iter().all(|probe| WALLS.iter().any(|wall| wall.name == probe.wall)));
}

#[test]
fn without_landlock_native_is_off_and_says_why() {
    let sandbox = Sandbox::new(&Setup { abi: Some(0), ..Setup::default() });
    let Status::Off { why } = sandbox.native.status() else {
        panic!("native is on without Landlock")
    };
    assert_eq!(&*why, "this kernel has no Landlock; Linux 5.13 or newer has");
    let ran = sandbox.run("print(1)");
    let Err(error @ Error::RuntimeOff(_)) = &ran.result else { panic!("the job was run: {ran:?}") };
    assert_eq!(error.to_string(), format!("the native runtime is off: {why}"));
}

#[cfg(target_arch = "x86_64")]
#[test]
fn the_x32_table_kills() {
    let ran = plain().run("import ctypes; print(ctypes.CDLL(None).syscall(0x40000000 + 39))");
    assert_killed_by_filter(ran.end());
}

#[cfg(target_arch = "x86_64")]
#[test]
fn the_32_bit_table_kills() {
    let ran = plain().run(include_str!("../programs/system_call_of_32_bit.py"));
    assert_eq!(ran.stdout(), "mapped\n");
    assert_killed_by_filter(ran.end());
}

#[cfg(target_arch = "x86_64")]
#[track_caller]
fn assert_killed_by_filter(end: &RunEnd) {
    assert!(matches!(end, RunEnd::Crashed(how) if how.contains("SIGSYS")), "{end:?}");
}

#[test]
fn no_new_privileges_no_capabilities_and_a_filter_are_in_force() {
    // Seen from outside, because a job cannot read its own status.
    let sandbox = Sandbox::new(&Setup::default());
    let status = sandbox.block_on(async {
        let cancel = CancellationToken::new();
        let limits = Limits::default();
        let look = async {
            let job = sandbox.wait_for_job().await;
            let status = read_to_string(format!("/proc/{job}/status")).expect("the job's status");
            cancel.cancel();
            status
        };
        tokio::join!(sandbox.start("import time; time.sleep(30)", &limits, &cancel), look).1
    });
    for line in
        ["NoNewPrivs:\t1", "Seccomp:\t2", "CapEff:\t0000000000000000", "CapPrm:\t0000000000000000"]
    {
        assert!(status.lines().any(|have| have == line), "{line} is not in\n{status}");
    }
}
