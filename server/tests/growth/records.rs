//! Lines of records, scripts in them, and whole sessions of any length.
//! What they mean stays out.

use proofmark_protocol::Harness;
use proofmark_server::harness::{Memory, Reader, Stream, spec};
use proofmark_server::session::{Ending, Entry, Stream as Fold, ToolKind};

use crate::measure::{grows_with_its_length, seen};
use crate::texts::texts;

fn entries(harness: Harness, record: &str) -> Vec<Entry> {
    let Some(spec) = spec(harness) else {
        panic!("no reader for {}", harness.as_str())
    };
    let (tools, mut memory) = (|_: &str| None, Memory::default());
    let mut entries = Vec::new();
    for line in record.split('\n') {
        let mut reader = Reader {
            stream: Stream::Main,
            tools: &tools,
            memory: &mut memory,
        };
        (spec.entries)(line.as_bytes(), &mut reader, &mut entries);
    }
    entries
}

#[test]
fn single_lines_of_records() {
    #[rustfmt::skip]
    let pieces = [
        "[", "{", "{\"a\":", "\"", "\\\"", "\\u0041", "\\ud83d", "[1,", "{\"type\":\"user\",", "\"a\":1,",
        "<system-reminder>", "<a>", "é",
    ];
    for harness in Harness::ALL {
        for head in [
            "",
            "{\"type\":\"user\",\"message\":{\"content\":\"",
            "{\"type\":\"response_item\",\"payload\":",
            "{\"role\":\"user\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"",
            "{\"a\":",
        ] {
            for piece in pieces {
                let make = |count: usize| format!("{head}{}", piece.repeat(count));
                let read = |text: &str| seen(entries(harness, text));
                grows_with_its_length(&format!("{harness}: {head} and {piece:?}"), &make, &read, 256 * 1024);
            }
        }
        let Some(spec) = spec(harness) else {
            panic!("no reader for {}", harness.as_str())
        };
        let read = |text: &str| {
            seen(((spec.own_words)(text), (spec.is_persons)(text)));
            (spec.too_long)(text.as_bytes(), &mut Vec::new());
        };
        texts(&read, "a prompt and a reply");
    }
}

#[test]
fn scripts() {
    for piece in [
        "tools.exec_command({a:",
        "tools.exec_command({cmd: 'a'});",
        "tools.",
        "`${",
        "'",
        "/*",
        "a ",
        "{",
    ] {
        let make = |count: usize| {
            let input = serde_json::Value::from(piece.repeat(count));
            format!(
                r#"{{"type":"response_item","payload":{{"type":"custom_tool_call","call_id":"c","name":"exec","input":{input}}}}}"#
            )
        };
        let read = |text: &str| {
            let entries = entries(Harness::Codex, text);
            assert!(!entries.is_empty(), "the line is read");
            seen(entries);
        };
        grows_with_its_length(&format!("a script of {piece:?}"), &make, &read, 512 * 1024);
    }
}

/// A turn with a call of its own command, which ends, and a sentence of its own.
fn turn(nth: usize, command: &str, output: &str) -> [Entry; 4] {
    let (row, id) = (format!("r{nth}"), format!("c{nth}"));
    let command = command.replace('@', &nth.to_string());
    [
        Entry::Prompt {
            row: row.clone(),
            turn: None,
            text: format!("go on with {nth}"),
            queued: false,
        },
        Entry::Call {
            row: row.clone(),
            id: id.clone(),
            tool: "Bash".to_owned(),
            kind: ToolKind::Shell {
                command: command.clone(),
            },
            input: command,
            changes: Vec::new(),
        },
        Entry::Result {
            id,
            ending: Ending::Succeeded,
            exit: None,
            output: output.replace('@', &nth.to_string()),
            helper: None,
            turn: None,
        },
        Entry::Text {
            row,
            text: format!("All tests pass in tests/test_{nth}.py."),
        },
    ]
}

#[test]
fn sessions() {
    for (command, output) in [
        ("ls", "a"),
        ("pytest tests/test_@.py", "@ passed in 0.1s"),
        ("sed -i s/a/b/ src/a@.rs", ""),
        (
            "cd d@ && cargo test -p c@ > log@; cat log@",
            "test result: ok. @ passed; 0 failed; 0 ignored",
        ),
    ] {
        for prompts in [true, false] {
            let fold = |text: &str| {
                let mut fold = Fold::default();
                for nth in 0..text.len() {
                    let entries = turn(nth, command, output).into_iter();
                    entries
                        .skip(usize::from(!prompts && nth > 0))
                        .for_each(|entry| fold.fold(entry));
                }
                seen(fold);
            };
            let what = format!("a session of {command:?}, each in its turn: {prompts}");
            grows_with_its_length(&what, &|count| "x".repeat(count), &fold, 4_096);
        }
    }
}
