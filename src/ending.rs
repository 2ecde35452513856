//! How a run ended, from what the runtime saw and what the bootstrap said, and the run's output in one piece.

use crate::limits::{LimitHit, LimitKind, Limits};
use crate::native::NativeRun;
use crate::outcome::{OutputFile, PythonError, RawOutput, ReportedExit, RunEnd, RuntimeKind, Usage};
use crate::output::Captured;
use crate::wasm::WasmRun;

/// What the host saw and what the bootstrap said, in one: a job that unwound when it was asked to ended by that limit,
/// and one that died of memory that was refused ended by that one.
fn end_after_report(end: RunEnd, asked: Option<LimitHit>, refused: Option<LimitHit>, captured: &Captured) -> RunEnd {
    let asked = asked.filter(|_| captured.report.exit == Some(ReportedExit::Deadline));
    asked.or(refused).map_or(end, RunEnd::Limit)
}

/// In the guest, where sizes have 32 bits, Python may not even ask for the memory of an object that is too large.
fn is_beyond_32_bits(error: &PythonError) -> bool {
    let words = ["cannot fit 'int' into an index-sized integer", "Python int too large to convert to C ssize_t"];
    error.kind == "OverflowError" && words.contains(&error.message.as_str())
}

/// The output of a run in a guest.
pub(crate) fn of_guest(run: WasmRun, mut captured: Captured, limits: &Limits) -> RawOutput {
    let refused = refused(&run, &captured, limits);
    captured.report.at = captured.report.at.or(run.at);
    let end = end_after_report(run.end, run.asked, refused, &captured);
    assemble(RuntimeKind::Wasm, end, captured, run.usage, run.files, true)
}

/// The memory limit, if the guest died of memory that was refused or of a size that it cannot even express.
fn refused(run: &WasmRun, captured: &Captured, limits: &Limits) -> Option<LimitHit> {
    let error = captured.report.error.as_ref()?;
    if is_beyond_32_bits(error) {
        let beyond = LimitHit { kind: LimitKind::Memory, limit: limits.memory, used: limits.memory.max(1 << 31) };
        return Some(run.refused.unwrap_or(beyond));
    }
    run.refused.filter(|_| error.kind == "MemoryError")
}

/// The output of a native run that wrote `files`.
pub(crate) fn of_native(run: NativeRun, captured: Captured, files: Vec<OutputFile>, limits: &Limits) -> RawOutput {
    let refused = captured.report.error.as_ref().filter(|error| was_refused_memory(error));
    let used = run.usage.peak_memory.unwrap_or_default();
    let refused = refused.map(|_| LimitHit { kind: LimitKind::Memory, limit: limits.memory, used });
    let end = end_after_report(run.end, run.asked, refused, &captured);
    assemble(RuntimeKind::Native, end, captured, run.usage, files, run.confined)
}

/// The kernel refuses memory without telling us. Python's own `MemoryError` has no message and numpy's begins so; one
/// that code raises to say something of its own stays an exception.
fn was_refused_memory(error: &PythonError) -> bool {
    let by_numpy = error.kind.ends_with("._ArrayMemoryError") && error.message.starts_with("Unable to allocate");
    by_numpy || (error.kind == "MemoryError" && error.message.is_empty())
}

/// The parts of a run's output in one.
fn assemble(
    runtime: RuntimeKind,
    end: RunEnd,
    captured: Captured,
    usage: Usage,
    files: Vec<OutputFile>,
    confined: bool,
) -> RawOutput {
    let Captured { stdout, stderr, images, lost_images, report, whole } = captured;
    RawOutput { runtime, end, stdout, images, lost_images, stderr, report, usage, files, confined, whole }
}
