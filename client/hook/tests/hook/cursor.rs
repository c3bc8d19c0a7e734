//! Cursor's payloads, also where Claude Code's settings registered the hook: what the server is asked, and what Cursor is
//! answered, always in one object. What goes wrong on the way is in `faults`.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use proofmark_hook::{Answer, respond};
use serde_json::{Value, json};

use crate::fake::{Fake, State, claude, decision, files, fixtures};

/// What comes of a payload: what the server is asked, and the answer to what it decides.
fn exchange(registered: &str, payload: &[u8], decided: Value) -> (Option<Value>, Answer) {
    let state = State::new();
    let fake = Fake::serve(state.path(), vec![decision(decided)]);
    let answer = respond(Some(registered), payload, &state.host());
    let asked = fake.asked_at_most_once();
    (asked.map(|line| serde_json::from_str(&line).unwrap()), answer)
}

fn payloads() -> Vec<(String, Vec<u8>)> {
    let named = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, fs::read(path).unwrap())
    };
    files(&fixtures().join("cursor")).into_iter().map(named).collect()
}

fn payload(name: &str) -> Vec<u8> {
    fs::read(fixtures().join("cursor").join(format!("{name}.json"))).unwrap()
}

/// Every payload, its request, and its answers: one line each where the answers differ.
#[test]
fn captured_payloads_become_requests_and_answers() {
    let mut table = String::new();
    for (name, bytes) in payloads() {
        write!(table, "{name}: ").unwrap();
        let (asked, _) = exchange("cursor", &bytes, json!({}));
        match &asked {
            Some(asked) => writeln!(table, "{}\n    {}", asked["method"].as_str().unwrap(), asked["params"]).unwrap(),
            None => table.push_str("silence\n"),
        }
        let mut said = Vec::new();
        for outcome in ["allow", "advise", "refuse"] {
            let texts = json!({"outcome": outcome, "toAgent": "Run \"x\".", "toPerson": "P"});
            let decided = if outcome == "allow" {
                json!({"outcome": "allow"})
            } else {
                texts
            };
            let (_, answer) = exchange("cursor", &bytes, decided);
            assert_eq!((answer.exit, answer.stderr.as_str()), (0, ""), "{name} {outcome}");
            said.push((outcome, answer.stdout));
        }
        let silent = said[0].1.clone();
        for (outcome, stdout) in said {
            assert!(
                serde_json::from_str::<Value>(&stdout).unwrap().is_object(),
                "{name} {outcome}: {stdout}"
            );
            if outcome == "allow" || stdout != silent {
                writeln!(table, "    {outcome}: {stdout}").unwrap();
            }
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn whoever_registered_the_hook_the_request_and_the_answer_are_the_same() {
    for (name, bytes) in payloads() {
        let decided = || json!({"outcome": "refuse", "toAgent": "A", "toPerson": "P"});
        let own = exchange("cursor", &bytes, decided());
        for registered in ["claude-code", "codex"] {
            assert_eq!(exchange(registered, &bytes, decided()), own, "{registered} {name}");
        }
    }
}

#[test]
fn nobody_finds_a_persons_mail_or_a_files_content_in_a_request() {
    for (name, bytes) in payloads() {
        let (asked, _) = exchange("cursor", &bytes, json!({}));
        let asked = asked.unwrap_or_default().to_string();
        assert!(
            !asked.contains("dev@example.invalid") && !asked.contains("user_email"),
            "{name}: {asked}"
        );
        let is_bare = ["afterFileEdit", "beforeReadFile"]
            .iter()
            .any(|event| name.starts_with(event));
        assert!(
            !is_bare || !(asked.contains("fn parse_width") || asked.contains("Option<u32>")),
            "{name}: {asked}"
        );
    }
}

#[test]
fn a_follow_up_says_whose_words_it_holds_and_others_say_so_in_their_form() {
    for (name, expected) in [
        (
            "stop-completed-first",
            json!({"followup_message": "[Proofmark] Try it."}),
        ),
        (
            "subagentStop-completed",
            json!({"followup_message": "[Proofmark] Try it."}),
        ),
        ("stop-aborted", json!({})),
        ("stop-error", json!({})),
        (
            "preToolUse-shell-cli",
            json!({"permission": "deny", "user_message": "Try it.", "agent_message": "Try it."}),
        ),
        (
            "beforeSubmitPrompt-cli-tui",
            json!({"continue": false, "user_message": "Try it."}),
        ),
        ("postToolUse-shell-pass", json!({})),
        ("sessionEnd-cli-print", json!({})),
    ] {
        let decided = json!({"outcome": "refuse", "toAgent": "Try it."});
        let (_, answer) = exchange("cursor", &payload(name), decided);
        assert_eq!(
            serde_json::from_str::<Value>(&answer.stdout).unwrap(),
            expected,
            "{name}"
        );
    }
    let advice = json!({"outcome": "advise", "toAgent": "A"});
    let (_, answer) = exchange("cursor", &payload("sessionStart-cli"), advice.clone());
    assert_eq!(answer.stdout, r#"{"additional_context":"A"}"#);
    let (_, answer) = exchange("cursor", &payload("stop-completed-first"), advice);
    assert_eq!(answer.stdout, "{}");
}

#[test]
fn the_loop_ends_whatever_is_decided() {
    let mut stop: Value = serde_json::from_slice(&payload("stop-completed-loop1")).unwrap();
    for (loops, rewrite, goes_on) in [
        (json!(0), false, true),
        (json!(1), true, true),
        (json!(2.0), true, true),
        (json!(3), true, false),
        (json!(40), true, false),
        (json!("x"), false, true),
    ] {
        stop["loop_count"] = loops.clone();
        for event in ["stop", "subagentStop"] {
            stop["hook_event_name"] = json!(event);
            let refusal = json!({"outcome": "refuse", "toAgent": "A"});
            let (asked, answer) = exchange("claude-code", stop.to_string().as_bytes(), refusal);
            assert_eq!(asked.unwrap()["params"]["rewrite"], rewrite, "{event} {loops}");
            assert_eq!(answer.stdout.contains("followup_message"), goes_on, "{event} {loops}");
        }
    }
}

#[test]
fn one_mark_of_cursors_is_enough() {
    for (payload, expected) in [
        (r#"{"hook_event_name":"Stop","cursor_version":"3.24.12"}"#, "{}"),
        (
            r#"{"hook_event_name":"PreToolUse","generation_id":"","tool_name":"Shell"}"#,
            r#"{"permission":"allow"}"#,
        ),
        (
            r#"{"hook_event_name":"UserPromptSubmit","conversation_id":"c","prompt":"a"}"#,
            r#"{"continue":true}"#,
        ),
        (r#"{"hook_event_name":"Stop","workspace_roots":[]}"#, "{}"),
        (r#"{"hook_event_name":"sessionStart"}"#, "{}"),
        (r#"{"hook_event_name":"somethingNew","later":[1]}"#, "{}"),
    ] {
        let (_, answer) = exchange("claude-code", payload.as_bytes(), json!({}));
        assert_eq!((answer.exit, answer.stdout.as_str()), (0, expected), "{payload}");
    }
}

#[test]
fn odd_members_are_taken_and_both_spellings() {
    for (payload, method, expected) in [
        (
            r#"{"hook_event_name":"afterFileEdit","conversation_id":"c","filePath":"/a.rs"}"#,
            "onPostToolUse",
            json!({"harness": "cursor", "session": "c", "ended": "succeeded",
                "call": {"tool": "Write", "input": {"file_path": "/a.rs"}}}),
        ),
        (
            r#"{"hook_event_name":"stop","sessionId":"s","generation_id":"","cwd":"","status":7,"loop_count":null}"#,
            "onStop",
            json!({"harness": "cursor", "session": "s", "rewrite": false, "background": 0}),
        ),
        (
            r#"{"hook_event_name":"afterMCPExecution","session_id":"s","tool_name":"MCP:x","tool_input":"not json"}"#,
            "onPostToolUse",
            json!({"harness": "cursor", "session": "s", "ended": "ran", "call": {"tool": "MCP:x", "input": "not json"}}),
        ),
        (
            r#"{"hook_event_name":"subagentStop","conversation_id":"c","parent_conversation_id":"p","summary":"Done."}"#,
            "onSubagentStop",
            json!({"harness": "cursor", "session": "p", "agent": "unnamed", "reply": "Done.", "rewrite": false, "background": 0}),
        ),
    ] {
        let (asked, _) = exchange("cursor", payload.as_bytes(), json!({}));
        let mut asked = asked.unwrap();
        assert_eq!(
            (asked["method"].take(), asked["params"].take()),
            (json!(method), expected),
            "{payload}"
        );
    }
}

/// No server, no payload, no sense: one object in any case, and never a refusal.
#[test]
fn a_hook_registered_with_cursor_always_prints_an_object() {
    let state = State::new();
    for (stdin, expected) in [
        (String::new(), r#"{"continue":true,"permission":"allow"}"#),
        ("{".to_owned(), r#"{"continue":true,"permission":"allow"}"#),
        ("{}".to_owned(), "{}"),
        (claude("PreToolUse-bash"), r#"{"permission":"allow"}"#),
        (
            r#"{"hook_event_name":"beforeSubmitPrompt"}"#.to_owned(),
            r#"{"continue":true}"#,
        ),
        (
            r#"{"hook_event_name":"beforeShellExecution"}"#.to_owned(),
            r#"{"permission":"allow"}"#,
        ),
    ] {
        let answer = respond(Some("cursor"), stdin.as_bytes(), &state.host());
        assert_eq!((answer.exit, answer.stdout.as_str()), (0, expected), "{stdin}");
    }
    for (name, bytes) in payloads() {
        let (_, silent) = exchange("cursor", &bytes, json!({}));
        for registered in ["cursor", "claude-code"] {
            let answer = respond(Some(registered), &bytes[..], &state.host());
            assert_eq!(
                (answer.exit, answer.stdout.as_str()),
                (0, silent.stdout.as_str()),
                "{registered} {name}"
            );
        }
    }
    // Known as Cursor's, and lacking what it is about: not the silence of whoever registered the hook.
    let lacking = br#"{"hook_event_name":"beforeSubmitPrompt","cursor_version":"3.21.18"}"#;
    let answer = respond(Some("claude-code"), &lacking[..], &state.host());
    assert_eq!((answer.exit, answer.stdout.as_str()), (0, r#"{"continue":true}"#));
}
