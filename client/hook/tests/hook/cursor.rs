//! Cursor's payloads, also where Claude Code's settings registered the hook: answered in Cursor's terms, changing nothing.
//! The server is not asked about them.

use std::fs;

use proofmark_hook::{Answer, respond};

use crate::fake::{State, claude, files, fixtures};

#[test]
fn every_payload_of_cursors_gets_the_answer_that_leaves_its_event_alone() {
    let state = State::new();
    for file in files(&fixtures().join("cursor")) {
        let name = file.file_stem().unwrap().to_str().unwrap();
        let expected = match name.split('-').next().unwrap() {
            "beforeSubmitPrompt" => r#"{"continue":true}"#,
            "preToolUse"
            | "beforeShellExecution"
            | "beforeMCPExecution"
            | "beforeReadFile"
            | "beforeTabFileRead"
            | "subagentStart" => r#"{"permission":"allow"}"#,
            _ => "{}",
        };
        for harness in ["cursor", "claude-code", "codex"] {
            let answer = respond(Some(harness), &fs::read(&file).unwrap()[..], &state.host());
            assert_eq!(
                answer,
                Answer {
                    stdout: expected.to_owned(),
                    ..Answer::default()
                },
                "{harness} {name}"
            );
        }
    }
}

#[test]
fn one_mark_of_cursors_is_enough() {
    let state = State::new();
    for (payload, expected) in [
        (r#"{"hook_event_name":"Stop","cursor_version":"3.24.12"}"#, "{}"),
        (
            r#"{"hook_event_name":"PreToolUse","generation_id":""}"#,
            r#"{"permission":"allow"}"#,
        ),
        (
            r#"{"hook_event_name":"UserPromptSubmit","conversation_id":"c"}"#,
            r#"{"continue":true}"#,
        ),
        (r#"{"hook_event_name":"Stop","workspace_roots":[]}"#, "{}"),
        (r#"{"hook_event_name":"sessionStart"}"#, "{}"),
    ] {
        let answer = respond(Some("claude-code"), payload.as_bytes(), &state.host());
        assert_eq!(
            answer,
            Answer {
                stdout: expected.to_owned(),
                ..Answer::default()
            },
            "{payload}"
        );
    }
}

#[test]
fn a_hook_registered_with_cursor_always_prints_an_object() {
    let state = State::new();
    for (stdin, expected) in [
        (String::new(), r#"{"continue":true,"permission":"allow"}"#),
        ("{".to_owned(), r#"{"continue":true,"permission":"allow"}"#),
        ("{}".to_owned(), "{}"),
        (claude("PreToolUse-bash"), r#"{"permission":"allow"}"#),
    ] {
        let answer = respond(Some("cursor"), stdin.as_bytes(), &state.host());
        assert_eq!((answer.exit, answer.stdout.as_str()), (0, expected), "{stdin}");
    }
}
