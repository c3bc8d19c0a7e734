//! What a test needs from the machine, and what happens when it is not there.
//! Getting it there is left to whoever starts the tests.

use std::env;
use std::fs;
use std::io::{self, Write};

use anyhow::{Result, ensure};

/// Reports that a test cannot run here: on stderr for a person, as an error in CI, where nothing may be skipped.
///
/// # Errors
/// The variable `CI` is set, and neither empty nor `false`.
pub fn missing(what: &str) -> Result<()> {
    ensure!(
        may_skip(env::var("CI").ok().as_deref()),
        "needs {what}, and in CI nothing is skipped"
    );
    writeln!(io::stderr(), "skipped: needs {what}")?;
    Ok(())
}

fn may_skip(ci: Option<&str>) -> bool {
    matches!(ci, None | Some("" | "false"))
}

/// True when this process can reach nothing but its own machine: loopback is the only network device it sees.
///
/// # Errors
/// The system does not say (`/proc/net/dev` is Linux's).
pub fn only_loopback() -> io::Result<bool> {
    // Not /sys/class/net: that one shows the devices of the namespace in which /sys was mounted.
    Ok(devices(&fs::read_to_string("/proc/net/dev")?).all(|device| device == "lo"))
}

/// The device names in the text of `/proc/net/dev`: two lines of headings, then `name: counters`.
fn devices(table: &str) -> impl Iterator<Item = &str> {
    table
        .lines()
        .skip(2)
        .filter_map(|line| line.split_once(':'))
        .map(|(name, _)| name.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ci_skips_nothing() {
        for (ci, skips) in [
            (None, true),
            (Some(""), true),
            (Some("false"), true),
            (Some("true"), false),
            (Some("1"), false),
        ] {
            assert_eq!(may_skip(ci), skips, "CI={ci:?}");
        }
    }

    #[test]
    fn every_device_is_seen() {
        let table = "Inter-|   Receive\n face |bytes\n    lo: 1 2 3\n  eth0: 4 5 6\n";
        assert_eq!(devices(table).collect::<Vec<_>>(), ["lo", "eth0"]);
    }
}
