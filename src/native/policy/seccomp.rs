//! Turns the table of [`super::syscalls`] into BPF. The default is `EPERM`: an honest program that
//! meets it gets an exception it can report. Only entry points of a foreign architecture kill,
//! because no honest program uses them.

use super::syscalls::{
    Action, Cond, FORK_SERVER, JOB, LOCKS_ALONE, LOCKS_SHARED, NETWORK, NETWORK_FORK_SERVER,
    NETWORK_JOB, SELF, Syscall,
};
use crate::native::error::{Cause, NativeError, failed};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as ArgLen, SeccompCmpOp as Op, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch, sock_filter,
};
use std::collections::BTreeMap;
use std::env::consts::ARCH;

/// System calls of the x32 ABI carry this bit and share the architecture number of x86-64.
const X32_BIT: u32 = 0x4000_0000;
// Three BPF instructions, as `linux/filter.h` spells them: load a word of `seccomp_data`, compare,
// return.
const LOAD_WORD: u16 = 0x20;
const JUMP_IF_GREATER_OR_EQUAL: u16 = 0x35;
const JUMP_IF_EQUAL: u16 = 0x15;
const RETURN: u16 = 0x06;
/// Offsets in `seccomp_data`: of the system call's number, and of its first argument, whose low
/// word comes first on the machines that we have tables for.
const OFFSET_NUMBER: u32 = 0;
const OFFSET_ARGUMENTS: u32 = 16;
/// What lets the server answer a call.
const ASK: u32 = libc::SECCOMP_RET_USER_NOTIF;

/// A compiled filter, in the bytes that `prctl(PR_SET_SECCOMP)` takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Program {
    instructions: BpfProgram,
}

/// A filter is made of one part of the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// All but the calls that are left to the server, which it lets through.
    Answers,
    /// Those calls; it lets everything else through.
    Questions,
}

impl Program {
    /// The filter of a job's process at a Landlock `abi`; with `network` or if jobs `share`
    /// folders, for one that already wears [`Program::asking`].
    pub(super) fn job(abi: u8, network: bool, share: bool) -> Result<Self, NativeError> {
        let locks = if share { LOCKS_SHARED } else { LOCKS_ALONE };
        let network: &[_] = if network { &[NETWORK, NETWORK_JOB] } else { &[] };
        Self::compile(&[&[JOB, locks], network].concat(), abi, Part::Answers)
    }

    /// The filter that leaves calls to the server, if any are, and everything else to the other
    /// filters: with `network` sockets, if jobs `share` folders locks. One of its own, so that its
    /// listener can leave before the limits and the other filter are on.
    pub(super) fn asking(network: bool, share: bool) -> Result<Option<Self>, NativeError> {
        let sockets: &[_] = if network { &[NETWORK_JOB] } else { &[] };
        let locks: &[_] = if share { &[LOCKS_SHARED] } else { &[] };
        let tables = [sockets, locks].concat();
        (network || share).then(|| Self::compile(&tables, 0, Part::Questions)).transpose()
    }

    /// The wider filter of the fork server, which must start Python, fork, and signal its children.
    pub(super) fn fork_server(abi: u8, network: bool) -> Result<Self, NativeError> {
        let tables: &[_] = if network {
            &[JOB, FORK_SERVER, NETWORK, NETWORK_FORK_SERVER]
        } else {
            &[JOB, FORK_SERVER]
        };
        Self::compile(tables, abi, Part::Answers)
    }

    /// The instructions, each 8 bytes in the order of `struct sock_filter`.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let encode = |i: &sock_filter| {
            let mut bytes = [0; 8];
            bytes[..2].copy_from_slice(&i.code.to_ne_bytes());
            bytes[2] = i.jt;
            bytes[3] = i.jf;
            bytes[4..].copy_from_slice(&i.k.to_ne_bytes());
            bytes
        };
        self.instructions.iter().flat_map(encode).collect()
    }

    /// Indices of the instructions whose operand stands for the pid of the process that will wear
    /// the filter.
    pub(super) fn pid_slots(&self) -> Vec<usize> {
        let holds_pid = |(index, i): (usize, &sock_filter)| {
            (i.code == JUMP_IF_EQUAL && i.k == SELF).then_some(index)
        };
        self.instructions.iter().enumerate().filter_map(holds_pid).collect()
    }

    /// Puts the filter on the calling thread, for good.
    pub(super) fn install(&self) -> Result<(), NativeError> {
        let applied = seccompiler::apply_filter(&self.instructions);
        applied.map_err(failed("install the seccomp filter"))
    }

    fn compile(tables: &[&[&[Syscall]]], abi: u8, part: Part) -> Result<Self, NativeError> {
        let arch =
            TargetArch::try_from(ARCH).map_err(failed("find a seccomp table for this machine"))?;
        let mut allowed: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
        let mut unconditional = Vec::new();
        let mut instructions = prologue();
        for row in tables.iter().copied().flatten().copied().flatten() {
            match row.action {
                Action::AskServer if part == Part::Questions => {
                    instructions.extend(answer(row, ASK)?);
                }
                Action::AskServerWhere(argument, values) if part == Part::Questions => {
                    instructions.extend(answer_where(row, argument, values, ASK)?);
                }
                _ if part == Part::Questions => {}
                Action::AskServer => unconditional.push(row.number),
                Action::AskServerWhere(argument, values) => {
                    let rules = allowed.entry(row.number).or_default();
                    for &value in values {
                        let only = [Cond::Is(argument, value)];
                        rules.push(rule(&only).map_err(|e| in_row(row, e))?);
                    }
                }
                Action::Allow => unconditional.push(row.number),
                Action::AllowFromAbi(least) if abi >= least => unconditional.push(row.number),
                // Nothing to add: the default answer is EPERM.
                Action::AllowFromAbi(_) => {}
                Action::AllowIf(alternatives) => {
                    let rules = allowed.entry(row.number).or_default();
                    for conditions in alternatives {
                        rules.push(rule(conditions).map_err(|e| in_row(row, e))?);
                    }
                }
                Action::Errno(errno) => instructions.extend(answer(row, errno_answer(errno))?),
                Action::ErrnoWhere(argument, values, errno) => {
                    instructions.extend(answer_where(row, argument, values, errno_answer(errno))?);
                }
            }
        }
        // An empty chain of rules means "always", and wins over the conditions of a narrower row.
        allowed.extend(unconditional.into_iter().map(|number| (number, Vec::new())));
        let eperm = SeccompAction::Errno(libc::EPERM.unsigned_abs());
        let (unlisted, listed) = match part {
            Part::Answers => (eperm, SeccompAction::Allow),
            Part::Questions => (SeccompAction::Allow, eperm),
        };
        let table: BpfProgram = SeccompFilter::new(allowed, unlisted, listed, arch)
            .and_then(TryInto::try_into)
            .map_err(failed("compile the seccomp table"))?;
        // The architecture check, which the compiler puts first, must stay first: numbers mean
        // nothing before it.
        let (check, rest) = table.split_at(3);
        Ok(Self { instructions: [check, &instructions, rest].concat() })
    }
}

fn rule(conditions: &[Cond]) -> Result<SeccompRule, seccompiler::BackendError> {
    let condition = |c: &Cond| {
        // Pointers are wider than a word; everything else that the table looks at is an `int` or
        // fits one.
        let (arg, length, operator, value) = match *c {
            Cond::IsNull(arg) => (arg, ArgLen::Qword, Op::Eq, 0),
            Cond::Is(arg, value) => (arg, ArgLen::Dword, Op::Eq, value),
            Cond::Bits(arg, mask, value) => (arg, ArgLen::Dword, Op::MaskedEq(mask.into()), value),
        };
        SeccompCondition::new(arg, length, operator, value.into())
    };
    SeccompRule::new(conditions.iter().map(condition).collect::<Result<_, _>>()?)
}

/// Loads the number of the call and, where a second table hides behind the same architecture, kills
/// its calls.
fn prologue() -> BpfProgram {
    let load = load(OFFSET_NUMBER);
    if cfg!(target_arch = "x86_64") {
        vec![
            load,
            sock_filter { code: JUMP_IF_GREATER_OR_EQUAL, jt: 0, jf: 1, k: X32_BIT },
            sock_filter { code: RETURN, jt: 0, jf: 0, k: libc::SECCOMP_RET_KILL_PROCESS },
        ]
    } else {
        vec![load]
    }
}

fn load(offset: u32) -> sock_filter {
    sock_filter { code: LOAD_WORD, jt: 0, jf: 0, k: offset }
}

fn errno_answer(errno: i32) -> u32 {
    libc::SECCOMP_RET_ERRNO | errno.unsigned_abs()
}

/// Answers one call with an action of its own where the low word of an argument is one of `values`.
fn answer_where(
    row: &Syscall,
    argument: u8,
    values: &[u32],
    action: u32,
) -> Result<Vec<sock_filter>, NativeError> {
    let [mut is_call, give] = answer(row, action)?;
    let count = u8::try_from(values.len()).map_err(|e| in_row(row, e))?;
    // Past the comparisons and the answer, to where the number is loaded again.
    is_call.jf = count + 2;
    let mut all = vec![is_call, load(OFFSET_ARGUMENTS + 8 * u32::from(argument))];
    all.extend((1..=count).zip(values).map(|(place, &value)| sock_filter {
        code: JUMP_IF_EQUAL,
        jt: count - place,
        jf: u8::from(place == count),
        k: value,
    }));
    all.extend([give, load(OFFSET_NUMBER)]);
    Ok(all)
}

/// Answers one call with an action of its own: the compiler knows a single default.
fn answer(row: &Syscall, action: u32) -> Result<[sock_filter; 2], NativeError> {
    let number = u32::try_from(row.number).map_err(|e| in_row(row, e))?;
    Ok([
        sock_filter { code: JUMP_IF_EQUAL, jt: 0, jf: 1, k: number },
        sock_filter { code: RETURN, jt: 0, jf: 0, k: action },
    ])
}

fn in_row(row: &Syscall, error: impl Into<Cause>) -> NativeError {
    NativeError::SeccompRow { name: row.name, reason: row.reason, source: error.into() }
}
