//! The sidecar's rooms, from a harness's record to a decision; `ARCHITECTURE.md` is the map.
//! Command lines and harness payloads stay out: they belong to the clients.

pub mod checks;
pub mod engine;
pub mod evidence;
pub mod harness;
pub mod judge;
pub mod ledger;
pub mod lsp;
pub mod picture;
pub mod record;
pub mod rpc;
pub mod session;
pub mod state_folder;
pub mod text;
