//! Times the built hook beside programs that do nothing, prints a table and writes the figures as JSON.
//! `tests/run bench` builds what it needs; what it shows is in docs/performance.md.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use proofmark_tests::bench::figures::Report;
use proofmark_tests::bench::rows;
use proofmark_tests::world::World;

const USAGE: &str = "usage: bench --empty PROGRAM [--rounds NUMBER] [--large MEGABYTES] [--json FILE]";
/// The length of the longest record, in megabytes, and the most that makes sense: no session's record is longer.
const LARGE: u64 = 100;
const MAX_LARGE: u64 = 10_000;
/// So many rounds take some seconds on a machine at rest, and give the p99 two times to lie above it.
const ROUNDS: usize = 200;
/// More would let the sessions grow to another size than the rows say.
const MAX_ROUNDS: usize = 10_000;

struct Wanted {
    empty: PathBuf,
    rounds: usize,
    large: u64,
    json: PathBuf,
}

fn main() -> Result<()> {
    let wanted = wanted(env::args().skip(1))?;
    let empty = fs::canonicalize(&wanted.empty).with_context(|| format!("{} is not there", wanted.empty.display()))?;
    let world = World::new()?;
    let report = Report::of(rows::time(&world, &empty, wanted.rounds, wanted.large)?)?;
    if let Some(folder) = wanted.json.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut text = serde_json::to_vec(&report)?;
    text.push(b'\n');
    fs::write(&wanted.json, text).with_context(|| format!("cannot write {}", wanted.json.display()))?;
    writeln!(io::stdout(), "{report}\nall figures: {}", wanted.json.display())?;
    Ok(())
}

fn wanted(arguments: impl Iterator<Item = String>) -> Result<Wanted> {
    let (mut empty, mut rounds, mut large, mut json) = (None, ROUNDS, LARGE, PathBuf::from("target/bench.json"));
    let mut arguments = arguments;
    while let Some(name) = arguments.next() {
        let value = arguments.next().context(USAGE)?;
        match name.as_str() {
            "--empty" => empty = Some(PathBuf::from(value)),
            "--rounds" => rounds = value.parse().ok().context(USAGE)?,
            "--large" => large = value.parse().ok().context(USAGE)?,
            "--json" => json = PathBuf::from(value),
            _ => bail!("{USAGE}"),
        }
    }
    ensure!((1..=MAX_ROUNDS).contains(&rounds), "1 to {MAX_ROUNDS} rounds");
    ensure!((1..=MAX_LARGE).contains(&large), "1 to {MAX_LARGE} megabytes");
    Ok(Wanted {
        empty: empty.context(USAGE)?,
        rounds,
        large,
        json,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read_and_nonsense_is_told() {
        let read = |line: &str| wanted(line.split_whitespace().map(str::to_owned));
        let all = read("--rounds 7 --empty e --large 9 --json j").unwrap();
        assert_eq!(
            (all.rounds, all.large, all.empty, all.json),
            (7, 9, "e".into(), "j".into())
        );
        assert_eq!(read("--empty e").unwrap().rounds, ROUNDS);
        for wrong in [
            "",
            "--rounds 7",
            "--empty",
            "--empty e --rounds x",
            "--empty e --rounds 0",
            "--empty e --large 0",
            "--empty e -x y",
        ] {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
    }
}
