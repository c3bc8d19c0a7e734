//! `proofmark codex` around programs that stand in for Codex: what they get and give is what they would without it.
//! The real Codex is `live_codex`'s; how arguments and findings are read is tested beside the code.

#![allow(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]

mod findings;
mod passing;
mod program;
mod signals;
mod stand_in;
mod terminals;
