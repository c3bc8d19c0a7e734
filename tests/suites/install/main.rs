//! `proofmark install` and `proofmark uninstall`, the built programs: settings files before, after, and back again.
//! How a single text is changed is tested in the client.

#![allow(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]

mod bad;
mod fixtures;
mod instants;
mod people;
mod stage;
mod trust;
