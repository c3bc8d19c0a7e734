//! Days on which something around Proofmark is broken: the turn goes on in time, the reason is said once, nothing is lost.
//! README.md beside this file names each case's guard; what is decided on good days is the other suites' business.

#![allow(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]

mod clock;
mod disks;
mod ledgers;
mod names;
mod owners;
mod payloads;
mod records;
mod sessions;
mod stage;
mod strangers;
