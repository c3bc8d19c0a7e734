//! Lines of records: any bytes are read, in pieces as at once, and what a later version adds changes nothing.
//! Which entries a line ought to be is held by the readers' own tests.

use proofmark_protocol::Harness;
use proofmark_server::harness::{HarnessSpec, Memory, Reader, Stream, spec};
use proofmark_server::session::{Entry, Stream as Fold};

use crate::input::Input;

/// Harness and stream by a byte each, then where the record is stored and loaded, in lines, then the record.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let harness = input.harness();
    let stream = input.one_of(&[Stream::Main, Stream::Helper]);
    let cut = usize::from(input.byte());
    let spec = spec(harness).expect("every harness has a reader");
    let record = input.rest();
    let lines: Vec<&[u8]> = record.split(|byte| *byte == b'\n').collect();

    let entries = read(spec, stream, lines.iter().copied(), &mut Memory::default());
    let whole = folded(Fold::default(), entries.clone());

    let cut = cut.min(lines.len());
    let mut memory = Memory::default();
    let first = read(spec, stream, lines[..cut].iter().copied(), &mut memory);
    let fold = folded(Fold::default(), first);
    let stored = serde_json::to_string(&(&memory, &fold)).expect("what is known can be stored");
    let (mut loaded, fold): (Memory, Fold) = serde_json::from_str(&stored).expect("and loaded again");
    assert_eq!(memory, loaded);
    let rest = read(spec, stream, lines[cut..].iter().copied(), &mut loaded);
    assert_eq!(comparable(folded(fold, rest)), comparable(whole), "in pieces as at once");

    // In Cursor's older form every line is text.
    if harness != Harness::Cursor || record.starts_with(b"{") {
        let unknown = unknown(harness);
        let between = lines.iter().flat_map(|line| [*line, unknown]);
        let more = read(spec, stream, between, &mut Memory::default());
        assert_eq!(nameless(harness, &more), nameless(harness, &entries), "unknown lines change nothing");
    }

    let mut told = Vec::new();
    (spec.too_long)(record, &mut told);
    assert!(told.is_empty() || told == [Entry::Unreadable]);
    (spec.knows)(record);
}

/// A line of a type that no version has.
fn unknown(harness: Harness) -> &'static [u8] {
    match harness {
        Harness::ClaudeCode => br#"{"type":"fuzz-unknown","uuid":"f","data":{"type":"user","message":{"content":"x"}}}"#,
        Harness::Codex => br#"{"timestamp":"2026-11-30T18:23:51.000Z","type":"fuzz_unknown","payload":{"type":"message"}}"#,
        Harness::Cursor => br#"{"type":"fuzz-unknown","data":{"role":"user"}}"#,
    }
}

/// The entries, without what only counts lines: Cursor's rows are called by their places.
fn nameless(harness: Harness, entries: &[Entry]) -> String {
    let written = serde_json::to_string(entries).expect("entries can be written");
    if harness != Harness::Cursor {
        return written;
    }
    let mut parts = written.split("\"row-");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + "\"row" + part.trim_start_matches(|c: char| c.is_ascii_digit()))
}

fn read<'l>(
    spec: &HarnessSpec,
    stream: Stream,
    lines: impl Iterator<Item = &'l [u8]>,
    memory: &mut Memory,
) -> Vec<Entry> {
    let tools = |_: &str| None;
    let mut entries = Vec::new();
    for line in lines {
        let mut reader = Reader { stream, tools: &tools, memory };
        (spec.entries)(line, &mut reader, &mut entries);
    }
    entries
}

fn folded(mut fold: Fold, entries: Vec<Entry>) -> Fold {
    entries.into_iter().for_each(|entry| fold.fold(entry));
    fold
}

/// The fold without what is not stored.
fn comparable(mut fold: Fold) -> Fold {
    fold.turn.texts.clear();
    fold.turn.asked = None;
    fold.turn.calls.iter_mut().for_each(|call| call.output.clear());
    fold
}
