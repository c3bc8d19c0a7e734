//! What holds for every output: no panic, no pass by cutting a failure short, no change by prose.
//! Which verdict is right stays out.

use proptest::prelude::*;

use super::super::{Outcome, Verdict, summary, verdict};
use super::recorded::{lines, runs};
use crate::evidence::check::{Masked, Purpose, RUNNERS, Run};

/// Words that say much and are no runner's line.
const PROSE: &[&str] = &[
    "all tests passed",
    "0 failed",
    "Everything is OK, 12 tests passed and none failed.",
    "The build was a success: no errors.",
    "1 test failed earlier, but that is fixed",
    "    all green, exit code 0",
    "error: retrying after a failed attempt",
];

/// The pieces that outputs are made of, so that random ones come near to real ones.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[0-9]{0,21}( |: |, |; |%|s)",
        prop::sample::select(vec![
            "passed",
            "failed",
            "Tests: ",
            "test result: ok. ",
            " in 0.1s",
            "\n",
            "\r",
            "\u{1b}[",
            "\u{1b}]",
            "(",
            ")",
            "# pass ",
            "1..",
            "ok ",
            "not ok ",
            "Executed ",
            " out of ",
            "Found ",
            " errors",
            "✖ ",
            "Summary [",
            "] ",
            "FAIL\t",
            "=",
            "*** [",
            "Total tests: 1\n",
            "OK (",
            "\u{9b}",
            "SKIP",
            "│",
            "é#",
            " line ",
        ])
        .prop_map(str::to_owned),
    ]
}

proptest! {
    #[test]
    fn no_output_panics(pieces in prop::collection::vec(piece(), 0..24), runner in prop::sample::select(RUNNERS), exit in any::<Option<i32>>(), hides in any::<bool>()) {
        let output = pieces.concat();
        let masked = if hides { Masked::By("| tail".to_owned()) } else { Masked::No };
        let run = Run {
            runner: runner.to_owned(),
            folder: String::new(),
            selection: Vec::new(),
            purpose: Purpose::Check,
            masked,
        };
        let (_, because) = verdict(&[run], &Outcome { exit, error: Some(hides) }, &output);
        prop_assert!(because.ends_with('.'));
    }
}

#[test]
fn bytes_of_any_kind_are_an_output() {
    let bytes: Vec<u8> = (0..=u8::MAX).cycle().take(4096).collect();
    for runner in RUNNERS {
        let read = summary(runner, &String::from_utf8_lossy(&bytes));
        assert_eq!(read.verdict, Verdict::Unknown, "{runner}");
    }
}

/// A summary for each program of a run, and no last word: what is cut between two of them looks whole.
const WITHOUT_LAST_WORD: &[&str] = &[
    "cargo-test",
    "go-test",
    "npm-script",
    "script",
    "make",
    "nox",
    "pre-commit",
    "tox",
    "prove",
];

/// Outputs in which a test prints a whole summary that looks like its runner's: up to there nobody can tell.
const PRINTS_A_SUMMARY: &[&str] = &["js-mocha-mocha-17"];

#[test]
fn cutting_a_failure_short_makes_no_pass() {
    for line in lines()
        .iter()
        .filter(|line| line.truth == "fail" && !PRINTS_A_SUMMARY.contains(&line.id.as_str()))
    {
        let runs = runs(line);
        let known = Outcome {
            exit: Some(line.exit_code),
            error: None,
        };
        let flagged = Outcome {
            exit: None,
            error: Some(line.exit_code != 0),
        };
        // Cut at every line, and within the last ones.
        let mut cuts: Vec<usize> = line.output.match_indices('\n').map(|(at, _)| at).collect();
        cuts.extend(line.output.len().saturating_sub(80)..line.output.len());
        for cut in cuts.into_iter().filter(|cut| line.output.is_char_boundary(*cut)) {
            let shows = line.exit_code != 0 || !runs.iter().any(|run| WITHOUT_LAST_WORD.contains(&run.runner.as_str()));
            // A failure that leaves no trace in exit status or output is no pass by being cut.
            let whole = verdict(&runs, &known, &line.output).0;
            if !shows || whole != Verdict::Fail {
                continue;
            }
            for outcome in [known, flagged] {
                let (cut_short, because) = verdict(&runs, &outcome, &line.output[..cut]);
                assert_ne!(cut_short, Verdict::Pass, "{} cut at {cut}: {because}", line.command);
            }
        }
    }
}

#[test]
fn prose_changes_no_verdict() {
    for line in lines() {
        let runs = runs(&line);
        let outcome = Outcome {
            exit: Some(line.exit_code),
            error: None,
        };
        let (before, _) = verdict(&runs, &outcome, &line.output);
        // After `; echo $?` the last line is the command's own, whatever it says.
        let prints_status = runs
            .iter()
            .any(|run| matches!(&run.masked, Masked::By(what) if what.starts_with("; echo")));
        for prose in PROSE.iter().filter(|_| !prints_status) {
            let newline = if line.output.ends_with('\n') || line.output.is_empty() {
                ""
            } else {
                "\n"
            };
            let (after, because) = verdict(&runs, &outcome, &format!("{}{newline}{prose}\n", line.output));
            assert_eq!(after, before, "{} with {prose:?}: {because}", line.command);
            let (after, because) = verdict(&runs, &outcome, &format!("{prose}\n{}", line.output));
            assert_eq!(after, before, "{prose:?} before {}: {because}", line.command);
        }
    }
}

#[test]
fn the_middle_of_a_long_output_is_not_looked_at() {
    let filler = "x".repeat(99) + "\n";
    let half = filler.repeat(4000);
    let at_end = format!("{half}{half}\n4 passed in 0.02s\n");
    assert_eq!(summary("pytest", &at_end).verdict, Verdict::Pass);
    let in_the_middle = format!("{half}4 passed in 0.02s\n{half}");
    assert_eq!(summary("pytest", &in_the_middle).verdict, Verdict::Unknown);
    // What is left of a line that the cut halves is no line.
    let length = "4 passed in 0.02s\n".len();
    let tail = filler.repeat(2621) + &"y".repeat(256 * 1024 - 2621 * 100 - length - 1) + "\n";
    let halved = format!("{half}{half}there were 4 passed in 0.02s\n{tail}");
    assert!(halved.is_char_boundary(halved.len() - 256 * 1024));
    assert_eq!(&halved[halved.len() - 256 * 1024..][..length], "4 passed in 0.02s\n");
    assert_eq!(summary("pytest", &halved).verdict, Verdict::Unknown);
    let without_lines = "é".repeat(400_000);
    assert_eq!(summary("pytest", &without_lines).verdict, Verdict::Unknown);
}
