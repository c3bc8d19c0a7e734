//! `proofmark classify` over recorded runs of real runners, whose true verdicts are known.
//! How a single command or output is read is tested in the server's crate.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result, ensure};
use proofmark_tests::scenario::fixtures;
use proofmark_tests::world::World;
use serde::Deserialize;
use serde_json::{Value, json};

/// Verdicts that have to be right, what a reasonable reader would accept included.
const RIGHT: f64 = 0.97;
/// Passes and failures that may be said wrongly.
const LIES: f64 = 0.01;
/// Lines of which it has to be told rightly whether they are checks.
const CHECKS: f64 = 0.99;
/// Pairs of runs in one project of which it has to be told rightly whether they are the same check.
const PAIRS: f64 = 0.97;

/// A recorded run.
#[derive(Debug, Deserialize)]
struct Recorded {
    id: String,
    runner: String,
    command: String,
    cwd_hint: String,
    output: String,
    exit_code: Option<i32>,
    /// `pass`, `fail`, `inconclusive` or `not-a-check`.
    truth: String,
    also_ok: Vec<String>,
    same_target_as: Vec<String>,
    project: String,
    composite: bool,
}

/// What `proofmark classify` says of it.
#[derive(Debug, Deserialize)]
struct Told {
    check: Option<String>,
    selection: Option<String>,
    verdict: String,
    because: String,
}

impl Told {
    /// In the words of the recording.
    fn word(&self) -> &str {
        match (&self.check, self.verdict.as_str()) {
            (None, _) => "not-a-check",
            (_, verdict @ ("pass" | "fail")) => verdict,
            _ => "inconclusive",
        }
    }
}

impl Recorded {
    fn accepts(&self, word: &str) -> bool {
        word == self.truth || self.also_ok.iter().any(|also| also == word)
    }
}

#[test]
fn recorded_runs_are_told_as_they_were() -> Result<()> {
    let text = fs::read_to_string(fixtures().join("verdicts/corpus.jsonl"))?;
    let runs: Vec<Recorded> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let told = classify(&runs)?;
    let (mut right, mut lies, mut checks) = (0, 0, 0);
    let mut runners: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (run, told) in runs.iter().zip(&told) {
        let word = told.word();
        let accepted = run.accepts(word);
        right += usize::from(accepted);
        lies += usize::from(!accepted && matches!(word, "pass" | "fail"));
        let is_check = run.truth != "not-a-check";
        checks += usize::from(told.check.is_some() == is_check || run.accepts("not-a-check"));
        let row = runners.entry(&run.runner).or_default();
        *row = (row.0 + usize::from(accepted), row.1 + 1);
        if !accepted {
            println!(
                "{}: {word}, not {}: {} ({})",
                run.id, run.truth, told.because, run.command
            );
        }
    }
    let (same, pairs) = pairs(&runs, &told);
    for (runner, (right, all)) in runners {
        println!("{runner:>12} {right}/{all}");
    }
    let share = |part: usize, all: usize| part as f64 / all as f64;
    let all = runs.len();
    println!(
        "verdict right {:.3}, pass or fail said wrongly {:.3}",
        share(right, all),
        share(lies, all)
    );
    println!(
        "check or not {:.3}, same check {:.3} of {pairs} pairs",
        share(checks, all),
        share(same, pairs)
    );
    ensure!(share(right, all) >= RIGHT, "{right} of {all} verdicts are right");
    ensure!(share(lies, all) <= LIES, "{lies} of {all} verdicts are lies");
    ensure!(
        share(checks, all) >= CHECKS,
        "{checks} of {all} are told as checks or not"
    );
    ensure!(share(same, pairs) >= PAIRS, "{same} of {pairs} pairs are told");
    Ok(())
}

fn classify(runs: &[Recorded]) -> Result<Vec<Told>> {
    let world = World::new()?;
    let call = |run: &Recorded| -> Value {
        json!({"command": run.command, "output": run.output, "exit_code": run.exit_code, "cwd": run.cwd_hint})
    };
    let lines: String = runs.iter().map(|run| format!("{}\n", call(run))).collect();
    let done = world.proofmark_with(&["classify"], lines.as_bytes())?.success()?;
    let told: Vec<Told> = done
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).context("no answer"))
        .collect::<Result<_>>()?;
    ensure!(
        told.len() == runs.len(),
        "{} answers to {} calls",
        told.len(),
        runs.len()
    );
    Ok(told)
}

/// How many pairs within a project are told rightly, of how many; a line of several checks is in none.
fn pairs(runs: &[Recorded], told: &[Told]) -> (usize, usize) {
    let single: Vec<(&Recorded, &Told)> = runs
        .iter()
        .zip(told)
        .filter(|(run, _)| run.truth != "not-a-check" && !run.composite)
        .collect();
    let (mut same, mut pairs) = (0, 0);
    for (at, (run, told)) in single.iter().enumerate() {
        for (other, other_told) in single
            .iter()
            .skip(at + 1)
            .filter(|(other, _)| other.project == run.project)
        {
            let truly = run.same_target_as.contains(&other.id);
            let said = (&told.check, &told.selection) == (&other_told.check, &other_told.selection);
            same += usize::from(truly == said);
            pairs += 1;
        }
    }
    (same, pairs)
}
