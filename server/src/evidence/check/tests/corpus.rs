//! How well checks and their identity are read from lines that were really run.
//! What their output says stays out.

use std::collections::HashMap;

use serde::Deserialize;

use crate::evidence::check::{Masked, Purpose, Run, runs};

const CORPUS: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../fixtures/verdicts/corpus.jsonl"
));

#[derive(Deserialize)]
struct Line {
    id: String,
    command: String,
    cwd_hint: String,
    project: String,
    scope: String,
    truth: String,
    also_ok: Vec<String>,
    composite: bool,
    exit_code: i64,
    runner_exit: i64,
}

fn corpus() -> Vec<Line> {
    CORPUS.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The runs that check something, seen from the root of the file system.
fn checks(line: &Line) -> Vec<Run> {
    runs(&line.command)
        .unwrap_or_default()
        .into_iter()
        .filter(|run| run.purpose == Purpose::Check)
        .map(|run| run.in_folder(&line.cwd_hint))
        .collect()
}

#[test]
fn checks_are_told_from_other_commands() {
    let lines = corpus();
    let mut wrong = Vec::new();
    for line in &lines {
        let says = |answer: &str| line.truth == answer || line.also_ok.iter().any(|other| other == answer);
        let Some(found) = runs(&line.command) else {
            wrong.push(format!("{}: {:?} is not read", line.id, line.command));
            continue;
        };
        let right = match found.iter().any(|run| run.purpose == Purpose::Check) {
            true => line.truth != "not-a-check" || says("inconclusive"),
            // What runs nothing settles nothing.
            false => says("not-a-check") || !found.is_empty() && says("inconclusive"),
        };
        if !right {
            wrong.push(format!("{}: {:?}: {found:?}", line.id, line.command));
        }
    }
    let rate = 100.0 * (1.0 - wrong.len() as f64 / lines.len() as f64);
    assert!(rate >= 99.5, "{rate:.1}% of {}: {}", lines.len(), wrong.join("\n"));
}

#[test]
fn the_same_check_is_known_again() {
    let lines = corpus();
    let mut projects: HashMap<&str, Vec<(&Line, String)>> = HashMap::new();
    for line in lines
        .iter()
        .filter(|line| !line.composite && line.truth != "not-a-check")
    {
        let keys: Vec<String> = checks(line).iter().map(Run::key).collect();
        projects
            .entry(&line.project)
            .or_default()
            .push((line, keys.join(" + ")));
    }
    let (mut same, mut different) = ((0, 0), (0, 0));
    let mut wrong = Vec::new();
    for project in projects.values() {
        for (at, (a, key_a)) in project.iter().enumerate() {
            for (b, key_b) in &project[at + 1..] {
                let truly = a.scope == b.scope;
                let right = truly == (key_a == key_b);
                let count = if truly { &mut same } else { &mut different };
                count.0 += usize::from(right);
                count.1 += 1;
                if !right {
                    wrong.push(format!(
                        "{} {key_a:?} ({}), {} {key_b:?} ({})",
                        a.id, a.scope, b.id, b.scope
                    ));
                }
            }
        }
    }
    let rate = |(right, all): (usize, usize)| 100.0 * right as f64 / all as f64;
    assert!(same.1 > 500 && different.1 > 500, "{same:?} {different:?}");
    assert!(
        rate(same) >= 99.5 && rate(different) >= 99.5,
        "same {same:?}, different {different:?}: {}",
        wrong.join("\n")
    );
}

#[test]
fn a_status_that_shows_is_the_runs_own() {
    let (mut shown, mut hidden) = (0, 0);
    for line in corpus().iter().filter(|line| !line.composite) {
        if let [run] = &checks(line)[..] {
            match run.masked {
                Masked::No => {
                    shown += 1;
                    assert_eq!(line.exit_code, line.runner_exit, "{}: {:?}", line.id, line.command);
                }
                Masked::Failure(_) => assert!(line.exit_code != 0 || line.runner_exit == 0, "{}", line.id),
                // Some of them end as the run does all the same: `make -C a check | grep ok`.
                Masked::By(_) => hidden += usize::from(line.exit_code != line.runner_exit),
            }
        }
    }
    assert!(shown > 150 && hidden > 50, "{shown} shown, {hidden} hidden");
}
