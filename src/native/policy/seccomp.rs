//! Turns the table of [`super::syscalls`] into BPF. The default is `EPERM`: an honest program that
//! meets it gets an exception it can report. Only entry points of a foreign architecture kill,
//! because no honest program uses them.

use super::syscalls::{Action, Cond, JOB, NETWORK, NETWORK_JOB, NETWORK_PARENT, PARENT, Row, SELF};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, sock_filter,
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
/// Offset of the system call number in `seccomp_data`.
const OFFSET_NUMBER: u32 = 0;

/// A compiled filter, in the bytes that `prctl(PR_SET_SECCOMP)` takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::native) struct Program {
    instructions: BpfProgram,
}

impl Program {
    /// The filter of a job's process at a Landlock `abi`; with `network`, one that asks the server
    /// for sockets.
    ///
    /// # Errors
    /// The table does not compile, or there is none for this machine.
    pub(in crate::native) fn job(abi: u8, network: bool) -> Result<Self, String> {
        let network = if network { [NETWORK, NETWORK_JOB].as_slice() } else { &[] };
        Self::compile([JOB].iter().chain(network).copied().flatten().copied().flatten(), abi)
    }

    /// The wider filter of the fork server, which must start Python, fork, and signal its children.
    ///
    /// # Errors
    /// As [`Program::job`].
    pub(in crate::native) fn parent(abi: u8, network: bool) -> Result<Self, String> {
        let network = if network { [NETWORK, NETWORK_PARENT].as_slice() } else { &[] };
        Self::compile(
            [JOB, PARENT].iter().chain(network).copied().flatten().copied().flatten(),
            abi,
        )
    }

    /// The instructions, each 8 bytes in the order of `struct sock_filter`.
    pub(in crate::native) fn bytes(&self) -> Vec<u8> {
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
    pub(in crate::native) fn pid_slots(&self) -> Vec<usize> {
        let holds_pid = |(index, i): (usize, &sock_filter)| {
            (i.code == JUMP_IF_EQUAL && i.k == SELF).then_some(index)
        };
        self.instructions.iter().enumerate().filter_map(holds_pid).collect()
    }

    /// Puts the filter on the calling thread, for good.
    ///
    /// # Errors
    /// The kernel's.
    pub(in crate::native) fn install(&self) -> Result<(), String> {
        seccompiler::apply_filter(&self.instructions)
            .map_err(|e| format!("failed to install the seccomp filter: {e}"))
    }

    fn compile<'a>(rows: impl Iterator<Item = &'a Row>, abi: u8) -> Result<Self, String> {
        let arch = TargetArch::try_from(ARCH)
            .map_err(|e| format!("no seccomp table for this machine: {e}"))?;
        let mut allowed: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
        let mut unconditional = Vec::new();
        let mut instructions = prologue();
        for row in rows {
            match row.action {
                Action::Allow => unconditional.push(row.number),
                Action::AllowFromAbi(least) if abi >= least => unconditional.push(row.number),
                // Nothing to add: the default answer is EPERM.
                Action::AllowFromAbi(_) => {}
                Action::AllowIf(alternatives) => {
                    let rules = allowed.entry(row.number).or_default();
                    for conditions in alternatives {
                        rules.push(rule(conditions).map_err(|e| {
                            format!("seccomp row `{}` ({}): {e}", row.name, row.reason)
                        })?);
                    }
                }
                Action::Errno(errno) => {
                    instructions
                        .extend(answer(row, libc::SECCOMP_RET_ERRNO | errno.unsigned_abs())?);
                }
                Action::AskServer => {
                    instructions.extend(answer(row, libc::SECCOMP_RET_USER_NOTIF)?)
                }
            }
        }
        // An empty chain of rules means "always", and wins over the conditions of a narrower row.
        allowed.extend(unconditional.into_iter().map(|number| (number, Vec::new())));
        let eperm = SeccompAction::Errno(libc::EPERM.unsigned_abs());
        let table: BpfProgram = SeccompFilter::new(allowed, eperm, SeccompAction::Allow, arch)
            .and_then(TryInto::try_into)
            .map_err(|e| format!("failed to compile the seccomp table: {e}"))?;
        // The architecture check, which the compiler puts first, must stay first: numbers mean
        // nothing before it.
        let (check, rest) = table.split_at(3);
        let instructions = [check, &instructions, rest].concat();
        Ok(Self { instructions })
    }
}

fn rule(conditions: &[Cond]) -> Result<SeccompRule, seccompiler::BackendError> {
    let condition = |c: &Cond| match *c {
        // Pointers are wider than a word; everything else that the table looks at is an `int` or
        // fits one.
        Cond::IsNull(arg) => {
            SeccompCondition::new(arg, SeccompCmpArgLen::Qword, SeccompCmpOp::Eq, 0)
        }
        Cond::Is(arg, value) => {
            SeccompCondition::new(arg, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, u64::from(value))
        }
        Cond::Bits(arg, mask, value) => SeccompCondition::new(
            arg,
            SeccompCmpArgLen::Dword,
            SeccompCmpOp::MaskedEq(u64::from(mask)),
            u64::from(value),
        ),
    };
    SeccompRule::new(conditions.iter().map(condition).collect::<Result<_, _>>()?)
}

/// Loads the number of the call and, where a second table hides behind the same architecture, kills
/// its calls.
fn prologue() -> BpfProgram {
    let load = sock_filter { code: LOAD_WORD, jt: 0, jf: 0, k: OFFSET_NUMBER };
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

/// Answers one call with an action of its own: the compiler knows a single default.
fn answer(row: &Row, action: u32) -> Result<[sock_filter; 2], String> {
    let number = u32::try_from(row.number)
        .map_err(|_| format!("seccomp row `{}` ({}): number out of range", row.name, row.reason))?;
    Ok([
        sock_filter { code: JUMP_IF_EQUAL, jt: 0, jf: 1, k: number },
        sock_filter { code: RETURN, jt: 0, jf: 0, k: action },
    ])
}
