//! `proofmark try`: plays a recorded session through the hook and a server of its own, and shows what they say.
//! What they say is theirs: nothing is judged here.

mod board;
mod interrupt;
mod play;
mod script;
mod show;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::Args;
use indicatif::ProgressBar;
use proofmark_protocol::query::Claim;
use proofmark_protocol::{Finding, Outcome};
use proofmark_server::harness::HarnessSpec;
use serde::Serialize;

use crate::output::{say, say_json};

/// The session that is played without an argument: recorded from a real Claude Code session of version 2.1.332.
const RECORDED: &[u8] = include_bytes!("../../../fixtures/claude-code/recorded/try.jsonl");

/// Arguments of `proofmark try`.
#[derive(Args)]
pub(crate) struct Arguments {
    /// A transcript of your own; without it a recorded session is played.
    transcript: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// What came of a played session.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    harness: String,
    turns: Vec<Turn>,
    claims: Vec<Claim>,
    /// What the session's checks came to, those of its helper agents apart.
    board: Vec<board::Check>,
    /// Every call with its end, as far as the record tells it.
    calls: Vec<board::Call>,
}

/// What came of one prompt of the person.
#[derive(Debug, Serialize)]
pub(crate) struct Turn {
    /// Counted from 1, in the order of the file.
    index: u64,
    prompt: String,
    /// The strongest of its answers.
    decision: Outcome,
    findings: Vec<Finding>,
    /// What the hook answered to the prompt, to each end of the turn, and to each end of a helper agent in it.
    answers: Vec<Answer>,
}

/// What the hook answered to one event, as the harness would take it.
#[derive(Debug, Serialize)]
pub(crate) struct Answer {
    event: &'static str,
    /// The helper agent that wanted to end; none for the main agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    /// The reply that was judged; none for a prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    reply: Option<String>,
    decision: Outcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_agent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_person: Option<String>,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let (bytes, path) = match &arguments.transcript {
        None => (RECORDED.to_vec(), None),
        Some(path) => (read(path)?, Some(path.as_path())),
    };
    let script = script(&bytes, path)?;
    // Also what a helper agent's record looks like on its own.
    if let Some(path) = path.filter(|_| script.events.is_empty()) {
        bail!(
            "{} holds no prompt of a person, so there is nothing to play; a helper agent's record is played with its session's",
            path.display()
        );
    }
    let progress = show::progress(script.events.len(), bytes.len(), arguments.json);
    let report = play::play(&script, &bytes, path, &progress)?;
    progress.finish_and_clear();
    if arguments.json {
        say_json(&report)?;
    } else {
        say(&show::text(&report, path))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What is found in a session's record, in the turns that begin at or behind a byte of it. Nothing of it is kept.
///
/// # Errors
/// It is no record, or it can't be played.
pub(crate) fn judge(path: &Path, bytes: &[u8], from: usize) -> anyhow::Result<Vec<Finding>> {
    let script = script(bytes, Some(path))?;
    let prompts = script
        .events
        .iter()
        .filter(|event| matches!(event.kind, script::Kind::Prompt(_)));
    let before = prompts.filter(|event| event.written < from).count();
    let report = play::play(&script, bytes, Some(path), &ProgressBar::hidden())?;
    let turns = report.turns.into_iter().skip(before);
    Ok(turns.flat_map(|turn| turn.findings).collect())
}

fn script(bytes: &[u8], path: Option<&Path>) -> anyhow::Result<script::Script> {
    // A helper's record that can't be read leaves what the helper did unknown, as it does when a session is live.
    let helpers = |spec: &HarnessSpec, agent: &str| std::fs::read((spec.agent_transcript)(path?, agent)?).ok();
    script::Script::of(bytes, &helpers)
        .with_context(|| path.map_or("the recorded session".to_owned(), |path| path.display().to_string()))
}

fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    let metadata = std::fs::metadata(path).with_context(|| format!("{} can't be read", path.display()))?;
    anyhow::ensure!(metadata.is_file(), "{} is not a file", path.display());
    std::fs::read(path).with_context(|| format!("{} can't be read", path.display()))
}
