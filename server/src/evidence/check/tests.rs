//! The corpus of runs, the table of commands, and promises that hold for every command.
//! Single functions are tested through them.

mod commands;
mod corpus;
mod promises;
mod relations;
