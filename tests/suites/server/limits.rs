//! Bounds on the built programs: connections, and what the ledger keeps.
//! Where each bound stands is in docs/limits.md.

use std::fs;

use proofmark_protocol::frame::INTERNAL_ERROR;
use proofmark_protocol::paths;
use proofmark_tests::world::World;
use rusqlite::Connection;
use serde_json::json;

use crate::session::{Session, assert_refused, tagged, wait_for};
use crate::wire::{Wire, detach, request};

/// As `server/src/rpc/owner.rs` has it.
const MAX_CONNECTED: usize = 256;
const DAY: u64 = 24 * 60 * 60 * 1_000;

#[test]
fn more_clients_than_a_server_takes_are_told_so_and_those_that_go_make_room() {
    let world = World::new().unwrap();
    detach(&world);
    let mut held: Vec<Wire> = (0..MAX_CONNECTED).map(|_| Wire::connect(&world)).collect();
    // Taken in their order, so the last one that is answered has all before it connected.
    let asks = request(json!(1), "ping", json!(null));
    assert!(held.last_mut().unwrap().ask(&asks)["result"].is_object());
    let mut one_more = Wire::connect(&world);
    let told = one_more.line().unwrap();
    assert_eq!(told["error"]["code"], INTERNAL_ERROR, "{told}");
    assert!(
        told["error"]["message"].as_str().unwrap().contains("too many"),
        "{told}"
    );
    assert!(one_more.line().is_none(), "it is let go");
    assert!(held[0].ask(&asks)["result"].is_object(), "those that are there go on");
    held.truncate(MAX_CONNECTED - 1);
    wait_for("room for another client", || {
        let mut again = Wire::connect(&world);
        again.send(format!("{asks}\n").as_bytes());
        again.line().filter(|answer| answer["result"].is_object())
    });
}

#[test]
fn what_is_old_is_removed_beside_a_running_server_and_what_is_open_stays() {
    let world = World::new().unwrap();
    for id in ["old", "open", "new"] {
        let session = Session::new(&world, id);
        let claim = format!("{id} works");
        assert_refused(&session.stop(&tagged(&claim)), &claim);
    }
    let open: Vec<String> = world
        .claims()
        .unwrap()
        .iter()
        .filter(|claim| claim["session"] == "old")
        .map(|claim| claim["id"].as_str().unwrap().to_owned())
        .collect();
    world
        .proofmark(&["claims", "retire", &open[0]])
        .unwrap()
        .success()
        .unwrap();
    let ledger = Connection::open(paths::ledger(&world.state())).unwrap();
    for table in [
        "UPDATE session SET last_seen = last_seen - ?1 WHERE session <> 'new'",
        "UPDATE fact SET at = at - ?1 WHERE session <> 'new'",
    ] {
        ledger.execute(table, [(40 * DAY).cast_signed()]).unwrap();
    }
    drop(ledger);
    let prune = |more: &[&str]| {
        let words = [&["ledger", "prune"], more].concat();
        world.proofmark(&words).unwrap().success().unwrap().stdout
    };
    let told = prune(&["--older-than", "30", "--dry-run"]);
    assert!(
        told.starts_with("1 session would be removed") && told.contains("1 more stays"),
        "{told}"
    );
    let told = prune(&["--older-than", "30"]);
    assert!(told.starts_with("1 session removed"), "{told}");
    let told = prune(&["--older-than", "30", "--open"]);
    assert!(told.starts_with("1 session removed"), "{told}");
    let claims = world.claims().unwrap();
    assert_eq!(claims.len(), 1, "{claims:?}");
    assert!(prune(&[]).starts_with("0 sessions removed: not heard of for 180 days"));
    let shown = world.proofmark(&["ledger"]).unwrap().success().unwrap().stdout;
    assert!(shown.contains("Ledger:") && shown.contains("1  session"), "{shown}");
    // The session that stayed goes on, and so does one that was removed.
    let session = Session::new(&world, "old");
    assert_refused(&session.stop(&tagged("another thing works")), "another thing works");
}

#[test]
fn a_projects_file_does_not_say_how_long_sessions_are_kept() {
    let world = World::new().unwrap();
    detach(&world);
    Session::new(&world, "s").prompt("1");
    fs::write(world.project().join("proofmark.toml"), "[ledger]\nkeep_days = 1\n").unwrap();
    let shown = world.proofmark(&["ledger"]).unwrap().success().unwrap().stdout;
    assert!(shown.contains("kept for 180 days"), "{shown}");
}
