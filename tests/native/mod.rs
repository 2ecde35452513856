//! The native runtime, against the real kernel and the real venv.

#![expect(clippy::expect_used, clippy::panic, reason = "a test that cannot go on has failed")]

// Every wall, climbed from inside, beside the proof that the attempt can succeed.
mod escape;
mod harness;
// Orders and descriptors on their way to a child, and what is not handed over.
mod handover;
// What a child has from the fork server, and what it must not have.
mod inheritance;
// The fork server: that it dies, that it is started again, that it leaves nothing behind.
mod lifecycle;
// What a job may use, and how it ends when it uses more.
mod limits;
// The hosts that an operator opened, and nothing beside them.
mod network;
// Sessions whose jobs use the channel to the server.
mod sessions;
// The child that waits for its job: that it is used once, and never where it does not fit.
mod spares;
// Servers on loopback for them.
pub(super) mod servers;
