//! What an event costs a harness: whole processes from start to end, beside programs that do nothing; and what stands
//! behind it: the first reading of a record, a server under load. What a microbench times stays out.

pub mod cold;
mod event;
pub mod figures;
pub mod load;
pub mod memory;
pub mod mix;
pub mod record;
pub mod report;
pub mod rows;
mod sessions;
