//! The hook against a server of the test's own making: real sockets, real payloads, no real server.
//! What a real server decides is tested elsewhere.

#![allow(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]

mod answers;
mod binary;
mod codex;
mod cursor;
mod fake;
mod faults;
mod panics;
mod payloads;
mod starting;
mod stdin;
mod waiting;
