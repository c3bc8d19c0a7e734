//! Codex: every captured payload with the request that it becomes, and every kind of decision with its answer.
//! Payloads of other harnesses that reach a hook of Codex's are here too.

use std::fmt::Write;
use std::fs;

use proofmark_hook::Answer;
use serde_json::{Value, json};

use crate::fake::{Fake, State, claude, codex, decision, files, fixtures};

/// The method and params that a payload is sent as; none when the server is not asked.
fn request(harness: &str, payload: &str) -> Option<(String, Value)> {
    let state = State::new();
    let fake = Fake::serve(state.path(), vec![decision(json!({}))]);
    assert_eq!(state.ask_as(harness, payload), Answer::default());
    let mut line: Value = serde_json::from_str(&fake.asked_at_most_once()?).unwrap();
    Some((line["method"].as_str().unwrap().to_owned(), line["params"].take()))
}

fn answer(payload: &str, decided: Value) -> Answer {
    let state = State::new();
    let fake = Fake::serve(state.path(), vec![decision(decided)]);
    let answer = state.ask_as("codex", payload);
    assert_eq!(fake.asked().len(), 1);
    answer
}

/// One payload of each event that is put to the server.
const EVENTS: [(&str, &str); 7] = [
    ("SessionStart", "SessionStart-text"),
    ("UserPromptSubmit", "UserPromptSubmit-text"),
    ("PreToolUse", "PreToolUse-shell-ok"),
    ("Stop", "Stop-text"),
    ("SubagentStart", "SubagentStart-subagent"),
    ("SubagentStop", "SubagentStop-subagent"),
    ("SessionEnd", "SessionEnd-text"),
];

#[test]
fn captured_payloads_become_requests() {
    let mut table = String::new();
    for file in files(&fixtures().join("codex/0.171.0")) {
        let name = file.file_stem().unwrap().to_str().unwrap();
        write!(table, "{name}: ").unwrap();
        match request("codex", &fs::read_to_string(&file).unwrap()) {
            Some((method, params)) => writeln!(table, "{method}\n    {params}").unwrap(),
            None => table.push_str("silence\n"),
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn silence_is_no_output_at_all() {
    for (event, payload) in EVENTS {
        for decided in [json!({"outcome": "allow"}), json!({"toAgent": "", "toPerson": ""})] {
            assert_eq!(answer(&codex(payload), decided), Answer::default(), "{event}");
        }
    }
}

#[test]
fn each_event_is_answered_in_its_own_form() {
    let context = |event: &str| json!({"hookEventName": event, "additionalContext": "Run \"x\"."});
    let refused = |event: &str| match event {
        "Stop" | "SubagentStop" => json!({"decision": "block", "reason": "Run \"x\".", "systemMessage": "P"}),
        "PreToolUse" => json!({
            "hookSpecificOutput": {
                "hookEventName": event, "permissionDecision": "deny", "permissionDecisionReason": "Run \"x\".",
            },
            "systemMessage": "P",
        }),
        "SessionEnd" => Value::Null,
        _ => json!({"hookSpecificOutput": context(event), "systemMessage": "P"}),
    };
    let advised = |event: &str| match event {
        "Stop" | "SubagentStop" => json!({"systemMessage": "P"}),
        "SessionEnd" => Value::Null,
        _ => json!({"hookSpecificOutput": context(event), "systemMessage": "P"}),
    };
    for (event, payload) in EVENTS {
        for (outcome, expected) in [("refuse", refused(event)), ("advise", advised(event))] {
            let decided = json!({"outcome": outcome, "toAgent": "Run \"x\".", "toPerson": "P"});
            let got = answer(&codex(payload), decided);
            let said = serde_json::from_str(&got.stdout).unwrap_or(Value::Null);
            assert_eq!(said, expected, "{event} {outcome}");
            assert_eq!((got.exit, got.stderr.as_str()), (0, ""), "{event} {outcome}");
        }
    }
}

#[test]
fn long_texts_stay_below_what_the_harness_cuts() {
    let long = "ü".repeat(50_000);
    let got = answer(&codex("Stop-text"), json!({"outcome": "refuse", "toAgent": long}));
    let said: Value = serde_json::from_str(&got.stdout).unwrap();
    assert!((8_000..9_000).contains(&said["reason"].as_str().unwrap().chars().count()));
}

#[test]
fn a_session_without_a_record_names_none() {
    let mut payload: Value = serde_json::from_str(&codex("Stop-text")).unwrap();
    payload["transcript_path"] = Value::Null;
    let (method, params) = request("codex", &payload.to_string()).unwrap();
    assert_eq!(method, "onStop");
    assert_eq!(
        (params["harness"].as_str(), params.get("transcript")),
        (Some("codex"), None)
    );
}

#[test]
fn a_helper_is_asked_about_by_its_own_record_and_its_task_is_no_prompt() {
    let (_, start) = request("codex", &codex("SubagentStart-subagent")).unwrap();
    let (_, stop) = request("codex", &codex("SubagentStop-subagent")).unwrap();
    assert_eq!(start["agentTranscript"], stop["agentTranscript"]);
    assert_eq!(start["agent"], stop["agent"]);
    assert_eq!(start.get("transcript"), None);
    assert_ne!(stop["transcript"], stop["agentTranscript"]);
    assert_eq!(request("codex", &codex("UserPromptSubmit-subagent-2")), None);
}

/// A payload that names no turn, and a transcript of no harness's form.
fn without_marks(payload: &str) -> String {
    let mut payload: Value = serde_json::from_str(payload).unwrap();
    payload.as_object_mut().unwrap().remove("turn_id");
    payload["transcript_path"] = json!("/home/dev/session.jsonl");
    payload.to_string()
}

#[test]
fn a_payload_is_taken_for_that_of_the_harness_that_wrote_it() {
    for (registered, payload, harness) in [
        ("codex", claude("Stop-plain"), "claude-code"),
        ("codex", claude("SessionStart-startup"), "claude-code"),
        ("codex", claude("SessionEnd-other"), "claude-code"),
        ("codex", without_marks(&codex("Stop-text")), "codex"),
        ("claude-code", without_marks(&codex("Stop-text")), "claude-code"),
        ("claude-code", codex("Stop-text"), "codex"),
        ("claude-code", codex("SessionStart-text"), "codex"),
        ("claude-code", codex("SessionEnd-text"), "codex"),
        ("codex", codex("SessionStart-ephemeral"), "codex"),
    ] {
        let (_, params) = request(registered, &payload).unwrap();
        assert_eq!(params["harness"], harness, "{registered} {payload}");
    }
    // Its own words for a refusal, too.
    let state = State::new();
    let refusal = || vec![decision(json!({"outcome": "refuse", "toAgent": "A"}))];
    let fake = Fake::serve(state.path(), refusal());
    assert_eq!(state.ask_as("codex", &claude("Stop-plain")).exit, 2);
    fake.asked();
    for payload in [claude("Stop-plain"), codex("Stop-text")] {
        let got = state.ask_as("cursor", &payload);
        assert_eq!((got.exit, got.stdout.as_str()), (0, "{}"));
    }
}
