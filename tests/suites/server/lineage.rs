//! Forks: a session that copied another one's rows takes over what was open then, and nothing else.
//! What a claim is, and when it is settled, is told elsewhere.

use std::fs;

use proofmark_tests::world::World;
use serde_json::{Value, json};

use crate::session::{Session, assert_refused, assert_silent, tagged};

/// A session with an open claim in its first turn and another one in its second.
fn parent(world: &World) -> Session<'_> {
    let parent = Session::new(world, "parent");
    assert_refused(&parent.stop(&tagged("the parser works")), "the parser works");
    parent
}

/// A session that begins with the first rows of another one's transcript, under its own id.
fn fork<'w>(world: &'w World, id: &str, rows: &[String]) -> Session<'w> {
    let fork = Session::empty(world, id);
    for row in rows {
        let mut row: Value = serde_json::from_str(row).unwrap();
        row["sessionId"] = json!(id);
        fork.row(&row);
    }
    fork
}

fn rows(session: &Session<'_>) -> Vec<String> {
    fs::read_to_string(&session.transcript)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect()
}

fn open(session: &Session<'_>) -> Vec<String> {
    let claims = session.claims();
    let open = claims.iter().filter(|claim| claim["state"] == "open");
    open.map(|claim| claim["claim"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_fork_takes_over_what_was_open_in_the_turns_that_it_copied() {
    let world = World::new().unwrap();
    let parent = parent(&world);
    let copied = rows(&parent);
    parent.prompt("2");
    assert_refused(&parent.stop(&tagged("the lexer works")), "the lexer works");

    let fork = fork(&world, "fork", &copied);
    fork.event("SessionStart", json!({"source": "fork"}));
    let reminder = fork.event("UserPromptSubmit", json!({"prompt": "Go on."}));
    assert!(reminder.stdout.contains("the parser works"), "{reminder:?}");
    assert!(!reminder.stdout.contains("the lexer works"), "{reminder:?}");
    assert_eq!(open(&fork), ["the parser works"]);
    // Once, also for a server that was started in between.
    world.kill_server().unwrap();
    fork.prompt("2");
    assert_silent(&fork.stop("Nothing new."));
    assert_eq!(open(&fork), ["the parser works"]);
    // What becomes of it is the fork's own business.
    let id = fork.claims()[0]["id"].as_str().unwrap().to_owned();
    world.proofmark(&["claims", "retire", &id]).unwrap().success().unwrap();
    assert!(open(&fork).is_empty());
    assert_eq!(open(&parent), ["the parser works", "the lexer works"]);
}

#[test]
fn a_fork_gives_nothing_back_to_its_origin() {
    let world = World::new().unwrap();
    let parent = parent(&world);
    let fork = fork(&world, "fork", &rows(&parent));
    fork.stop("Nothing new.");
    assert_eq!(open(&fork), ["the parser works"]);
    parent.bash("c1", "cargo test parser", "the parser works");
    parent.stop("The parser works.");
    assert!(open(&parent).is_empty());
    // To a new server both sessions begin with the same row, and both are seen for the first time.
    world.kill_server().unwrap();
    parent.prompt("2");
    parent.stop("Nothing new.");
    assert!(open(&parent).is_empty(), "{:?}", parent.claims());
    assert_eq!(open(&fork), ["the parser works"]);
}

#[test]
fn what_was_settled_before_the_fork_stays_settled() {
    let world = World::new().unwrap();
    let parent = parent(&world);
    parent.bash("c1", "cargo test parser", "the parser works");
    parent.stop("The parser works.");
    assert!(open(&parent).is_empty());
    let fork = fork(&world, "fork", &rows(&parent));
    fork.stop("Nothing new.");
    assert!(open(&fork).is_empty(), "{:?}", fork.claims());
}

#[test]
fn a_shared_file_or_a_session_without_a_name_inherits_nothing() {
    let world = World::new().unwrap();
    let parent = parent(&world);
    // The same path, under another id: the rows carry the parent's.
    let mut other = Session::empty(&world, "other");
    other.transcript.clone_from(&parent.transcript);
    assert_silent(&other.stop("Nothing new."));
    let nameless = json!({"session_id": "", "last_assistant_message": "Nothing new.", "stop_hook_active": false});
    assert_silent(&parent.event("Stop", nameless));
    // Copied rows that still carry the parent's id: a copy of the file, not a fork.
    let copy = Session::empty(&world, "copy");
    fs::copy(&parent.transcript, &copy.transcript).unwrap();
    assert_silent(&copy.stop("Nothing new."));
    // A session of its own that merely begins alike.
    let alike = Session::new(&world, "alike");
    assert_silent(&alike.stop("Nothing new."));
    let owners: Vec<Value> = world
        .claims()
        .unwrap()
        .iter()
        .map(|claim| claim["session"].clone())
        .collect();
    assert_eq!(owners, ["parent"]);
}
