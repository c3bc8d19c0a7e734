//! What on the record speaks against a claim that a check passes, where it is nearly certain.
//! Which checks a claim speaks of is `fit`'s business; what is said to whom stays out.

use super::super::kept::tells_numbers;
use super::super::kin::{self, Kind};
use super::super::standing::{self, Since, command_of, may_check, since};
use super::fit::{self, By};
use crate::evidence::call::{self, Known};
use crate::evidence::check::{Masked, Purpose};
use crate::evidence::verdict::Verdict;
use crate::session::board::{Change, CheckRow, Ran};
use crate::session::{CallRecord, Ending, Stream, ToolKind};
use crate::text::{self, About, PassClaim};

/// What speaks against a claim.
pub(super) struct Doubt<'a> {
    /// How.
    pub(super) reason: Reason<'a>,
    /// The run that the claim would rest on: its check's identity, and the run.
    pub(super) run: Option<(&'a str, &'a Ran)>,
}

/// How the record speaks against a claim.
pub(super) enum Reason<'a> {
    /// The last run failed.
    Failed,
    /// The last run passed, and counted fewer than the claim.
    Counted,
    /// The last run checked nothing.
    Nothing,
    /// The last run hid its result, and printed nothing.
    Unseen,
    /// Code was changed after the last run.
    Outdated(&'a Change),
    /// There was no run.
    NoRun,
}

/// Words by which a reply says that a result is partial, old, or not there.
const DISCLOSED: &[&str] = &[
    "not rerun",
    "not re-run",
    "not run again",
    "n't rerun",
    "n't re-run",
    "n't run",
    "not run",
    "not been run",
    "never run",
    "without running",
    "without rerunning",
    "without re-running",
    "unable to run",
    "could not run",
    "cannot run",
    "can't run",
    "not executed",
    "n't executed",
    "n't execute",
    "not verified",
    "unverified",
    "n't verified",
    "did not finish",
    "n't finish",
    "timed out",
    "was skipped",
    "were skipped",
    "i skipped",
    "please run",
    "you can run",
    "still running",
    "in progress",
    "before the last edit",
    "before this edit",
    "before that change",
    "before the last change",
];
/// Words of a remark on the way that say that a failure is none of the work's.
const EXCUSED: &[&str] = &[
    "expected",
    "on purpose",
    "intentional",
    "pre-existing",
    "preexisting",
    "unrelated",
    "not related",
    "flaky",
    "known",
    "sandbox",
    "environment",
    "network",
    "already fail",
];
/// Runners that print one summary for all that they ran.
const ONE_SUMMARY: [&str; 10] = [
    "ava", "jest", "mocha", "minitest", "nose2", "phpunit", "pytest", "rspec", "unittest", "vitest",
];
/// Programs through which a check may have been run or seen elsewhere.
const ELSEWHERE: [&str; 9] = ["act", "curl", "docker", "gh", "glab", "just", "kubectl", "ssh", "wget"];
/// Programs that run what a project has named: `hatch run test` is not the shell's `test`.
const NAMED: [&str; 8] = ["hatch", "pdm", "pipenv", "pixi", "poe", "poetry", "rye", "uv"];
/// Words of a path under which results are kept.
const RESULTS: [&str; 5] = ["junit", "log", "output", "report", "result"];
/// Folders that are nobody's work, or notes.
const SCRATCH: [&str; 7] = [
    "/tmp/",
    "/private/tmp/",
    "/var/folders/",
    "/.claude/",
    "/.codex/",
    "/docs/",
    "/doc/",
];
/// Names of scripts and targets that check all there is.
const WHOLE: [&str; 13] = [
    "all", "build", "check", "ci", "just", "mise", "ninja", "task", "test", "test:all", "test:ci", "tests", "verify",
];

/// What speaks against a claim, as far as it is nearly certain.
pub(super) fn about<'a>(
    claim: &PassClaim,
    reply: &str,
    stream: &'a Stream,
    others: &[(Option<&str>, &Stream)],
) -> Option<Doubt<'a>> {
    if discloses(reply) {
        return None;
    }
    let board = &stream.board;
    let (by, rows) = fit::checks(claim, board);
    if rows.is_empty() {
        let none_ran = others
            .iter()
            .all(|(_, other)| other.board.checks.is_empty() && other.board.running.is_empty());
        return (none_ran && nothing_ran(claim, stream)).then_some(Doubt {
            reason: Reason::NoRun,
            run: None,
        });
    }
    let groups: Vec<Vec<&CheckRow>> = if by == By::Kind && claim.about == About::Everything {
        let of = |wanted: Kind| {
            rows.iter()
                .copied()
                .filter(|row| kind_of(row) == Some(wanted))
                .collect()
        };
        [Kind::Tests, Kind::Build, Kind::Lint, Kind::Any].map(of).into()
    } else {
        vec![rows]
    };
    groups.iter().find_map(|rows| judge(claim, by, rows, reply, stream))
}

fn kind_of(row: &CheckRow) -> Option<Kind> {
    row.latest().map(|ran| kin::kind(&ran.run))
}

/// What the newest run of some checks says against a claim about them.
fn judge<'a>(claim: &PassClaim, by: By, rows: &[&'a CheckRow], reply: &str, stream: &'a Stream) -> Option<Doubt<'a>> {
    let latest = rows.iter().filter_map(|row| Some((*row, row.latest()?)));
    let (row, ran) = latest.max_by_key(|(_, ran)| ran.nth)?;
    let kind = kin::kind(&ran.run);
    let like_it = |other: &Ran| [kind, Kind::Any].contains(&kin::kind(&other.run)) && other.nth > ran.nth;
    let board = &stream.board;
    if board.running.iter().any(like_it) || board.may_lack_after(ran.nth) || owned(reply, ran) {
        return None;
    }
    // A claim about some of several checks may be about those that passed.
    let passed = |row: &&CheckRow| row.latest().is_some_and(|ran| ran.verdict == Verdict::Pass);
    let of_all = claim.all || claim.about == About::Everything;
    let apart = !of_all && rows.iter().any(passed) && rows.len() > 1;
    let ever_passed = rows
        .iter()
        .flat_map(|row| &row.runs)
        .any(|ran| ran.verdict == Verdict::Pass);
    let now = ran.turn == stream.turns;
    let reason = match ran.verdict {
        Verdict::Fail if !apart && failed(claim, ran, stream) => Reason::Failed,
        Verdict::NothingChecked
            if now && !ever_passed && kind == Kind::Tests && !watches(ran) && quiet_since(stream, ran) =>
        {
            Reason::Nothing
        }
        Verdict::Masked if now && !ever_passed && kind == Kind::Tests && unseen(stream, ran) => Reason::Unseen,
        Verdict::Pass if !apart => {
            if let Some(change) = outdated(by, kind, ran, stream) {
                Reason::Outdated(change)
            } else if counted(claim, ran, stream) {
                Reason::Counted
            } else {
                return None;
            }
        }
        _ => return None,
    };
    Some(Doubt {
        reason,
        run: Some((&row.key, ran)),
    })
}

/// Whether a run goes on until it is stopped: what it printed before may be a result all the same.
fn watches(ran: &Ran) -> bool {
    matches!(&ran.run.purpose, Purpose::NothingRun(why) if why.contains("never ends"))
}

/// Whether the reply itself says that a run failed.
pub(super) fn owned(reply: &str, ran: &Ran) -> bool {
    let names = text::check_names(&ran.run.runner, &ran.run.selection, &ran.command);
    text::owns_failure(reply, &names) || tells_numbers(reply, ran)
}

/// Whether the reply says of a result that it is partial, old, or not there.
fn discloses(reply: &str) -> bool {
    let reply = reply.to_lowercase().replace('’', "'");
    DISCLOSED.iter().any(|words| reply.contains(words))
}

/// Whether a failed last run contradicts a claim.
fn failed(claim: &PassClaim, ran: &Ran, stream: &Stream) -> bool {
    // What failed long ago was cleared since, or said; only the turn before is near enough for a claim to be about it.
    if ran.turn + 1 < stream.turns || since(stream, ran) != Since::Nothing {
        return false;
    }
    let names = text::check_names(&ran.run.runner, &ran.run.selection, &ran.command);
    let excused = |said: &String| {
        let lower = said.to_lowercase();
        EXCUSED.iter().any(|word| lower.contains(word)) && text::owns_failure(said, &names)
    };
    let true_of_a_part =
        claim.passed.is_some() && claim.passed == ran.counts.passed && !claim.all && claim.failed.is_none();
    // Elsewhere it may have passed meanwhile: in a container, on another machine, in CI.
    let elsewhere = |call: &CallRecord| command_of(call).is_some_and(|command| has_word(command, &ELSEWHERE));
    if calls_after(stream, &ran.call).is_some_and(|calls| calls.iter().any(elsewhere)) {
        return false;
    }
    !true_of_a_part
        && !tests_passed(claim, ran)
        && !is_anothers_count(claim, ran, stream)
        && !stream.turn.trouble.iter().any(excused)
}

/// Whether a claim is about tests, and the run's own count says that none failed: then something else did, as coverage.
fn tests_passed(claim: &PassClaim, ran: &Ran) -> bool {
    let counts = &ran.counts;
    claim.about == About::Tests
        && ONE_SUMMARY.contains(&ran.run.runner.as_str())
        && counts.failed.is_none_or(|failed| failed == 0)
        && counts.passed.is_some_and(|passed| passed > 0)
        && ran.places.is_empty()
}

/// Whether a claim's number is that of another check, whose last run passed.
fn is_anothers_count(claim: &PassClaim, ran: &Ran, stream: &Stream) -> bool {
    let counts_so = |other: &Ran| {
        other.call != ran.call
            && other.verdict == Verdict::Pass
            && claim.passed.is_some()
            && other.counts.passed == claim.passed
    };
    stream.board.checks.iter().filter_map(CheckRow::latest).any(counts_so)
}

/// The calls of the running turn after the one that is named; none where it is not among them.
fn calls_after<'a>(stream: &'a Stream, call: &str) -> Option<&'a [CallRecord]> {
    let calls = &stream.turn.calls;
    let at = calls.iter().position(|known| known.id == call)?;
    calls.get(at + 1..)
}

/// Whether nothing after a run of this turn can have been another one.
fn quiet_since(stream: &Stream, ran: &Ran) -> bool {
    calls_after(stream, &ran.call).is_some_and(|calls| !calls.iter().any(may_check))
}

/// Whether nobody can have seen what a run came to: its status is hidden, it printed nothing, and nothing was looked at
/// after it. A filter that lets nothing through is a result.
fn unseen(stream: &Stream, ran: &Ran) -> bool {
    let hidden = matches!(&ran.run.masked, Masked::By(what) if !what.contains("grep") && !what.contains("rg "));
    let printed = stream.turn.calls.iter().find(|call| call.id == ran.call);
    let silent = printed.is_some_and(|call| call.ending == Some(Ending::Succeeded) && call.output.trim().is_empty());
    let looked = |call: &CallRecord| call.facts.observed != Known::No || may_check(call);
    hidden && silent && calls_after(stream, &ran.call).is_some_and(|calls| !calls.iter().any(looked))
}

/// The last change of code after a pass, in its tree and in this turn, that no later run can have taken in.
fn outdated<'a>(by: By, kind: Kind, ran: &Ran, stream: &'a Stream) -> Option<&'a Change> {
    // A linter is seldom run again after the last touch, and a claim about it is seldom meant so narrowly.
    if !matches!(kind, Kind::Tests | Kind::Build) && (by == By::Kind || kind == Kind::Lint) {
        return None;
    }
    let board = &stream.board;
    let change = board
        .changed_after(ran.nth)
        .filter(|change| touches(ran, change))
        .last()?;
    let builds = |later: &Ran| kind == Kind::Build && kin::share_a_language(&later.run, &ran.run);
    let ran_later =
        |later: &Ran| later.nth > change.nth && ([kind, Kind::Any].contains(&kin::kind(&later.run)) || builds(later));
    let mut later = board.checks.iter().flat_map(|row| &row.runs).chain(&board.running);
    let after = calls_after(stream, &change.call)?;
    let tested_by_git = |call: &CallRecord| {
        let commits =
            command_of(call).is_some_and(|command| command.contains("git commit") || command.contains("git push"));
        let shown = call.output.to_lowercase();
        commits && (shown.contains("test") || shown.contains("pass"))
    };
    let fresh = later.any(ran_later) || after.iter().any(|call| may_check(call) || tested_by_git(call));
    (!fresh).then_some(change)
}

/// Whether a change is certainly one of code that a run has looked at.
fn touches(ran: &Ran, change: &Change) -> bool {
    let Some(path) = change.path.as_deref().filter(|_| change.happened == Known::Yes) else {
        return false;
    };
    if SCRATCH.iter().any(|folder| path.contains(folder)) || !kin::reads(&ran.run, path) {
        return false;
    }
    let folder = ran.run.folder.as_str();
    if folder.contains(':') {
        return false;
    }
    let inside = match (folder.is_empty(), path.starts_with('/'), folder.starts_with('/')) {
        (false, true, true) => path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')),
        (false, false, false) => path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')),
        // Nobody can tell where one of them lies.
        _ => true,
    };
    inside && selects(ran, path)
}

/// Whether what a run selects may depend on a file: all of it does, a package on what lies in it, a test on what lies in
/// the folder beside it.
fn selects(ran: &Ran, path: &str) -> bool {
    let by_name = matches!(ran.run.runner.as_str(), "make" | "npm-script" | "rake" | "script");
    ran.run.selection.iter().all(|part| {
        if by_name {
            return ran.run.runner == "script" || part.split(' ').all(|word| WHOLE.contains(&word));
        }
        if part.starts_with('-') {
            return !part.contains(' ') || standing::covers(&ran.run, path);
        }
        let file = part
            .split("::")
            .next()
            .unwrap_or(part)
            .trim_start_matches("./")
            .trim_end_matches("...");
        let file = file.trim_end_matches('/');
        let mut folders: Vec<&str> = file.split('/').collect();
        if file.rsplit('/').next().is_some_and(|last| last.contains('.')) {
            folders.pop();
        }
        while folders
            .last()
            .is_some_and(|last| matches!(*last, "__tests__" | "spec" | "test" | "tests"))
        {
            folders.pop();
        }
        let folder = folders.join("/");
        folder.is_empty()
            || !part.contains('/')
            || path.starts_with(&format!("{folder}/"))
            || path.contains(&format!("/{folder}/"))
    })
}

/// Whether a claim counts more than the only check there is has counted.
fn counted(claim: &PassClaim, ran: &Ran, stream: &Stream) -> bool {
    let Some((claimed, passed)) = claim.passed.zip(ran.counts.passed).filter(|_| claim.all) else {
        return false;
    };
    let seen = passed + ran.counts.failed.unwrap_or(0) + ran.counts.skipped.unwrap_or(0);
    let rows = stream
        .board
        .checks
        .iter()
        .filter(|row| matches!(kind_of(row), Some(Kind::Tests | Kind::Any)))
        .count();
    let known = |run: &Ran| run.counts.passed == Some(claimed);
    claimed > seen
        && rows == 1
        && ran.run.masked == Masked::No
        && ONE_SUMMARY.contains(&ran.run.runner.as_str())
        && !stream.board.checks.iter().flat_map(|row| &row.runs).any(known)
        && !stream.turn.calls.iter().any(may_check)
}

/// Whether a claim rests on nothing: all calls there were are in view, each is known, none of them ran or looked at a
/// check, and code was changed.
fn nothing_ran(claim: &PassClaim, stream: &Stream) -> bool {
    let board = &stream.board;
    let calls = &stream.turn.calls;
    let is_whole = stream.turns == 1
        && !stream.retold
        && board.gap.is_none()
        && stream.turn.unreadable == 0
        && board.calls == calls.len() as u64;
    let empty = board.checks.is_empty() && board.running.is_empty();
    let code = |change: &Change| change.happened == Known::Yes && change.path.as_deref().is_some_and(kin::is_code);
    let of_tests = matches!(claim.about, About::Tests | About::Everything) && claim.all;
    (of_tests || fit::names_a_runner(claim))
        && is_whole
        && empty
        && board.changes.iter().any(code)
        && calls.iter().all(is_no_check)
}

/// Whether a call certainly neither ran nor showed a check.
fn is_no_check(call: &CallRecord) -> bool {
    match &call.kind {
        ToolKind::Shell { command } => {
            let facts = call::facts(&call.kind, Some(Ending::Succeeded));
            facts.attempted != Known::Unknown
                && facts.mutated != Known::Unknown
                && !has_word(command, &ELSEWHERE)
                && !has_word(command, &NAMED)
                && !may_check(call)
        }
        ToolKind::Observes => !has_word(&call.input, &RESULTS),
        ToolKind::Mutates | ToolKind::Asks | ToolKind::Neither => true,
        ToolKind::Delegates | ToolKind::Unknown => false,
    }
}

fn has_word(text: &str, words: &[&str]) -> bool {
    let text = text.to_ascii_lowercase();
    text.split(|c: char| !c.is_ascii_alphanumeric())
        .any(|word| words.contains(&word))
}
