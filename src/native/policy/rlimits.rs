//! Process limits. The job's own are sent to the fork server, whose child puts them on between fork
//! and filter.

use crate::job::{Limits, resources};
use crate::native::error::{NativeError, failed};
use crate::native::size::Memory;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Resource numbers and values (soft, hard) for one job of a fork server of this size.
///
/// - DATA is the bound of private memory.
/// - AS is far above it, because BLAS, the allocator and stacks of threads reserve address space
///   that they never touch. It bounds the tables of pages, and how often a file can be mapped.
/// - STACK bounds the first thread's stack, which DATA does not count.
/// - CPU: the hard limit lies a second above, so that the first signal can still be told from a
///   kill.
/// - FSIZE bounds one file at once; the watcher adds them up.
/// - SIGPENDING is counted for the user: a job must not use up what others need.
/// - not NPROC: it counts the user's processes, not the job's.
///
/// None is above what this process itself may have, which its descendants cannot raise.
pub(crate) fn of_job(limits: &Limits, server: Memory) -> Vec<(u32, u64, u64)> {
    let data = server.data.saturating_add(resources::private_memory(limits));
    let space = server.mapped.saturating_add(resources::address_space(limits));
    let cpu = (limits.cpu + limits.grace).as_millis().div_ceil(1000);
    let cpu = u64::try_from(cpu).unwrap_or(u64::MAX - 1);
    let wanted = [
        (Resource::Data, data, data),
        (Resource::As, space, space),
        (Resource::Stack, resources::STACK, resources::STACK),
        (Resource::Cpu, cpu, cpu + 1),
        (Resource::Fsize, limits.file_bytes, limits.file_bytes),
        (Resource::Nofile, limits.open_files, limits.open_files),
        (Resource::Sigpending, resources::SIGNALS, resources::SIGNALS),
        (Resource::Core, 0, 0),
        (Resource::Memlock, 0, 0),
        (Resource::Msgqueue, 0, 0),
    ];
    let possible = |(resource, soft, hard): (Resource, u64, u64)| {
        let most = getrlimit(resource).maximum.unwrap_or(u64::MAX);
        (resource as u32, soft.min(most), hard.min(most))
    };
    wanted.into_iter().map(possible).collect()
}

/// Whether [`of_job`] makes the same of both.
pub(crate) fn are_same(one: &Limits, other: &Limits) -> bool {
    let parts = |limits: &Limits| {
        (limits.memory, limits.cpu, limits.grace, limits.file_bytes, limits.open_files)
    };
    parts(one) == parts(other)
}

/// The limit of the fork server itself: no core files, which would hold a job's data.
pub(crate) fn of_fork_server() -> Result<(), NativeError> {
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    setrlimit(Resource::Core, none).map_err(failed("set a process limit"))
}
