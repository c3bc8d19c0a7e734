//! What lines of rollouts show: real sessions, single lines, and lines that no harness ever wrote.
//! Following a file has its tests in its own room.

mod any_line;
mod boards;
mod lines;
mod sessions;
