//! `proofmark classify`: which check a command runs and what came of it, and why we think so; JSON lines in and out.
//! Both are decided in the server's core.

use std::io::BufRead;
use std::process::ExitCode;

use anyhow::Context;
use proofmark_server::evidence::check::{self, Purpose, Run};
use proofmark_server::evidence::verdict::{Outcome, Verdict, verdict};
use serde::{Deserialize, Serialize};

use crate::output::{complain, say};

/// One shell call.
#[derive(Deserialize)]
struct Call {
    command: String,
    #[serde(default)]
    output: String,
    /// Exactly as the shell gave it, where it is known.
    #[serde(default)]
    exit_code: Option<i32>,
    /// The folder in which the command was run.
    #[serde(default)]
    cwd: Option<String>,
}

/// What is thought of it.
#[derive(Debug, PartialEq, Serialize)]
struct Answer {
    /// The runner; none for what is no check, several with a plus between.
    check: Option<String>,
    /// What it selects and in which folder, as in a check's identity.
    selection: Option<String>,
    verdict: Verdict,
    because: String,
}

/// Runs the command: a line out for each line in.
pub(crate) fn run() -> anyhow::Result<ExitCode> {
    let mut code = ExitCode::SUCCESS;
    for (line, number) in std::io::stdin().lock().lines().zip(1_u64..) {
        let line = line.with_context(|| format!("line {number} can't be read"))?;
        if line.trim().is_empty() {
            continue;
        }
        match serde_json::from_str::<Call>(&line) {
            Ok(call) => say(&serde_json::to_string(&answer(&call))?)?,
            Err(error) => {
                complain(&format!("proofmark: line {number} is no call: {error}"));
                code = ExitCode::FAILURE;
            }
        }
    }
    Ok(code)
}

fn answer(call: &Call) -> Answer {
    let nothing = |because: &str| Answer {
        check: None,
        selection: None,
        verdict: Verdict::Unknown,
        because: because.to_owned(),
    };
    let Some(runs) = check::runs(&call.command) else {
        return nothing("The command can't be read.");
    };
    if runs.is_empty() {
        return nothing("The command runs no check.");
    }
    let place = |run: Run| match &call.cwd {
        Some(cwd) => run.in_folder(cwd),
        None => run,
    };
    let runs: Vec<Run> = runs.into_iter().map(place).collect();
    let outcome = Outcome {
        exit: call.exit_code,
        error: None,
    };
    let (verdict, because) = verdict(&runs, &outcome, &call.output);
    // What only lists, explains or prints a version is no check, though its program can do one.
    let checks = runs.iter().any(|run| run.purpose == Purpose::Check);
    let joined = |part: fn(&Run) -> String| checks.then(|| runs.iter().map(part).collect::<Vec<_>>().join(" + "));
    Answer {
        check: joined(|run| run.runner.clone()),
        selection: joined(|run| {
            let key = run.key();
            key.strip_prefix(&run.runner)
                .map_or(key.clone(), |rest| rest.trim_start_matches(':').to_owned())
        }),
        verdict,
        because,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Answer {
        answer(&serde_json::from_str(line).unwrap())
    }

    #[test]
    fn a_call_is_told_by_its_check_and_its_selection() {
        let failed = of(
            r#"{"command": "cd api && pytest tests/a.py", "output": "== 1 failed, 2 passed in 0.1s ==", "exit_code": 1}"#,
        );
        assert_eq!(
            (failed.check.as_deref(), failed.verdict),
            (Some("pytest"), Verdict::Fail)
        );
        assert!(failed.selection.unwrap().contains("tests/a.py"));
        let placed = of(r#"{"command": "pytest", "exit_code": 0, "cwd": "/srv/project"}"#);
        assert!(placed.selection.unwrap().contains("/srv/project"));
    }

    #[test]
    fn what_only_lists_is_no_check_and_checked_nothing() {
        let told = of(r#"{"command": "pytest --version", "output": "pytest 9.2", "exit_code": 0}"#);
        assert_eq!((told.check, told.verdict), (None, Verdict::NothingChecked));
    }

    #[test]
    fn what_is_no_check_has_none() {
        for command in ["cat test_a.py", "grep -r pytest .", "echo 'unclosed"] {
            let told = answer(&Call {
                command: command.to_owned(),
                output: "3 passed".to_owned(),
                exit_code: Some(0),
                cwd: None,
            });
            assert_eq!((told.check, told.verdict), (None, Verdict::Unknown), "{command}");
        }
    }
}
