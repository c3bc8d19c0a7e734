//! What came of the checks of one command: exit status first, then each runner's own summary.
//! Which checks a command runs, and what hides their status, is `check`'s business.

use std::collections::BTreeMap;

use super::super::check::{Masked, Purpose, Run};
use super::tally::Take;
use super::{Summary, Verdict, absent, mask, readers, text};

/// How a command ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Its exit status, where it is known exactly.
    pub exit: Option<i32>,
    /// Whether the harness called it failed; Claude Code has only this, and `Exit code N` as the first line of the
    /// output of a failed command (2.1.332).
    pub error: Option<bool>,
}

/// What the checks `runs` of one command came to, and why in one short sentence.
///
/// One that failed fails the whole; else what is not known of any of them is not known of the whole.
#[must_use]
pub fn verdict(runs: &[Run], outcome: &Outcome, output: &str) -> (Verdict, String) {
    let text = text::clean(output);
    let seen = Seen::of(runs, outcome, &text);
    // A bad ending that one of several checks owns up to is not the fault of one that says nothing.
    let explained = runs.len() > 1
        && runs.iter().filter(|run| run.masked == Masked::No).any(|run| {
            let summary = seen.summary(run);
            summary.is_some_and(|summary| matches!(summary.verdict, Verdict::Fail | Verdict::NothingChecked))
        });
    let mut worst: Option<(Verdict, String)> = None;
    for run in runs {
        let Some(summary) = seen.summary(run) else {
            continue;
        };
        if explained && seen.ended_badly(run) && matches!(summary.verdict, Verdict::Pass | Verdict::Unknown) {
            continue;
        }
        let (verdict, because) = judge(run, seen.exit, summary, &seen.page);
        // Of two that are equally bad the first is named.
        if worst.as_ref().is_none_or(|(known, _)| rank(verdict) > rank(*known)) {
            worst = Some((verdict, because));
        }
    }
    worst.unwrap_or_else(|| (Verdict::Unknown, "The command runs no check.".to_owned()))
}

/// How a command ended and what it printed, read once for all its checks.
pub(super) struct Seen<'a> {
    pub(super) exit: Exit,
    pub(super) page: Page<'a>,
    /// Each runner is read once: a command may start one thousands of times.
    summaries: BTreeMap<&'a str, Summary>,
}

impl<'a> Seen<'a> {
    /// Reads a cleaned output.
    pub(super) fn of(runs: &'a [Run], outcome: &Outcome, text: &'a str) -> Self {
        let mut lines = text::lines(text);
        let exit = exit_status(outcome, &mut lines);
        let page = Page {
            length: text.lines().count(),
            last: lines
                .iter()
                .rev()
                .map(|line| line.trim())
                .find(|line| !line.is_empty())
                .unwrap_or_default(),
            only: lines.iter().filter(|line| !line.trim().is_empty()).nth(1).is_none(),
            absent: absent::sign(&lines),
        };
        let mut times: BTreeMap<&str, usize> = BTreeMap::new();
        for run in runs {
            *times.entry(&run.runner).or_default() += 1;
        }
        let read = |(runner, times): (&&str, &usize)| {
            let take = if *times > 1 { Take::All } else { Take::Last };
            readers::read(runner, &lines, take)
        };
        let summaries = times.iter().map(|each| (*each.0, read(each))).collect();
        Self { exit, page, summaries }
    }

    /// What the output says of a run's runner.
    pub(super) fn summary(&self, run: &Run) -> Option<&Summary> {
        self.summaries.get(run.runner.as_str())
    }

    /// Whether the command ended badly, and the run's own status may be why.
    pub(super) fn ended_badly(&self, run: &Run) -> bool {
        matches!(self.exit, Exit::Code(_) | Exit::Failed) && run.masked == Masked::No
    }
}

/// How much a verdict weighs against that of another check of the same command.
fn rank(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Pass => 0,
        Verdict::NothingChecked => 1,
        Verdict::Masked => 2,
        Verdict::Unknown => 3,
        Verdict::Fail => 4,
    }
}

/// What an output shows beside its summaries.
pub(super) struct Page<'a> {
    /// How many lines it has, empty ones too.
    length: usize,
    /// The last line with anything on it.
    last: &'a str,
    /// Whether that one is the only one.
    only: bool,
    /// Why nothing began, where a line says so.
    pub(super) absent: Option<&'static str>,
}

/// What is known of an exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    Zero,
    Code(i32),
    /// Not zero, and no more.
    Failed,
    Unknown,
}

/// The exit status; the line that only repeats it is taken out of the output.
fn exit_status(outcome: &Outcome, lines: &mut Vec<&str>) -> Exit {
    let stated = lines
        .first()
        .and_then(|line| line.strip_prefix("Exit code ")?.trim().parse::<i32>().ok());
    if outcome.error == Some(true) && stated.is_some() {
        lines.remove(0);
    }
    match (outcome.exit, outcome.error) {
        (Some(0), _) => Exit::Zero,
        (Some(code), _) => Exit::Code(code),
        (None, Some(true)) => stated.filter(|code| *code != 0).map_or(Exit::Failed, Exit::Code),
        (None, Some(false)) => Exit::Zero,
        (None, None) => Exit::Unknown,
    }
}

pub(super) fn judge(run: &Run, exit: Exit, summary: &Summary, page: &Page<'_>) -> (Verdict, String) {
    let runner = &run.runner;
    let (verdict, because) = match &run.masked {
        Masked::By(what) => masked(what, runner, summary, page),
        Masked::Failure(_) if exit == Exit::Zero => succeeded(summary),
        Masked::Failure(what) => shown(summary, page).unwrap_or_else(|| {
            (
                Verdict::Unknown,
                format!(
                    "has no summary in the output, and the status may be that of `{}`",
                    mask::shortened(what)
                ),
            )
        }),
        Masked::No => match exit {
            Exit::Zero => succeeded(summary),
            Exit::Code(code) => failed(runner, Some(code), summary, page),
            Exit::Failed => failed(runner, None, summary, page),
            Exit::Unknown => shown(summary, page).unwrap_or((
                Verdict::Unknown,
                "has no summary in the output, and its exit status is not known".to_owned(),
            )),
        },
    };
    match &run.purpose {
        Purpose::NothingRun(why) if verdict != Verdict::Fail => (
            Verdict::NothingChecked,
            format!("{runner} was not made to check anything: {why}."),
        ),
        _ => (verdict, format!("{runner} {because}.")),
    }
}

/// What the summary alone shows, or a sign that nothing began.
fn shown(summary: &Summary, page: &Page<'_>) -> Option<(Verdict, String)> {
    match summary.verdict {
        Verdict::Pass | Verdict::Fail | Verdict::NothingChecked => Some((summary.verdict, says(summary))),
        Verdict::Masked | Verdict::Unknown => page
            .absent
            .map(|why| (Verdict::NothingChecked, format!("checked nothing: {why}"))),
    }
}

fn says(summary: &Summary) -> String {
    let counts = &summary.counts;
    let word = match summary.verdict {
        Verdict::Pass => "reports a pass",
        Verdict::Fail => "reports failures",
        _ => "reports that it checked nothing",
    };
    match (counts.passed, counts.failed) {
        // Failed for something it does not count.
        (_, Some(0)) if summary.verdict == Verdict::Fail => word.to_owned(),
        (Some(passed), Some(failed)) => format!("{word}: {passed} passed, {failed} failed"),
        (None, Some(failed)) if failed > 0 => format!("{word}: {failed} found"),
        _ => word.to_owned(),
    }
}

/// The exit status says nothing, so only the summary counts.
fn masked(what: &str, runner: &str, summary: &Summary, page: &Page<'_>) -> (Verdict, String) {
    let hidden = || {
        (
            Verdict::Masked,
            format!(
                "does not show in the output how it ended, and `{}` hides its exit status",
                mask::shortened(what)
            ),
        )
    };
    if summary.verdict != Verdict::Fail && mask::may_hide_failures(what, runner, page.length) {
        return hidden();
    }
    if summary.verdict == Verdict::Unknown
        && let Some(code) = mask::echoed_status(what, page.last)
    {
        match code {
            // With more to read than this, whatever printed it may have stood before the last program.
            0 if !page.only => {}
            0 => {
                return (
                    Verdict::Pass,
                    "ended with the exit code 0 that the command prints".to_owned(),
                );
            }
            code => return failed(runner, Some(code), summary, page),
        }
    }
    shown(summary, page).unwrap_or_else(hidden)
}

fn succeeded(summary: &Summary) -> (Verdict, String) {
    match summary.verdict {
        Verdict::Pass => (Verdict::Pass, format!("ended well and {}", says(summary))),
        Verdict::Fail => (
            Verdict::Unknown,
            format!("{}, yet the command ended well", says(summary)),
        ),
        Verdict::NothingChecked => (Verdict::NothingChecked, says(summary)),
        Verdict::Masked | Verdict::Unknown => (Verdict::Pass, "ended well".to_owned()),
    }
}

/// Exit codes of runners that mean that nothing was checked, or that nobody can tell; from each one's manual.
const CODES: &[(&str, &[i32], Verdict)] = &[
    ("pytest", &[4, 5], Verdict::NothingChecked),
    ("pytest", &[2, 3], Verdict::Unknown),
    ("unittest", &[5], Verdict::NothingChecked),
    ("cargo-nextest", &[4], Verdict::NothingChecked),
    ("ruff", &[2], Verdict::NothingChecked),
    ("black", &[2], Verdict::NothingChecked),
    ("mypy", &[2], Verdict::NothingChecked),
    ("pyright", &[2, 3, 4], Verdict::NothingChecked),
    ("eslint", &[2], Verdict::NothingChecked),
    ("shellcheck", &[2, 3, 4], Verdict::NothingChecked),
    ("bazel", &[2, 4], Verdict::NothingChecked),
    ("bazel", &[8], Verdict::Unknown),
    ("pre-commit", &[3], Verdict::Unknown),
];

fn failed(runner: &str, code: Option<i32>, summary: &Summary, page: &Page<'_>) -> (Verdict, String) {
    let ending = code.map_or("ended badly".to_owned(), |code| format!("ended with exit code {code}"));
    match code {
        Some(124 | 130 | 137 | 143) => return (Verdict::Unknown, format!("was stopped before its end: it {ending}")),
        Some(126 | 127) => {
            return (
                Verdict::NothingChecked,
                "checked nothing: the program to run is not there".to_owned(),
            );
        }
        _ => {}
    }
    match summary.verdict {
        Verdict::Fail => return (Verdict::Fail, format!("{ending} and {}", says(summary))),
        Verdict::NothingChecked => return (Verdict::NothingChecked, says(summary)),
        // A script or a task can fail for more reasons than the tests inside it.
        Verdict::Pass if !readers::is_wrapper(runner) => {
            return (Verdict::Unknown, format!("{}, yet the command {ending}", says(summary)));
        }
        Verdict::Pass | Verdict::Masked | Verdict::Unknown => {}
    }
    if let Some(why) = page.absent {
        return (Verdict::NothingChecked, format!("checked nothing: {why}"));
    }
    let known = CODES
        .iter()
        .find(|(name, codes, _)| *name == runner && code.is_some_and(|code| codes.contains(&code)));
    match known {
        Some((_, _, Verdict::NothingChecked)) => (
            Verdict::NothingChecked,
            format!("{ending}, which means that it checked nothing"),
        ),
        Some(_) => (Verdict::Unknown, format!("{ending}, which does not say what it found")),
        None => (Verdict::Fail, ending),
    }
}
