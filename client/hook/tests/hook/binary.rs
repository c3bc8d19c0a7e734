//! The program itself: streams, exit code, environment.
//! What it says in which case is in the other files.

use std::io::Write;
use std::process::{Child, Command, Output, Stdio};

use serde_json::json;

use crate::fake::{Fake, State, claude, decision};

fn start(state: &State, harness: &str, env: &[(&str, &str)]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_proofmark-hook"))
        .arg(harness)
        .env_clear()
        .env("PROOFMARK_STATE_DIR", state.path())
        .envs(env.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn finish(mut child: Child, payload: &str) -> (Option<i32>, String, String) {
    // A hook that reads nothing may be gone by now.
    let _gone = child.stdin.take().unwrap().write_all(payload.as_bytes());
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    (
        status.code(),
        String::from_utf8(stdout).unwrap(),
        String::from_utf8(stderr).unwrap(),
    )
}

#[test]
fn a_decision_leaves_by_its_own_stream_and_exit_code() {
    let state = State::new();
    let turns = vec![
        decision(json!({"outcome": "refuse", "toAgent": "A", "toPerson": "P"})),
        decision(json!({"outcome": "advise", "toPerson": "P"})),
        decision(json!({"outcome": "allow"})),
    ];
    let fake = Fake::serve(state.path(), turns);
    for expected in [(2, "", "A\n"), (0, "{\"systemMessage\":\"P\"}\n", ""), (0, "", "")] {
        let (code, stdout, stderr) = finish(start(&state, "claude-code", &[]), &claude("Stop-plain"));
        assert_eq!((code.unwrap(), stdout.as_str(), stderr.as_str()), expected);
    }
    fake.asked();
}

#[test]
fn a_reader_that_went_away_changes_nothing() {
    let state = State::new();
    let fake = Fake::serve(
        state.path(),
        vec![decision(json!({"outcome": "refuse", "toAgent": "A"}))],
    );
    let mut child = start(&state, "claude-code", &[]);
    drop((child.stdout.take(), child.stderr.take()));
    assert_eq!(finish(child, &claude("Stop-plain")).0, Some(2));
    fake.asked();
}

#[test]
fn a_judges_own_agent_is_not_checked() {
    let state = State::new();
    let refusal = || decision(json!({"outcome": "refuse", "toAgent": "A"}));
    let fake = Fake::serve(state.path(), vec![refusal()]);
    for (harness, stdout) in [
        ("claude-code", ""),
        ("codex", ""),
        ("cursor", "{\"continue\":true,\"permission\":\"allow\"}\n"),
    ] {
        let child = start(&state, harness, &[("PROOFMARK_JUDGE_CHILD", "1")]);
        assert_eq!(
            finish(child, &claude("Stop-plain")),
            (Some(0), stdout.to_owned(), String::new())
        );
    }
    let child = start(&state, "claude-code", &[("PROOFMARK_JUDGE_CHILD", "0")]);
    assert_eq!(finish(child, &claude("Stop-plain")).0, Some(2));
    assert_eq!(fake.asked().len(), 1);
}
