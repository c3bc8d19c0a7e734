//! Lines of any form: broken, over-long, of unknown kind, of any bytes; and transcripts that are read in pieces.
//! What lines of known kinds show stays out.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::SPEC;
use super::super::record::too_long;
use crate::harness::testing::{read_all, read_line};
use crate::harness::{HARNESSES, Memory, Stream};
use crate::session::Entry;

fn read(line: &[u8]) -> Vec<Entry> {
    read_line(&SPEC, line, Stream::Main, &mut Memory::default())
}

#[test]
fn a_line_that_cannot_be_read_is_said_to_be_so() {
    let unreadable = [Entry::Unreadable];
    let cases: [(&[u8], &[Entry]); 10] = [
        (b"", &[]),
        (b" \t\r", &[]),
        (b"{}", &[]),
        (br#"{"role":"user"}"#, &[]),
        (br#"{"role":"user","message":7}"#, &[]),
        (br#"{"role":7,"message":{"content":"a"}}"#, &unreadable),
        (br#"{"type":"later","status":"aborted"}"#, &[]),
        (b"not json", &unreadable),
        (b"[]", &unreadable),
        (br#"{"role":"user","message":{"content":"cut o"#, &unreadable),
    ];
    for (line, expected) in cases {
        assert_eq!(read(line), expected, "{}", String::from_utf8_lossy(line));
    }
    let mut out = Vec::new();
    too_long(br#"{"role":"assistant","message":{"#, &mut out);
    assert_eq!(out, unreadable);
}

#[test]
fn deep_and_long_lines_take_linear_time() {
    let deep = format!(
        r#"{{"role":"user","message":{}{}}}"#,
        "[".repeat(1 << 20),
        "]".repeat(1 << 20)
    );
    assert_eq!(read(deep.as_bytes()).len(), 0);
    let row = |role: &str, content: Value| json!({"role": role, "message": {"content": content}}).to_string();
    for line in [
        row("user", json!("<user_query>".repeat(1 << 17))),
        row("assistant", json!("[REDACTED]\nword\n".repeat(1 << 17))),
        row(
            "assistant",
            json!([{"type": "tool_use", "name": "Shell", "input": {"command": "x".repeat(1 << 21)}}]),
        ),
    ] {
        assert_eq!(read(line.as_bytes()).len(), 1);
    }
    let call = format!(
        "assistant:\n[Tool call] Write\n{}\n[Thinking] a",
        "  contents: x\ny\n".repeat(1 << 17)
    );
    assert_eq!(read_all(&SPEC, call.as_bytes(), Stream::Main).len(), 1);
}

/// A transcript is known by its lines, and no other harness's record is taken for one.
#[test]
fn a_record_is_known_by_one_harness() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    for (file, harness) in [
        ("cursor/formats/ide-turn.jsonl", "cursor"),
        ("cursor/formats/rows-traps.jsonl", "cursor"),
        ("cursor/formats/text.txt", "cursor"),
        ("codex/0.171.0/rollout-text.jsonl", "codex"),
        ("claude-code/2.1.332/transcript-plain.jsonl", "claude-code"),
    ] {
        let text = fs::read_to_string(fixtures.join(file)).unwrap();
        let lines = text.lines();
        let mut known = lines
            .flat_map(|line| HARNESSES.iter().filter(|spec| (spec.knows)(line.as_bytes())))
            .peekable();
        assert!(known.peek().is_some(), "{file}");
        assert!(known.all(|spec| spec.harness.as_str() == harness), "{file}");
    }
    for line in [
        "{}",
        r#"{"role":"user"}"#,
        r#"{"role":"x","message":{}}"#,
        "user: hello",
        "7",
    ] {
        assert!(!(SPEC.knows)(line.as_bytes()), "{line}");
    }
}

/// Reads a record as two processes would, each with what the one before it stored.
fn read_in_pieces(record: &[u8], cuts: &[usize]) -> Vec<Entry> {
    let mut memory = Memory::default();
    let mut entries = Vec::new();
    for (at, line) in record.split(|byte| *byte == b'\n').enumerate() {
        if cuts.contains(&at) {
            memory = serde_json::from_str(&serde_json::to_string(&memory).unwrap()).unwrap();
        }
        entries.extend(read_line(&SPEC, line, Stream::Main, &mut memory));
    }
    entries
}

fn records() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/cursor/formats");
    fs::read_dir(folder)
        .unwrap()
        .map(|file| fs::read(file.unwrap().path()).unwrap())
        .collect()
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        Just(json!("<user_query>a</user_query>")),
        Just(json!("Shell")),
        Just(json!("tool_use")),
        Just(json!("text")),
        "[a-z\"\\\\{}<>\n:,é]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key(), inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn key() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "type",
        "id",
        "name",
        "input",
        "content",
        "text",
        "command",
        "path",
        "tool_use_id",
        "is_error",
        "x",
    ])
    .prop_map(str::to_owned)
}

/// A row of any content, or a line of the older form.
fn odd_line() -> impl Strategy<Value = String> {
    let row = (prop::sample::select(vec!["user", "assistant", "x"]), value())
        .prop_map(|(role, content)| json!({"role": role, "message": {"content": content}}).to_string());
    let text = prop::sample::select(vec![
        "user:",
        "assistant:",
        "",
        "<user_query>",
        "a",
        "</user_query>",
        "[Tool call] Shell",
        "  command: ls",
        "[Tool result] Shell",
        "[Thinking] x",
        "```",
        "  path: /a",
        "{\"type\":\"turn_ended\",\"status\":\"aborted\"}",
    ])
    .prop_map(str::to_owned);
    prop_oneof![row, text]
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        read(&bytes);
        read_all(&SPEC, &[b"user:\n".as_slice(), &bytes].concat(), Stream::Main);
        too_long(&bytes, &mut Vec::new());
        (SPEC.knows)(&bytes);
    }

    #[test]
    fn odd_lines_read_in_pieces_are_those_read_at_once(lines in prop::collection::vec(odd_line(), 0..24), cut in 0_usize..24) {
        let record = lines.join("\n");
        let at_once = read_all(&SPEC, record.as_bytes(), Stream::Main);
        prop_assert_eq!(read_in_pieces(record.as_bytes(), &[cut]), at_once);
    }

    #[test]
    fn a_transcript_read_in_pieces_is_that_read_at_once(cuts in prop::collection::vec(0_usize..60, 0..6), record in prop::sample::select(records())) {
        prop_assert_eq!(read_in_pieces(&record, &cuts), read_all(&SPEC, &record, Stream::Main));
    }
}
