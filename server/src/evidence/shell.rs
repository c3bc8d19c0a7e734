//! What a shell command does, read from its syntax tree.
//! Running anything, and what its output says, stays out.
