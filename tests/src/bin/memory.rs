//! Measures what a server takes in memory, idle and after many long sessions: memory [SESSIONS [TURNS]]
//! The programs are those of `$PROOFMARK_BIN_DIR`, else those beside this one.

use std::io::{self, Write};

use anyhow::{Context, Result};
use proofmark_tests::bench::memory;
use proofmark_tests::world::World;

fn main() -> Result<()> {
    let mut numbers = std::env::args()
        .skip(1)
        .map(|word| word.parse::<u64>().context("usage: memory [SESSIONS [TURNS]]"));
    let sessions = numbers.next().transpose()?.unwrap_or(1_000);
    let turns = numbers.next().transpose()?.unwrap_or(200);
    let world = World::new()?;
    write!(io::stdout(), "{}", memory::measure(&world, sessions, turns)?)?;
    Ok(())
}
