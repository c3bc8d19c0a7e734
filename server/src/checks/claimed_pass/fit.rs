//! Which checks of the board a claim speaks of: by command, by name, by kind.
//! Whether it is right about them stays out.

use super::super::kin::{Kind, kind};
use crate::evidence::check::{self, Run};
use crate::session::Board;
use crate::session::board::CheckRow;
use crate::text::{self, About, PassClaim};

/// Words of a claim that name a kind of check and none of them in particular.
const KINDS: [&str; 16] = [
    "build",
    "builds",
    "check",
    "checks",
    "ci",
    "compile",
    "format",
    "formatting",
    "lint",
    "linter",
    "linting",
    "suite",
    "test",
    "test suite",
    "tests",
    "verification",
];

/// How a claim and a check were brought together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// The claim names its command, or a word of it.
    Name,
    /// The claim names a kind of check.
    Kind,
}

/// The checks that a claim speaks of, and why; none where it names one that is not on the board.
pub(super) fn checks<'a>(claim: &PassClaim, board: &'a Board) -> (By, Vec<&'a CheckRow>) {
    let by_command = rows(board, |run| claim.names.iter().any(|name| is_command(name, run)));
    if !by_command.is_empty() {
        return (By::Name, by_command);
    }
    if names_one(claim) {
        let by_name = board
            .checks
            .iter()
            .filter(|row| row.latest().is_some_and(|ran| named(claim, &ran.run, &ran.command)));
        return (By::Name, by_name.collect());
    }
    (By::Kind, rows(board, |run| fits(claim.about, kind(run))))
}

fn rows(board: &Board, wanted: impl Fn(&Run) -> bool) -> Vec<&CheckRow> {
    let fit = |row: &&CheckRow| row.latest().is_some_and(|ran| wanted(&ran.run));
    board.checks.iter().filter(fit).collect()
}

/// Whether a claim names a check, and not only a kind of them.
pub(super) fn names_one(claim: &PassClaim) -> bool {
    claim.names.iter().any(|name| !KINDS.contains(&name.as_str()))
}

/// Whether a claim names a runner.
pub(super) fn names_a_runner(claim: &PassClaim) -> bool {
    let is_runner = |name: &String| {
        check::RUNNERS
            .iter()
            .any(|runner| runner.replacen('-', " ", 1) == *name)
    };
    claim.names.iter().any(is_runner)
}

fn is_command(name: &str, run: &Run) -> bool {
    let Some(read) = check::runs(name) else { return false };
    read.iter()
        .any(|read| read.runner == run.runner && read.selection == run.selection)
}

fn named(claim: &PassClaim, run: &Run, command: &str) -> bool {
    let known = text::check_names(&run.runner, &run.selection, command);
    let says = |name: &String| !KINDS.contains(&name.as_str()) && known.contains(name);
    claim.names.iter().any(says)
}

/// Whether a claim about one kind may be about a check of another: `Any` may be all.
fn fits(about: About, kind: Kind) -> bool {
    match about {
        About::Everything => true,
        About::Tests => matches!(kind, Kind::Tests),
        About::Build => matches!(kind, Kind::Build),
        About::Lint => matches!(kind, Kind::Lint),
    }
}
