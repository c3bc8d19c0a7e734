//! Brings what tests run into the package cache: every pinned harness version, and sets of Python packages.
//! Names as arguments restrict it to these: of harnesses, `editors` and `deny`.

use std::env;
use std::io::{self, Write};

use anyhow::{Context, Result};
use proofmark_tests::packages::{Cache, Install, pins};
use proofmark_tests::python::{Packages, Set};

fn main() -> Result<()> {
    let wanted: Vec<String> = env::args().skip(1).collect();
    let cache = Cache::from_env()?;
    for pin in pins()?
        .iter()
        .filter(|pin| wanted.is_empty() || wanted.contains(&pin.harness))
    {
        let name = format!("{} {}", pin.harness, pin.version);
        let did = cache.install(pin).with_context(|| format!("cannot install {name}"))?;
        say(&name, did)?;
    }
    for set in [Set::Editors, Set::Deny] {
        let name = set.name();
        if wanted.is_empty() || wanted.iter().any(|wanted| wanted == name) {
            let did =
                Packages::install(set, &cache).with_context(|| format!("cannot install the packages of {name}"))?;
            say(&format!("what the suite {name} needs"), did)?;
        }
    }
    Ok(())
}

fn say(name: &str, did: Install) -> io::Result<()> {
    let did = match did {
        Install::Present => "is in the cache",
        Install::Fetched => "was fetched and checked",
        Install::NoPackage => "has no package for this machine",
    };
    writeln!(io::stdout(), "{name} {did}")
}
