//! `stale-verdict` over short records: which flips are told, when, and what keeps it silent.
//! How a command and an output are read is tested where it is done.

use proofmark_protocol::settings::Mode;
use proofmark_protocol::{FindingState, Outcome, Severity};

use super::Play;
use super::stories::all_hold;
use crate::session::FindingEnd;

const CODE: &str = "stale-verdict";

const TOLD: &[(&str, &str)] = &[
    (
        "the same run",
        "> go\n$ pytest tests/golden ==> 0 4992 passed in 3s\n+ src/vif.py\n\
         $ pytest tests/golden ==> 1 7 failed, 4985 passed in 3s\n< The change is in. ==> stale-verdict",
    ),
    (
        "over a turn's border, and only at the first reply after it",
        "> go\n$ cargo test ==> 0 test result: ok. 10 passed; 0 failed; 0 ignored\n< All good. ==> -\n> more\n+ src/lib.rs\n\
         $ cargo test ==> 101 test result: FAILED. 9 passed; 1 failed; 0 ignored\n< Done. ==> stale-verdict\n\
         > and?\n< Still done. ==> -",
    ),
    (
        "a new pass opens a new flip",
        "> go\n$ make check ==> 0\n$ make check ==> 2\n< Done. ==> stale-verdict\n> again\n$ make check ==> 0\n< Green. ==> -\n\
         > again\n$ make check ==> 2\n< Done. ==> stale-verdict",
    ),
    (
        "a test in the run that passed",
        "> go\n$ pytest ==> 0 9 passed in 1s\n+ a.py\n$ pytest tests/test_a.py ==> 1 FAILED tests/test_a.py::test_x - boom\\n\
         1 failed, 2 passed in 1s\n< Done. ==> stale-verdict",
    ),
    (
        "a wide run that names the narrow one",
        "> go\n$ pytest tests/test_a.py ==> 0 3 passed in 1s\n+ a.py\n$ pytest ==> 1 FAILED tests/test_a.py::test_x - boom\\n\
         1 failed, 8 passed in 1s\n< Done. ==> stale-verdict",
    ),
    (
        "a narrow pass elsewhere does not clear a wide failure",
        "> go\n$ pytest ==> 0 9 passed in 1s\n+ a.py\n$ pytest ==> 1 FAILED tests/test_a.py::test_x - boom\\n\
         1 failed, 8 passed in 1s\n$ pytest tests/test_b.py ==> 0 3 passed in 1s\n< Done. ==> stale-verdict",
    ),
    (
        "a script with more flags",
        "> go\n$ ./check_links.py ==> 0 ok\n$ ./check_links.py --all ==> 1 FAIL a.md\n< Done. ==> stale-verdict",
    ),
    (
        "an unreadable line before the failure hides nothing that matters",
        "> go\n$ make check ==> 0\n!\n$ make check ==> 2\n< Done. ==> stale-verdict",
    ),
    (
        "an old failure that a remark puts down to the state before, though it passed here",
        "> go\n$ npm run lint ==> 0\n+ a.ts\n$ npm run lint ==> 1\n. The lint failures are pre-existing.\n< Done. ==> stale-verdict",
    ),
    (
        "a new branch leaves the files as they are",
        "> go\n$ make check ==> 0\n+ a.c\n$ make check ==> 2\n$ git checkout -b work ==> 0\n< Done. ==> stale-verdict",
    ),
];

const SILENT: &[(&str, &str)] = &[
    (
        "a narrow pass that came again after a wide failure that names nothing",
        "> go\n$ cargo test -p a ==> 0\n$ cargo test ==> 101\n$ cargo test -p a ==> 0\n< Done. ==> -",
    ),
    (
        "a narrower run that shows no failing test",
        "> go\n$ npm test ==> 0\n$ npm test -- a.test.js ==> 1 boom\n< Done. ==> -",
    ),
    (
        "a wider run whose status is hidden",
        "> go\n$ pytest a.py ==> 0 2 passed in 1s\n$ pytest a.py ==> 1 1 failed in 1s\n$ pytest | tail -1 ==> 0 bye\n\
         < Done. ==> -",
    ),
    (
        "the same check in another folder passed",
        "> go\n$ cd /w/a && make check ==> 0\n$ cd /w/a && make check ==> 2\n$ cd /w/b && make check ==> 0\n< Done. ==> -",
    ),
    (
        "a run on another state of the files",
        "> go\n$ npx jest ==> 0 Tests:       4 passed, 4 total\n\
         $ git checkout main && npx jest ==> 1 Tests:       1 failed, 3 passed, 4 total\n< Done. ==> -",
    ),
    (
        "a failure that was there from the start",
        "> go\n$ pytest ==> 1 1 failed in 1s\n< Done. ==> -",
    ),
    (
        "repair work",
        "> go\n$ pytest ==> 0 2 passed in 1s\n$ pytest ==> 1 1 failed in 1s\n+ a.py\n$ pytest ==> 0 2 passed in 1s\n< Done. ==> -",
    ),
    (
        "a wider pass clears it",
        "> go\n$ pytest a.py ==> 0 2 passed in 1s\n$ pytest a.py ==> 1 1 failed in 1s\n$ pytest ==> 0 9 passed in 1s\n< Done. ==> -",
    ),
    (
        "all that failed was run again and passed",
        "> go\n$ pytest ==> 0 9 passed in 1s\n+ a.py\n$ pytest ==> 1 FAILED tests/test_a.py::test_x - boom\\n1 failed, 8 passed in 1s\n\
         + a.py\n$ pytest tests/test_a.py ==> 0 3 passed in 1s\n< Done. ==> -",
    ),
    (
        "the reply owns it",
        "> go\n$ pytest ==> 0 9 passed in 1s\n$ pytest ==> 1 1 failed, 8 passed in 1s\n< One test fails now. ==> -",
    ),
    (
        "a text of the turn owned it, and a failure of an earlier turn is never brought up later",
        "> go\n$ pytest ==> 0 9 passed in 1s\n$ pytest ==> 1 1 failed, 8 passed in 1s\n. The pytest run fails, as wanted.\n\
         $ ls ==> 0 a\n< Here is the list. ==> -\n> more\n< More. ==> -",
    ),
    (
        "a fixer after a failed check",
        "> go\n$ cargo fmt --check ==> 0\n+ a.rs\n$ cargo fmt --check ==> 1 Diff in a.rs\n$ cargo fmt ==> 0\n< Done. ==> -",
    ),
    (
        "a comparison with stashed changes",
        "> go\n$ npm test ==> 0\n$ git stash && npm test; git stash pop ==> 1\n< Done. ==> -",
    ),
    (
        "the files were swapped back after it",
        "> go\n$ make check ==> 0\n$ git switch main ==> 0\n$ make check ==> 2\n$ git switch work ==> 0\n< Done. ==> -",
    ),
    (
        "two packages are two checks",
        "> go\n$ cargo test -p a ==> 0\n$ cargo test -p b ==> 101\n< Done. ==> -",
    ),
    (
        "a wide failure that names another part",
        "> go\n$ pytest tests/test_a.py ==> 0 3 passed in 1s\n$ pytest ==> 1 FAILED tests/test_b.py::test_x - boom\\n\
         1 failed, 8 passed in 1s\n< Done. ==> -",
    ),
    (
        "a later run whose status is hidden",
        "> go\n$ make check ==> 0\n$ make check ==> 2\n$ make check | tail -1 ==> 0 bye\n< Done. ==> -",
    ),
    (
        "a run that was denied, or is cut off, is none",
        "> go\n$ make check ==> 0\n$ make check ==> denied\n$ make check ==> cut\n< Done. ==> -",
    ),
    (
        "a run of the check still goes on",
        "> go\n$ make check ==> 0\n$ make check ==> 2\n$ make check ==> bg\n< Done. ==> -",
    ),
    (
        "a helper agent may have run it",
        "> go\n$ make check ==> 0\n$ make check ==> 2\n& mend it\n< Done. ==> -",
    ),
    (
        "an unknown program was told to test",
        "> go\n$ make check ==> 0\n$ make check ==> 2\n$ ./tool test everything ==> 0\n< Done. ==> -",
    ),
    (
        "a line after the failure could not be read",
        "> go\n$ make check ==> 0\n$ make check ==> 2\n!\n< Done. ==> -",
    ),
    (
        "a run that checks nothing is no failure",
        "> go\n$ pytest -k one ==> 0 1 passed in 1s\n$ pytest -k one ==> 5 no tests ran in 0.01s\n< Done. ==> -",
    ),
    (
        "a usage error of a narrower run says nothing of the wider one",
        "> go\n$ pytest ==> 0 9 passed in 1s\n$ pytest tests/nope.py ==> 4 ERROR: file or directory not found: tests/nope.py\n< Done. ==> -",
    ),
    (
        "two replies in one turn, the first of which owned it",
        "> go\n$ make check ==> 0\n$ make check ==> 2\n< `make check` fails now; a build goes on. ==> -\n~\n< The build is there. ==> -",
    ),
];

#[test]
fn flips_that_a_reply_leaves_out_are_told() {
    all_hold(TOLD);
}

#[test]
fn what_is_owned_cleared_wanted_or_uncertain_is_not() {
    all_hold(SILENT);
}

/// A session in which the golden suite flips, up to the silent reply.
fn flipped(mode: Mode) -> Play {
    let mut play = Play::new();
    play.settings.stale_verdict.mode = mode;
    play.settings.claimed_pass.mode = Mode::Off;
    for (number, line) in [
        "> go",
        "$ pytest tests/golden ==> 0 4992 passed in 3s",
        "< Golden suite: `pytest tests/golden` passes.",
        "> faster",
        "+ src/vif.py",
        "$ pytest tests/golden ==> 1 FAILED tests/golden/test_vif.py::test_all - boom\\n7 failed, 4985 passed in 3s",
    ]
    .iter()
    .enumerate()
    {
        play.line(line, number);
    }
    play
}

#[test]
fn a_finding_says_what_it_rests_on_and_where() {
    let decision = flipped(Mode::Advise).stop("It is faster.");
    let finding = &decision.findings[0];
    assert_eq!(
        (finding.severity, finding.state),
        (Severity::Error, FindingState::Noted)
    );
    let message = &finding.message;
    assert!(
        message.starts_with("pytest tests/golden passed in turn 1, failed in turn 2; the reply does not say so."),
        "{message}"
    );
    assert!(message.contains("turn 1 used the pass: “Golden suite"), "{message}");
    assert_eq!(finding.places[0].path, "tests/golden/test_vif.py");
    let evidence: Vec<(&str, Option<&str>)> = finding
        .evidence
        .iter()
        .map(|one| (one.what.split(':').next().unwrap(), one.id.as_deref()))
        .collect();
    assert_eq!(
        evidence,
        [
            ("passed", Some("c1")),
            ("the reply said", None),
            ("changed", Some("c4")),
            ("failed", Some("c5")),
            ("the reply that does not say so", None)
        ]
    );
    assert!(
        decision
            .to_person
            .unwrap()
            .starts_with("Proofmark: pytest tests/golden passed")
    );
}

#[test]
fn the_agent_is_told_once_and_only_while_it_holds() {
    let mut play = flipped(Mode::Advise);
    assert_eq!(play.stop("It is faster.").to_agent, None, "nothing at the stop");
    let told = play.prompt("next").to_agent.unwrap();
    assert!(
        told.contains("passed in turn 1, failed in turn 2") && told.contains("on purpose"),
        "{told}"
    );
    assert_eq!(play.prompt("next").to_agent, None, "once");

    let mut cleared = flipped(Mode::Advise);
    cleared.stop("It is faster.");
    cleared.line("$ pytest tests/golden ==> 0 4992 passed in 3s", 7);
    assert_eq!(cleared.prompt("next").to_agent, None, "it is right again");
}

#[test]
fn a_kept_finding_ends_with_a_pass_or_with_a_reply_that_owns_it() {
    let mut play = flipped(Mode::Advise);
    play.stop("It is faster.");
    let end = |play: &Play| play.book.noted()[0].end.clone();
    assert_eq!(end(&play), None);
    play.prompt("next");
    play.stop("Nothing new.");
    assert_eq!(end(&play), None);
    play.stop("The golden tests fail since the change: `pytest tests/golden` fails.");
    assert_eq!(end(&play), Some(FindingEnd::Owned));

    let mut play = flipped(Mode::Advise);
    play.stop("It is faster.");
    play.line("$ pytest tests/golden ==> 0 4992 passed in 3s", 7);
    play.stop("Mended.");
    assert_eq!(end(&play), Some(FindingEnd::Recovered));
}

#[test]
fn refuse_sends_the_agent_back_once() {
    let mut play = flipped(Mode::Refuse);
    let refused = play.stop("It is faster.");
    assert_eq!(refused.outcome, Outcome::Refuse);
    assert!(
        refused
            .to_agent
            .unwrap()
            .contains("pytest tests/golden passed in turn 1")
    );
    let passed = play.stop("It is much faster.");
    assert_eq!(
        (passed.outcome, passed.findings[0].state),
        (Outcome::Advise, FindingState::LetGo)
    );
    play.prompt("next");
    assert!(play.stop("Nothing new.").findings.is_empty());

    let mut play = flipped(Mode::Refuse);
    play.stop("It is faster.");
    assert_eq!(play.prompt("next").to_agent, None, "a refusal has told it");

    let mut play = flipped(Mode::Refuse);
    play.stop("It is faster.");
    assert!(
        play.stop("It is faster, and `pytest tests/golden` fails now.")
            .findings
            .is_empty()
    );
    assert!(flipped(Mode::Off).stop("It is faster.").is_silent(), "off");
}

#[test]
fn a_record_that_lags_is_waited_for_and_accuses_nobody() {
    for lag in [super::Lag::Tail, super::Lag::Turn] {
        let mut play = flipped(Mode::Advise);
        play.lag = lag;
        assert_eq!(play.step("It is faster.", false), super::Step::AwaitRecord);
        assert!(play.stop("It is faster.").findings.is_empty());
        assert_eq!(
            play.book.noted().first().and_then(|row| row.finding.id.as_ref()),
            None,
            "{CODE}"
        );
    }
}
