//! Secrets that an agent meets, prints and repeats: none of them is in the state folder afterwards.
//! What is taken for a secret is tested beside the text that says so.

use std::fs;
use std::path::{Path, PathBuf};

use proofmark_protocol::Harness;
use proofmark_tests::lsp_client::Editor;
use proofmark_tests::world::World;
use serde_json::{Value, json};

use crate::session::{Session, tagged};

/// Made-up secrets, each as it is met, and the part of it that must be nowhere.
const SECRETS: &[(&str, &str)] = &[
    ("AWS_ACCESS_KEY_ID=AKIAQ7ZZFAKEFAKE77QX", "Q7ZZFAKEFAKE"),
    ("ghp_Zq1FakeGitHub0123456789FakeGitHub01", "Zq1FakeGitHub"),
    ("sk-ant-api03-Zq2FakeAnthropic0123_Fake-0123456", "Zq2FakeAnthropic"),
    ("xoxb-1234567890-Zq3FakeSlack0", "Zq3FakeSlack"),
    (
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJacTQifQ.Zq4FakeSignature",
        "Zq4FakeSignature",
    ),
    ("-H 'Authorization: Bearer Zq5FakeBearer012'", "Zq5FakeBearer"),
    ("DB_PASSWORD=Zq6FakePassword", "Zq6FakePassword"),
    ("--api-key Zq7FakeFlag", "Zq7FakeFlag"),
    ("postgres://me:Zq8FakeAddress@localhost/db", "Zq8FakeAddress"),
    (
        "-----BEGIN RSA PRIVATE KEY----- MIIZq9FakeKeyBody -----END RSA PRIVATE KEY-----",
        "Zq9FakeKeyBody",
    ),
    ("Zq0kQ3vR8xZ1mN5pT7wB2yD4fG6hJ9kL0sA", "Zq0kQ3vR8xZ1"),
];

/// All of them, on one line.
fn all() -> String {
    SECRETS.iter().map(|(met, _)| *met).collect::<Vec<_>>().join(" ")
}

/// Every file below a folder.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let kind = fs::symlink_metadata(&path).unwrap();
        if kind.is_dir() {
            files(&path, found);
        } else if kind.is_file() {
            found.push(path);
        }
    }
}

fn holds(bytes: &[u8], part: &str) -> bool {
    bytes.windows(part.len()).any(|window| window == part.as_bytes())
}

/// Fails when a secret is in a file of the state folder. What was kept instead shows that it was written at all.
fn assert_none_is_kept(world: &World) {
    let mut found = Vec::new();
    files(&world.state(), &mut found);
    let mut redacted = false;
    for path in &found {
        let bytes = fs::read(path).unwrap();
        redacted |= holds(&bytes, "[redacted]");
        // Also as words are folded.
        let lower = bytes.to_ascii_lowercase();
        for (_, part) in SECRETS {
            let kept = holds(&bytes, part) || holds(&lower, &part.to_lowercase());
            assert!(!kept, "{part} is in {}", path.display());
        }
    }
    assert!(redacted, "nothing of all that was written");
}

/// Takes a text for what is printed, so that a failing test shows none of it.
fn assert_none_is_said(what: &str, said: &str) {
    for (_, part) in SECRETS {
        assert!(!said.contains(part), "{part} is in {what}: {said}");
    }
}

fn failed(session: &Session<'_>, id: &str, command: &str, output: &str) {
    let call = json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}});
    let content = format!("Exit code 1\n{output}");
    let result = json!({"type": "tool_result", "tool_use_id": id, "content": content, "is_error": true});
    for (kind, block) in [("assistant", call), ("user", result)] {
        session.row(&json!({
            "type": kind, "uuid": format!("{id}-{kind}"), "sessionId": session.id,
            "message": {"role": kind, "content": [block]}, "toolUseResult": format!("Error: {content}"),
        }));
    }
}

#[test]
fn no_secret_of_a_session_is_in_the_state_folder() {
    let world = World::new().unwrap();
    let mut editor = Editor::open(&world, &[], &json!({})).unwrap();
    let session = Session::new(&world, "s");
    let secrets = all();
    let mut said = Vec::new();
    let mut hear = |what: &str, done: &proofmark_tests::process::Finished| {
        said.push((what.to_owned(), format!("{}{}", done.stdout, done.stderr)));
    };
    hear(
        "prompt",
        &session.event("UserPromptSubmit", json!({"prompt": format!("Use {secrets} for it.")})),
    );
    let message = json!({"role": "user", "content": format!("Use {secrets} for it.")});
    session.row(&json!({"type": "user", "uuid": "s-2", "sessionId": "s", "message": message}));
    session.bash(
        "c1",
        "DB_PASSWORD=Zq6FakePassword pytest -q",
        &format!("{secrets}\n3 passed in 0.1s"),
    );
    hear("stop", &session.stop(&format!("All tests pass with {secrets}.")));
    let text = |text: String| {
        json!({"type": "assistant", "uuid": "s-a", "sessionId": "s",
            "message": {"role": "assistant", "content": [{"type": "text", "text": text}]}})
    };
    session.row(&text(format!("All tests pass with {secrets}.")));
    session.prompt("3");
    let edit = json!({"type": "tool_use", "id": "c2", "name": "Edit", "input": {"file_path": "a.py", "old_string": "a", "new_string": secrets}});
    session.row(&json!({"type": "assistant", "uuid": "s-e", "sessionId": "s", "message": {"role": "assistant", "content": [edit]}}));
    let result = json!({"type": "tool_result", "tool_use_id": "c2", "content": "ok"});
    session.row(
        &json!({"type": "user", "uuid": "s-er", "sessionId": "s", "message": {"role": "user", "content": [result]}}),
    );
    failed(
        &session,
        "c3",
        "DB_PASSWORD=Zq6FakePassword pytest -q",
        &format!("FAILED a.py::{secrets}\n1 failed, 2 passed in 0.1s"),
    );
    hear("stop", &session.stop(&format!("Done with {secrets}.")));
    session.prompt("4");
    for (met, _) in SECRETS {
        hear("claim", &session.stop(&tagged(&format!("it works with {met} too"))));
        let reason = format!("Done. {{{{CAT-UNVERIFIED: it ends -- cannot verify: {met} is missing}}}}");
        hear("reason", &session.stop(&reason));
    }
    let correction = format!("No, stop. That is not what I asked for. I never said {secrets}.");
    hear(
        "correction",
        &session.event("UserPromptSubmit", json!({"prompt": correction})),
    );
    let call = json!({"tool_name": "Bash", "tool_input": {"command": secrets}, "tool_use_id": "c9"});
    hear("tool", &session.event("PreToolUse", call));
    hear(
        "contract",
        &session.stop(&format!("SCOPE CONTRACT: only {secrets} and no more")),
    );
    editor
        .wait_until("a finding is shown", |editor| {
            editor.places().iter().any(|place| !editor.at(place).is_empty())
        })
        .unwrap();
    for place in editor.places() {
        for shown in editor.at(place) {
            said.push(("editor".to_owned(), shown.to_string()));
        }
    }
    // The folds are stored when a session ends.
    let ended = session.event("SessionEnd", json!({"reason": "other"}));
    said.push(("end".to_owned(), ended.stdout));
    for arguments in [
        &["claims"][..],
        &["findings"],
        &["status"],
        &["scope"],
        &["claims", "--json"],
        &["findings", "--json"],
    ] {
        let done = world.proofmark(arguments).unwrap();
        said.push((format!("{arguments:?}"), format!("{}{}", done.stdout, done.stderr)));
    }
    let claims = session.claims();
    let open = claims.iter().find(|claim| claim["state"] == "open").unwrap();
    let id = open["id"].as_str().unwrap();
    world
        .proofmark(&["claims", "retire", id, "--why", &secrets])
        .unwrap()
        .success()
        .unwrap();
    world
        .proofmark(&["scope", "set", &format!("only {secrets}"), "--session", "s"])
        .unwrap();
    let findings = world.told(&["findings", "--json"]).unwrap();
    let findings = findings.as_array().unwrap();
    assert!(!findings.is_empty(), "nothing was kept of the check that fails");
    let commands: Vec<&Value> = findings.iter().map(|finding| &finding["check"]["command"]).collect();
    assert!(
        commands
            .iter()
            .any(|command| command.to_string().contains("[redacted]")),
        "{commands:?}"
    );
    let finding = findings[0]["id"].as_str().unwrap();
    world
        .proofmark(&["dismiss", finding, "--why", &secrets])
        .unwrap()
        .success()
        .unwrap();
    drop(editor);
    assert_none_is_kept(&world);
    world.proofmark(&["stop"]).unwrap().success().unwrap();
    assert_none_is_kept(&world);
    for (what, said) in said {
        assert_none_is_said(&what, &said);
    }
}

#[test]
fn a_claim_with_a_secret_is_the_same_claim_in_the_next_turn() {
    let world = World::new().unwrap();
    let session = Session::new(&world, "s");
    let reply = tagged("the call with DB_PASSWORD=Zq6FakePassword works");
    for turn in ["2", "3"] {
        session.stop(&reply);
        session.prompt(turn);
    }
    let claims = session.claims();
    assert_eq!(claims.len(), 1, "{claims:?}");
    assert_eq!(claims[0]["claim"], "the call with DB_PASSWORD=[redacted] works");
}

/// Cursor's events are the only record of what its calls showed, so some lines of them are kept.
#[test]
fn no_secret_of_an_observed_call_is_in_the_state_folder() {
    let world = World::new().unwrap();
    let secrets = all();
    let event = |event: &str, own: Value| {
        let mut payload = json!({
            "conversation_id": "c1", "session_id": "c1", "generation_id": "g1", "hook_event_name": event,
            "cursor_version": "3.21.18", "workspace_roots": [world.project()], "transcript_path": null, "cwd": "",
        });
        payload
            .as_object_mut()
            .unwrap()
            .extend(own.as_object().unwrap().clone());
        world.hook(Harness::Cursor, payload.to_string().as_bytes()).unwrap()
    };
    event("beforeSubmitPrompt", json!({"prompt": format!("Use {secrets}.")}));
    // The lines on which the verdict rests hold them too.
    let output = format!("{secrets}\n1 failed, 2 passed in 0.1s {secrets}\nFAILED a.py::test_a - {secrets}\n");
    let command = format!("{secrets} pytest -q");
    event(
        "postToolUse",
        json!({
            "tool_name": "Shell", "tool_input": {"command": command}, "tool_use_id": "t1", "duration": 1.5,
            "tool_output": json!({"output": output, "exitCode": 1}).to_string(),
        }),
    );
    event(
        "afterAgentResponse",
        json!({"text": format!("All tests pass with {secrets}.")}),
    );
    event("stop", json!({"status": "completed", "loop_count": 0}));
    assert_none_is_kept(&world);
    world.proofmark(&["stop"]).unwrap().success().unwrap();
    assert_none_is_kept(&world);
}
