//! The fold: what a session is, from the entries of its record and the facts of the ledger.
//! No clock, no files, no sockets: time and text are arguments.

pub mod entry;
pub mod fact;
pub mod key;

pub use entry::{CallId, Ending, Entry, Injection, RowId, ToolKind};
pub use fact::{Fact, FactBody};
pub use key::SessionKey;
