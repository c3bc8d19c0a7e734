//! What the tests of all readers share: reading a record to its end, and entries as short lines.
//! What any of it should be stands with the tests.

use std::fmt::Write;

use super::{HarnessSpec, Memory, Reader, Stream};
use crate::session::{Entry, ToolKind};

/// The entries of one line, read after others.
pub(crate) fn read_line(spec: &HarnessSpec, line: &[u8], stream: Stream, memory: &mut Memory) -> Vec<Entry> {
    let mut out = Vec::new();
    let tools = |_: &str| None;
    let mut reader = Reader {
        stream,
        tools: &tools,
        memory,
    };
    (spec.entries)(line, &mut reader, &mut out);
    out
}

/// The entries of a whole record.
pub(crate) fn read_all(spec: &HarnessSpec, record: &[u8], stream: Stream) -> Vec<Entry> {
    let mut memory = Memory::default();
    let lines = record.split(|byte| *byte == b'\n');
    lines
        .flat_map(|line| read_line(spec, line, stream, &mut memory))
        .collect()
}

/// One short line for each entry; ids stay in, so that joins can be followed by eye.
pub(crate) fn short(entries: &[Entry]) -> String {
    let mut out = String::new();
    let brief = |text: &str| text.chars().take(90).collect::<String>().replace('\n', "\\n");
    for entry in entries {
        let line = match entry {
            Entry::Prompt {
                row,
                turn,
                text,
                queued,
            } => {
                let kind = if *queued { "queued" } else { "prompt" };
                format!("{kind}    {row} {turn:?} {}", brief(text))
            }
            Entry::Remark { row, text } => format!("remark    {row} {}", brief(text)),
            Entry::Origin {
                session: None,
                cwd: Some(folder),
                by_harness: false,
                ..
            } => format!("folder    {folder}"),
            Entry::Origin {
                session, by_harness, ..
            } => {
                let whose = if *by_harness { " by the harness" } else { "" };
                format!("origin    {session:?}{whose}")
            }
            Entry::Text { row, text } => format!("text      {row} {}", brief(text)),
            Entry::Call {
                row,
                id,
                tool,
                kind,
                input,
                changes,
            } => {
                let kind = if let ToolKind::Shell { command } = kind {
                    assert!(command.starts_with(input.as_str()));
                    "Shell".to_owned()
                } else {
                    format!("{kind:?}")
                };
                let changes = match &changes[..] {
                    [] => String::new(),
                    named => format!(" changes {named:?}"),
                };
                format!("call      {row} {id} {tool} {kind} {}{changes}", brief(input))
            }
            Entry::Result {
                id,
                ending,
                exit,
                output,
                helper,
                turn: _,
            } => {
                let exit = exit.map_or(String::new(), |exit| format!(" exit={exit}"));
                format!("result    {id} {ending:?}{exit} {helper:?} {}", brief(output))
            }
            other => format!("{other:?}"),
        };
        writeln!(out, "{line}").unwrap();
    }
    out
}

/// The rows' names in the first column of the table that says what must come of them.
pub(crate) fn told(readme: &str) -> Vec<&str> {
    readme
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .map(|(name, _)| name)
        .collect()
}
