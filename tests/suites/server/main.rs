//! What the server promises, asked of the built programs: one owner, one effect, nothing lost, nothing left behind.
//! What single checks decide, and how a harness is answered, is the other suites' business.

#![allow(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]

mod codex;
mod commands;
mod cursor;
mod folder;
mod hostile;
mod kills;
mod lifetime;
mod limits;
mod lineage;
mod lines;
mod links;
mod once;
mod owner;
mod scope;
mod secrets;
mod session;
mod surroundings;
mod trouble;
mod wire;
