//! What the checks of a recorded session came to, run by run, as the server's own fold has it.
//! What follows from it for a reply stays out.

use proofmark_server::evidence::verdict::Verdict;
use proofmark_server::harness::{HarnessSpec, Memory, Reader, Stream as Whose};
use proofmark_server::session::board::{CheckRow, Ran};
use proofmark_server::session::{Ending, Entry, Stream, ToolKind};
use proofmark_server::text::quote;
use serde::Serialize;

use super::script::Script;

/// The longest quote of what a call was asked, in characters.
const MAX_INPUT: usize = 120;

/// A check, and what each run of it came to.
#[derive(Debug, Serialize)]
pub(crate) struct Check {
    /// The runner.
    pub(crate) check: String,
    /// What it selects and in which folder, as in a check's identity.
    pub(crate) selection: String,
    /// The helper agent that ran it; none for the main agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) agent: Option<String>,
    /// Its runs in the order in which they were started.
    pub(crate) runs: Vec<Run>,
}

/// One run of a check.
#[derive(Debug, Serialize)]
pub(crate) struct Run {
    /// The person's turn.
    pub(crate) turn: u64,
    pub(crate) verdict: Verdict,
    pub(crate) because: String,
    pub(crate) command: String,
}

/// One call, and how it ended as far as the record tells.
#[derive(Debug, Serialize)]
pub(crate) struct Call {
    /// The person's turn.
    turn: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    id: String,
    tool: String,
    input: String,
    /// None where no end is on record.
    ending: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
}

/// The boards and the calls of a session and of its helper agents.
pub(crate) fn of(script: &Script, transcript: &[u8]) -> (Vec<Check>, Vec<Call>) {
    let helpers = script.helpers.iter().map(|(agent, record)| (Some(agent), &record[..]));
    let (mut checks, mut calls) = (Vec::new(), Vec::new());
    for (agent, record) in [(None, transcript)].into_iter().chain(helpers) {
        let stream = fold(script.spec, agent, record, &mut calls);
        let rows = with_running(&stream);
        checks.extend(rows.iter().map(|row| check(row, agent)));
    }
    (checks, calls)
}

fn fold(spec: &HarnessSpec, agent: Option<&String>, record: &[u8], calls: &mut Vec<Call>) -> Stream {
    let (mut stream, mut memory, mut entries) = (Stream::default(), Memory::default(), Vec::new());
    let own = calls.len();
    for line in record.split(|byte| *byte == b'\n') {
        let mut reader = Reader {
            stream: if agent.is_some() { Whose::Helper } else { Whose::Main },
            tools: &|_| None,
            memory: &mut memory,
        };
        (spec.entries)(line, &mut reader, &mut entries);
        for entry in entries.drain(..) {
            match &entry {
                Entry::Call {
                    id, tool, kind, input, ..
                } => calls.push(Call {
                    turn: stream.turns,
                    agent: agent.cloned(),
                    id: id.clone(),
                    tool: quote(tool, MAX_INPUT),
                    input: match kind {
                        ToolKind::Shell { command } => quote(command, MAX_INPUT),
                        _ => quote(input, MAX_INPUT),
                    },
                    ending: None,
                    exit_code: None,
                }),
                Entry::Result { id, ending, exit, .. } => {
                    if let Some(call) = calls[own..].iter_mut().rev().find(|call| call.id == *id) {
                        call.ending = Some(word(*ending));
                        call.exit_code = exit.or(call.exit_code);
                    }
                }
                _ => {}
            }
            stream.fold(entry);
        }
    }
    stream
}

fn word(ending: Ending) -> &'static str {
    match ending {
        Ending::Succeeded => "succeeded",
        Ending::Failed => "failed",
        Ending::Untold => "unknown",
        Ending::Denied => "denied",
        Ending::Interrupted => "interrupted",
        Ending::Background => "background",
    }
}

/// The rows of a board, each with its runs that have no end on record.
fn with_running(stream: &Stream) -> Vec<CheckRow> {
    let mut rows = stream.board.checks.clone();
    for ran in &stream.board.running {
        let key = ran.run.key();
        match rows.iter_mut().find(|row| row.key == key) {
            Some(row) => {
                let at = row.runs.partition_point(|known| known.nth <= ran.nth);
                row.runs.insert(at, ran.clone());
            }
            None => rows.push(CheckRow {
                key,
                runs: vec![ran.clone()],
            }),
        }
    }
    rows
}

fn check(row: &CheckRow, agent: Option<&String>) -> Check {
    let runner = row.latest().map_or("", |ran| ran.run.runner.as_str());
    let selection = row.key.strip_prefix(runner).unwrap_or(&row.key);
    let run = |ran: &Ran| Run {
        turn: ran.turn,
        verdict: ran.verdict,
        because: ran.because.clone(),
        command: ran.command.clone(),
    };
    Check {
        check: runner.to_owned(),
        selection: selection.trim_start_matches(':').to_owned(),
        agent: agent.cloned(),
        runs: row.runs.iter().map(run).collect(),
    }
}
