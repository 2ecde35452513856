//! What the death of a job's process says, if we did not cause it.

use super::control::Ended;
use crate::job::{LimitHit, LimitKind, Limits, RunEnd, milliseconds};
use rustix::process::Signal;

pub(super) fn classify(ended: Ended, limits: &Limits) -> RunEnd {
    let Some(signal) = ended.signal else { return RunEnd::Returned(ended.code.unwrap_or(-1)) };
    let cpu_limit = milliseconds(limits.cpu);
    let kernel_enforced_cpu = signal == Signal::XCPU.as_raw() || signal == Signal::KILL.as_raw();
    if kernel_enforced_cpu && ended.cpu_ms >= cpu_limit {
        let (limit, used) = (cpu_limit, ended.cpu_ms);
        return RunEnd::Limit(LimitHit { kind: LimitKind::Cpu, limit, used });
    }
    RunEnd::Crashed(match signal_meaning(signal) {
        Some((name, meaning)) => format!("killed by signal {signal} ({name}: {meaning})"),
        None => format!("killed by signal {signal}"),
    })
}

fn signal_meaning(signal: i32) -> Option<(&'static str, &'static str)> {
    Some(match Signal::from_named_raw(signal)? {
        Signal::SEGV => ("SIGSEGV", "invalid memory access, or recursion deeper than the stack"),
        Signal::BUS => ("SIGBUS", "access beyond the end of a mapped file"),
        Signal::ILL => ("SIGILL", "an instruction that this CPU does not have"),
        Signal::FPE => ("SIGFPE", "arithmetic fault"),
        Signal::ABORT => ("SIGABRT", "abort"),
        Signal::KILL => ("SIGKILL", "killed, most likely by the system for want of memory"),
        Signal::SYS => ("SIGSYS", "a system call that no Python program makes"),
        Signal::TRAP => ("SIGTRAP", "trap"),
        Signal::TERM => ("SIGTERM", "terminated"),
        _ => return None,
    })
}
