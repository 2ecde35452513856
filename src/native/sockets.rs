//! The sockets of a job that may use the network: made here, not by the job.
//!
//! Landlock opens a *port*, whatever the host, so a job with sockets of its own could talk to any
//! machine that listens on the proxy's port. Therefore the job's filter hands each of its calls of
//! `socket` to the server, and what the server gives it is a TCP socket that is bound to 127.0.0.1
//! and to the loopback device already. The address alone is not enough: a machine may route
//! loopback addresses (`route_localnet`). Both outlive a disconnect, and the job's filter has no
//! row that could change them. With the Landlock rule, a job can reach the proxy alone.
//!
//! The arguments that we check lie in registers, so the job cannot change them after the check.
//!
//! Where jobs share folders, the filter leaves their locks to the server as well (`locks`).

use super::locks::Locks;
use super::policy::syscalls::{SOCKET_KIND, word};
use super::sys::{self, Asked};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, socket_with};
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::OwnedFd;
use tokio::io::unix::AsyncFd;
use tokio::task::JoinHandle;

/// Answers the calls of one job. Ends with the job, or with this value; calls after that fail with
/// `ENOSYS`.
#[derive(Debug)]
pub(super) struct Sockets(JoinHandle<()>);

impl Sockets {
    /// Serves the calls that arrive at `listener`.
    pub(super) fn serve(listener: OwnedFd, locks: Locks) -> io::Result<Self> {
        let listener = sys::watch_readable(listener)?;
        Ok(Self(tokio::spawn(answer_all(listener, locks))))
    }
}

impl Drop for Sockets {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn answer_all(listener: AsyncFd<OwnedFd>, mut locks: Locks) {
    loop {
        let Ok(mut ready) = listener.readable().await else { return };
        let events = events(listener.get_ref());
        if events.contains(PollFlags::IN) {
            answer_one(listener.get_ref(), &mut locks);
        } else if events.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) {
            return;
        } else {
            ready.clear_ready();
        }
    }
}

/// Receiving blocks if no call waits. One that waits can only go away before we receive it by a
/// signal to the job, and receiving then fails at once.
fn events(listener: &OwnedFd) -> PollFlags {
    let mut fds = [PollFd::new(listener, PollFlags::IN)];
    let polled = poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }));
    polled.map_or(PollFlags::empty(), |_| fds[0].revents())
}

fn answer_one(listener: &OwnedFd, locks: &mut Locks) {
    // The call may be over: its thread was interrupted.
    let Ok(asked) = sys::receive_call(listener) else { return };
    let answered = match asked.call {
        libc::SYS_socket => {
            let close_on_exec = word(libc::SOCK_CLOEXEC) & asked.arguments[1] != 0;
            let socket = socket_for(&asked);
            socket.and_then(|socket| sys::give(listener, &asked, &socket, close_on_exec))
        }
        _ => locks.answer(listener, &asked),
    };
    if let Err(errno) = answered {
        let _ = sys::refuse(listener, &asked, errno);
    }
}

/// A TCP socket that can reach this machine only.
fn socket_for(asked: &Asked) -> Result<OwnedFd, Errno> {
    let [family, kind, protocol] = asked.arguments;
    let is_tcp = protocol == 0 || protocol == word(libc::IPPROTO_TCP);
    // `policy::syscalls::NETWORK_FORK_SERVER` says the same.
    if family != word(libc::AF_INET) || kind & SOCKET_KIND != word(libc::SOCK_STREAM) || !is_tcp {
        return Err(Errno::PERM);
    }
    let mut flags = SocketFlags::CLOEXEC;
    flags.set(SocketFlags::NONBLOCK, kind & word(libc::SOCK_NONBLOCK) != 0);
    let socket = socket_with(AddressFamily::INET, SocketType::STREAM, flags, None)?;
    sys::bind_to_loopback_device(&socket)?;
    bind(&socket, &SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0))?;
    Ok(socket)
}
