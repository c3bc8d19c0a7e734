//! What the verdict board says at this moment: which failures stand, and which passes they contradict.
//! What a reply says of it, and what follows for anybody, stays out.

use super::{fixers, kin};
use crate::evidence::call::Known;
use crate::evidence::check::{self, Relation, Run, relation};
use crate::evidence::verdict::Verdict;
use crate::session::board::{CheckRow, Ran};
use crate::session::{CallRecord, Ending, Stream, ToolKind};

/// The runner of scripts that a project wrote itself.
const SCRIPT: &str = "script";
/// The runner of hooks before a commit.
const HOOKS: &str = "pre-commit";
/// Endings of files that were put aside.
const ASIDE: [&str; 4] = [".backup", ".bak", ".orig", ".save"];
/// Parts of a tool's name that say that it runs what it is given.
const RUNS_CODE: [&str; 6] = ["command", "eval", "exec", "run", "shell", "terminal"];
/// Options that select a package by its name.
const PACKAGE_OPTIONS: [&str; 6] = ["--filter", "--package", "--workspace", "-F", "-p", "-w"];
/// Words that make a command of an unknown program look like one that runs a check.
const CHECK_WORDS: [&str; 10] = [
    "check",
    "checks",
    "ci",
    "e2e",
    "lint",
    "spec",
    "test",
    "tests",
    "typecheck",
    "verify",
];

/// A pass that a later failure contradicts.
pub(super) struct Flip<'a> {
    /// The identity of the check that passed.
    pub(super) key: &'a str,
    /// The pass.
    pub(super) pass: &'a Ran,
    /// The failure.
    pub(super) fail: &'a Ran,
}

/// What the record shows after a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Since {
    /// Nothing that could clear it.
    Nothing,
    /// The same or more passed, or all that it named.
    Passed,
    /// What repairs such a failure by itself was run.
    Fixed,
    /// Something that may have cleared it, or is about another state of the files.
    Unsure,
}

/// How a pass that was noted stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// A later failure still contradicts it.
    Contradicted,
    /// Its check is right again.
    Right,
    /// Nobody can tell.
    Unknown,
}

/// The passes that a standing failure contradicts, one for each failure, in the order of the failures. Only failures
/// that `wanted` takes are looked at.
pub(super) fn flips<'a>(stream: &'a Stream, wanted: impl Fn(&Ran) -> bool) -> Vec<Flip<'a>> {
    let failures = stream.board.checks.iter().filter_map(|row| {
        let fail = row.latest().filter(|ran| ran.verdict == Verdict::Fail && wanted(ran))?;
        Some((row, fail))
    });
    let mut flips: Vec<Flip<'a>> = Vec::new();
    for (row, fail) in failures {
        let Some((key, pass)) = contradicted(stream, row, fail) else {
            continue;
        };
        if since(stream, fail) != Since::Nothing {
            continue;
        }
        // One pass is brought up once, whatever number of runs has failed after it.
        if let Some(known) = flips
            .iter_mut()
            .find(|known| known.key == key && known.pass.call == pass.call)
        {
            if known.fail.nth < fail.nth {
                known.fail = fail;
            }
        } else {
            flips.push(Flip { key, pass, fail });
        }
    }
    flips.sort_by_key(|flip| flip.fail.nth);
    flips
}

/// The pass that a failure contradicts: of the same check if there is one, else the newest.
fn contradicted<'a>(stream: &'a Stream, own: &'a CheckRow, fail: &'a Ran) -> Option<(&'a str, &'a Ran)> {
    if let Some(pass) = own.pass_before(fail.nth) {
        return Some((&own.key, pass));
    }
    let passes = stream.board.checks.iter().filter_map(|row| {
        let pass = row.pass_before(fail.nth)?;
        // A pass after the failure is the check's last word.
        let passed_again = row
            .runs
            .iter()
            .any(|ran| ran.nth > fail.nth && ran.verdict == Verdict::Pass);
        (!passed_again && contradicts(fail, pass)).then_some((row.key.as_str(), pass))
    });
    passes.max_by_key(|(_, pass)| pass.nth)
}

/// Whether a failure says that another check's pass no longer holds.
fn contradicts(fail: &Ran, pass: &Ran) -> bool {
    match relates(&pass.run, &fail.run) {
        Relation::Same => true,
        // A narrower run that could not start says nothing of the wider one.
        Relation::Wider => shows_a_failure(fail),
        Relation::Narrower => fail.places.is_empty() || fail.places.iter().any(|(path, _)| covers(&pass.run, path)),
        Relation::Other => adds_flags(&pass.run, &fail.run),
    }
}

/// How what `a` checks relates to what `b` checks. Where the folder of a command is not known, one that went to a folder
/// first is taken to have stayed there.
pub(super) fn relates(a: &Run, b: &Run) -> Relation {
    let one_is_unknown =
        a.folder.is_empty() != b.folder.is_empty() && !a.folder.starts_with('/') && !b.folder.starts_with('/');
    if one_is_unknown && a.runner == b.runner && a.selection == b.selection {
        return Relation::Same;
    }
    relation(a, b)
}

/// Whether `more` is the same script with more flags and nothing else changed: what it does beside is not known, and
/// what it did without them it does again.
fn adds_flags(less: &Run, more: &Run) -> bool {
    let (Some(few), Some(many)) = (script_words(less), script_words(more)) else {
        return false;
    };
    less.folder == more.folder
        && few.len() < many.len()
        && few.iter().all(|word| many.contains(word))
        && many
            .iter()
            .filter(|word| !few.contains(word))
            .all(|word| word.starts_with('-'))
}

fn script_words(run: &Run) -> Option<Vec<&str>> {
    let line = run.selection.first().filter(|_| run.runner == SCRIPT)?;
    Some(line.split(' ').collect())
}

fn shows_a_failure(fail: &Ran) -> bool {
    fail.counts.failed.is_some_and(|failed| failed > 0) || !fail.places.is_empty()
}

/// Whether what a run selects takes in a file that a failure names: by a path, or by a package that is called like a
/// folder on the way to it. What is selected by a test's name says nothing of files.
pub(super) fn covers(run: &Run, path: &str) -> bool {
    let path = path.trim_start_matches("./");
    let mut places = run.selection.iter().filter_map(|part| match part.split_once(' ') {
        Some((option, package)) if PACKAGE_OPTIONS.contains(&option) => Some(package),
        _ => Some(part.as_str()).filter(|part| !part.starts_with('-') && part.contains(['/', '.'])),
    });
    places.any(|part| {
        let file = part.split("::").next().unwrap_or(part);
        let place = file
            .trim_start_matches("./")
            .trim_end_matches("...")
            .trim_end_matches('/');
        let goes_on = |behind: &str| behind.is_empty() || behind.starts_with('/');
        let begins = |before: &str| before.is_empty() || before.ends_with('/');
        !place.is_empty()
            && path
                .match_indices(place)
                .any(|(at, _)| begins(&path[..at]) && goes_on(&path[at + place.len()..]))
    })
}

/// What the record shows after a failure that is its check's latest run.
pub(super) fn since(stream: &Stream, fail: &Ran) -> Since {
    let board = &stream.board;
    let mut left: Vec<&str> = fail.places.iter().map(|(path, _)| path.as_str()).collect();
    let named = !left.is_empty();
    let mut unsure = false;
    for row in &board.checks {
        let mut later = row.runs.iter().filter(|ran| ran.nth > fail.nth).peekable();
        // Runs of one check relate to another alike.
        let Some(first) = later.peek() else { continue };
        let relation = relates(&first.run, &fail.run);
        for ran in later {
            match (relation, ran.verdict) {
                (Relation::Same | Relation::Wider, Verdict::Pass) => return Since::Passed,
                (Relation::Narrower, Verdict::Pass) => {
                    left.retain(|path| !covers(&ran.run, path));
                    unsure |= names_no_place(fail);
                }
                (Relation::Same | Relation::Wider, Verdict::Unknown | Verdict::Masked | Verdict::NothingChecked) => {
                    unsure = true;
                }
                (Relation::Other, Verdict::Pass) => {
                    unsure |= elsewhere(&ran.run, &fail.run) || kin::may_stand_in(&ran.run, &fail.run);
                }
                _ => {}
            }
        }
    }
    if named && left.is_empty() {
        return Since::Passed;
    }
    let running = |ran: &Ran| ran.nth > fail.nth && relates(&ran.run, &fail.run) != Relation::Other;
    if unsure || board.running.iter().any(running) || board.may_lack_after(fail.nth) {
        return Since::Unsure;
    }
    let calls = calls_since(stream, fail);
    let fixes = |command: &str| fixers::fixes(&fail.run, command);
    if calls.iter().skip(1).filter_map(|call| command_of(call)).any(fixes)
        || board.changed_after(fail.nth).any(|change| fixes(&change.input))
    {
        return Since::Fixed;
    }
    if fail.run.runner == HOOKS {
        // Hooks that change files fail so that the change is looked at; a commit runs them again.
        if calls.first().is_some_and(|call| mended_itself(&call.output)) {
            return Since::Fixed;
        }
        if calls.iter().skip(1).any(|call| commits(call)) {
            return Since::Unsure;
        }
    }
    let (first, rest) = calls
        .split_first()
        .map_or((None, &[][..]), |(first, rest)| (Some(*first), rest));
    let other_tree = |call: &CallRecord| command_of(call).is_some_and(turns_the_tree);
    if first.is_some_and(other_tree) || turns_the_tree(&fail.command) {
        return Since::Unsure;
    }
    if rest.iter().any(|call| other_tree(call) || may_check(call)) {
        return Since::Unsure;
    }
    Since::Nothing
}

/// Whether a failure tells no place that a selection could be held against: `go test` names files without their folder,
/// `cargo test` often none.
fn names_no_place(fail: &Ran) -> bool {
    let runner = fail.run.runner.as_str();
    let somewhere = |(path, _): &(String, Option<u32>)| path.contains('/');
    runner == "tsc" || (runner.starts_with("cargo-") || runner.starts_with("go-")) && !fail.places.iter().any(somewhere)
}

/// Whether every hook that failed has changed the files itself (pre-commit 4).
fn mended_itself(output: &str) -> bool {
    let count = |end: &str| output.lines().filter(|line| line.trim_end().ends_with(end)).count();
    let failed = count("Failed");
    failed > 0 && count("- files were modified by this hook") >= failed
}

fn commits(call: &CallRecord) -> bool {
    call.ending == Some(Ending::Succeeded) && command_of(call).is_some_and(|command| command.contains("git commit"))
}

/// The same check in another folder: as often as not a second try of what went wrong by its place.
fn elsewhere(later: &Run, failed: &Run) -> bool {
    later.runner == failed.runner && later.selection == failed.selection && later.folder != failed.folder
}

/// The calls of the running turn from a run on, the run's own first; all of the turn after a run of an earlier one.
fn calls_since<'a>(stream: &'a Stream, ran: &Ran) -> Vec<&'a CallRecord> {
    let calls = &stream.turn.calls;
    let start = calls.iter().position(|call| call.id == ran.call).unwrap_or(0);
    calls.iter().skip(start).collect()
}

/// The command of a call that runs one.
pub(super) fn command_of(call: &CallRecord) -> Option<&str> {
    match &call.kind {
        ToolKind::Shell { command } => Some(command),
        _ => None,
    }
}

/// Whether a command swaps the files for those of another state: what a check says beside it is not about the work.
fn turns_the_tree(command: &str) -> bool {
    const SWAPS: [&str; 7] = ["bisect", "checkout", "reset", "restore", "stash", "switch", "worktree"];
    let words: Vec<&str> = command.split_whitespace().collect();
    let is_git = |word: &str| word.trim_start_matches(['(', ';', '&', '`', '$']) == "git";
    words.iter().enumerate().any(|(at, word)| {
        let next = words.get(at + 1).map(|next| next.trim_end_matches([';', ')']));
        // A new branch begins with the files as they are.
        let is_new = words
            .get(at + 2)
            .is_some_and(|option| matches!(*option, "-b" | "-B" | "-c" | "-C"));
        is_git(word) && next.is_some_and(|next| SWAPS.contains(&next)) && !is_new
    }) || words.windows(2).any(|pair| puts_back(pair[0], pair[1]))
}

/// A file that was put aside comes back: `cp a.py.bak a.py`.
fn puts_back(program: &str, from: &str) -> bool {
    matches!(program, "cp" | "mv") && ASIDE.iter().any(|ending| from.ends_with(ending))
}

/// Whether a call may have run a check that the board does not show: a helper agent, a tool or a command that nobody can
/// read, an unknown program that is told to test something.
pub(super) fn may_check(call: &CallRecord) -> bool {
    if call.ending == Some(Ending::Denied) {
        return false;
    }
    match &call.kind {
        ToolKind::Delegates => true,
        ToolKind::Unknown => {
            let name = call.tool.to_ascii_lowercase();
            names_a_check(&call.tool) || RUNS_CODE.iter().any(|part| name.contains(part))
        }
        ToolKind::Shell { command } => match check::runs(command) {
            None => true,
            Some(runs) => runs.is_empty() && call.facts.mutated != Known::No && names_a_check(command),
        },
        ToolKind::Observes | ToolKind::Mutates | ToolKind::Asks | ToolKind::Neither => false,
    }
}

fn names_a_check(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    text.split(|c: char| !c.is_ascii_alphanumeric())
        .any(|word| CHECK_WORDS.contains(&word))
}

/// How a pass stands that a finding named: the check's identity and the pass's call. `flips` are all there are.
pub(super) fn standing(stream: &Stream, flips: &[Flip<'_>], key: &str, call: &str) -> Standing {
    let is_it = |flip: &Flip<'_>| flip.key == key && flip.pass.call == call;
    if flips.iter().any(is_it) {
        return Standing::Contradicted;
    }
    let Some(row) = stream.board.check(key) else {
        return Standing::Unknown;
    };
    let pass = row.runs.iter().find(|ran| ran.call == call);
    let passed_again = |nth: u64| row.runs.iter().any(|ran| ran.nth > nth && ran.verdict == Verdict::Pass);
    match pass {
        // It is no longer kept: what the check came to last has to do.
        None if row.latest().is_some_and(|ran| ran.verdict == Verdict::Pass) => Standing::Right,
        None => Standing::Unknown,
        Some(pass) if passed_again(pass.nth) => Standing::Right,
        Some(pass) => {
            let failures = stream.board.checks.iter().filter_map(CheckRow::latest);
            let failed = failures.filter(|ran| ran.nth > pass.nth && ran.verdict == Verdict::Fail);
            let mut against = failed
                .filter(|fail| contradicts(fail, pass))
                .map(|fail| since(stream, fail))
                .peekable();
            let cleared = |since| matches!(since, Since::Passed | Since::Fixed);
            if against.peek().is_some() && against.all(cleared) {
                Standing::Right
            } else {
                Standing::Unknown
            }
        }
    }
}
