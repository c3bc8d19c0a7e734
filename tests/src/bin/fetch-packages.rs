//! Brings what tests run into the package cache: every pinned harness version, sets of Python packages, and VS Code.
//! Names as arguments restrict it to these: of harnesses, `editors`, `deny` and `vscode`.

use std::env;
use std::io::{self, Write};

use anyhow::{Context, Result};
use proofmark_tests::packages::{Cache, Install, pins};
use proofmark_tests::python::{Packages, Set};
use proofmark_tests::vscode::{Host, Tools, VERSIONS};

/// The name of VS Code and its tools.
const VSCODE: &str = "vscode";

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
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|wanted| wanted == name);
    for set in [Set::Editors, Set::Deny] {
        let name = set.name();
        if is_wanted(name) {
            let did =
                Packages::install(set, &cache).with_context(|| format!("cannot install the packages of {name}"))?;
            say(&format!("what the suite {name} needs"), did)?;
        }
    }
    if is_wanted(VSCODE) {
        let did = Tools::new(&cache)?
            .install()
            .context("cannot install the tools of VS Code")?;
        say("what drives and packages for VS Code", did)?;
        for version in VERSIONS {
            let name = format!("VS Code {version}");
            let did = Host::new(&cache, version)?.install();
            say(&name, did.with_context(|| format!("cannot install {name}"))?)?;
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
