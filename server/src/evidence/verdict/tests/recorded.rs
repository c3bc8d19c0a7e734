//! The verdicts of recorded outputs, and what no output may do to a verdict.
//! The parts of a command are guessed here from its text: reading it properly is `check`'s business.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::super::{Outcome, Verdict, verdict};
use crate::evidence::check::{Masked, Purpose, Run};

/// Runs of runners that the corpus lacks.
const MORE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/verdicts/more.jsonl"));

const CORPUS: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../fixtures/verdicts/corpus.jsonl"
));

#[derive(Deserialize)]
pub(super) struct Line {
    #[serde(default)]
    pub(super) id: String,
    runner: String,
    pub(super) command: String,
    pub(super) output: String,
    pub(super) exit_code: i32,
    pub(super) truth: String,
    #[serde(default)]
    scope: String,
    #[serde(default)]
    also_ok: Vec<String>,
}

/// Runners as the corpus' scopes call them, where ours has another name.
const NAMES: &[(&str, &str)] = &[
    ("biome-check", "biome"),
    ("biome-lint", "biome"),
    ("mvn", "maven"),
    ("npm", "npm-script"),
    ("perl", "script"),
    ("rake", "minitest"),
    ("ruff-check", "ruff"),
    ("ruff-format", "ruff"),
];

pub(super) fn runs(line: &Line) -> Vec<Run> {
    let masked = mask(&line.command).map_or(Masked::No, Masked::By);
    let scope = if line.scope.is_empty() {
        &line.runner
    } else {
        &line.scope
    };
    scope
        .split(" + ")
        .filter_map(|scope| {
            let name = scope.split([':', ' ']).next()?;
            let name = NAMES
                .iter()
                .find(|(theirs, _)| *theirs == name)
                .map_or(name, |(_, ours)| ours);
            // Snippets and gofmt are no runner of ours.
            (!matches!(name, "adhoc" | "gofmt" | "bash-n" | "py_compile")).then(|| Run {
                runner: name.to_owned(),
                folder: String::new(),
                selection: Vec::new(),
                purpose: Purpose::Check,
                masked: masked.clone(),
            })
        })
        .collect()
}

/// A rough guess: the last operator that is not quoted and lets another program end the command.
fn mask(command: &str) -> Option<String> {
    if command.contains("pipefail") {
        return None;
    }
    if command.starts_with("! ") || command.starts_with("if ") || command.starts_with("x=$(") {
        return Some(command.split(' ').next().unwrap_or_default().to_owned());
    }
    if command.starts_with("for ") {
        return command.contains("| ").then(|| "| tail".to_owned());
    }
    let mut quote = None;
    for (at, char) in command.char_indices() {
        match (quote, char) {
            (Some(open), char) if open == char => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(char),
            // What only looks before the check does not hide it, nor does what follows it by `&&`.
            (None, '|') if command[..at].contains("&& git log") => return None,
            (None, '|' | ';') => return Some(command[at..].to_owned()),
            _ => {}
        }
    }
    None
}

fn answer(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "pass",
        Verdict::Fail => "fail",
        Verdict::NothingChecked | Verdict::Masked | Verdict::Unknown => "inconclusive",
    }
}

pub(super) fn lines() -> Vec<Line> {
    CORPUS
        .lines()
        .chain(MORE.lines())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn recorded_outputs_have_their_verdicts() {
    let lines = lines();
    let checks: Vec<&Line> = lines.iter().filter(|line| line.truth != "not-a-check").collect();
    let mut table: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    let mut report = String::new();
    for line in &checks {
        let outcome = Outcome {
            exit: Some(line.exit_code),
            error: None,
        };
        let (verdict, because) = verdict(&runs(line), &outcome, &line.output);
        let given = if runs(line).is_empty() {
            "not-a-check"
        } else {
            answer(verdict)
        };
        let right = given == line.truth || line.also_ok.iter().any(|ok| ok == given);
        let lied = !right && matches!(given, "pass" | "fail");
        let row = table.entry(&line.runner).or_default();
        row[0] += 1;
        row[1] += usize::from(right);
        row[2] += usize::from(lied);
        if given != line.truth {
            report += &format!(
                "{} ({}) {} | truth {}, given {verdict:?} | {because}\n",
                if right { "ok  " } else { "miss" },
                line.id,
                line.command,
                line.truth
            );
        }
    }
    let sum = |column: usize| table.values().map(|row| row[column]).sum::<usize>();
    for (runner, [all, right, lied]) in &table {
        report += &format!("{runner:14} {right:3} of {all:3} right, {lied} wrongly claimed\n");
    }
    report += &format!(
        "all            {:3} of {:3} right, {} wrongly claimed\n",
        sum(1),
        sum(0),
        sum(2)
    );
    assert!(sum(0) > 300 && sum(1) * 100 >= sum(0) * 98 && sum(2) == 0, "{report}");
    insta::assert_snapshot!(report);
}
