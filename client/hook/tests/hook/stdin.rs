//! Whatever is on stdin: no panic, and never more than one JSON object on stdout.
//! Payloads that mean something are in `payloads`.

use std::io::{self, Read};

use proofmark_hook::{Answer, Host, respond};
use proofmark_protocol::frame::MAX_FRAME;
use proptest::prelude::*;
use serde_json::json;

use crate::fake::{Fake, State, claude, decision};

fn nowhere() -> Host {
    Host {
        state_dir: None,
        ..State::new().host()
    }
}

#[test]
fn what_cannot_be_read_passes_with_one_line_on_stderr() {
    let unclosed = claude("Stop-plain").trim_end().trim_end_matches('}').to_owned();
    for (stdin, words) in [
        ("", "empty"),
        ("\u{feff}", "empty"),
        (" \n\t", "empty"),
        ("[]", "no JSON object"),
        ("[\"Stop\"]", "no JSON object"),
        ("null", "no JSON object"),
        ("Stop", "no JSON object"),
        ("{", "broken JSON"),
        ("{} {}", "broken JSON"),
        (&unclosed, "broken JSON"),
        (r#"{"hook_event_name":"UserPromptSubmit"}"#, "`prompt`"),
        (r#"{"hook_event_name":"PreToolUse","tool_name":7}"#, "`tool_name`"),
    ] {
        let answer = respond(Some("claude-code"), stdin.as_bytes(), &nowhere());
        assert_eq!((answer.exit, answer.stdout.as_str()), (0, ""), "{stdin}");
        assert!(
            answer.stderr.contains(words) && !answer.stderr.contains('\n'),
            "{stdin}: {answer:?}"
        );
        assert!(!answer.stderr.contains("Stop"), "the payload is not repeated");

        let answer = respond(Some("codex"), stdin.as_bytes(), &nowhere());
        assert_eq!((answer.exit, answer.stdout.as_str()), (0, ""), "{stdin}");
    }
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_payload() {
    let state = State::new();
    let fake = Fake::serve(
        state.path(),
        vec![decision(json!({"outcome": "refuse", "toAgent": "A"}))],
    );
    assert_eq!(state.ask(&format!("\u{feff}{}\r\n", claude("Stop-plain"))).exit, 2);
    fake.asked();
}

#[test]
fn unknown_events_are_silent() {
    for (harness, payload) in [
        ("claude-code", r#"{"hook_event_name":"PostToolBatch","tool_calls":[]}"#),
        ("claude-code", r#"{"hook_event_name":"InventedLater"}"#),
        ("claude-code", r#"{"hook_event_name":7}"#),
        ("claude-code", "{}"),
        (
            "codex",
            r#"{"hook_event_name":"PostToolUse","turn_id":"t","tool_name":"Bash"}"#,
        ),
        ("codex", r#"{"hook_event_name":"PreModelRequest","turn_id":"t"}"#),
        ("codex", "{}"),
    ] {
        assert_eq!(
            respond(Some(harness), payload.as_bytes(), &nowhere()),
            Answer::default(),
            "{harness} {payload}"
        );
    }
    for harness in [None, Some("claude"), Some("--help")] {
        let answer = respond(harness, claude("Stop-plain").as_bytes(), &nowhere());
        assert_eq!((answer.exit, answer.stdout.as_str()), (0, ""));
        assert!(answer.stderr.contains("claude-code, codex or cursor"));
    }
}

/// Gives blanks for ever and counts them.
struct Endless<'a>(&'a mut usize);

impl Read for Endless<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        buffer.fill(b' ');
        *self.0 += buffer.len();
        Ok(buffer.len())
    }
}

#[test]
fn no_more_than_a_frame_is_read() {
    let mut read = 0;
    let answer = respond(Some("claude-code"), Endless(&mut read), &nowhere());
    assert_eq!((answer.exit, answer.stdout.as_str()), (0, ""));
    assert!(answer.stderr.contains("longer than 16 MiB"), "{answer:?}");
    assert_eq!(read, MAX_FRAME + 1);
}

#[test]
fn a_request_that_outgrows_a_frame_is_not_sent() {
    // Each of these bytes takes six in the request.
    let payload = format!(
        r#"{{"hook_event_name":"Stop","last_assistant_message":"{}"}}"#,
        "\\u0001".repeat(1 << 21)
    );
    let swollen = format!(
        r#"{{"hook_event_name":"PreToolUse","tool_name":"T","tool_input":"{}"}}"#,
        "x".repeat(MAX_FRAME - 100)
    );
    for (payload, words) in [(payload, ""), (swollen, "longer than 16 MiB")] {
        let answer = respond(Some("claude-code"), payload.as_bytes(), &nowhere());
        assert_eq!((answer.exit, answer.stdout.as_str()), (0, ""));
        assert!(answer.stderr.contains(words), "{answer:?}");
    }
}

fn is_one_object_or_nothing(stdout: &str) -> bool {
    stdout.is_empty() || serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(stdout).is_ok()
}

/// Objects made of the members that are looked at, with values of any kind.
fn payloads() -> impl Strategy<Value = String> {
    let member = prop::sample::select(vec![
        "hook_event_name",
        "session_id",
        "sessionId",
        "tool_name",
        "tool_input",
        "prompt",
        "agent_id",
        "agent_type",
        "agent_transcript_path",
        "background_tasks",
        "stop_hook_active",
        "cursor_version",
        "last_assistant_message",
    ]);
    let value = prop_oneof![
        prop::sample::select(vec![
            "Stop",
            "PreToolUse",
            "SubagentStop",
            "SessionStart",
            "UserPromptSubmit",
            "stop"
        ])
        .prop_map(|event| json!(event).to_string()),
        any::<String>().prop_map(|text| json!(text).to_string()),
        any::<String>(),
        prop::sample::select(vec!["null", "true", "7", "[[]]", "{\"a\":1}", "\"\\ud800\"", "1e999"])
            .prop_map(str::to_owned),
    ];
    prop::collection::vec((member, value), 0..8).prop_map(|members| {
        let members: Vec<_> = members
            .into_iter()
            .map(|(name, value)| format!("\"{name}\":{value}"))
            .collect();
        format!("{{{}}}", members.join(","))
    })
}

proptest! {
    #[test]
    fn any_bytes_pass(bytes in prop::collection::vec(any::<u8>(), 0..200), harness in 0..3_usize) {
        check(["claude-code", "codex", "cursor"][harness], &bytes);
    }

    #[test]
    fn any_object_passes(payload in payloads(), harness in 0..3_usize) {
        check(["claude-code", "codex", "cursor"][harness], payload.as_bytes());
    }
}

fn check(harness: &str, stdin: &[u8]) {
    let answer = respond(Some(harness), stdin, &nowhere());
    assert_eq!(answer.exit, 0);
    assert!(is_one_object_or_nothing(&answer.stdout), "{answer:?}");
    assert!(harness != "cursor" || !answer.stdout.is_empty());
}
