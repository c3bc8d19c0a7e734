//! Lines of any form: broken, over-long, of unknown type, of any bytes; and records that are read in pieces.
//! What lines of known types show stays out.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

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
    let cases: [(&[u8], &[Entry]); 12] = [
        (b"", &[]),
        (b" \t\r", &[]),
        (b"{}", &[]),
        (br#"{"type":"event_msg"}"#, &[]),
        (br#"{"type":"event_msg","payload":7}"#, &[]),
        (br#"{"type":7,"payload":{"type":"user_message","message":"a"}}"#, &[]),
        (
            br#"{"type":"later","payload":{"type":"user_message","message":"a"}}"#,
            &[],
        ),
        (b"not json", &unreadable),
        (b"[]", &unreadable),
        (b"\0\0", &unreadable),
        (br#"{"type":"event_msg","payload":{"type":"user_mess"#, &unreadable),
        (br#"{"type":"event_msg"}{"type":"event_msg"}"#, &unreadable),
    ];
    for (line, expected) in cases {
        assert_eq!(read(line), expected, "{}", String::from_utf8_lossy(line));
    }
    let torn = [
        br#"{"type":"event_msg","payload":{"type":"user_message","message":"caf"#.as_slice(),
        b"\xc3",
        br#""}}"#,
    ]
    .concat();
    assert!(matches!(&read(&torn)[..], [Entry::Prompt { text, .. }] if text == "caf\u{fffd}"));
}

#[test]
fn an_overlong_line_is_unreadable_unless_it_is_bookkeeping() {
    for (head, unreadable) in [
        (
            r#"{"timestamp":"t","ordinal":1,"type":"world_state","payload":{"#,
            false,
        ),
        (r#"{"timestamp":"t","type":"compacted","payload":{"message":""#, false),
        (r#"{"timestamp":"t","type":"event_msg","payload":{"#, true),
        (r#"{"timestamp":"t","type":"response_item","payload":{"#, true),
        ("aaaa", true),
    ] {
        let mut out = Vec::new();
        too_long(head.as_bytes(), &mut out);
        assert_eq!(out == [Entry::Unreadable], unreadable, "{head}");
    }
}

#[test]
fn deep_and_long_lines_take_linear_time() {
    let deep = format!(
        r#"{{"type":"event_msg","payload":{}{}}}"#,
        "[".repeat(1 << 20),
        "]".repeat(1 << 20)
    );
    assert_eq!(read(deep.as_bytes()), []);
    let long = |payload: Value| json!({"type": "response_item", "payload": payload}).to_string();
    let head = "Output\n".repeat(1 << 18);
    for line in [
        long(json!({"type": "function_call_output", "call_id": "c", "output": head})),
        long(json!({"type": "custom_tool_call", "call_id": "c", "name": "exec", "input": "tools.x(".repeat(1 << 17)})),
        long(
            json!({"type": "message", "role": "user", "content": [{"text": "# \n## My request for Codex:".repeat(1 << 16)}]}),
        ),
        long(json!({"type": "message", "role": "assistant", "content": [{"text": "\n::a{b}".repeat(1 << 18)}]})),
    ] {
        assert_eq!(read(line.as_bytes()).len(), 1);
    }
}

/// A rollout is known by its lines, and no other harness's record is taken for one.
#[test]
fn a_record_is_known_by_one_harness() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    for (file, harness) in [
        ("codex/0.171.0/rollout-text.jsonl", "codex"),
        ("codex/formats/phases.jsonl", "codex"),
        ("claude-code/2.1.332/transcript-plain.jsonl", "claude-code"),
    ] {
        let text = fs::read_to_string(fixtures.join(file)).unwrap();
        let mut known = text
            .lines()
            .flat_map(|line| HARNESSES.iter().filter(|spec| (spec.knows)(line.as_bytes())))
            .peekable();
        assert!(known.peek().is_some(), "{file}");
        assert!(known.all(|spec| spec.harness.as_str() == harness), "{file}");
    }
    for line in [
        "{}",
        r#"{"type":"event_msg"}"#,
        r#"{"type":"x","payload":{}}"#,
        r#"{"type":"compacted","payload":7}"#,
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
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/codex");
    ["0.171.0", "formats"]
        .iter()
        .flat_map(|folder| fs::read_dir(fixtures.join(folder)).unwrap())
        .map(|file| fs::read(file.unwrap().path()).unwrap())
        .collect()
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        Just(json!("c1")),
        Just(json!("exec_command")),
        Just(json!("{\"cmd\":\"ls\"}")),
        "[a-z\"\\\\{}<>\n:,é]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((key(), inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn key() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "type",
        "id",
        "call_id",
        "name",
        "arguments",
        "input",
        "output",
        "content",
        "text",
        "role",
        "item",
        "command",
        "exit_code",
        "status",
        "action",
        "message",
        "turn_id",
        "source",
        "subagent",
        "forked_from_id",
        "x",
    ])
    .prop_map(str::to_owned)
}

fn odd_line() -> impl Strategy<Value = String> {
    let kinds = prop::sample::select(vec![
        "session_meta",
        "turn_context",
        "response_item",
        "event_msg",
        "compacted",
    ]);
    let payloads = prop::sample::select(vec![
        "message",
        "agent_message",
        "function_call",
        "custom_tool_call",
        "local_shell_call",
        "web_search_call",
        "function_call_output",
        "custom_tool_call_output",
        "user_message",
        "task_started",
        "task_complete",
        "item_completed",
        "exec_command_end",
        "patch_apply_end",
        "mcp_tool_call_end",
        "collab_agent_spawn_end",
    ]);
    (kinds, payloads, proptest::collection::vec((key(), value()), 0..6)).prop_map(|(kind, payload, members)| {
        let mut object: Map<String, Value> = members.into_iter().collect();
        object.insert("type".to_owned(), payload.into());
        json!({"timestamp": "2026-11-30T10:00:00.000Z", "type": kind, "payload": object}).to_string()
    })
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        read(&bytes);
        too_long(&bytes, &mut Vec::new());
        (SPEC.knows)(&bytes);
    }

    #[test]
    fn odd_lines_read_in_pieces_are_those_read_at_once(lines in proptest::collection::vec(odd_line(), 0..12), cut in 0_usize..12) {
        let record = lines.join("\n");
        let at_once = read_all(&SPEC, record.as_bytes(), Stream::Main);
        prop_assert_eq!(read_in_pieces(record.as_bytes(), &[cut]), at_once);
    }

    #[test]
    fn a_session_read_in_pieces_is_that_read_at_once(cuts in proptest::collection::vec(0_usize..60, 0..6), record in prop::sample::select(records())) {
        prop_assert_eq!(read_in_pieces(&record, &cuts), read_all(&SPEC, &record, Stream::Main));
    }
}
