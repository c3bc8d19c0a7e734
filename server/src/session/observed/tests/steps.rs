//! What may happen in a session, played against what joins it: each step is an event, a row of the record, or a look.
//! What must come of which steps stands in the table.

use super::super::joined::feedback;
use super::*;
use Step::{Asks, Bare, Call, Edit, Edited, Feedback, Look, Prompt, Says, SendsBack, Tool, Wait};

/// One thing that happens.
#[derive(Debug, Clone)]
pub(super) enum Step {
    /// An event tells a prompt: generation and text.
    Asks(&'static str, &'static str),
    /// An event tells that a text of ours was submitted.
    SendsBack(&'static str),
    /// An event with an id tells that a command ended.
    Tool(&'static str, &'static str, &'static str, Ending),
    /// An event without an id tells that a command ran.
    Bare(&'static str, &'static str),
    /// An event without an id tells that a file was changed.
    Edited(&'static str, &'static str),
    /// The record shows a prompt.
    Prompt(&'static str),
    /// The record shows a text of ours.
    Feedback,
    /// The record shows a command.
    Call(&'static str),
    /// The record shows an edit.
    Edit(&'static str),
    /// The record shows what the agent said.
    Says(&'static str),
    /// So many milliseconds pass.
    Wait(u64),
    /// A stop: events are settled.
    Look,
}

fn seen(id: Option<&str>, kind: ToolKind, input: &str, changes: Vec<String>, ending: Ending) -> Seen {
    Seen::Call(SeenCall {
        id: id.map(str::to_owned),
        tool: if changes.is_empty() { "Shell" } else { "Write" }.to_owned(),
        kind,
        input: input.to_owned(),
        changes,
        cwd: None,
        ending: Some(ending),
        exit: None,
        quote: String::new(),
    })
}

fn shell(command: &str) -> ToolKind {
    ToolKind::Shell {
        command: command.to_owned(),
    }
}

/// Plays steps, and writes down what is shown, a word or two each.
pub(super) fn play(steps: &[Step]) -> (Vec<String>, Joined) {
    let mut joined = Joined::default();
    let (mut at, mut place, mut row) = (10_000, 0, 0);
    let mut shown = Vec::new();
    for step in steps {
        let mut out = Vec::new();
        row += 1;
        let (id, called) = (
            format!("row-{row}"),
            |id: String, tool: &str, kind, changes: Vec<String>, input: &str| Entry::Call {
                row: id.clone(),
                id,
                tool: tool.to_owned(),
                kind,
                input: input.to_owned(),
                changes,
            },
        );
        let event = match step.clone() {
            Asks(during, text) => Some((
                during,
                Seen::Prompt {
                    text: prompt_id(text),
                    quote: text.to_owned(),
                    ours: false,
                },
            )),
            SendsBack(during) => Some((
                during,
                Seen::Prompt {
                    text: prompt_id("x"),
                    quote: String::new(),
                    ours: true,
                },
            )),
            Tool(during, id, command, ending) => {
                Some((during, seen(Some(id), shell(command), command, Vec::new(), ending)))
            }
            Bare(during, command) => Some((during, seen(None, shell(command), command, Vec::new(), Ending::Untold))),
            Edited(during, path) => Some((
                during,
                seen(None, ToolKind::Mutates, path, vec![path.to_owned()], Ending::Succeeded),
            )),
            Wait(time) => {
                at += time;
                None
            }
            Look => {
                joined.settle(&mut out);
                None
            }
            Prompt(text) => {
                let text = text.to_owned();
                joined.row(
                    Entry::Prompt {
                        row: id,
                        turn: None,
                        text,
                        queued: false,
                    },
                    &mut out,
                );
                None
            }
            Feedback => {
                joined.row(feedback(None), &mut out);
                None
            }
            Call(command) => {
                joined.row(called(id, "Shell", shell(command), Vec::new(), command), &mut out);
                None
            }
            Edit(path) => {
                joined.row(
                    called(id, "StrReplace", ToolKind::Mutates, vec![path.to_owned()], path),
                    &mut out,
                );
                None
            }
            Says(text) => {
                joined.row(
                    Entry::Text {
                        row: id,
                        text: text.to_owned(),
                    },
                    &mut out,
                );
                None
            }
        };
        if let Some((during, seen)) = event {
            place += 1;
            at += 1;
            let during = (!during.is_empty()).then(|| during.to_owned());
            joined.observe(
                place,
                &Observation {
                    at,
                    during,
                    read: 0,
                    seen,
                },
                &mut out,
            );
        }
        shown.extend(out.iter().map(word));
    }
    (shown, joined)
}

fn word(entry: &Entry) -> String {
    match entry {
        Entry::Prompt { row, queued, .. } => format!("{} {row}", if *queued { "queued" } else { "prompt" }),
        Entry::Call { id, .. } => format!("call {id}"),
        Entry::Result { id, ending, .. } => format!("end {id} {ending:?}"),
        Entry::Injected { injection, .. } => format!("{injection:?}"),
        other => format!("{other:?}"),
    }
}
