//! `proofmark try` as a person runs it: helper agents, the project's settings, files that are no transcript.
//! Which events a transcript stands for is tested beside the script.

#![allow(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
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
fn a_file_that_is_no_transcript_of_a_session_is_an_error() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("file");
    let helpers = row("user", json!("Look."), json!({"isSidechain": true, "agentId": "a1"}));
    for (text, why) in [
        ("", "it is empty"),
        ("one\ntwo\n", "no line of it is of a transcript"),
        (&helpers, "holds no prompt of a person"),
    ] {
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

#[test]
fn an_interrupted_command_leaves_neither_its_folder_nor_its_server_behind() {
    let folder = TempDir::new().unwrap();
    let (transcript, temporary) = (folder.path().join("s1.jsonl"), folder.path().join("tmp"));
    fs::create_dir(&temporary).unwrap();
    let turn = [row("user", json!("Go on."), json!({})), said("Done.")].join("\n") + "\n";
    fs::write(&transcript, turn.repeat(20_000)).unwrap();
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let child = Command::new(env!("CARGO_BIN_EXE_proofmark"))
            .arg("try")
            .arg(&transcript)
            .env("HOME", folder.path())
            .env("TMPDIR", &temporary)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lock = owners_lock(&temporary);
        assert!(lock.try_lock().is_err(), "the server holds it");
        kill_process(Pid::from_child(&child), signal).unwrap();
        let output = child.wait_with_output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{signal:?}: {told}");
        assert!(told.contains("interrupted"), "{told}");
        assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
        lock.try_lock().unwrap();
    }
}

/// The lock of the server that a running command has started, once clients can connect to it.
fn owners_lock(temporary: &Path) -> File {
    let deadline = Instant::now() + Duration::from_secs(60);
    while Instant::now() < deadline {
        let state = fs::read_dir(temporary)
            .unwrap()
            .next()
            .map(|folder| folder.unwrap().path().join("state"));
        if let Some(state) = state.filter(|state| state.join("proofmark.sock").exists()) {
            return File::open(state.join("owner.lock")).unwrap();
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("no server was started");
}

/// A rollout of Codex's in which a helper and then the main agent tag a claim that nobody looked at.
#[test]
fn a_rollout_is_played_as_codex_would_have_raised_it() {
    let folder = TempDir::new().unwrap();
    let line = |kind: &str, payload: Value| {
        json!({"timestamp": "2026-11-30T10:00:00.000Z", "type": kind, "payload": payload}).to_string()
    };
    let event = |payload: Value| line("event_msg", payload);
    let item = |turn: &str, item: Value| event(json!({"type": "item_completed", "turn_id": turn, "item": item}));
    let meta = |id: &str, source: Value| {
        let meta = json!({"id": id, "session_id": "main-1", "cli_version": "0.171.0", "source": source,
            "history_mode": "paginated"});
        line("session_meta", meta)
    };
    let asked = |turn: &str, text: &str| {
        let prompt =
            json!({"type": "UserMessage", "id": format!("{turn}-p"), "content": [{"type": "text", "text": text}]});
        [
            event(json!({"type": "task_started", "turn_id": turn})),
            item(turn, prompt),
        ]
        .join("\n")
    };
    let said = |turn: &str, text: &str| {
        item(
            turn,
            json!({"type": "AgentMessage", "id": "m", "content": [{"type": "Text", "text": text}]}),
        )
    };
    let call = |name: &str, id: &str, arguments: &str| {
        line(
            "response_item",
            json!({"type": "function_call", "name": name, "call_id": id, "arguments": arguments}),
        )
    };
    let output = |id: &str, text: &str| {
        line(
            "response_item",
            json!({"type": "function_call_output", "call_id": id, "output": text}),
        )
    };
    let sent_back = line(
        "response_item",
        json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "<hook_prompt>Look.</hook_prompt>"}]}),
    );
    let main = [
        meta("main-1", json!("exec")),
        asked("t1", "Mend the lid."),
        call("spawn_agent", "c1", "{\"message\":\"look\"}"),
        output("c1", "{\"agent_id\":\"helper-1\"}"),
        call("wait_agent", "c2", "{\"targets\":[\"helper-1\"]}"),
        output("c2", "{\"status\":{\"helper-1\":{\"completed\":\"Done.\"}}}"),
        said("t1", TAG),
        sent_back,
        call("exec_command", "c3", "{\"cmd\":\"cargo test lid\"}"),
        output("c3", "Chunk ID: a\nProcess exited with code 101\nOutput:\nno\n"),
        said("t1", TAG),
    ];
    let source = json!({"subagent": {"thread_spawn": {"parent_thread_id": "main-1"}}});
    let helper = [
        meta("helper-1", source),
        asked("h1", "look"),
        call("update_plan", "c1", "{}"),
        output("c1", "Plan updated"),
        said("h1", TAG),
    ];
    let transcript = folder.path().join("rollout-2026-11-30T10-00-00-main-1.jsonl");
    fs::write(&transcript, main.join("\n") + "\n").unwrap();
    fs::write(
        folder.path().join("rollout-2026-11-30T10-00-09-helper-1.jsonl"),
        helper.join("\n") + "\n",
    )
    .unwrap();

    let report = report(folder.path(), &transcript);
    assert_eq!(report["harness"], "codex");
    let answer = |event: &str, agent: &str, decision: &str| (event.to_owned(), agent.to_owned(), decision.to_owned());
    let expected = [
        answer("prompt", "", "allow"),
        answer("subagent-stop", "helper-1", "refuse"),
        answer("stop", "", "refuse"),
        answer("stop", "", "allow"),
    ];
    assert_eq!(answers(&report), expected);
    let claims = report["claims"].as_array().unwrap();
    assert_eq!(claims.len(), 2, "{claims:?}");
}

#[test]
fn the_verdict_board_stands_at_the_end() {
    let folder = TempDir::new().unwrap();
    let transcript = folder.path().join("s1.jsonl");
    let ended = |id: &str, text: &str, error: bool| {
        let block = json!([{"type": "tool_result", "tool_use_id": id, "content": text, "is_error": error}]);
        row("user", block, json!({"toolUseResult": {"interrupted": false}}))
    };
    let shell = |id: &str, command: &str| call(id, "Bash", json!({"command": command}));
    let rows = [
        row("user", json!("Test it."), json!({})),
        shell("t1", "pytest tests"),
        ended("t1", "=== 3 passed in 0.10s ===", false),
        said("All is well."),
        row("user", json!("Again."), json!({})),
        shell("t2", "pytest tests"),
        ended("t2", "Exit code 1\n=== 1 failed, 2 passed in 0.10s ===", true),
        shell("t3", "ls"),
        said("Done."),
    ];
    fs::write(&transcript, rows.join("\n") + "\n").unwrap();
    let report = report(folder.path(), &transcript);
    let [check] = &report["board"].as_array().unwrap()[..] else {
        panic!("{report}")
    };
    assert_eq!(
        (&check["check"], &check["selection"]),
        (&json!("pytest"), &json!("tests"))
    );
    assert!(check.get("agent").is_none());
    let run = |at: usize| {
        (
            &check["runs"][at]["turn"],
            &check["runs"][at]["verdict"],
            &check["runs"][at]["command"],
        )
    };
    assert_eq!(run(0), (&json!(1), &json!("pass"), &json!("pytest tests")));
    assert_eq!(run(1), (&json!(2), &json!("fail"), &json!("pytest tests")));
    assert!(check["runs"][1]["because"].as_str().unwrap().contains("exit code 1"));
    let calls: Vec<_> = report["calls"]
        .as_array()
        .unwrap()
        .iter()
        .map(|call| (&call["ending"], call.get("exit_code")))
        .collect();
    assert_eq!(
        calls,
        [
            (&json!("succeeded"), None),
            (&json!("failed"), Some(&json!(1))),
            (&json!(null), None)
        ]
    );

    let shown = Command::new(env!("CARGO_BIN_EXE_proofmark"))
        .arg("try")
        .arg(&transcript)
        .env("HOME", folder.path())
        .env("PROOFMARK_CONFIG", folder.path().join("no-settings.toml"))
        .output()
        .unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    let board = shown.split("1 check, as the record has it").nth(1).unwrap();
    assert!(
        board.contains("pytest tests") && board.contains("turn 1    pass") && board.contains("turn 2    fail"),
        "{shown}"
    );
}
