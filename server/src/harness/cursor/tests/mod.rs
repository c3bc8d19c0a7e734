//! What lines of transcripts show: sessions of every form, single lines, and lines that Cursor never wrote.
//! Following a file has its tests in its own room, joining it with events in the core's.

mod any_line;
mod sessions;
