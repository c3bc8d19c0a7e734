//! Findings that are kept for themselves: how they are named, how they end, how the agent is told of them.
//! What is found, and whether it still holds, is each check's own.

use proofmark_protocol::findings::{CheckRef, Cited};
use proofmark_protocol::{Evidence, FindingState};

use super::{PromptVerdict, PromptView};
use crate::evidence::check::Run;
use crate::session::board::{Change, Ran};
use crate::session::{Book, FactBody, FindingEnd, NotedRow, Stream, ToolKind};
use crate::text::quote;

/// Findings that a message names; of more it gives the number.
const MAX_NAMED: usize = 3;
/// The longest quote in a piece of evidence, in characters.
const MAX_QUOTE: usize = 80;
/// What stands between a check and a call in a finding's identity.
const AFTER: &str = " after ";

/// The identity of a finding about a check since a call.
pub(super) fn subject(key: &str, call: &str) -> String {
    format!("{key}{AFTER}{call}")
}

/// The check and the call of a finding's identity.
pub(super) fn parts(subject: &str) -> Option<(&str, &str)> {
    subject.rsplit_once(AFTER)
}

/// The kept findings of a check about an agent's own work that have not ended.
pub(super) fn standing<'a>(
    book: &'a Book,
    code: &'a str,
    agent: Option<&'a str>,
) -> impl Iterator<Item = &'a NotedRow> {
    let mine = move |row: &&NotedRow| row.finding.code == code && row.agent.as_deref() == agent && row.end.is_none();
    book.noted().iter().filter(mine)
}

/// That a kept finding has ended.
pub(super) fn ended(row: &NotedRow, end: FindingEnd) -> Option<FactBody> {
    let finding = row.finding.id.clone()?;
    Some(FactBody::FindingEnded { finding, end })
}

/// What the agent is told with a prompt of findings that still hold and were not brought up before: the facts, then
/// what is asked of it. `line` gives the fact, none where the finding no longer holds.
pub(super) fn tell(
    view: &PromptView<'_>,
    code: &str,
    line: impl Fn(&NotedRow) -> Option<String>,
    ask: &str,
) -> PromptVerdict {
    let mut verdict = PromptVerdict::default();
    let mut lines = Vec::new();
    // A refusal has told it already.
    let untold = |row: &&NotedRow| !row.told && row.finding.state != FindingState::Refused;
    for row in standing(view.book, code, None).filter(untold) {
        let (Some(line), Some(finding)) = (line(row), row.finding.id.clone()) else {
            continue;
        };
        lines.push(format!("- {line}"));
        verdict.facts.push((None, FactBody::Told { finding }));
    }
    if lines.is_empty() {
        return verdict;
    }
    let more = lines.len().saturating_sub(MAX_NAMED);
    lines.truncate(MAX_NAMED);
    if more > 0 {
        lines.push(format!("- and {more} more"));
    }
    verdict.to_agent = Some(format!(
        "Proofmark, about your last reply:\n{}\n{ask}",
        lines.join("\n")
    ));
    verdict
}

/// A check's name for people: what one would type, without the options that say nothing of it.
pub(super) fn title(run: &Run) -> String {
    let selection = run.selection.join(" ");
    let first = selection.split(' ').next().unwrap_or_default();
    let program = match run.runner.as_str() {
        "script" => String::new(),
        // What stands in no `package.json` stands behind the name of its program.
        "npm-script" if TASKS.contains(&first) => String::new(),
        "make" if run.selection.iter().any(|part| TASKS.contains(&part.as_str())) => return task(run),
        "npm-script" if selection.starts_with("test") => "npm".to_owned(),
        "npm-script" => "npm run".to_owned(),
        "unittest" => "python -m unittest".to_owned(),
        runner => runner.replacen('-', " ", 1),
    };
    let title = format!("{program} {selection}");
    quote(title.trim(), MAX_TITLE)
}

/// The name of a task of a program that is no `make`.
fn task(run: &Run) -> String {
    let (program, names): (Vec<&str>, Vec<&str>) = run
        .selection
        .iter()
        .map(String::as_str)
        .partition(|part| TASKS.contains(part));
    let ways = if program.contains(&"mise") {
        vec!["run"]
    } else {
        Vec::new()
    };
    quote(&[program, ways, names].concat().join(" "), MAX_TITLE)
}

/// Programs that run a project's tasks by name, as they stand in a selection.
const TASKS: [&str; 8] = ["composer", "deno", "just", "mise", "ninja", "nx", "task", "turbo"];
/// The longest title, in characters.
const MAX_TITLE: usize = 48;

/// Where an editor may show a failed run: the failures that its output names, then the file that it was given.
pub(super) fn places(ran: &Ran) -> Vec<Cited> {
    let folder = ran.run.folder.as_str();
    let placed = |path: &str| match folder {
        "" => path.to_owned(),
        _ if path.starts_with('/') || folder.contains(':') => path.to_owned(),
        folder => format!("{folder}/{path}"),
    };
    let named = ran.places.iter().map(|(path, line)| Cited {
        path: placed(path),
        line: *line,
    });
    let given = ran.run.selection.iter().filter_map(|part| {
        let first = part.split([' ', ':']).next().unwrap_or(part);
        let is_file = !first.starts_with('-') && first.rsplit('/').next().is_some_and(|file| file.contains('.'));
        is_file.then(|| Cited {
            path: placed(first),
            line: None,
        })
    });
    named.chain(given).collect()
}

/// One piece of what a finding rests on.
pub(super) fn evidence(what: String, turn: u64, call: Option<&str>) -> Evidence {
    Evidence {
        what,
        turn: Some(turn),
        id: call.map(str::to_owned),
        place: None,
    }
}

/// The check that a run was of, for an editor to find where it is defined, and for a person to run it again. The command
/// is there while the turn shows the whole of it: what the board keeps is a quote, and half a command is another one.
pub(super) fn check_of(stream: &Stream, ran: &Ran) -> CheckRef {
    let call = stream.turn.calls.iter().find(|call| call.id == ran.call);
    let command = call.and_then(|call| match &call.kind {
        ToolKind::Shell { command } => Some(command.clone()),
        _ => None,
    });
    CheckRef {
        runner: ran.run.runner.clone(),
        selection: ran.run.selection.clone(),
        folder: ran.run.folder.clone(),
        command: command.unwrap_or_default(),
    }
}

/// A change, as evidence.
pub(super) fn changed(change: &Change) -> Evidence {
    let what = change.path.as_deref().unwrap_or(&change.input);
    let place = change.path.clone().map(|path| Cited { path, line: None });
    Evidence {
        place,
        ..evidence(
            format!("changed: {}", quote(what, MAX_QUOTE)),
            change.turn,
            Some(&change.call),
        )
    }
}

/// What a run came to, as evidence.
pub(super) fn ran(came_to: &str, ran: &Ran) -> Evidence {
    let because = ran.because.trim_end_matches('.');
    evidence(
        format!("{came_to}: {} ({because})", ran.command),
        ran.turn,
        Some(&ran.call),
    )
}

/// Whether a text tells the numbers of a failed run: how many passed, and how many did not or how many there were.
pub(super) fn tells_numbers(text: &str, failed: &Ran) -> bool {
    let (Some(bad), Some(good)) = (failed.counts.failed.filter(|bad| *bad > 0), failed.counts.passed) else {
        return false;
    };
    let grouped = text.replace([',', '\u{2009}', '\u{202f}'], "");
    let numbers = grouped
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|number| number.parse::<u64>().ok());
    let numbers: Vec<u64> = numbers.collect();
    good > 0 && numbers.contains(&good) && (numbers.contains(&bad) || numbers.contains(&good.saturating_add(bad)))
}
