//! Times the built programs beside programs that do nothing, prints tables and writes the figures as JSON.
//! `tests/run bench` builds what it needs; what it shows is in docs/performance.md.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::{Context, Result, bail, ensure};
use proofmark_tests::bench::figures::Table;
use proofmark_tests::bench::report::Report;
use proofmark_tests::bench::rows::Rows;
use proofmark_tests::bench::{cold, load, memory};
use proofmark_tests::world::World;

const USAGE: &str = "usage: bench --empty PROGRAM [--only warm|cold|reading|load|memory] [--rounds NUMBER] [--large MEGABYTES] \
    [--sessions NUMBER] [--turns NUMBER] [--json FILE]";
/// The lengths of the records by which the end of a turn is timed, in megabytes; a longer one by flag.
const LENGTHS: [u64; 3] = [1, 10, 100];
/// No session's record is longer, in megabytes.
const MAX_LARGE: u64 = 10_000;
/// So many rounds take a minute on a machine at rest, and give the p99 two times to lie above it.
const ROUNDS: usize = 200;
/// More would let the sessions grow to another size than the rows say.
const MAX_ROUNDS: usize = 10_000;
/// Rounds without a server: each event stops one, and starts one.
const COLD: usize = 20;
/// How long a record is whose first reading is timed, in bytes, and how often it is read.
const READ: (u64, usize) = (100_000_000, 5);

/// What may be asked for alone, and what runs only then: it takes minutes.
const PARTS: [&str; 4] = ["warm", "cold", "reading", "load"];
const LONG: &str = "memory";
/// The sessions whose memory is looked at, and the turns of each.
const SESSIONS: u64 = 1_000;
const TURNS: u64 = 200;

struct Wanted {
    empty: PathBuf,
    only: Option<String>,
    rounds: usize,
    large: Option<u64>,
    sessions: u64,
    turns: u64,
    json: PathBuf,
}

impl Wanted {
    fn wants(&self, part: &str) -> bool {
        self.only.as_deref().map_or(part != LONG, |only| only == part)
    }
}

fn main() -> Result<()> {
    let wanted = wanted(env::args().skip(1))?;
    let report = measure(&wanted)?;
    if let Some(folder) = wanted.json.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut text = serde_json::to_vec(&report)?;
    text.push(b'\n');
    fs::write(&wanted.json, text).with_context(|| format!("cannot write {}", wanted.json.display()))?;
    writeln!(io::stdout(), "{report}\nall figures: {}", wanted.json.display())?;
    Ok(())
}

fn measure(wanted: &Wanted) -> Result<Report> {
    let empty = fs::canonicalize(&wanted.empty).with_context(|| format!("{} is not there", wanted.empty.display()))?;
    let mut report = Report {
        processors: thread::available_parallelism()?.get(),
        warm: None,
        cold: None,
        readings: Vec::new(),
        load: Vec::new(),
        memory: None,
    };
    // A world for each: what one has left to be written must not fall into another's times.
    if wanted.wants("warm") {
        report.warm = Some(warm(&empty, wanted)?);
    }
    if wanted.wants("cold") {
        let world = World::new()?;
        report.cold = Some(Table::of(Rows::cold(&world, &empty)?.time(COLD.min(wanted.rounds))?)?);
    }
    if wanted.wants("reading") {
        let folder = tempfile::tempdir()?;
        let (size, times) = READ;
        report.readings = cold::measure(folder.path(), size, times)?;
    }
    if wanted.wants("load") {
        report.load = load::measure(&World::new()?)?;
    }
    if wanted.wants(LONG) {
        report.memory = Some(memory::measure(&World::new()?, wanted.sessions, wanted.turns)?);
    }
    Ok(report)
}

fn warm(empty: &Path, wanted: &Wanted) -> Result<Table> {
    let world = World::new()?;
    let lengths: Vec<u64> = LENGTHS.into_iter().chain(wanted.large).collect();
    Table::of(Rows::warm(&world, empty, &lengths)?.time(wanted.rounds)?)
}

fn wanted(arguments: impl Iterator<Item = String>) -> Result<Wanted> {
    let (mut empty, mut rounds, mut json) = (None, ROUNDS, PathBuf::from("target/bench.json"));
    let (mut only, mut large) = (None, None);
    let (mut sessions, mut turns) = (SESSIONS, TURNS);
    let mut arguments = arguments;
    while let Some(name) = arguments.next() {
        let value = arguments.next().context(USAGE)?;
        match name.as_str() {
            "--empty" => empty = Some(PathBuf::from(value)),
            "--only" if PARTS.contains(&value.as_str()) || value == LONG => only = Some(value),
            "--rounds" => rounds = value.parse().ok().context(USAGE)?,
            "--large" => large = Some(value.parse().ok().context(USAGE)?),
            "--sessions" => sessions = value.parse().ok().context(USAGE)?,
            "--turns" => turns = value.parse().ok().context(USAGE)?,
            "--json" => json = PathBuf::from(value),
            _ => bail!("{USAGE}"),
        }
    }
    ensure!((1..=MAX_ROUNDS).contains(&rounds), "1 to {MAX_ROUNDS} rounds");
    ensure!(
        large.is_none_or(|large| (1..=MAX_LARGE).contains(&large)),
        "1 to {MAX_LARGE} megabytes"
    );
    ensure!(sessions > 0 && turns > 0, "one session and one turn at least");
    Ok(Wanted {
        empty: empty.context(USAGE)?,
        only,
        rounds,
        large,
        sessions,
        turns,
        json,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read_and_nonsense_is_told() {
        let read = |line: &str| wanted(line.split_whitespace().map(str::to_owned));
        let all = read("--rounds 7 --empty e --large 9 --json j --only cold").unwrap();
        assert_eq!(
            (all.rounds, all.large, all.empty.clone(), all.json.clone()),
            (7, Some(9), "e".into(), "j".into())
        );
        assert!(all.wants("cold") && !all.wants("warm"));
        let usual = read("--empty e").unwrap();
        assert!(usual.rounds == ROUNDS && PARTS.iter().all(|part| usual.wants(part)) && !usual.wants(LONG));
        let long = read("--empty e --only memory --sessions 60 --turns 9").unwrap();
        assert!(long.wants(LONG) && (long.sessions, long.turns) == (60, 9));
        assert_eq!((usual.sessions, usual.turns), (SESSIONS, TURNS));
        for wrong in [
            "",
            "--rounds 7",
            "--empty",
            "--empty e --rounds x",
            "--empty e --rounds 0",
            "--empty e --large 0",
            "--empty e --turns 0",
            "--empty e --sessions x",
            "--empty e --only hot",
            "--empty e -x y",
        ] {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
    }
}
