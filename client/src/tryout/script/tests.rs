//! The events of every transcript among the fixtures, and of files that are none.
//! What the hook says to them stays out.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use super::*;

fn fixtures(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures").join(folder)
}

fn script(path: &Path) -> Script {
    let helpers = |spec: &HarnessSpec, agent: &str| fs::read((spec.agent_transcript)(path, agent)?).ok();
    Script::of(&fs::read(path).unwrap(), &helpers).unwrap()
}

fn none(_: &HarnessSpec, _: &str) -> Option<Vec<u8>> {
    None
}

/// One line an event: when it was raised, in lines of the transcript, and what.
fn short(path: &Path) -> String {
    let script = script(path);
    let bytes = fs::read(path).unwrap();
    let mut out = String::new();
    let brief = |text: &str| text.chars().take(60).collect::<String>().replace('\n', "\\n");
    for event in &script.events {
        let lines = bytes[..event.written].iter().filter(|byte| **byte == b'\n').count();
        let kind = match &event.kind {
            Kind::Prompt(text) => format!("prompt {:?} {}", event.turn, brief(text)),
            Kind::Stop { reply, rewrite } => format!("stop {:?} rewrite={rewrite} {}", event.turn, brief(reply)),
            Kind::HelperStop {
                agent,
                record,
                reply,
                rewrite,
            } => {
                let lines = script.helpers[agent][..*record]
                    .iter()
                    .filter(|byte| **byte == b'\n')
                    .count();
                format!("helper stop {agent} after {lines} rewrite={rewrite} {}", brief(reply))
            }
        };
        writeln!(out, "  after {lines}: {kind}").unwrap();
    }
    out
}

#[test]
fn the_events_of_every_transcript() {
    for (name, folder, at_least) in [
        ("2.1.197", "claude-code/2.1.197", 8),
        ("2.1.332", "claude-code/2.1.332", 16),
        ("formats", "claude-code/formats", 32),
        ("recorded", "claude-code/recorded", 1),
        ("codex-0.171.0", "codex/0.171.0", 33),
        ("codex-formats", "codex/formats", 25),
    ] {
        let mut paths: Vec<PathBuf> = fs::read_dir(fixtures(folder))
            .unwrap()
            .map(|file| file.unwrap().path())
            .collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
        paths.sort();
        assert!(paths.len() >= at_least, "{folder}");
        let shown = |path: &PathBuf| format!("{}\n{}", path.file_name().unwrap().display(), short(path));
        insta::assert_snapshot!(format!("events-{name}"), paths.iter().map(shown).collect::<String>());
    }
}

#[test]
fn the_session_is_the_one_that_its_last_rows_name() {
    let script = script(&fixtures("claude-code/formats/forks-and-resumes.jsonl"));
    assert_eq!(script.session.as_deref(), Some("forked-0003"));
}

#[test]
fn only_the_run_that_was_sent_back_is_a_rewrite() {
    let row = |kind: &str, text: &str, meta: bool| {
        serde_json::json!({"type": kind, "message": {"content": text}, "isMeta": meta}).to_string()
    };
    let rows = [
        row("user", "do it", false),
        row("assistant", "a", false),
        row("user", "Stop hook feedback:\nno", true),
        row("assistant", "b", false),
        row("user", "<task-notification></task-notification>", false),
        row("assistant", "c", false),
    ];
    let script = Script::of(rows.join("\n").as_bytes(), &none).unwrap();
    let rewrites = script.events.iter().filter_map(|event| match &event.kind {
        Kind::Stop { rewrite, .. } => Some(*rewrite),
        _ => None,
    });
    assert_eq!(rewrites.collect::<Vec<_>>(), [false, true, false]);
}

#[test]
fn a_folder_counts_from_its_prompt_on() {
    let row = |kind: &str, text: &str, cwd: &str| {
        let message = serde_json::json!({"content": text});
        serde_json::json!({"type": kind, "message": message, "cwd": cwd}).to_string()
    };
    let rows = [
        row("user", "a", "/one"),
        row("assistant", "b", "/one"),
        row("user", "c", "/two"),
    ]
    .join("\n");
    let script = Script::of(rows.as_bytes(), &none).unwrap();
    let cwds: Vec<Option<&str>> = script.events.iter().map(|event| event.cwd.as_deref()).collect();
    assert_eq!(cwds, [Some("/one"), Some("/one"), Some("/two")]);
}

#[test]
fn a_file_that_is_no_transcript_is_said_to_be_none() {
    for (text, why) in [
        ("", "it is empty"),
        (" \n\n", "it is empty"),
        ("a\nb\n", "no line of it"),
        ("{\"a\":1}\n", "no line of it"),
        ("{\"type\":\"summary\",\"summary\":\"a\"}\n", "no line of it"),
    ] {
        let error = Script::of(text.as_bytes(), &none).err().map(|error| error.to_string());
        assert!(
            error.as_ref().is_some_and(|error| error.starts_with(why)),
            "{text:?}: {error:?}"
        );
    }
}

#[test]
fn many_summaries_may_stand_before_the_first_row() {
    let summaries = "{\"type\":\"summary\",\"summary\":\"a\",\"leafUuid\":\"b\"}\n".repeat(200);
    let text = format!("{summaries}{{\"type\":\"user\",\"message\":{{\"content\":\"a\"}}}}\n");
    assert_eq!(Script::of(text.as_bytes(), &none).unwrap().events.len(), 1);
}

#[test]
fn a_helper_that_names_itself_is_read_once() {
    let record = |stream: &str| {
        let lines = [
            serde_json::json!({"type": "user", "message": {"content": "do it"}}),
            serde_json::json!({"type": "assistant", "message": {"content": [{"type": "tool_use", "id": "t", "name": "Agent"}]}}),
            serde_json::json!({"type": "user", "toolUseResult": {"agentId": "a1", "status": "completed"},
                "message": {"content": [{"type": "tool_result", "tool_use_id": "t", "content": "x"}]}}),
            serde_json::json!({"type": "assistant", "message": {"content": stream}}),
        ];
        lines.map(|line| line.to_string()).join("\n")
    };
    let helper = record("helper").into_bytes();
    let script = Script::of(record("main").as_bytes(), &|_, _| Some(helper.clone())).unwrap();
    let kinds: Vec<&str> = script
        .events
        .iter()
        .map(|event| match &event.kind {
            Kind::Prompt(_) => "prompt",
            Kind::Stop { .. } => "stop",
            Kind::HelperStop { .. } => "helper",
        })
        .collect();
    assert_eq!(kinds, ["prompt", "helper", "stop"]);
    assert_eq!(script.helpers["a1"], helper);
}
