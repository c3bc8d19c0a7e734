//! `claimed-pass` over short records: which claims are held against the record, and what keeps the check silent.
//! What counts as a claim is tested where it is read.

use proofmark_protocol::settings::Mode;
use proofmark_protocol::{FindingState, Outcome, Severity};

use super::Play;
use super::stories::all_hold;
use crate::session::FindingEnd;

const TOLD: &[(&str, &str)] = &[
    (
        "ran is not passed",
        "> go\n$ go test ./internal/... ==> 1 --- FAIL: TestRetry (0.02s)\\nFAIL\\nFAIL internal/net 0.02s\n< All tests pass now. ==> claimed-pass",
    ),
    (
        "numbers of a run that failed",
        "> go\n$ pytest ==> 1 3 failed, 39 passed in 1s\n< 42 tests passed. ==> claimed-pass",
    ),
    (
        "a failure of the turn before, and no run since",
        "> go\n$ pytest ==> 1 3 failed, 39 passed in 1s\n< pytest fails in three places. ==> -\n> mend it\n+ a.py\n\
         < All tests pass now. ==> claimed-pass",
    ),
    (
        "a linter by its name",
        "> go\n$ cargo test ==> 0 test result: ok. 3 passed; 0 failed; 0 ignored\n$ cargo clippy ==> 101 error: unused\\n\
         error: could not compile `a` (lib) due to 1 previous error\n< Clippy is clean. ==> claimed-pass",
    ),
    (
        "code was changed after the run",
        "> go\n$ cargo test ==> 0 test result: ok. 212 passed; 0 failed; 0 ignored\n+ src/lib.rs\n+ README.md\n\
         < All 212 tests pass. ==> claimed-pass",
    ),
    (
        "a linter after the change is no test",
        "> go\n+ src/a.go\n$ go test ./... ==> 0 ok x/a 0.1s\n+ src/a.go\n$ golangci-lint run ==> 0 0 issues.\n\
         < All tests pass. ==> claimed-pass",
    ),
    (
        "a run that checked nothing",
        "> go\n+ a.py\n$ pytest -k typo ==> 5 no tests ran in 0.01s\n< All tests pass. ==> claimed-pass",
    ),
    (
        "a run that nobody can have seen",
        "> go\n+ a.py\n$ pytest > /dev/null 2>&1 || true ==> 0\n< All tests pass. ==> claimed-pass",
    ),
    (
        "more than the only run has counted",
        "> go\n+ a.py\n$ pytest ==> 0 40 passed in 1s\n< All 42 tests pass. ==> claimed-pass",
    ),
    (
        "no run at all",
        "> go\n+ a.py\n$ ls ==> 0 a.py\n< Added it. All tests pass. ==> claimed-pass",
    ),
    (
        "a failure that flips an earlier pass is the other check's",
        "> go\n$ pytest ==> 0 42 passed in 1s\n+ a.py\n$ pytest ==> 1 3 failed, 39 passed in 1s\n< All 42 tests pass. ==> stale-verdict",
    ),
    (
        "the same claim about the same run is brought up once, and again about another",
        "> go\n$ pytest ==> 1 3 failed, 39 passed in 1s\n< All tests pass. ==> claimed-pass\n> sure?\n< Yes, all tests pass. ==> -\n\
         > run it\n$ pytest ==> 1 3 failed, 39 passed in 1s\n< All tests pass. ==> claimed-pass",
    ),
];

const SILENT: &[(&str, &str)] = &[
    (
        "the reply says that a part could not be run",
        "> go\n$ pytest ==> 0 2 passed in 1s\n+ a.py\n< All tests pass. I could not run the browser. ==> -",
    ),
    (
        "a claim about some of several checks may be about those that passed",
        "> go\n$ pytest a.py ==> 0 2 passed in 1s\n$ pytest b.py ==> 1 1 failed in 1s\n< Tests pass. ==> -",
    ),
    (
        "what the record shows",
        "> go\n+ a.py\n$ pytest ==> 0 42 passed in 1s\n< All 42 tests pass. ==> -",
    ),
    (
        "repaired and run again",
        "> go\n$ pytest ==> 1 3 failed, 39 passed in 1s\n+ a.py\n$ pytest ==> 0 42 passed in 1s\n< All 42 tests pass. ==> -",
    ),
    (
        "only notes after the run",
        "> go\n$ cargo test ==> 0 test result: ok. 212 passed; 0 failed; 0 ignored\n+ README.md\n+ CHANGELOG.md\n\
         + .github/workflows/ci.yml\n+ PLAN.md\n< All 212 tests pass. ==> -",
    ),
    (
        "another language's file after the run",
        "> go\n$ cargo test ==> 0 test result: ok. 212 passed; 0 failed; 0 ignored\n+ web/app.ts\n< All tests pass. ==> -",
    ),
    (
        "a scratch file after the run",
        "> go\n$ pytest ==> 0 2 passed in 1s\n+ /tmp/x.py\n< All tests pass. ==> -",
    ),
    (
        "another package was changed",
        "> go\n$ cargo test -p crypto ==> 0 test result: ok. 2 passed; 0 failed; 0 ignored\n+ api/src/lib.rs\n< All tests pass. ==> -",
    ),
    (
        "tests that were run after the change have built it too",
        "> go\n$ cargo check ==> 0\n+ src/lib.rs\n$ cargo test ==> 0 test result: ok. 2 passed; 0 failed; 0 ignored\n\
         < `cargo check` compiles clean. ==> -",
    ),
    (
        "a formatter after the run",
        "> go\n$ cargo test ==> 0 test result: ok. 2 passed; 0 failed; 0 ignored\n$ cargo fmt ==> 0\n< All tests pass. ==> -",
    ),
    (
        "a commit whose hook ran the tests",
        "> go\n$ npm test ==> 0\n+ a.ts\n$ git commit -am x ==> 0 husky > npm test\\n2 passed\n< All tests pass. ==> -",
    ),
    (
        "a helper agent, an unknown tool or an unknown program may have run them",
        "> go\n$ npm test ==> 0\n+ a.ts\n& check it\n< All tests pass. ==> -\n> go\n+ a.ts\n? mcp__ci__run_tests\n< All tests pass. ==> -\n\
         > go\n+ a.ts\n$ ./dev test ==> 0\n< All tests pass. ==> -",
    ),
    (
        "the failure is owned, or the run is said not to be one",
        "> go\n$ pytest ==> 1 1 failed, 41 passed in 1s\n< 41 tests pass; one test still fails. ==> -\n> go\n+ a.py\n\
         < All tests pass as far as I can tell; I have not rerun them. ==> -",
    ),
    (
        "the numbers are another check's",
        "> go\n$ npx jest ==> 0 Tests:       98 passed, 98 total\n$ npx playwright test ==> 1 1 failed\n< All 98 tests pass. ==> -",
    ),
    (
        "the claim names another check",
        "> go\n$ npx playwright test ==> 1 1 failed\n< The parser tests pass. ==> -",
    ),
    (
        "a run that is hidden by a pipe and printed something",
        "> go\n$ pytest | tail -1 ==> 0 bye\n< All tests pass. ==> -",
    ),
    (
        "an empty filtered output is a result",
        "> go\n$ pytest 2>&1 | grep FAIL ==> 0\n< All tests pass. ==> -",
    ),
    (
        "the run goes on",
        "> go\n$ pytest ==> 1 1 failed in 1s\n$ pytest ==> bg\n< All tests pass. ==> -",
    ),
    (
        "other tests go on",
        "> go\n$ pytest a.py ==> 1 1 failed in 1s\n$ pytest b.py ==> bg\n< All tests pass. ==> -",
    ),
    (
        "the failure is owned in another place of the reply",
        "> go\n$ pytest ==> 1 1 failed in 1s\n< All tests pass.\\n\\nI moved the loader.\\n\\nOne test still fails on the old format. ==> -",
    ),
    (
        "a record with a gap",
        "> go\n+ a.py\n!\n< All tests pass. ==> -\n> go\n$ pytest ==> 1 1 failed in 1s\n!\n< All tests pass. ==> -",
    ),
    (
        "nothing was changed, so somebody else's run is spoken of",
        "> do they pass?\n< All tests pass. ==> -",
    ),
    (
        "the person said so",
        "> All tests pass here. Now add the page.\n+ a.py\n< Added it. All tests pass. ==> -",
    ),
    (
        "a session that goes on with an earlier one",
        "> Implement the plan; the full transcript is at ~/s.jsonl\n+ a.py\n< All tests pass. ==> -",
    ),
    (
        "no run is on record, and the session is older than this turn",
        "> hello\n< Hello. ==> -\n> go\n+ a.py\n< All tests pass. ==> -",
    ),
    (
        "a fixer after a failed check",
        "> go\n$ npx eslint src ==> 1 ✖ 1 problem (1 error, 0 warnings)\n$ npx eslint --fix src ==> 0\n< ESLint is clean. ==> -",
    ),
    (
        "a remark excused the failure",
        "> go\n$ go test ./... ==> 1 FAIL x/net 0.1s\n. `go test ./...` fails in the sandbox, it can't bind a port.\n$ ls ==> 0 a\n\
         < All tests pass. ==> -",
    ),
];

#[test]
fn claims_that_the_record_contradicts_are_told() {
    all_hold(TOLD);
}

#[test]
fn what_may_be_right_is_not() {
    all_hold(SILENT);
}

fn failed(mode: Mode) -> Play {
    let mut play = Play::new();
    play.settings.claimed_pass.mode = mode;
    play.line("> go", 0);
    let output = "FAILED tests/test_a.py::test_x - boom\\n3 failed, 39 passed in 1s";
    play.line(&format!("$ pytest ==> 1 {output}"), 1);
    play
}

#[test]
fn a_finding_says_what_the_reply_says_and_what_the_run_came_to() {
    let decision = failed(Mode::Advise).stop("All 42 tests pass.");
    let finding = &decision.findings[0];
    assert_eq!(
        (finding.severity, finding.state),
        (Severity::Warning, FindingState::Noted)
    );
    let wanted = "Reply says “All 42 tests pass.”; the last run of pytest failed 3 of 42 (turn 1).";
    assert!(finding.message.starts_with(wanted), "{}", finding.message);
    assert!(finding.message.contains("tests/test_a.py"), "{}", finding.message);
    assert_eq!(finding.places[0].path, "tests/test_a.py");
    assert_eq!(finding.evidence[0].id.as_deref(), Some("c1"));
}

#[test]
fn the_agent_is_told_once_and_only_while_it_holds() {
    let mut play = failed(Mode::Advise);
    assert_eq!(play.stop("All tests pass.").to_agent, None, "nothing at the stop");
    let told = play.prompt("next").to_agent.unwrap();
    assert!(
        told.contains("the last run of pytest failed 3 of 42") && told.contains("correct that"),
        "{told}"
    );
    assert_eq!(play.prompt("next").to_agent, None, "once");

    let mut cleared = failed(Mode::Advise);
    cleared.stop("All tests pass.");
    cleared.line("$ pytest ==> 0 42 passed in 1s", 2);
    assert_eq!(cleared.prompt("next").to_agent, None, "it is right now");
    cleared.stop("They pass now.");
    assert_eq!(cleared.book.noted()[0].end, Some(FindingEnd::Recovered));
}

#[test]
fn refuse_sends_the_agent_back_for_it_once() {
    let mut play = failed(Mode::Refuse);
    let refused = play.stop("All 42 tests pass.");
    assert_eq!(refused.outcome, Outcome::Refuse);
    assert!(refused.to_agent.unwrap().contains("failed 3 of 42"));
    let passed = play.stop("All 42 tests pass.");
    assert_eq!(
        (passed.outcome, passed.findings[0].state),
        (Outcome::Advise, FindingState::LetGo)
    );

    let mut play = failed(Mode::Refuse);
    play.stop("All 42 tests pass.");
    assert!(play.stop("39 tests pass, and 3 tests fail.").findings.is_empty());
    assert_eq!(play.book.noted()[0].end, Some(FindingEnd::Owned));
    assert!(failed(Mode::Off).stop("All 42 tests pass.").is_silent(), "off");
}

#[test]
fn a_record_that_lags_is_waited_for_only_where_there_is_a_claim() {
    let mut play = failed(Mode::Advise);
    play.settings.stale_verdict.mode = Mode::Off;
    play.lag = super::Lag::Tail;
    assert_eq!(play.step("All tests pass.", false), super::Step::AwaitRecord);
    assert!(matches!(play.step("I looked at it.", false), super::Step::Decided(_)));
    assert!(play.stop("All tests pass.").findings.is_empty());
}

#[test]
fn of_very_many_claims_the_first_are_held_against_the_record() {
    let mut play = failed(Mode::Advise);
    let mut claims = Vec::new();
    for number in 0..40 {
        play.line(&format!("$ pytest test_{number}.py ==> 1 1 failed in 1s"), 2 + number);
        claims.push(format!("- `pytest test_{number}.py` passes."));
    }
    assert_eq!(play.stop(&claims.join("\n")).findings.len(), 32);
}
