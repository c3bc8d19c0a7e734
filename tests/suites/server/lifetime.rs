//! How long an owner lives: idle, with connections, and in front of clients of other versions.
//! How it is ended from outside is told elsewhere.

use std::fs;
use std::time::{Duration, Instant};

use proofmark_protocol::Harness;
use proofmark_protocol::frame::SUPERSEDED;
use proofmark_protocol::paths;
use proofmark_tests::world::{World, is_running};
use serde_json::{Value, json};

use crate::session::{Session, assert_refused, ledger, tagged, wait_for};
use crate::wire::{Foreground, Wire, detach, request, said_by};

/// A request of a stop that waits for its record: a client's version stands on the rows, and the reply does not come.
fn waiting_stop(session: &Session<'_>) -> Value {
    let mut row = session.prompt_row("p");
    row["version"] = json!("2.1.332");
    session.row(&row);
    let params = json!({
        "harness": "claude-code", "session": session.id, "transcript": session.transcript,
        "reply": tagged("the parser works"), "rewrite": false,
    });
    request(json!(1), "onStop", params)
}

#[test]
fn a_newer_client_makes_the_owner_finish_and_go() {
    let world = World::new().unwrap();
    let mut server = Foreground::start(&world, &[]);
    let session = Session::empty(&world, "s");
    let mut first = Wire::connect(&world);
    first.send(format!("{}\n", waiting_stop(&session)).as_bytes());
    // Its first look at the record leaves a mark on the ledger; then it waits for the reply.
    wait_for("the stop to be in flight", || {
        let known = ledger(&world)?.lineage(Harness::ClaudeCode, "p").unwrap();
        (known == ["s"]).then_some(())
    });
    let newer = said_by(request(json!("n"), "status", json!(null)), "99.0.0");
    let answer = Wire::connect(&world).ask(&newer);
    assert_eq!(
        (&answer["id"], &answer["error"]["code"]),
        (&json!("n"), &json!(SUPERSEDED)),
        "{answer}"
    );

    let decision = first.line().unwrap();
    assert_eq!(decision["id"], 1, "{decision}");
    assert_eq!(decision["result"]["findings"][0]["state"], "unchecked", "{decision}");
    server.ended();
    assert!(!paths::socket(&world.state()).exists());
    detach(&world);
    assert_eq!(session.claims().len(), 1, "what was decided last is on the ledger");
}

#[test]
fn an_older_client_and_one_that_does_not_say_are_served() {
    let world = World::new().unwrap();
    detach(&world);
    let mut wire = Wire::connect(&world);
    let plain = request(json!(1), "status", json!(null));
    for message in [
        said_by(plain.clone(), "0.0.1"),
        said_by(plain.clone(), "rubbish"),
        plain,
    ] {
        assert_eq!(wire.ask(&message)["result"]["server"]["running"], true, "{message}");
    }
    assert!(is_running(world.owner().unwrap().unwrap()));
}

#[test]
fn an_idle_owner_exits_by_itself() {
    let world = World::new().unwrap();
    let mut server = Foreground::start(&world, &["--idle-seconds", "1"]);
    server.ended();
    assert!(!paths::socket(&world.state()).exists());
    assert!(!world.is_served().unwrap());
}

#[test]
fn an_owner_without_patience_still_serves_those_who_start_it() {
    let world = World::new().unwrap();
    fs::create_dir_all(world.home().join(".config/proofmark")).unwrap();
    fs::write(
        world.home().join(".config/proofmark/config.toml"),
        "[server]\nidle_minutes = 0\n",
    )
    .unwrap();
    let session = Session::new(&world, "s");
    assert_refused(&session.stop(&tagged("it works")), "it works");
    let owner = world.owner().unwrap();
    assert_refused(&session.stop(&tagged("it works on Windows")), "it works on Windows");
    assert_eq!(world.owner().unwrap(), owner);
}

#[test]
fn an_open_connection_keeps_an_owner_and_events_postpone_its_end() {
    let world = World::new().unwrap();
    let mut server = Foreground::start(&world, &["--idle-seconds", "2"]);
    let mut editor = Wire::connect(&world);
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_millis(3_500) {
        // A question is no event: only the connection keeps the owner.
        assert_eq!(editor.ask(&request(json!(1), "status", json!(null)))["id"], 1);
        assert!(server.0.try_wait().unwrap().is_none());
    }
    let tool = json!({"harness": "claude-code", "session": "s", "call": {"tool": "Bash"}});
    editor.ask(&request(json!(2), "onPreToolUse", tool.clone()));
    drop(editor);
    let begun = Instant::now();
    let mut last = Instant::now();
    while begun.elapsed() < Duration::from_millis(3_500) {
        // Each connection is over before the next look at the clock: only the event keeps the owner.
        assert_eq!(
            Wire::connect(&world).ask(&request(json!(3), "onPreToolUse", tool.clone()))["id"],
            3
        );
        last = Instant::now();
    }
    server.ended();
    assert!(
        last.elapsed() >= Duration::from_millis(1_900),
        "the last event counted for nothing"
    );
}
