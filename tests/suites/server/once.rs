//! The same event delivered twice has one effect; a new event has its own.
//! Deliveries around a kill are told elsewhere.

use std::thread;

use proofmark_protocol::Harness;
use proofmark_tests::world::World;
use serde_json::json;

use crate::session::{Session, assert_refused, tagged, told};
use crate::wire::detach;

#[test]
fn deliveries_at_the_same_time_share_answer_and_effect() {
    let world = World::new().unwrap();
    detach(&world);
    let session = Session::new(&world, "s");
    for round in 1..=3_u64 {
        let claim = format!("claim {round} holds");
        let payload = session.stop_payload(&tagged(&claim), false);
        let answers: Vec<_> = thread::scope(|scope| {
            let deliver = || world.hook(Harness::ClaudeCode, &payload).unwrap();
            let hooks: Vec<_> = (0..3).map(|_| scope.spawn(deliver)).collect();
            hooks.into_iter().map(|hook| hook.join().unwrap()).collect()
        });
        for answer in answers {
            assert_refused(&answer, &claim);
        }
        assert_eq!(session.status()["refusals"], round);
    }
    assert!(session.claims().iter().all(|claim| claim["refusals"] == 1));
}

#[test]
fn the_same_words_on_a_grown_record_are_a_new_event() {
    let world = World::new().unwrap();
    let session = Session::new(&world, "s");
    let reply = tagged("it works");
    assert_refused(&session.stop(&reply), "it works");
    session.row(&json!({"type": "system", "subtype": "note"}));
    // Refused once in this turn: a second event about it is let go, and that is said; a repeated one would be refused.
    let again = told(&session.stop(&reply));
    assert!(again.contains("sent back for it once"), "{again}");
    session.prompt("2");
    assert_refused(&session.stop(&reply), "it works");
    assert_eq!(session.status()["refusals"], 2);
}
