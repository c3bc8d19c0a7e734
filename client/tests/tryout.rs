//! `proofmark try` as a person runs it: helper agents, the project's settings, files that are no transcript.
//! Which events a transcript stands for is tested beside the script.

#![allow(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

const TAG: &str = "Done. {{CAT-UNVERIFIED: the lid opens on Windows -- cannot verify: no Windows box}}";

fn tried(home: &Path, transcript: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_proofmark"))
        .args(["try", "--json"])
        .arg(transcript)
        .env("HOME", home)
        .env("PROOFMARK_CONFIG", home.join("no-settings.toml"))
        .output()
        .unwrap()
}

fn report(home: &Path, transcript: &Path) -> Value {
    let output = tried(home, transcript);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn row(kind: &str, content: Value, members: Value) -> String {
    let mut row = json!({"type": kind, "sessionId": "s1", "version": "2.1.76", "message": {"content": content}});
    row.as_object_mut()
        .unwrap()
        .extend(members.as_object().unwrap().clone());
    row.to_string()
}

fn call(id: &str, tool: &str, input: Value) -> String {
    row(
        "assistant",
        json!([{"type": "tool_use", "id": id, "name": tool, "input": input}]),
        json!({}),
    )
}

fn result(id: &str, members: Value) -> String {
    row(
        "user",
        json!([{"type": "tool_result", "tool_use_id": id, "content": "ok"}]),
        members,
    )
}

fn said(text: &str) -> String {
    row("assistant", json!([{"type": "text", "text": text}]), json!({}))
}

/// Event, agent and decision of each answer of the only turn.
fn answers(report: &Value) -> Vec<(String, String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let turns = report["turns"].as_array().unwrap();
    assert_eq!(turns.len(), 1);
    let answers = turns[0]["answers"].as_array().unwrap();
    answers
        .iter()
        .map(|answer| {
            (
                text(&answer["event"]),
                text(&answer["agent"]),
                text(&answer["decision"]),
            )
        })
        .collect()
}

#[test]
fn a_helper_is_judged_on_its_own_record_where_its_call_ended() {
    let folder = TempDir::new().unwrap();
    let transcript = folder.path().join("s1.jsonl");
    let helper = |id: &str| json!({"toolUseResult": {"status": "completed", "agentId": id}});
    let rows = [
        row("user", json!("Let two helpers look."), json!({})),
        call("t1", "Bash", json!({"command": "cargo test"})),
        result("t1", json!({})),
        call("t2", "Agent", json!({"description": "idle"})),
        result("t2", helper("idle")),
        call("t3", "Agent", json!({"description": "busy"})),
        result("t3", helper("busy")),
        said("Both are back."),
    ];
    fs::write(&transcript, rows.join("\n") + "\n").unwrap();
    let records = folder.path().join("s1/subagents");
    fs::create_dir_all(&records).unwrap();
    let asked = row("user", json!("Look."), json!({"isSidechain": true}));
    // Sent back by some hook, it looks after all: its first reply is judged without that.
    let feedback = row(
        "user",
        json!("Stop hook feedback:\nlook first"),
        json!({"isMeta": true}),
    );
    let idle = [
        asked.clone(),
        call("h1", "Edit", json!({})),
        result("h1", json!({})),
        said(TAG),
        feedback,
        call("h2", "Bash", json!({"command": "cargo test lid"})),
        result("h2", json!({})),
        said(TAG),
    ];
    let busy = [
        asked,
        call("h1", "Bash", json!({"command": "cargo test lid"})),
        result("h1", json!({})),
        said(TAG),
    ];
    fs::write(records.join("agent-idle.jsonl"), idle.join("\n") + "\n").unwrap();
    fs::write(records.join("agent-busy.jsonl"), busy.join("\n") + "\n").unwrap();

    let report = report(folder.path(), &transcript);
    let answer = |event: &str, agent: &str, decision: &str| (event.to_owned(), agent.to_owned(), decision.to_owned());
    let expected = [
        answer("prompt", "", "allow"),
        answer("subagent-stop", "idle", "refuse"),
        answer("subagent-stop", "idle", "allow"),
        answer("subagent-stop", "busy", "allow"),
        answer("stop", "", "allow"),
    ];
    assert_eq!(answers(&report), expected);
    assert_eq!(report["turns"][0]["decision"], "refuse");
}

#[test]
fn a_tag_is_not_refused_for_what_the_run_did_before_a_queued_prompt() {
    let folder = TempDir::new().unwrap();
    let transcript = folder.path().join("s1.jsonl");
    for (looked, decision) in [(true, "allow"), (false, "refuse")] {
        let first = if looked {
            call("t1", "Bash", json!({"command": "cargo test"}))
        } else {
            call("t1", "Edit", json!({}))
        };
        let queued = json!({"attachment": {"type": "queued_command", "prompt": "and the lid", "commandMode": "prompt"},
            "type": "attachment", "sessionId": "s1", "version": "2.1.170", "uuid": "q1"});
        let rows = [
            row("user", json!("Mend it."), json!({})),
            first,
            result("t1", json!({})),
            queued.to_string(),
            said(TAG),
        ];
        fs::write(&transcript, rows.join("\n") + "\n").unwrap();
        let report = report(folder.path(), &transcript);
        let turns = report["turns"].as_array().unwrap();
        assert_eq!(turns.len(), 2);
        assert_eq!(
            (&turns[0]["decision"], &turns[1]["decision"]),
            (&json!("allow"), &json!(decision))
        );
    }
}

#[test]
fn the_settings_of_the_project_count() {
    let folder = TempDir::new().unwrap();
    let project = folder.path().join("kettle");
    fs::create_dir_all(&project).unwrap();
    fs::write(
        project.join("proofmark.toml"),
        "[checks.untried-claim]\nstrict = true\n",
    )
    .unwrap();
    let transcript = folder.path().join("s1.jsonl");
    for (cwd, decision) in [(&project, "refuse"), (&folder.path().join("other"), "allow")] {
        let rows = [
            row("user", json!("Mend it."), json!({"cwd": cwd})),
            call("t1", "Bash", json!({"command": "cargo test"})),
            result("t1", json!({})),
            said(TAG),
        ];
        fs::write(&transcript, rows.join("\n") + "\n").unwrap();
        let report = report(folder.path(), &transcript);
        assert_eq!(report["turns"][0]["decision"], decision, "{report}");
    }
}

#[test]
fn a_file_that_is_no_transcript_is_an_error() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("file");
    for (text, why) in [("", "it is empty"), ("one\ntwo\n", "no line of it is of a transcript")] {
        fs::write(&file, text).unwrap();
        let output = tried(folder.path(), &file);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1));
        assert!(
            told.contains(why) && told.contains("file") && output.stdout.is_empty(),
            "{told}"
        );
    }
}
