//! The conformance cases in `fixtures/cases/`, each against the real hook and a server of its own.
//! What a case may hold is said there; real harnesses are another suite's business.

use std::collections::BTreeSet;
use std::fs;
use std::thread;

use anyhow::{Context, Result, bail};
use proofmark_protocol::Harness;
use proofmark_tests::case::{self, Case};
use proofmark_tests::play::{Played, play};
use proofmark_tests::scenario::fixtures;
use proofmark_tests::transcript::Transcript;
use proofmark_tests::world::World;
use serde_json::{Value, json};

/// So many cases are played at once.
const AT_ONCE: usize = 4;
/// So often a case is played when the machine is too busy to keep the times that the case rests on.
const TRIES: u32 = 5;
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
    locks_begin_and_end_as_given => "scope-lock",
    locks_begin_and_end_in_the_further_cases => "scope-lock-more",
    flips_are_told_as_given => "stale-verdict",
    flips_are_told_in_the_further_cases => "stale-verdict-more",
    claims_are_held_against_the_record => "claimed-pass",
    replies_are_judged_as_given => "reply-judge",
    replies_are_judged_in_the_further_cases => "reply-judge-more",
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
    for _ in 0..TRIES {
        if let Played::Judged(short) = play(case, &World::new()?)? {
            return Ok(short);
        }
    }
    bail!("the machine was too slow {TRIES} times")
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

/// The twentieth weakness: reading the whole record at every stop. The look is taken out of the record after the first
/// stop, so whoever reads that part again finds none.
#[test]
fn a_second_stop_reads_only_what_is_new() -> Result<()> {
    let world = World::new()?;
    let path = world.home().join("s1.jsonl");
    let mut record = Transcript::default();
    let mut rows = 0;
    let talk: Vec<Value> = (0..512).map(|_| json!({"assistant": "so ".repeat(200)})).collect();
    let look = [
        json!({"tool": "Read", "id": "t1", "input": {"file_path": "/srv/export"}}),
        json!({"result": "empty", "id": "t1"}),
    ];
    for events in [&[json!({"user": "did it finish?"})][..], &talk, &look, &talk] {
        record.append(events, "s1", &mut rows)?;
    }
    let stop = |session: &str, claim: &str| -> Result<Option<i32>> {
        let reply = format!("{{{{CAT-UNVERIFIED: {claim} -- cannot verify: no login}}}}");
        let payload = json!({"hook_event_name": "Stop", "session_id": session, "transcript_path": path,
            "cwd": world.project(), "stop_hook_active": false, "last_assistant_message": reply});
        Ok(world.hook(Harness::ClaudeCode, payload.to_string().as_bytes())?.code)
    };
    fs::write(&path, record.text(""))?;
    assert_eq!(stop("s1", "the export finished")?, Some(0), "the look is on record");
    record.append(&[json!({"assistant": "one more"})], "s1", &mut rows)?;
    let blank = |line: &str| {
        if line.contains("t1") {
            " ".repeat(line.len())
        } else {
            line.to_owned()
        }
    };
    let text: Vec<String> = record.text("").lines().map(blank).collect();
    fs::write(&path, text.join("\n") + "\n")?;
    assert_eq!(
        stop("s1", "the build is signed")?,
        Some(0),
        "the look was read, and is not read again"
    );
    assert_eq!(
        stop("s2", "the page loads")?,
        Some(2),
        "who reads from the beginning finds no look"
    );
    Ok(())
}
