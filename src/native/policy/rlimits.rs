//! Process limits. The job's own are sent to the fork server, whose child puts them on between fork
//! and filter.

use crate::job::Limits;
use crate::native::error::{NativeError, failed};
use crate::native::size::Footprint;
use rustix::process::{Resource, Rlimit, setrlimit};

/// What a job can take of memory in any case, to be able to say anything.
const LEAST: u64 = 16 << 20;

/// Resource numbers and values (soft, hard) for one job of a fork server of this size.
///
/// - DATA, not AS: BLAS and the allocator reserve address space that they never touch. What the job
///   may still take is the memory limit less what the fork server has resident already, and a
///   margin, so that excess is most often a `MemoryError` in the job before the watcher of the
///   resident size kills it.
/// - CPU: the hard limit lies a second above, so that the first signal can still be told from a
///   kill.
/// - FSIZE bounds one file at once; the watcher adds them up.
/// - not NPROC: it counts the user's processes, not the job's.
pub(crate) fn of_job(limits: &Limits, server: Footprint) -> Vec<(u32, u64, u64)> {
    let own =
        limits.memory.saturating_sub(server.resident).saturating_sub(limits.memory / 16).max(LEAST);
    let data = server.data.saturating_add(own);
    let cpu = (limits.cpu + limits.grace).as_millis().div_ceil(1000);
    let cpu = u64::try_from(cpu).unwrap_or(u64::MAX - 1);
    vec![
        (Resource::Data as u32, data, data),
        (Resource::Cpu as u32, cpu, cpu + 1),
        (Resource::Fsize as u32, limits.file_bytes, limits.file_bytes),
        (Resource::Nofile as u32, limits.open_files, limits.open_files),
        (Resource::Core as u32, 0, 0),
        (Resource::Memlock as u32, 0, 0),
        (Resource::Msgqueue as u32, 0, 0),
    ]
}

/// The limit of the fork server itself: no core files, which would hold a job's data.
pub(crate) fn of_fork_server() -> Result<(), NativeError> {
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    setrlimit(Resource::Core, none).map_err(failed("set a process limit"))
}
