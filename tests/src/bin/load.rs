//! Many sessions and clients on one server, strangers among them, and servers that are lost: `tests/run load`.
//! What has to hold is in docs/dependability.md.

use std::env;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use proofmark_tests::load::{self, Plan};

const USAGE: &str = "usage: load [SECONDS] [--seed NUMBER] [--empty PROGRAM]";
/// Enough for each session to have been at work some times.
const SECONDS: u64 = 20;

fn main() -> Result<ExitCode> {
    let plan = plan(env::args().skip(1))?;
    let held = load::run(&plan, &mut io::stdout())?;
    Ok(if held { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn plan(arguments: impl Iterator<Item = String>) -> Result<Plan> {
    let mut plan = Plan {
        time: Duration::from_secs(SECONDS),
        seed: 1,
        empty: PathBuf::from("/bin/true"),
    };
    let mut arguments = arguments;
    while let Some(word) = arguments.next() {
        let mut value = || arguments.next().context(USAGE);
        match word.as_str() {
            "--seed" => plan.seed = value()?.parse().ok().context(USAGE)?,
            "--empty" => plan.empty = value()?.into(),
            seconds => plan.time = Duration::from_secs(seconds.parse().ok().context(USAGE)?),
        }
    }
    Ok(plan)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read_and_nonsense_is_told() {
        let read = |line: &str| plan(line.split_whitespace().map(str::to_owned));
        let all = read("7 --seed 9 --empty e").unwrap();
        assert_eq!((all.time.as_secs(), all.seed, all.empty), (7, 9, "e".into()));
        assert_eq!(read("").unwrap().time.as_secs(), SECONDS);
        for wrong in ["x", "--seed", "--seed x", "--empty"] {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
    }
}
