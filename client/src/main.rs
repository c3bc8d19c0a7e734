//! The command for people.
//! x

fn main() {}
