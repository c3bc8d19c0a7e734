//! What each of several checks of one command came to: only what is certain is laid at one's door.
//! The command as a whole is tested beside this.

use Verdict::{Fail, Masked, NothingChecked, Pass, Unknown};

use super::super::{Outcome, Verdict, each, verdict};
use crate::evidence::check::runs;

const PYTEST_PASS: &str = "==== 3 passed in 0.10s ====\n";
const PYTEST_FAIL: &str = "FAILED tests/test_a.py::test_b - no\n==== 1 failed, 2 passed in 0.10s ====\n";
const CARGO_PASS: &str =
    "test result: ok. 4 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
const CARGO_FAIL: &str =
    "test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
const NOT_BUILT: &str = "error: could not compile `a` (lib) due to 1 previous error\n";

fn verdicts(command: &str, exit: Option<i32>, output: &str) -> Vec<Verdict> {
    let outcome = Outcome { exit, error: None };
    each(&runs(command).unwrap(), &outcome, output)
        .into_iter()
        .map(|came| came.verdict)
        .collect()
}

#[test]
fn each_check_of_a_command_has_its_own_verdict() {
    let both = |first: &str, second: &str| format!("{first}{second}");
    let cases: &[(&str, Option<i32>, String, &[Verdict])] = &[
        // One alone.
        ("pytest", Some(0), PYTEST_PASS.into(), &[Pass]),
        ("pytest", Some(1), String::new(), &[Fail]),
        ("pytest", None, String::new(), &[Unknown]),
        ("pytest | tail -1", Some(0), PYTEST_FAIL.into(), &[Fail]),
        ("pytest | tail -1", Some(0), String::new(), &[Masked]),
        (
            "pytest",
            Some(5),
            "==== no tests ran in 0.01s ====".into(),
            &[NothingChecked],
        ),
        // All passed.
        ("pytest && ruff check", Some(0), PYTEST_PASS.into(), &[Pass, Pass]),
        ("npm run lint && npm test", Some(0), String::new(), &[Pass, Pass]),
        // The one that says so failed; the one that says nothing is not to blame.
        ("ruff check && pytest", Some(1), PYTEST_FAIL.into(), &[Unknown, Fail]),
        (
            "pytest && cargo test",
            Some(101),
            both(PYTEST_PASS, CARGO_FAIL),
            &[Pass, Fail],
        ),
        // The one whose status the command ends with; that of a chain may be any link's.
        ("pytest; ruff check", Some(1), String::new(), &[Masked, Fail]),
        ("pytest && ruff check", Some(1), PYTEST_PASS.into(), &[Pass, Unknown]),
        ("ruff check && pytest", Some(1), String::new(), &[Unknown, Unknown]),
        (
            "shellcheck a.sh && pytest",
            Some(1),
            PYTEST_PASS.into(),
            &[Unknown, Pass],
        ),
        // Two runs of one runner print the same lines.
        (
            "pytest a && pytest b",
            Some(1),
            both(PYTEST_PASS, PYTEST_FAIL),
            &[Unknown, Unknown],
        ),
        (
            "npm run lint && npm test",
            Some(1),
            PYTEST_FAIL.into(),
            &[Unknown, Unknown],
        ),
        // Commands of one program share its compiler's lines, but not those of its tests.
        (
            "cargo clippy && cargo test",
            Some(101),
            CARGO_FAIL.into(),
            &[Unknown, Fail],
        ),
        (
            "cargo clippy && cargo test",
            Some(101),
            NOT_BUILT.into(),
            &[Unknown, Unknown],
        ),
        (
            "cargo clippy && cargo test | tail -3",
            Some(0),
            CARGO_PASS.into(),
            &[Pass, Pass],
        ),
        // What runs others prints their lines.
        ("make all && pytest", Some(1), PYTEST_FAIL.into(), &[Unknown, Unknown]),
        ("make all; pytest", Some(1), PYTEST_FAIL.into(), &[Masked, Fail]),
        ("npm run build && pytest", Some(1), PYTEST_FAIL.into(), &[Unknown, Fail]),
        // Which of them is not there the line does not say.
        (
            "pytest | cat; cargo test | cat",
            Some(0),
            "sh: pytest: command not found".into(),
            &[Masked, Masked],
        ),
    ];
    for (command, exit, output, expected) in cases {
        assert_eq!(
            verdicts(command, *exit, output),
            *expected,
            "{command} {exit:?} {output}"
        );
    }
}

#[test]
fn one_alone_has_the_commands_own_verdict() {
    for command in [
        "pytest",
        "pytest -q | tail -1",
        "pytest; true",
        "make test",
        "pytest --co",
        "npm test && git push",
    ] {
        for output in [
            PYTEST_PASS,
            PYTEST_FAIL,
            "",
            "Exit code 1\n",
            "sh: 1: pytest: not found",
        ] {
            for outcome in [
                (Some(0), None),
                (Some(1), None),
                (Some(127), None),
                (None, Some(true)),
                (None, None),
            ] {
                let outcome = Outcome {
                    exit: outcome.0,
                    error: outcome.1,
                };
                let runs = runs(command).unwrap();
                let came = each(&runs, &outcome, output);
                assert_eq!(came.len(), 1);
                let whole = verdict(&runs, &outcome, output);
                assert_eq!(
                    (came[0].verdict, came[0].because.clone()),
                    whole,
                    "{command} {outcome:?} {output}"
                );
            }
        }
    }
}

#[test]
fn numbers_and_places_are_the_runs_own() {
    let came = each(
        &runs("ruff check && pytest").unwrap(),
        &Outcome {
            exit: Some(1),
            error: None,
        },
        PYTEST_FAIL,
    );
    assert_eq!((came[0].counts.failed, came[1].counts.failed), (None, Some(1)));
    assert!(came[0].places.is_empty());
    assert_eq!(came[1].places, [("tests/test_a.py".to_owned(), None)]);
}
