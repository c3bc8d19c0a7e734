//! Kills the programs at random instants of a scripted workload, and says what did not hold: `tests/run crash`.
//! What has to hold is in docs/dependability.md.

use std::env;
use std::io;
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use proofmark_tests::crash::{self, Plan};

const USAGE: &str = "usage: crash [SECONDS] [--seed NUMBER]";
/// Enough for some hundred kills.
const SECONDS: u64 = 120;

fn main() -> Result<ExitCode> {
    let plan = plan(env::args().skip(1))?;
    let held = crash::run(plan, &mut io::stdout())?;
    Ok(if held { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn plan(arguments: impl Iterator<Item = String>) -> Result<Plan> {
    let (mut seconds, mut seed) = (SECONDS, None);
    let mut arguments = arguments;
    while let Some(word) = arguments.next() {
        if word == "--seed" {
            let value = arguments.next().context(USAGE)?;
            seed = Some(value.parse().ok().context(USAGE)?);
        } else {
            seconds = word.parse().ok().context(USAGE)?;
        }
    }
    let by_chance = || {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::from(since.subsec_nanos()) ^ since.as_secs()
    };
    Ok(Plan {
        time: Duration::from_secs(seconds),
        seed: seed.unwrap_or_else(by_chance),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read_and_nonsense_is_told() {
        let read = |line: &str| plan(line.split_whitespace().map(str::to_owned));
        let all = read("7 --seed 9").unwrap();
        assert_eq!((all.time.as_secs(), all.seed), (7, 9));
        assert_eq!(read("").unwrap().time.as_secs(), SECONDS);
        for wrong in ["x", "--seed", "--seed x", "-7"] {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
    }
}
