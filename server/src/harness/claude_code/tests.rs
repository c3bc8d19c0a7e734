//! Transcripts of real sessions, single rows, and rows that no harness ever wrote.
//! Following a file has its tests in its own room.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::record::{entries, too_long};
use super::skim;
use crate::harness::{Stream, spec};
use crate::session::{Ending, Entry, Injection, ToolKind};

fn read(line: &[u8], stream: Stream) -> Vec<Entry> {
    let mut out = Vec::new();
    entries(line, stream, &|_| None, &mut out);
    out
}

fn main(row: &Value) -> Vec<Entry> {
    read(row.to_string().as_bytes(), Stream::Main)
}

/// One short line for each entry; ids stay in, so that joins can be followed by eye.
fn short(entries: &[Entry]) -> String {
    let mut out = String::new();
    let brief = |text: &str| text.chars().take(90).collect::<String>().replace('\n', "\\n");
    for entry in entries {
        let line = match entry {
            Entry::Prompt { row, turn, text } => format!("prompt    {row} {turn:?} {}", brief(text)),
            Entry::Text { row, text } => format!("text      {row} {}", brief(text)),
            Entry::Call {
                row,
                id,
                tool,
                kind,
                input,
            } => {
                let kind = if let ToolKind::Shell { command } = kind {
                    assert!(command.starts_with(input.as_str()));
                    "Shell".to_owned()
                } else {
                    format!("{kind:?}")
                };
                format!("call      {row} {id} {tool} {kind} {}", brief(input))
            }
            Entry::Result {
                id,
                ending,
                output,
                helper,
            } => {
                format!("result    {id} {ending:?} {helper:?} {}", brief(output))
            }
            other => format!("{other:?}"),
        };
        writeln!(out, "{line}").unwrap();
    }
    out
}

#[test]
fn transcripts_of_real_sessions() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/claude-code");
    for version in ["2.1.197", "2.1.332"] {
        let mut count = 0;
        for file in fs::read_dir(fixtures.join(version)).unwrap() {
            let path = file.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap();
            let Some(name) = name.strip_prefix("transcript-") else {
                continue;
            };
            let stream = if name.contains("-agent-") {
                Stream::Helper
            } else {
                Stream::Main
            };
            let mut all = Vec::new();
            for line in fs::read(&path).unwrap().split(|byte| *byte == b'\n') {
                all.extend(read(line, stream));
            }
            insta::assert_snapshot!(format!("{version}-{name}"), short(&all));
            count += 1;
        }
        assert!(count >= 8, "{version}: {count} transcripts");
    }
}

fn user(content: Value) -> Value {
    json!({"type": "user", "uuid": "u1", "message": {"role": "user", "content": content}})
}

fn with(mut row: Value, members: Value) -> Value {
    row.as_object_mut()
        .unwrap()
        .extend(members.as_object().unwrap().clone());
    row
}

#[test]
fn only_a_persons_words_are_a_prompt() {
    let words = |text: &str| Ok(text.to_owned());
    let ide = "<ide_opened_file>The user opened a.rs</ide_opened_file>";
    let cases: Vec<(Value, Result<String, Injection>)> = vec![
        (user(json!("no, only the views")), words("no, only the views")),
        (
            user(json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}])),
            words("a\nb"),
        ),
        (
            user(json!([{"type": "text", "text": ide}, {"type": "text", "text": "do it"}])),
            words("do it"),
        ),
        (
            user(json!("<system-reminder>x</system-reminder>\n\ndo it")),
            words("do it"),
        ),
        (
            user(json!("what is <system-reminder> for?")),
            words("what is <system-reminder> for?"),
        ),
        (user(json!([{"type": "image", "source": {}}])), words("")),
        (
            user(json!([{"type": "text", "text": "[Request interrupted by user]"}, {"type": "text", "text": "b"}])),
            words("b"),
        ),
        (
            with(user(json!("Stop hook feedback: is odd")), json!({"isMeta": false})),
            words("Stop hook feedback: is odd"),
        ),
        (
            with(
                user(json!("a")),
                json!({"origin": {"kind": "human"}, "promptSource": "typed", "rowSource": "local"}),
            ),
            words("a"),
        ),
        (
            with(
                user(json!("a")),
                json!({"origin": "elsewhere", "stackedExpansion": false}),
            ),
            words("a"),
        ),
        (
            user(json!("<system-reminder>Don't touch other files</system-reminder>")),
            Err(Injection::Harness),
        ),
        (user(json!([{"type": "text", "text": ide}])), Err(Injection::Harness)),
        (user(json!("")), Err(Injection::Harness)),
        (user(json!({"text": "a"})), Err(Injection::Harness)),
        (with(user(json!("a")), json!({"isMeta": true})), Err(Injection::Harness)),
        (
            with(user(json!("a")), json!({"isCompactSummary": true})),
            Err(Injection::Harness),
        ),
        (
            with(user(json!("a")), json!({"isVisibleInTranscriptOnly": true})),
            Err(Injection::Harness),
        ),
        (
            with(user(json!("a")), json!({"stackedExpansion": {"of": "x"}})),
            Err(Injection::Harness),
        ),
        (
            with(user(json!("a")), json!({"toolUseResult": "x"})),
            Err(Injection::Harness),
        ),
        (
            with(user(json!("a")), json!({"rowSource": "harness"})),
            Err(Injection::Harness),
        ),
        (
            with(user(json!("a")), json!({"promptSource": "system"})),
            Err(Injection::Harness),
        ),
        (
            user(json!("<command-name>/compact</command-name>")),
            Err(Injection::Harness),
        ),
        (
            user(json!("<command-message>x</command-message>")),
            Err(Injection::Harness),
        ),
        (
            user(json!("<local-command-stdout>x</local-command-stdout>")),
            Err(Injection::Harness),
        ),
        (user(json!("<bash-input>ls</bash-input>")), Err(Injection::Harness)),
        (
            user(json!("<bash-stdout>x</bash-stdout><bash-stderr></bash-stderr>")),
            Err(Injection::Harness),
        ),
        (
            user(json!("[Request interrupted by user for tool use]")),
            Err(Injection::Harness),
        ),
        (
            user(json!(
                "Caveat: The messages below were generated by the user while running local commands. DO NOT"
            )),
            Err(Injection::Harness),
        ),
        (
            user(json!("<task-notification>\n<task-id>b1</task-id>")),
            Err(Injection::Notification),
        ),
        (
            with(user(json!("a")), json!({"origin": {"kind": "task-notification"}})),
            Err(Injection::Notification),
        ),
        (
            with(user(json!("Stop hook feedback:\nno")), json!({"isMeta": true})),
            Err(Injection::HookFeedback),
        ),
        (
            with(user(json!("a")), json!({"rowSource": "hook"})),
            Err(Injection::HookFeedback),
        ),
    ];
    for (row, expected) in cases {
        let row = with(row, json!({"promptId": "p1", "sessionId": "s1", "version": "2.1.197"}));
        let turn = Some("p1".to_owned());
        let expected = match expected {
            Ok(text) => vec![
                Entry::Origin {
                    session: Some("s1".to_owned()),
                    client: true,
                },
                Entry::Prompt {
                    row: "u1".to_owned(),
                    turn,
                    text,
                },
            ],
            Err(injection) => vec![Entry::Injected { injection, turn }],
        };
        assert_eq!(main(&row), expected, "{row}");
    }
}

#[test]
fn a_prompt_without_version_turn_or_id_is_still_one() {
    let row = json!({"type": "user", "message": {"content": "q"}, "sessionId": "", "version": null});
    let origin = Entry::Origin {
        session: None,
        client: false,
    };
    assert_eq!(
        main(&row),
        [
            origin,
            Entry::Prompt {
                row: String::new(),
                turn: None,
                text: "q".to_owned()
            }
        ]
    );
}

#[test]
fn a_result_tells_how_its_call_ended() {
    let none = json!({});
    let stopped = "The user doesn't want to proceed with this tool use. Correction to the text above: this call was \
                   stopped while running, not refused before it ran.";
    let cases: Vec<(Value, &str, Value, Ending)> = vec![
        (Value::Null, "ok", none.clone(), Ending::Succeeded),
        (json!(false), "ok", none.clone(), Ending::Succeeded),
        (json!(false), "User rejected tool use", none.clone(), Ending::Succeeded),
        (
            json!(true),
            "Exit code 1\nUser rejected tool use",
            none.clone(),
            Ending::Failed,
        ),
        (
            json!(true),
            "permission to run this was refused",
            none.clone(),
            Ending::Failed,
        ),
        (
            json!(true),
            "Exit code 2",
            json!({"permissionDecision": {"decision": "accept"}}),
            Ending::Failed,
        ),
        (
            json!(true),
            "x",
            json!({"permissionDecision": {"decision": "reject"}}),
            Ending::Denied,
        ),
        (
            json!(true),
            "x",
            json!({"toolDenialKind": "permission-rule"}),
            Ending::Denied,
        ),
        (
            json!(true),
            "The user doesn't want to proceed with this tool use.",
            none.clone(),
            Ending::Denied,
        ),
        (json!(true), "User rejected tool use", none.clone(), Ending::Denied),
        (
            json!(true),
            "<tool_use_error>Sibling tool call errored</tool_use_error>",
            none.clone(),
            Ending::Denied,
        ),
        (json!(true), "Sibling tool call errored", none.clone(), Ending::Denied),
        (
            json!(true),
            "PreToolUse:Bash hook error: [x]: no",
            none.clone(),
            Ending::Denied,
        ),
        (
            json!(true),
            "PreToolUse:Bash is what it prints",
            none.clone(),
            Ending::Failed,
        ),
        (
            json!(true),
            "Permission to use Bash with command ls has been denied.",
            none.clone(),
            Ending::Denied,
        ),
        (
            json!(true),
            "Claude requested permissions to use Bash, but you haven't granted it yet.",
            none.clone(),
            Ending::Denied,
        ),
        (
            json!(true),
            "[Request interrupted by user for tool use]",
            none.clone(),
            Ending::Interrupted,
        ),
        (
            json!(true),
            stopped,
            json!({"toolDenialKind": "user-rejected"}),
            Ending::Interrupted,
        ),
        (
            json!(false),
            "part",
            json!({"toolUseResult": {"interrupted": true}}),
            Ending::Interrupted,
        ),
        (
            json!(false),
            "",
            json!({"toolUseResult": {"backgroundTaskId": "b1"}}),
            Ending::Background,
        ),
        (
            json!(false),
            "",
            json!({"toolUseResult": {"backgroundTaskId": null}}),
            Ending::Succeeded,
        ),
        (
            json!(false),
            "",
            json!({"toolUseResult": {"assistantAutoBackgrounded": true}}),
            Ending::Background,
        ),
        (
            Value::Null,
            "",
            json!({"toolUseResult": {"status": "async_launched"}}),
            Ending::Background,
        ),
        (
            Value::Null,
            "",
            json!({"toolUseResult": {"status": "completed"}}),
            Ending::Succeeded,
        ),
        (
            Value::Null,
            "Async agent launched successfully.",
            none.clone(),
            Ending::Background,
        ),
        (
            json!(false),
            "Command running in background with ID: b1.",
            none.clone(),
            Ending::Background,
        ),
        (
            json!(false),
            "Command running in background with ID: b1.",
            json!({"toolUseResult": {"stdout": "Command running"}}),
            Ending::Succeeded,
        ),
        (
            json!(false),
            "ok",
            json!({"toolUseResult": [{"type": "text"}], "permissionDecision": 3}),
            Ending::Succeeded,
        ),
    ];
    for (is_error, text, members, ending) in cases {
        let mut block = json!({"type": "tool_result", "tool_use_id": "t1", "content": text});
        if !is_error.is_null() {
            block["is_error"] = is_error;
        }
        let row = with(user(json!([block])), members);
        let expected = Entry::Result {
            id: "t1".to_owned(),
            ending,
            output: text.to_owned(),
            helper: None,
        };
        assert_eq!(main(&row), [expected], "{row}");
    }
}

#[test]
fn a_row_with_several_results_ends_several_calls() {
    let row = with(
        user(json!([
            {"type": "tool_result", "tool_use_id": "t1", "content": "x".repeat(600), "is_error": true},
            {"type": "text", "text": "[Request interrupted by user for tool use]"},
            {"type": "tool_result", "tool_use_id": "t2", "content": [{"type": "image"}, {"type": "text", "text": "é"}]},
            {"type": "tool_result", "content": "whose?"},
            {"type": "tool_result", "tool_use_id": "t3"},
        ])),
        json!({"toolUseResult": {"interrupted": true, "agentId": "a1"}, "toolDenialKind": "user-rejected"}),
    );
    let result = |id: &str, ending, output: &str| Entry::Result {
        id: id.to_owned(),
        ending,
        output: output.to_owned(),
        helper: None,
    };
    let expected = [
        result("t1", Ending::Failed, &"x".repeat(500)),
        result("t2", Ending::Succeeded, "é"),
        result("t3", Ending::Succeeded, ""),
    ];
    assert_eq!(main(&row), expected);
}

#[test]
fn an_agents_row_shows_prose_and_calls_in_their_order() {
    let content = json!([
        {"type": "thinking", "thinking": "hm", "text": "hm"},
        {"type": "text", "text": "First."},
        {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}},
        {"type": "text", "text": " \n"},
        {"type": "tool_use"},
        {"type": "text", "text": "cut \u{fffd}"},
    ]);
    let row = json!({"type": "assistant", "uuid": "a1", "message": {"model": "m", "content": content}});
    // Half a surrogate pair, as it stands where a harness cut text in the middle of a character.
    let line = row.to_string().replace('\u{fffd}', "\\ud83d");
    let text = |text: &str| Entry::Text {
        row: "a1".to_owned(),
        text: text.to_owned(),
    };
    let call = |id: &str, tool: &str, kind, input: &str| Entry::Call {
        row: "a1".to_owned(),
        id: id.to_owned(),
        tool: tool.to_owned(),
        kind,
        input: input.to_owned(),
    };
    let expected = [
        text("First."),
        call(
            "t1",
            "Bash",
            ToolKind::Shell {
                command: "ls".to_owned(),
            },
            "ls",
        ),
        call("", "", ToolKind::Unknown, ""),
        text("cut \u{fffd}\u{fffd}\u{fffd}"),
    ];
    assert_eq!(read(line.as_bytes(), Stream::Main), expected);
    assert_eq!(main(&with(row.clone(), json!({"isApiErrorMessage": true}))), []);
    let text_alone = json!({"type": "assistant", "uuid": "a1", "message": {"content": "First."}});
    assert_eq!(main(&text_alone), [text("First.")]);
    let synthetic =
        json!({"type": "assistant", "message": {"model": "<synthetic>", "content": "No response requested."}});
    assert_eq!(main(&synthetic), []);
}

#[test]
fn a_helpers_rows_count_in_its_own_record_only() {
    for mark in [json!({"isSidechain": true}), json!({"agentId": "a7"})] {
        let row = with(user(json!("Do the small job.")), mark);
        assert_eq!(main(&row), []);
        let read = read(row.to_string().as_bytes(), Stream::Helper);
        assert!(
            matches!(&read[..], [Entry::Origin { .. }, Entry::Prompt { .. }]),
            "{read:?}"
        );
    }
}

#[test]
fn a_line_that_cannot_be_read_is_said_to_be_so() {
    let user_row = user(json!("a")).to_string();
    let unreadable = [Entry::Unreadable];
    let cases: Vec<(&[u8], &[Entry])> = vec![
        (b"", &[]),
        (b" \t\r", &[]),
        (b"{}", &[]),
        (br#"{"type":"user"}"#, &[]),
        (br#"{"type":"later","message":{"content":"a"}}"#, &[]),
        (br#"{"type":"progress","data":{"message":{"type":"user"}}}"#, &[]),
        (b"not json", &unreadable),
        (b"[]", &unreadable),
        (br#"["user"]"#, &unreadable),
        (b"7", &unreadable),
        (b"\0\0\0\0", &unreadable),
        (user_row[..user_row.len() - 2].as_bytes(), &unreadable),
        (br#"{"type":"progress","data":{"mess"#, &unreadable),
        (br#"{"type":"user","uuid":7,"message":{"content":"a"}}"#, &unreadable),
        (br#"{"type":"user","message":{"content":["a"]}}"#, &unreadable),
    ];
    for (line, expected) in cases {
        assert_eq!(read(line, Stream::Main), expected, "{}", String::from_utf8_lossy(line));
    }
    let torn_character = [
        br#"{"type":"user","message":{"content":"caf"#.as_slice(),
        b"\xc3",
        br#""}}"#,
    ]
    .concat();
    assert!(
        matches!(&read(&torn_character, Stream::Main)[..], [_, Entry::Prompt { text, .. }] if text == "caf\u{fffd}")
    );
}

#[test]
fn an_overlong_line_is_unreadable_unless_it_is_bookkeeping() {
    let cases: [(&[u8], bool); 4] = [
        (br#"{"type":"api-request","params":{"messages":["#, false),
        (
            br#"{"parentUuid":null,"isSidechain":false,"type":"user","message":{"content":[{"#,
            true,
        ),
        (
            br#"{"parentUuid":null,"attachment":{"type":"hook_success","stdout":"aaaa"#,
            true,
        ),
        (b"aaaa", true),
    ];
    for (head, unreadable) in cases {
        let mut out = Vec::new();
        too_long(head, &mut out);
        assert_eq!(
            out == [Entry::Unreadable],
            unreadable,
            "{}",
            String::from_utf8_lossy(head)
        );
        assert_eq!(out.is_empty(), !unreadable);
    }
}

#[test]
fn deep_and_long_lines_take_linear_time() {
    let deep = format!(
        r#"{{"a":{}{},"type":"user"}}"#,
        "[".repeat(1 << 20),
        "]".repeat(1 << 20)
    );
    assert_eq!(read(deep.as_bytes(), Stream::Main), []);
    let wrapped = user(json!(
        "<system-reminder></system-reminder>".repeat(50_000) + "<ide_selection>"
    ));
    assert!(matches!(&main(&wrapped)[..], [_, Entry::Prompt { text, .. }] if text == "<ide_selection>"));
    let quotes = format!(r#"{{"a":"{}","type":"mode"}}"#, "\\\"".repeat(1 << 20));
    assert_eq!(read(quotes.as_bytes(), Stream::Main), []);
}

#[test]
fn only_harnesses_with_a_reader_are_in_the_table() {
    use proofmark_protocol::Harness;
    let readable: Vec<Harness> = Harness::ALL
        .into_iter()
        .filter(|harness| spec(*harness).is_some())
        .collect();
    assert_eq!(readable, [Harness::ClaudeCode]);
}

fn value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        Just(r#"{"type":"progress"}"#.to_owned()),
        Just(r#"\","type":"system","#.to_owned()),
        "[a-z\"\\\\{}\\[\\]:,é]{0,12}",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((key(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("type".to_owned()),
        Just("message".to_owned()),
        Just("isMeta".to_owned()),
        "[a-z\"\\\\]{0,4}"
    ]
}

/// A row as JSON text, with its members in any order and each key once.
fn row() -> impl Strategy<Value = String> {
    let kind = prop_oneof![
        "user",
        "assistant",
        "progress",
        "system",
        "attachment",
        "api-request",
        "us[a-z]r"
    ];
    let members = proptest::collection::vec((key(), value()), 0..5);
    let order = (members, kind).prop_map(|(members, kind)| {
        let mut row: Map<String, Value> = members.into_iter().collect();
        row.insert("type".to_owned(), kind.into());
        row.into_iter().collect::<Vec<_>>()
    });
    order.prop_shuffle().prop_map(|members| {
        let member = |(key, value): &(String, Value)| format!("{}:{value}", Value::from(key.as_str()));
        format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(" , "))
    })
}

proptest! {
    #[test]
    fn a_skimmed_type_is_the_parsed_type(row in row()) {
        let parsed: Value = serde_json::from_str(&row).unwrap();
        if let Some(kind) = skim::row_type(row.as_bytes()) {
            prop_assert_eq!(kind, parsed["type"].as_str().unwrap().as_bytes());
        } else {
            prop_assert!(row.contains("message") || row.contains('\\'), "{}", row);
        }
    }

    #[test]
    fn a_row_of_an_unknown_type_shows_nothing(row in row()) {
        let parsed: Value = serde_json::from_str(&row).unwrap();
        if !["user", "assistant"].contains(&parsed["type"].as_str().unwrap()) {
            let read = read(row.as_bytes(), Stream::Main);
            prop_assert!(read.is_empty() || read == [Entry::Unreadable], "{:?}", read);
            // Only a message of another shape is unreadable; rows that hold one are parsed whatever their type.
            prop_assert!(read.is_empty() || parsed.get("message").is_some() || parsed.get("isMeta").is_some());
        }
    }

    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), row in row(), at in 0_usize..200) {
        for stream in [Stream::Main, Stream::Helper] {
            read(&bytes, stream);
            let cut = at.min(row.len());
            read(&row.as_bytes()[..cut], stream);
            read(&[&row.as_bytes()[..cut], &bytes[..bytes.len().min(3)], &row.as_bytes()[cut..]].concat(), stream);
        }
        too_long(&bytes, &mut Vec::new());
    }
}
