//! What an event costs a harness: whole processes from start to end, beside programs that do nothing.
//! What the server does within that time stays out.

pub mod figures;
pub mod memory;
pub mod record;
pub mod rows;
