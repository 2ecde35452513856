//! Who goes first when there are more processes than processors (setpriority(2)). A process can
//! always be made to give way and, without a privilege, never again go first.

use rustix::process::{Pid, setpriority_pgrp, setpriority_process};

/// The nice value of those that give way: the kernel gives them a ninth of what others get.
pub(crate) const NICE: i32 = 10;

/// Makes a process give way, for good, with all of its group if it leads one. Nothing happens if it
/// is gone.
pub(crate) fn let_give_way(pid: i32) {
    if let Some(pid) = Pid::from_raw(pid) {
        let _ = setpriority_process(Some(pid), NICE);
        let _ = setpriority_pgrp(Some(pid), NICE);
    }
}
