//! The fold: what a session is, from the entries of its record and the facts of the ledger.
//! No clock, no files, no sockets: time and text are arguments.

pub mod board;
pub mod book;
pub mod decide;
pub mod entry;
pub mod fact;
pub mod key;
pub mod observed;
pub mod past;
pub mod scope;
pub mod stream;
pub mod vocabulary;

pub use board::{Board, Change, CheckRow, Ran};
pub use book::{Book, ClaimRow, NotedRow};
pub use entry::{CallId, Ending, Entry, Injection, RowId, ToolKind};
pub use fact::{Fact, FactBody, FindingEnd};
pub use key::SessionKey;
pub use past::{Past, Spoken, Stretch};
pub use scope::{By, ReleaseWord, Scope, ScopeFact};
pub use stream::{CallRecord, Stream};
pub use vocabulary::{Shown, Vocabulary};
