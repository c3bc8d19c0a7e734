//! A ledger that cannot be used: events are decided all the same, and it is said once in each session.
//! What the ledger does to its files is its own tests' business.

use std::fs;

use proofmark_protocol::paths;
use proofmark_tests::world::World;
use rusqlite::Connection;
use serde_json::json;

use crate::session::{Session, assert_refused, assert_silent, status, tagged, told};

/// Two sessions in front of a ledger that is not there for them.
fn assert_decided_and_said_once(world: &World, what: &str) {
    for id in ["s", "t"] {
        let session = Session::new(world, id);
        assert_refused(&session.stop(&tagged("it works")), "it works");
        session.prompt("2");
        let first = told(&session.stop("Nothing new."));
        assert!(first.contains(what), "{id}: {first:?}");
        session.prompt("3");
        assert_silent(&session.stop("Nothing new."));
    }
}

#[test]
fn rubbish_in_the_ledgers_place_is_moved_aside_and_said() {
    let world = World::new().unwrap();
    Session::new(&world, "before").stop(&tagged("it works"));
    world.proofmark(&["stop"]).unwrap().success().unwrap();
    let rubbish = b"rubbish ".repeat(4_096);
    fs::write(paths::ledger(&world.state()), &rubbish).unwrap();
    assert_decided_and_said_once(&world, "a new one was started");
    assert_eq!(fs::read(world.state().join("ledger.sqlite.broken-1")).unwrap(), rubbish);
    assert_eq!(world.claims().unwrap().len(), 2);
}

#[test]
fn a_later_builds_ledger_stays_as_it_is_and_the_session_goes_on_in_memory() {
    let world = World::new().unwrap();
    Session::new(&world, "before").stop(&tagged("it works"));
    world.proofmark(&["stop"]).unwrap().success().unwrap();
    let path = paths::ledger(&world.state());
    let ledger = Connection::open(&path).unwrap();
    ledger.pragma_update(None, "user_version", 999).unwrap();
    ledger.close().unwrap();
    let before = fs::read(&path).unwrap();
    assert_decided_and_said_once(&world, "kept in memory only");
    let status = status(&world);
    assert_eq!(
        (&status["server"]["running"], &status["sessions"]),
        (&json!(true), &json!([]))
    );
    assert!(
        status["notes"][0].as_str().unwrap().contains("can't be read"),
        "{status}"
    );
    world.proofmark(&["stop"]).unwrap().success().unwrap();
    assert_eq!(fs::read(&path).unwrap(), before);
    let files = fs::read_dir(world.state())
        .unwrap()
        .map(|file| file.unwrap().file_name());
    assert!(files.into_iter().all(|name| !name.to_str().unwrap().contains("broken")));
}
