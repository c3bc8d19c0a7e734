//! Texts that try to steer a terminal, an editor or a reader: whatever they are put into, they come out as plain text.
//! How a single text is made safe is tested beside the function that does it.

use std::fs;

use proofmark_server::text::is_unsafe;
use proofmark_tests::lsp_client::{Editor, uri};
use proofmark_tests::process::Finished;
use proofmark_tests::world::World;
use serde_json::{Value, json};

use crate::session::{Session, tagged};

/// Colours, a title, a clipboard, the direction of the line, invisible letters, the one-character form, line ends, and signs of
/// formats.
const HOSTILE: &str = "a\u{1b}[31mb\u{1b}]0;title\u{7}c\u{1b}]52;c;eA==\u{7}\u{202e}d\u{2066}e\u{200b}\u{feff}f\u{9b}2Jg\r\u{8}h\u{2028}i %s {} {0} $(touch pwned) `touch pwned` \u{e0041}j";

fn assert_plain(what: &str, text: &str) {
    let bad = text
        .chars()
        .find(|c| !matches!(c, '\n' | '\t') && (is_unsafe(*c) || matches!(c, '\u{2028}' | '\u{2029}')));
    assert_eq!(bad, None, "{what}: {text:?}");
}

fn assert_plain_output(what: &str, done: &Finished) {
    assert_plain(what, &done.stdout);
    assert_plain(what, &done.stderr);
}

/// What is shown of a message to an editor: all texts but those by which things are known.
fn assert_plain_json(what: &str, value: &Value) {
    match value {
        Value::String(text) => assert_plain(what, text),
        Value::Array(values) => values.iter().for_each(|value| assert_plain_json(what, value)),
        Value::Object(members) => {
            for (name, value) in members {
                if !matches!(name.as_str(), "session" | "transcript" | "cwd") {
                    assert_plain_json(&format!("{what}.{name}"), value);
                }
            }
        }
        _ => {}
    }
}

/// A session in which everything that an agent, a repository and a tool can name is hostile.
fn hostile(world: &World) -> Session<'_> {
    fs::create_dir(world.project().join("src")).unwrap();
    fs::write(world.project().join("src/retry.py"), "x\ny\n").unwrap();
    fs::write(
        world.project().join("proofmark.toml"),
        format!(
            "[checks.untried-claim]\nmode = {}\n",
            serde_json::to_string(HOSTILE).unwrap()
        ),
    )
    .unwrap();
    let session = Session::new(world, "s");
    assert_plain_output("prompt", &session.event("UserPromptSubmit", json!({"prompt": HOSTILE})));
    session.bash("c1", "pytest -q", &format!("{HOSTILE}\n3 passed in 0.1s"));
    session.row(
        &json!({"type": "assistant", "uuid": "a1", "sessionId": "s", "message": {"role": "assistant",
        "content": [{"type": "text", "text": format!("All tests pass, says {HOSTILE}.")}]}}),
    );
    session.prompt("2");
    for (kind, block) in [
        (
            "assistant",
            json!({"type": "tool_use", "id": "c2", "name": "Edit", "input": {"file_path": format!("src/{HOSTILE}.py")}}),
        ),
        (
            "user",
            json!({"type": "tool_result", "tool_use_id": "c2", "content": "ok"}),
        ),
        (
            "assistant",
            json!({"type": "tool_use", "id": "c3", "name": "Bash", "input": {"command": "pytest -q"}}),
        ),
        (
            "user",
            json!({"type": "tool_result", "tool_use_id": "c3", "is_error": true,
            "content": format!("Exit code 1\nFAILED tests/{HOSTILE}.py::test_a - {HOSTILE}\n1 failed, 2 passed in 0.1s")}),
        ),
        (
            "assistant",
            json!({"type": "tool_use", "id": "c4", "name": format!("mcp__x__get_{HOSTILE}"), "input": {"query": HOSTILE}}),
        ),
        (
            "user",
            json!({"type": "tool_result", "tool_use_id": "c4", "content": HOSTILE}),
        ),
    ] {
        session.row(&json!({"type": kind, "uuid": format!("r{}", session.transcript.metadata().unwrap().len()), "sessionId": "s",
            "message": {"role": kind, "content": [block]}}));
    }
    assert_plain_output("stop", &session.stop(&format!("Done, {HOSTILE}.")));
    // In a session of their own: replies that speak of a failure would settle the finding above.
    let claims = Session::new(world, "u");
    for claim in [format!("it {HOSTILE} works"), format!("src/retry.py:1 {HOSTILE} holds")] {
        let reply = format!(
            "{} {{{{CAT-UNVERIFIED: second {HOSTILE} -- cannot verify: {HOSTILE}}}}}",
            tagged(&claim)
        );
        assert_plain_output("stop", &claims.stop(&reply));
    }
    // The answers to a harness are JSON, in which an escape is one letter; what a person reads of them is plain too.
    let start = Session::new(world, &format!("t{HOSTILE}"));
    for done in [
        start.event("SessionStart", json!({"source": "startup"})),
        start.event(
            "PreToolUse",
            json!({"tool_name": HOSTILE, "tool_input": {"command": HOSTILE}, "tool_use_id": HOSTILE}),
        ),
        start.stop(&tagged(HOSTILE)),
    ] {
        assert_plain("stderr", &done.stderr);
        if let Ok(answer) = serde_json::from_str::<Value>(&done.stdout) {
            assert_plain_json("answer", &answer);
        }
    }
    session
}

#[test]
fn no_command_prints_what_a_terminal_obeys() {
    let world = World::new().unwrap();
    let session = hostile(&world);
    let findings = world.told(&["findings", "--json"]).unwrap();
    assert!(
        !findings.as_array().unwrap().is_empty(),
        "nothing was found that could be shown"
    );
    let transcript = session.transcript.display().to_string();
    for arguments in [
        &["claims"][..],
        &["claims", "--json"],
        &["findings"],
        &["findings", "--json"],
        &["status"],
        &["status", "--json"],
        &["status", "--line"],
        &["scope"],
        &["scope", "--session", "s"],
        &["doctor", "--no-self-test"],
        &["doctor", "--no-self-test", "--json"],
        &["try", &transcript],
        &["try", "--json", &transcript],
        &["claims", "retire", HOSTILE],
        &["dismiss", HOSTILE],
        &["pause", "1m", "--session", HOSTILE],
        &["scope", "set", HOSTILE, "--session", "s"],
        &["scope", "--session", "s"],
    ] {
        assert_plain_output(&format!("{arguments:?}"), &world.proofmark(arguments).unwrap());
    }
    let claims = world.claims().unwrap();
    let id = claims[0]["id"].as_str().unwrap();
    assert_plain_output(
        "retire",
        &world.proofmark(&["claims", "retire", id, "--why", HOSTILE]).unwrap(),
    );
    let finding = findings[0]["id"].as_str().unwrap();
    assert_plain_output(
        "dismiss",
        &world.proofmark(&["dismiss", finding, "--why", HOSTILE]).unwrap(),
    );
    // Nothing was run of it, by whoever.
    for folder in [world.project(), world.home(), world.state()] {
        assert!(!folder.join("pwned").exists(), "{} was run", folder.display());
    }
}

#[test]
fn no_editor_is_sent_what_it_would_obey() {
    let world = World::new().unwrap();
    let session = hostile(&world);
    let mut editor = Editor::open(
        &world,
        &[],
        &json!({"textDocument": {"codeAction": {"codeActionLiteralSupport": {
        "codeActionKind": {"valueSet": ["quickfix"]}}}, "publishDiagnostics": {"relatedInformation": true}}}),
    )
    .unwrap();
    let source = uri(&world.project().join("src/retry.py"));
    editor
        .wait_until("all is shown", |editor| {
            !editor.at(&source).is_empty() && editor.finding("stale-verdict").is_some()
        })
        .unwrap();
    let places: Vec<String> = editor.places().into_iter().map(str::to_owned).collect();
    for place in &places {
        for shown in editor.at(place).to_vec() {
            assert_plain_json("diagnostic", &shown);
            let position = &shown["range"]["start"];
            let at = json!({"textDocument": {"uri": place}, "position": position});
            assert_plain_json("hover", &editor.ask("textDocument/hover", at).unwrap());
            for action in editor.actions(place, &shown["range"]).unwrap() {
                assert_plain("action", action["title"].as_str().unwrap_or_default());
            }
            let id = &shown["data"]["id"];
            for command in ["proofmark.copyAsPrompt", "proofmark.checkCommand"] {
                let told = editor
                    .ask(
                        "workspace/executeCommand",
                        json!({"command": command, "arguments": [id]}),
                    )
                    .unwrap();
                assert_plain_json(command, &told);
            }
        }
    }
    let documents = world.state().join("sessions");
    let mut seen = 0;
    for entry in fs::read_dir(documents).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        assert_plain("document", &text);
        seen += text.lines().filter(|line| line.starts_with("- ")).count();
    }
    assert!(seen >= 3, "the documents hold {seen} rows");
    drop(session);
}
