//! Every captured payload of Claude Code, and the request that it becomes.
//! The answers are in `answers`.

use std::fmt::Write;
use std::fs;

use proofmark_hook::Answer;
use serde_json::{Value, json};

use crate::fake::{Fake, State, claude, decision, files, fixtures};

/// The method and params that a payload is sent as; none when the server is not asked.
fn request(payload: &str) -> Option<(String, Value)> {
    let state = State::new();
    let fake = Fake::serve(state.path(), vec![decision(json!({}))]);
    assert_eq!(state.ask(payload), Answer::default());
    let asked = fake.asked_at_most_once()?;
    assert!(
        asked.ends_with('\n') && asked.matches(['\n', '\r']).count() == 1,
        "{asked}"
    );
    let mut line: Value = serde_json::from_str(&asked).unwrap();
    assert_eq!(line["jsonrpc"], "2.0");
    assert_eq!(line["id"], 1);
    assert!(line["proofmark"]["protocol"].is_u64());
    Some((line["method"].as_str().unwrap().to_owned(), line["params"].take()))
}

#[test]
fn captured_payloads_become_requests() {
    let mut table = String::new();
    for version in ["2.1.197", "2.1.332"] {
        for file in files(&fixtures().join("claude-code").join(version)) {
            let name = file.file_stem().unwrap().to_str().unwrap();
            write!(table, "{version} {name}: ").unwrap();
            match request(&fs::read_to_string(&file).unwrap()) {
                Some((method, params)) => writeln!(table, "{method}\n    {params}").unwrap(),
                None => table.push_str("silence\n"),
            }
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn a_tool_input_arrives_as_it_was_written() {
    let input = "{\"b\": 1.0,\r\n \"a\": [1e2, \"x\\ny\\ud83d\"]}";
    let payload = format!(r#"{{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{input}}}"#);
    let state = State::new();
    let fake = Fake::serve(state.path(), vec![decision(json!({}))]);
    state.ask(&payload);
    assert!(fake.asked()[0].contains(&input.replace(['\r', '\n'], " ")));
}

#[test]
fn other_spellings_and_odd_members_are_taken() {
    for (payload, method, expected) in [
        (
            r#"{"hook_event_name":"SessionEnd","sessionId":"s","reason":"other","later":[1]}"#,
            "onSessionEnd",
            json!({"harness": "claude-code", "session": "s", "reason": "other"}),
        ),
        (
            r#"{"hook_event_name":"SessionStart","session_id":"","sessionId":"t","cwd":7,"source":"startup"}"#,
            "onSessionStart",
            json!({"harness": "claude-code", "session": "t", "source": "startup"}),
        ),
        (
            r#"{"hook_event_name":"UserPromptSubmit","prompt":"cut \ud83d"}"#,
            "onPrompt",
            json!({"harness": "claude-code", "prompt": "cut \u{fffd}\u{fffd}\u{fffd}"}),
        ),
        (
            r#"{"hook_event_name":"Stop","stop_hook_active":"true","background_tasks":7}"#,
            "onStop",
            json!({"harness": "claude-code", "rewrite": false, "background": 0}),
        ),
    ] {
        assert_eq!(request(payload), Some((method.to_owned(), expected)), "{payload}");
    }
}

#[test]
fn a_helper_without_a_type_counts_once_it_has_a_transcript() {
    let mut payload: Value = serde_json::from_str(&claude("SubagentStop-from-compaction")).unwrap();
    assert_eq!(request(&payload.to_string()), None);

    let transcript = tempfile::NamedTempFile::new().unwrap();
    payload["agent_transcript_path"] = json!(transcript.path());
    assert_eq!(request(&payload.to_string()).unwrap().0, "onSubagentStop");

    payload["agent_transcript_path"] = json!("/nowhere/agent.jsonl");
    payload["agent_type"] = json!("general-purpose");
    assert_eq!(request(&payload.to_string()).unwrap().0, "onSubagentStop");
    payload["agent_id"] = json!("");
    assert_eq!(request(&payload.to_string()), None);

    payload["agent_transcript_path"] = json!(transcript.path());
    let (_, params) = request(&payload.to_string()).unwrap();
    assert_eq!(
        params["agent"],
        json!(transcript.path()),
        "never the main agent's own stop"
    );
}
