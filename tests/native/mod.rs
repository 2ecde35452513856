//! The native runtime, against the real kernel and the real venv.

#![expect(clippy::expect_used, clippy::panic, reason = "a test that cannot go on has failed")]

// Every wall, climbed from inside, beside the proof that the attempt can succeed.
mod escape;
mod harness;
// The fork server: that it dies, that it is started again, that it leaves nothing behind.
mod lifecycle;
// What a job may use, and how it ends when it uses more.
mod limits;
// The hosts that an operator opened, and nothing beside them.
mod network;
// Servers on loopback for them.
pub(super) mod servers;
