//! Reads one record as a server does that has never seen it, and prints how that went as one line of JSON.
//! The benchmark starts it, a process for each record: a peak of memory is a process's own.

use std::env;
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, Result};
use proofmark_protocol::Harness;
use proofmark_tests::bench::cold;

const USAGE: &str = "usage: read-record HARNESS FILE";

fn main() -> Result<()> {
    let mut arguments = env::args().skip(1);
    let (Some(harness), Some(path), None) = (arguments.next(), arguments.next(), arguments.next()) else {
        anyhow::bail!(USAGE);
    };
    let harness = Harness::from_name(&harness).context(USAGE)?;
    let reading = cold::read(Path::new(&path), harness)?;
    writeln!(io::stdout(), "{}", serde_json::to_string(&reading)?)?;
    Ok(())
}
