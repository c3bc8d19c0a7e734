//! `proofmark doctor`, the built program, in homes that are as they should be and in broken ones.
//! What a single look makes of what it sees is tested in the client.

#![allow(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]

mod broken;
mod sound;
mod stage;
