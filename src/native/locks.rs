//! Locks of a job that shares folders with others: `flock`, and those of `fcntl`.
//!
//! In a folder that it may change, a lock is real. Elsewhere it succeeds and locks nothing: in its
//! own directories a job has nobody to lock out, and files that it may only read are not its own to
//! lock. Which file a descriptor means can change between our look and the kernel's, if the job has
//! another thread to change it.

use super::policy::syscalls::word;
use super::size;
use super::sys::{self, Asked};
use crate::job::resources;
use rustix::io::Errno;
use std::fs;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

/// The folders of one job in which locks are real.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Locks {
    /// The operator's folders that the job may change, as the kernel names them.
    pub(super) shared: Vec<PathBuf>,
    /// Whether there are folders of the operator that it may only read.
    pub(super) any_read_only: bool,
    /// Locks that it has taken, or given back, since they were counted.
    pub(super) calls: usize,
}

impl Locks {
    /// Answers a call of `flock` or `fcntl`.
    pub(super) fn answer(&mut self, listener: &OwnedFd, asked: &Asked) -> Result<(), Errno> {
        let (thread, [fd, command, _]) = (asked.thread, asked.arguments);
        let file = fs::read_link(format!("/proc/{thread}/fd/{}", fd.cast_signed()));
        let file = file.map_err(|_| Errno::BADF)?;
        if !self.shared.iter().any(|folder| file.starts_with(folder)) {
            return sys::pretend(listener, asked);
        }
        let of_descriptor = [word(libc::F_OFD_SETLK), word(libc::F_OFD_SETLKW)];
        if asked.call == libc::SYS_fcntl && of_descriptor.contains(&command) {
            // Nobody could count them: the kernel's list does not say whose they are.
            return Err(Errno::INVAL);
        }
        if self.any_read_only && threads(thread) != Some(1) {
            return Err(Errno::NOLCK);
        }
        if self.calls >= resources::LOCKS {
            self.calls = held(thread);
        }
        if self.calls >= resources::LOCKS {
            return Err(Errno::NOLCK);
        }
        self.calls += 1;
        sys::carry_out(listener, asked)
    }
}

fn threads(thread: u32) -> Option<u64> {
    let thread = i32::try_from(thread).ok()?;
    size::measure(thread).map(|size| size.threads)
}

/// How many locks the process of `thread` has, of all in the kernel's list.
fn held(thread: u32) -> usize {
    let status = fs::read(format!("/proc/{thread}/status")).unwrap_or_default();
    let status = String::from_utf8_lossy(&status);
    let process = status.lines().find_map(|line| line.strip_prefix("Tgid:")).map(str::trim);
    let Ok(locks) = fs::read_to_string("/proc/locks") else { return usize::MAX };
    // `1: POSIX  ADVISORY  WRITE 4242 08:01:1234 0 EOF`
    locks.lines().filter(|line| line.split_ascii_whitespace().nth(4) == process).count()
}
