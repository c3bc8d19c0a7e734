//! How an exit status, what hides it, and a summary make a verdict.
//! The shapes of summaries stay out.

use super::super::Verdict::{self, Fail, Masked as Hidden, NothingChecked, Pass, Unknown};
use super::super::{Outcome, verdict};
use crate::evidence::check::{Masked, Purpose, Run};

fn run(runner: &str, mask: &str) -> Run {
    Run {
        runner: runner.to_owned(),
        folder: String::new(),
        selection: Vec::new(),
        purpose: Purpose::Check,
        masked: if mask.is_empty() {
            Masked::No
        } else {
            Masked::By(mask.to_owned())
        },
    }
}

const GOOD: &str = "3 passed in 0.02s";
const BAD: &str = "1 failed, 2 passed in 0.02s";
const NONE: &str = "no tests ran in 0.01s";

/// Runner, what hides the status, exit status, output, verdict.
const EXACT: &[(&str, &str, i32, &str, Verdict)] = &[
    ("pytest", "", 0, GOOD, Pass),
    ("pytest", "", 0, "", Pass),
    ("pytest", "", 0, NONE, NothingChecked),
    ("pytest", "", 0, BAD, Unknown),
    ("pytest", "", 1, BAD, Fail),
    ("pytest", "", 1, "", Fail),
    ("pytest", "", 1, GOOD, Unknown),
    ("pytest", "", 5, NONE, NothingChecked),
    ("pytest", "", 5, "", NothingChecked),
    ("pytest", "", 4, "ERROR: usage: pytest [options]", NothingChecked),
    ("pytest", "", 2, "!!! KeyboardInterrupt !!!", Unknown),
    ("pytest", "", 124, BAD, Unknown),
    ("pytest", "", 137, GOOD, Unknown),
    ("pytest", "", 143, "", Unknown),
    (
        "pytest",
        "",
        127,
        "bash: line 1: pytest: command not found",
        NothingChecked,
    ),
    ("pytest", "", 126, "bash: ./pytest: Permission denied", NothingChecked),
    ("pytest", "", 139, "Segmentation fault", Fail),
    (
        "pytest",
        "",
        1,
        "/usr/bin/python: No module named pytest",
        NothingChecked,
    ),
    ("pytest", "| tail", 0, GOOD, Pass),
    ("pytest", "| tail", 0, BAD, Fail),
    ("pytest", "| tail", 1, "", Hidden),
    ("pytest", "| tail", 0, "all tests passed", Hidden),
    ("pytest", "| tail", 0, "bash: pytest: command not found", NothingChecked),
    ("pytest", "| head -1", 0, GOOD, Hidden),
    ("pytest", "| head -1", 0, "FAILED tests/a.py::b - c", Fail),
    ("pytest", "; echo \"exit code $?\"", 0, "exit code 0", Pass),
    ("pytest", "; echo \"exit code $?\"", 0, "exit code 1", Fail),
    ("pytest", "; echo \"exit code $?\"", 0, "exit code 127", NothingChecked),
    ("pytest", "; echo \"exit code $?\"", 0, "exit code 5", NothingChecked),
    ("pytest", "; echo $?", 0, "exit code 0\ndone", Hidden),
    ("pytest", "; echo $?", 0, "..  [100%]\n0", Hidden),
    ("pytest", "| tail", 0, "exit code 0", Hidden),
    ("pytest", "; echo $?", 0, "1 failed in 0.1s\n0", Fail),
    ("go-test", "| grep ok", 0, "ok  \tx/y\t0.1s", Hidden),
    ("go-test", "| tail -3", 0, "ok  \tx/y\t0.1s", Pass),
    ("pytest", "| grep passed", 0, GOOD, Pass),
    ("pre-commit", "| tail -1", 0, "ruff.......Passed", Hidden),
    ("pre-commit", "| tail -n 20", 0, "ruff.......Passed", Pass),
    ("pre-commit", "| tail -1", 0, "ruff.......Failed", Fail),
    ("eslint", "", 0, "", Pass),
    ("eslint", "", 2, "Oops! Something went wrong! :(", NothingChecked),
    ("tsc", "|| true", 0, "", Hidden),
    ("shellcheck", "", 0, "", Pass),
    (
        "make",
        "",
        2,
        "3 passed in 0.02s\nmake: *** [Makefile:6: lint] Error 1",
        Fail,
    ),
    (
        "make",
        "",
        2,
        "make: *** No rule to make target 'x'.  Stop.",
        NothingChecked,
    ),
    (
        "make",
        "",
        2,
        "sh: 1: pytest: not found\nmake: *** [Makefile:2: test] Error 127",
        NothingChecked,
    ),
    (
        "npm-script",
        "",
        1,
        "npm error Missing script: \"test\"",
        NothingChecked,
    ),
    ("npm-script", "", 1, "Tests:       3 passed, 3 total", Fail),
    ("script", "", 0, "FAIL alpha", Unknown),
    ("script", "", 0, "ok alpha", Pass),
];

#[test]
fn the_exit_status_comes_first() {
    for (runner, mask, exit, output, expected) in EXACT {
        let outcome = Outcome {
            exit: Some(*exit),
            error: None,
        };
        let (given, because) = verdict(&[run(runner, mask)], &outcome, output);
        assert_eq!(given, *expected, "{runner} {mask} {exit} {output:?}: {because}");
        assert!(because.ends_with('.') && because.len() < 200, "{because}");
    }
}

#[test]
fn an_error_flag_stands_for_the_status() {
    let flagged = |error, output: &str| verdict(&[run("pytest", "")], &Outcome { exit: None, error }, output).0;
    assert_eq!(flagged(Some(false), GOOD), Pass);
    assert_eq!(
        flagged(Some(false), BAD),
        Unknown,
        "a success flag is no pass of a run that reports failures"
    );
    assert_eq!(flagged(Some(true), &format!("Exit code 1\n{BAD}")), Fail);
    assert_eq!(
        flagged(Some(true), "Exit code 5\nno tests ran in 0.01s"),
        NothingChecked
    );
    assert_eq!(flagged(Some(true), "Exit code 124"), Unknown);
    assert_eq!(
        flagged(Some(true), "Exit code 127\nbash: pytest: command not found"),
        NothingChecked
    );
    assert_eq!(flagged(Some(true), BAD), Fail);
    assert_eq!(flagged(None, GOOD), Pass);
    assert_eq!(
        flagged(None, "Exit code 1"),
        Unknown,
        "words that a program may print itself"
    );
    assert_eq!(flagged(None, ""), Unknown);
}

#[test]
fn a_run_that_was_not_to_check_checked_nothing() {
    let listing = Run {
        purpose: Purpose::NothingRun("--collect-only".to_owned()),
        ..run("pytest", "")
    };
    let of = |exit, output: &str| {
        verdict(
            std::slice::from_ref(&listing),
            &Outcome {
                exit: Some(exit),
                error: None,
            },
            output,
        )
    };
    assert_eq!(of(0, "3 tests collected in 0.01s").0, NothingChecked);
    assert!(of(0, "").1.contains("--collect-only"));
    assert_eq!(of(2, "1 error in 0.10s").0, Fail, "what does not load is a failure");
}

#[test]
fn several_checks_make_one_verdict() {
    let of = |runs: &[Run], exit, output: &str| {
        verdict(
            runs,
            &Outcome {
                exit: Some(exit),
                error: None,
            },
            output,
        )
        .0
    };
    let both = [run("pytest", "; pytest"), run("pytest", "")];
    assert_eq!(
        of(&both, 0, &format!("{BAD}\n{GOOD}")),
        Fail,
        "the first one's failure is not covered by the second"
    );
    assert_eq!(of(&both, 0, &format!("{GOOD}\n{GOOD}")), Pass);
    let twice = [run("phpunit", "; phpunit"), run("phpunit", "")];
    let timed = "Time: 00:00.003, Memory: 4.00 MB\n";
    let output = format!("{timed}FAILURES!\nTests: 1, Assertions: 1, Failures: 1.\n{timed}OK (1 test, 1 assertion)");
    assert_eq!(of(&twice, 0, &output), Fail);
    let pair = [run("ruff", ""), run("pytest", "")];
    assert_eq!(of(&pair, 0, &format!("All checks passed!\n{GOOD}")), Pass);
    assert_eq!(of(&pair, 1, &format!("All checks passed!\n{BAD}")), Fail);
    assert_eq!(of(&pair, 0, &format!("All checks passed!\n{NONE}")), NothingChecked);
    let quiet = [run("eslint", ""), run("jest", "")];
    assert_eq!(
        of(&quiet, 1, "No tests found, exiting with code 1"),
        NothingChecked,
        "eslint is not to blame"
    );
    assert_eq!(
        of(&quiet, 1, "Tests:       3 passed, 3 total"),
        Fail,
        "eslint alone can be to blame"
    );
    assert_eq!(of(&[run("ruff", "; pytest"), run("pytest", "")], 0, GOOD), Hidden);
    assert_eq!(of(&[], 0, GOOD), Unknown);
}
