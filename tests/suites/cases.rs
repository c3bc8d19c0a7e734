//! The conformance cases in `fixtures/cases/`, each against the real hook and a server of its own.
//! What a case may hold is said there; real harnesses are another suite's business.

use std::collections::BTreeSet;
use std::fs;
use std::thread;

use anyhow::{Context, Result};
use proofmark_tests::case::{self, Case};
use proofmark_tests::play::play;
use proofmark_tests::scenario::fixtures;
use proofmark_tests::world::World;

/// So many cases are played at once.
const AT_ONCE: usize = 4;
/// The weaknesses that cases are about; the twentieth has a test of its own below.
const WEAKNESSES: u32 = 19;

/// One test per file, and the list of the files.
macro_rules! files {
    ($($test:ident => $file:literal,)*) => {
        const PLAYED: &[&str] = &[$($file),*];

        $(#[test] fn $test() -> Result<()> { all_hold($file) })*
    };
}

files! {
    the_given_cases_hold => "untried-claim",
    the_further_cases_hold => "untried-claim-more",
    the_pains_of_users_are_not_ours => "pain",
}

/// Plays every case of a file and complains about all that fall short.
fn all_hold(file: &str) -> Result<()> {
    let cases = case::load(file)?;
    let mut bad = Vec::new();
    for some in cases.chunks(AT_ONCE) {
        thread::scope(|scope| -> Result<()> {
            let mut playing = Vec::new();
            for case in some {
                // The name stands in a panic's message: a world that leaves something behind panics.
                let thread = thread::Builder::new().name(format!("case {}", case.id));
                playing.push((case, thread.spawn_scoped(scope, || held(case))?));
            }
            for (case, thread) in playing {
                let short = match thread.join() {
                    Ok(Ok(short)) => short,
                    Ok(Err(failure)) => vec![format!("{failure:#}")],
                    Err(_) => vec!["panicked".to_owned()],
                };
                if !short.is_empty() {
                    bad.push(format!("{} ({}): {}", case.id, case.why, short.join("\n    ")));
                }
            }
            Ok(())
        })?;
    }
    assert!(
        bad.is_empty(),
        "{} of {} cases of {file} fall short:\n{}",
        bad.len(),
        cases.len(),
        bad.join("\n")
    );
    assert!(!cases.is_empty(), "{file} holds no cases");
    Ok(())
}

fn held(case: &Case) -> Result<Vec<String>> {
    play(case, &World::new()?)
}

#[test]
fn every_file_is_played_and_every_case_has_its_own_name() {
    let files = fs::read_dir(fixtures().join("cases"))
        .unwrap()
        .map(|file| file.unwrap().path());
    let json = files.filter(|path| path.extension().is_some_and(|ending| ending == "json"));
    let names: BTreeSet<String> = json
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    assert_eq!(names, PLAYED.iter().copied().map(str::to_owned).collect());
    for file in PLAYED {
        let mut ids = BTreeSet::new();
        for case in case::load(file).unwrap() {
            assert!(ids.insert(case.id.clone()), "{file}: {} is there twice", case.id);
            assert!(!case.why.is_empty(), "{file}: {} says not why", case.id);
        }
    }
}

#[test]
fn every_weakness_has_a_case_of_its_own() -> Result<()> {
    let cases = case::load("untried-claim-more").context("the further cases")?;
    for number in 1..=WEAKNESSES {
        let own = [format!("U{number}")];
        assert!(
            cases.iter().any(|case| case.u == own),
            "no case is about {} alone",
            own[0]
        );
    }
    Ok(())
}
