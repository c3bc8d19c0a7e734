//! Time by length: whatever a text is made of, four times as much of it takes no more than about four times as long.
//! What comes out of a reader stays out; so do figures in seconds, which depend on the machine.

mod evidence;
mod measure;
mod records;
mod texts;
