//! A scope lock on the built programs: it outlives a kill, goes over to forks and helpers, and one command lifts it.
//! When a lock begins is the conformance cases' business.

use proofmark_protocol::query::SessionStatus;
use proofmark_tests::process::Finished;
use proofmark_tests::world::World;
use serde_json::{Value, json};

use crate::session::{Session, assert_silent, told};

const CORRECTS: &str = "that's not what I asked, the parser only";

/// A session in which something was changed and the person has said that it was not asked for.
fn locked<'w>(world: &'w World, id: &str) -> Session<'w> {
    let session = Session::new(world, id);
    session.bash(&format!("{id}-c1"), "sed -i s/a/b/ src/loader.rs", "");
    let done = session.event("UserPromptSubmit", json!({"prompt": CORRECTS}));
    assert!(told(&done).contains("scope lock off"), "{done:?}");
    assert_eq!(phase(&session), "contract_required");
    session
}

fn phase(session: &Session<'_>) -> String {
    session.status()["scope"]["phase"].as_str().unwrap().to_owned()
}

fn asks(session: &Session<'_>, own: Value) -> Finished {
    let mut call = json!({"tool_name": "Write", "tool_input": {"file_path": "a"}, "tool_use_id": "t1"});
    call.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
    session.event("PreToolUse", call)
}

fn assert_denied(done: &Finished) {
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{done:?}");
    let answer: Value = serde_json::from_str(&done.stdout).unwrap();
    let inner = &answer["hookSpecificOutput"];
    assert_eq!(inner["permissionDecision"], "deny", "{answer}");
    assert!(
        inner["permissionDecisionReason"]
            .as_str()
            .unwrap()
            .contains("SCOPE CONTRACT"),
        "{answer}"
    );
}

#[test]
fn a_lock_outlives_a_killed_server_and_a_stopped_one() {
    let world = World::new().unwrap();
    let session = locked(&world, "s");
    assert_denied(&asks(&session, json!({})));
    world.kill_server().unwrap();
    assert_denied(&asks(&session, json!({})));
    world.proofmark(&["stop"]).unwrap().success().unwrap();
    assert_eq!(phase(&session), "contract_required");
    assert_denied(&asks(
        &session,
        json!({"tool_name": "Bash", "tool_input": {"command": "touch a"}}),
    ));
    assert_silent(&asks(
        &session,
        json!({"tool_name": "Bash", "tool_input": {"command": "ls"}}),
    ));
}

#[test]
fn a_fork_of_a_locked_session_is_locked_and_lifted_on_its_own() {
    let world = World::new().unwrap();
    let session = locked(&world, "s");
    session.prompt("2");
    let fork = Session::empty(&world, "fork");
    for row in ["s-1", "s-2"] {
        fork.row(&fork.prompt_row(row));
    }
    // The fork is known once its record was read: at its first prompt.
    fork.event("UserPromptSubmit", json!({"prompt": "go on"}));
    assert_eq!(phase(&fork), "contract_required");
    assert_denied(&asks(&fork, json!({})));
    world
        .proofmark(&["scope", "release", "--session", "fork"])
        .unwrap()
        .success()
        .unwrap();
    assert_silent(&asks(&fork, json!({})));
    assert_denied(&asks(&session, json!({})));
    let other = Session::new(&world, "other");
    other.event("UserPromptSubmit", json!({"prompt": "go on"}));
    assert_silent(&asks(&other, json!({})));
}

#[test]
fn a_fork_of_the_part_before_the_correction_is_free() {
    let world = World::new().unwrap();
    let session = Session::new(&world, "s");
    session.prompt("2");
    session.bash("c1", "touch a", "");
    session.event("UserPromptSubmit", json!({"prompt": CORRECTS}));
    assert_eq!(phase(&session), "contract_required");
    let fork = Session::empty(&world, "fork");
    fork.row(&fork.prompt_row("s-1"));
    fork.event("UserPromptSubmit", json!({"prompt": "go on"}));
    assert_eq!(phase(&fork), "none");
}

#[test]
fn helper_agents_are_held_with_their_session() {
    let world = World::new().unwrap();
    let session = locked(&world, "s");
    assert_denied(&asks(
        &session,
        json!({"agent_id": "helper", "agent_type": "general-purpose"}),
    ));
    world.proofmark(&["scope", "release"]).unwrap().success().unwrap();
    assert_silent(&asks(
        &session,
        json!({"agent_id": "helper", "agent_type": "general-purpose"}),
    ));
}

#[test]
fn the_command_works_with_and_without_a_server() {
    for served in [true, false] {
        let world = World::new().unwrap();
        let nothing = world.proofmark(&["scope"]).unwrap().success().unwrap();
        assert!(nothing.stdout.contains("No session is held"), "{nothing:?}");
        let session = locked(&world, "s");
        let stop = || {
            if !served {
                world.proofmark(&["stop"]).unwrap().success().unwrap();
            }
        };
        let run = |arguments: &[&str]| {
            stop();
            let done = world.proofmark(arguments).unwrap().success().unwrap();
            assert!(
                served || world.processes().is_empty(),
                "{arguments:?} has started a server"
            );
            done.stdout
        };
        let shown = run(&["scope", "show"]);
        assert!(
            shown.contains("a contract is due") && shown.contains("not what I asked"),
            "{shown}"
        );
        assert!(run(&["status"]).contains("scope lock: a contract is due"));
        let printed: Value = serde_json::from_str(&run(&["scope", "--json"])).unwrap();
        let listed: Vec<SessionStatus> = serde_json::from_value(printed.clone()).unwrap();
        assert_eq!(
            serde_json::to_value(&listed).unwrap(),
            printed,
            "a member is not the protocol's"
        );
        assert!(run(&["scope", "set", "parser.rs only"]).contains("“parser.rs only”"));
        assert_silent(&asks(&session, json!({})));
        assert_eq!(session.status()["scope"]["contract"], "parser.rs only");
        assert!(run(&["scope", "release"]).contains("off"));
        assert_eq!(phase(&session), "none");
        stop();
        for (wrong, why) in [
            (&["scope", "release"][..], "no session has a scope lock"),
            (&["scope", "release", "--session", "s"], "session s has no scope lock"),
            (&["scope", "release", "--session", "x"], "no session on the ledger"),
            (&["scope", "set", "a\nb"], "one line"),
            (
                &["scope", "set", "parser.rs only", "--session", "x"],
                "no session on the ledger",
            ),
        ] {
            let done = world.proofmark(wrong).unwrap();
            assert_eq!(done.code, Some(1), "{wrong:?}");
            assert!(done.stderr.contains(why), "{wrong:?}: {done:?}");
        }
    }
}

#[test]
fn a_call_without_a_lock_leaves_nothing_behind() {
    let world = World::new().unwrap();
    let session = Session::new(&world, "s");
    session.event("SessionStart", json!({"source": "startup"}));
    let before = std::fs::metadata(world.state().join("ledger.sqlite"))
        .unwrap()
        .modified()
        .unwrap();
    let seen = session.status()["last_seen"].clone();
    for _ in 0..3 {
        assert_silent(&asks(&session, json!({})));
        assert_silent(&asks(&Session::empty(&world, "never heard of"), json!({})));
    }
    assert_eq!(session.status()["last_seen"], seen);
    assert_eq!(
        std::fs::metadata(world.state().join("ledger.sqlite"))
            .unwrap()
            .modified()
            .unwrap(),
        before
    );
    let status = crate::session::status(&world);
    assert_eq!(status["sessions"].as_array().unwrap().len(), 1, "{status}");
}
