//! How a run ended: the host's word and the bootstrap's in one.

use super::{JobStatus, StoppedAt};
use crate::job::{
    LimitHit, LimitKind, Limits, PythonError, Report, ReportedExit, RunEnd, RunRecord, RuntimeKind,
};

/// How the run of `record`, which reported `report`, ended.
pub(super) fn classify(
    runtime: RuntimeKind,
    record: &RunRecord,
    report: &Report,
    limits: &Limits,
) -> JobStatus {
    // A job that unwound when it was asked to ended by that limit, and one that died of memory that
    // was refused ended by that one.
    let asked = record.asked.filter(|_| report.exit == Some(ReportedExit::Deadline));
    if let Some(hit) = asked.or_else(|| refused_memory(runtime, record, report, limits)) {
        return JobStatus::Limit(hit);
    }
    // The host's word goes first.
    let code = match &record.end {
        RunEnd::Limit(hit) => return JobStatus::Limit(*hit),
        RunEnd::Crashed(how) => return JobStatus::Crashed(how.clone()),
        RunEnd::Cancelled => return JobStatus::Cancelled,
        RunEnd::Returned(code) => *code,
    };
    match &report.error {
        Some(error) => JobStatus::Exception(error.clone()),
        // Without a report, code 0 is that of `os._exit(0)`.
        None if code == 0 => JobStatus::Ok,
        None => JobStatus::Exit(code),
    }
}

/// Where a job was that was stopped, as the bootstrap or the host can say.
pub(super) fn stopped_at(record: &RunRecord, report: &Report) -> StoppedAt {
    let frames = report.at.as_ref().or(record.at.as_ref()).filter(|frames| !frames.is_empty());
    match (frames, &report.error) {
        (Some(frames), _) => StoppedAt::Frames(frames.clone()),
        (None, Some(error)) => StoppedAt::Traceback(error.traceback.clone()),
        (None, None) => StoppedAt::Unknown,
    }
}

/// The memory limit, if the job died of memory that was refused.
fn refused_memory(
    runtime: RuntimeKind,
    record: &RunRecord,
    report: &Report,
    limits: &Limits,
) -> Option<LimitHit> {
    let error = report.error.as_ref()?;
    let hit = |used| LimitHit { kind: LimitKind::Memory, limit: limits.memory, used };
    match runtime {
        RuntimeKind::Wasm if is_beyond_32_bits(error) => {
            Some(record.refused.unwrap_or_else(|| hit(limits.memory.max(1 << 31))))
        }
        RuntimeKind::Wasm => record.refused.filter(|_| error.kind == "MemoryError"),
        RuntimeKind::Native => {
            // What was measured also has pages of files, which the limit does not count.
            let used =
                record.usage.peak_memory.unwrap_or_default().min(limits.memory.saturating_sub(1));
            was_refused_memory(error).then(|| hit(used))
        }
    }
}

/// In the guest, where sizes have 32 bits, Python may not even ask for the memory of an object that
/// is too large.
fn is_beyond_32_bits(error: &PythonError) -> bool {
    let words = [
        "cannot fit 'int' into an index-sized integer",
        "Python int too large to convert to C ssize_t",
    ];
    error.kind == "OverflowError" && words.contains(&error.message.as_str())
}

/// The kernel refuses memory without telling us. Python's own `MemoryError` has no message,
/// numpy's begins so, and `mmap` raises what the kernel says; one that code raises to say something
/// of its own stays an exception.
fn was_refused_memory(error: &PythonError) -> bool {
    let by_mmap = error.kind == "OSError" && error.message == "[Errno 12] Cannot allocate memory";
    let by_numpy = error.kind.ends_with("._ArrayMemoryError")
        && error.message.starts_with("Unable to allocate");
    by_mmap || by_numpy || (error.kind == "MemoryError" && error.message.is_empty())
}
