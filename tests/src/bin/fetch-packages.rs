//! Brings every pinned harness version into the package cache, so that the live tests can run without a network.
//! Names of harnesses as arguments restrict it to these.

use std::env;
use std::io::{self, Write};

use anyhow::{Context, Result};
use proofmark_tests::packages::{Cache, Install, pins};

fn main() -> Result<()> {
    let wanted: Vec<String> = env::args().skip(1).collect();
    let cache = Cache::from_env()?;
    for pin in pins()?
        .iter()
        .filter(|pin| wanted.is_empty() || wanted.contains(&pin.harness))
    {
        let name = format!("{} {}", pin.harness, pin.version);
        let did = match cache.install(pin).with_context(|| format!("cannot install {name}"))? {
            Install::Present => "is in the cache",
            Install::Fetched => "was fetched and checked",
            Install::NoPackage => "has no package for this machine",
        };
        writeln!(io::stdout(), "{name} {did}")?;
    }
    Ok(())
}
