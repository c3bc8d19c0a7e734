//! One line of a transcript, and what it shows.
//! The older form, text in blocks, is `legacy`'s business.

use serde_json::value::RawValue;

use super::legacy;
use super::memory::Form;
use super::person::{self, Said};
use super::tools::Asked;
use crate::harness::json::{Members, Text, is, look, lossy};
use crate::harness::{Reader, ToolSettings};
use crate::session::{Ending, Entry, Injection};

/// Stands in a text where the model's hidden thinking was taken out.
const REDACTED: &str = "[REDACTED]";

/// A row, as the transcripts of 2026 have it; its other members are passed over.
#[derive(Default, serde::Deserialize)]
struct Row<'a> {
    #[serde(borrow)]
    role: Option<Text<'a>>,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
    #[serde(borrow, rename = "type")]
    kind: Option<Text<'a>>,
    #[serde(borrow)]
    status: Option<&'a RawValue>,
}

/// Adds what one line shows; see [`HarnessSpec::entries`](crate::harness::HarnessSpec::entries). Rows have no ids: they
/// are called by their places.
pub(super) fn entries(line: &[u8], reader: &mut Reader<'_>, out: &mut Vec<Entry>) {
    let memory = &mut reader.memory.cursor;
    let text = lossy(line);
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() && memory.form != Some(Form::Text) {
        return;
    }
    let form = *memory
        .form
        .get_or_insert(if legacy::begins(text) { Form::Text } else { Form::Rows });
    memory.lines += 1;
    let row = format!("row-{}", memory.lines);
    if form == Form::Text {
        legacy::line(text, row, &mut memory.block, reader.tools, out);
        return;
    }
    match parse(text) {
        Some(read) => show(&read, &row, reader.tools, out),
        None => out.push(Entry::Unreadable),
    }
}

/// Whether a line is one of a transcript: a message of a role, or a block's beginning.
pub(super) fn knows(line: &[u8]) -> bool {
    let text = lossy(line);
    let text = text.trim_start_matches('\u{feff}');
    let speaks = |row: Row<'_>| {
        let role = row.role.as_ref();
        row.message.is_some() && row.kind.is_none() && (is(role, "user") || is(role, "assistant"))
    };
    legacy::begins(text) || parse(text).is_some_and(speaks)
}

/// Adds what a line shows that is too long to be kept: nobody knows.
pub(super) fn too_long(_: &[u8], out: &mut Vec<Entry>) {
    out.push(Entry::Unreadable);
}

fn parse(text: &str) -> Option<Row<'_>> {
    // Looked at here because serde would take an array for a struct.
    let is_object = text.trim_start().starts_with('{');
    is_object.then(|| serde_json::from_str(text).ok()).flatten()
}

fn show(read: &Row<'_>, row: &str, tools: &ToolSettings<'_>, out: &mut Vec<Entry>) {
    let status: Option<Text<'_>> = look(read.status);
    if is(read.kind.as_ref(), "turn_ended") {
        if is(status.as_ref(), "aborted") || is(status.as_ref(), "error") {
            out.push(injected(Injection::Interruption));
        }
        return;
    }
    let message = Members::read(read.message);
    if is(read.role.as_ref(), "user") {
        results(&message, out);
        user(&texts(&message).join("\n"), row, out);
    } else if is(read.role.as_ref(), "assistant") {
        assistant(&message, row, tools, out);
    }
}

fn user(text: &str, row: &str, out: &mut Vec<Entry>) {
    match person::said(text) {
        Said::Prompt(prompt) => out.push(Entry::Prompt {
            row: row.to_owned(),
            turn: None,
            text: prompt.to_owned(),
            queued: false,
        }),
        Said::Ours => out.push(injected(Injection::HookFeedback)),
        Said::Harness => out.push(injected(Injection::Harness)),
        Said::Nothing => {}
    }
}

fn assistant(message: &Members<'_>, row: &str, tools: &ToolSettings<'_>, out: &mut Vec<Entry>) {
    let said = |text: &str, out: &mut Vec<Entry>| {
        let shown: Vec<&str> = text.lines().filter(|line| line.trim() != REDACTED).collect();
        let text = shown.join("\n").trim().to_owned();
        if !text.is_empty() {
            out.push(Entry::Text {
                row: row.to_owned(),
                text,
            });
        }
    };
    if let Some(text) = message.text("content") {
        said(&text, out);
    }
    for (at, block) in message.list("content").into_iter().enumerate() {
        let block = Members::read(Some(block));
        if block.is("type", "text") {
            said(&block.text("text").unwrap_or_default(), out);
        } else if block.is("type", "tool_use") {
            let tool = block.text("name").unwrap_or_default();
            let asked = Asked::of(&tool, block.raw("input"), tools);
            out.push(Entry::Call {
                row: row.to_owned(),
                id: block.text("id").unwrap_or_else(|| format!("{row}-{at}")),
                tool: asked.tool,
                kind: asked.kind,
                input: asked.input,
                changes: asked.changes,
            });
        }
    }
}

/// Results were seen in no transcript; where one is met, it counts by its call's id alone.
fn results(message: &Members<'_>, out: &mut Vec<Entry>) {
    for block in message.list("content") {
        let block = Members::read(Some(block));
        let Some(id) = block.text("tool_use_id").filter(|_| block.is("type", "tool_result")) else {
            continue;
        };
        let ending = match look::<Option<bool>>(block.raw("is_error")) {
            Some(true) => Ending::Failed,
            Some(false) => Ending::Succeeded,
            None => Ending::Untold,
        };
        out.push(Entry::Result {
            id,
            ending,
            exit: None,
            output: texts(&block).join("\n"),
            helper: None,
            turn: None,
        });
    }
}

/// The texts of a message's content, which is a text or a list of blocks.
fn texts(message: &Members<'_>) -> Vec<String> {
    let text_of = |block: &RawValue| {
        let block = Members::read(Some(block));
        block.text("text").filter(|_| block.is("type", "text"))
    };
    let blocks = message.list("content").into_iter().filter_map(text_of);
    message.text("content").into_iter().chain(blocks).collect()
}

pub(super) fn injected(injection: Injection) -> Entry {
    Entry::Injected { injection, turn: None }
}
