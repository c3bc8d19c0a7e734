//! A server that is killed at any moment: what was answered is on the ledger, once.
//! What happens to a ledger that was damaged is told elsewhere.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use proofmark_protocol::Harness;
use proofmark_server::engine::queries;
use proofmark_tests::process;
use proofmark_tests::world::World;
use serde_json::json;

use crate::session::{LIMIT, Session, assert_refused, assert_silent, ledger, tagged, told, wait_for};

#[test]
fn what_was_refused_before_a_kill_is_known_after_it() {
    let world = World::new().unwrap();
    let session = Session::new(&world, "s");
    for nth in 1..=3 {
        let claim = format!("claim {nth} holds");
        assert_refused(&session.stop(&tagged(&claim)), &claim);
        world.kill_server().unwrap();
    }
    // The turn's refusals are used up, though each was given by another server.
    let fourth = told(&session.stop(&tagged("claim 4 holds")));
    assert!(fourth.contains("three times"), "{fourth}");
    assert_eq!(session.status()["refusals"], 3);
}

#[test]
fn the_same_stop_again_after_a_kill_is_the_same_event() {
    let world = World::new().unwrap();
    let session = Session::new(&world, "s");
    let first = session.stop(&tagged("it works"));
    assert_refused(&first, "it works");
    world.kill_server().unwrap();
    let again = session.stop(&tagged("it works"));
    assert_eq!((again.code, again.stderr), (first.code, first.stderr));
    assert_eq!(session.status()["refusals"], 1);
    let claims = session.claims();
    assert_eq!((claims.len(), &claims[0]["refusals"]), (1, &json!(1)), "{claims:?}");
}

fn claims_of(world: &World) -> usize {
    ledger(world).map_or(0, |ledger| queries::claims(&ledger, None).unwrap().len())
}

#[test]
fn kills_during_a_burst_lose_nothing_that_was_answered_and_double_nothing() {
    let world = World::new().unwrap();
    let over = AtomicBool::new(false);
    let (kills, refused): (usize, Vec<(String, usize)>) = thread::scope(|scope| {
        let lanes: Vec<_> = (0..4)
            .map(|lane| {
                let (world, over) = (&world, &over);
                scope.spawn(move || {
                    let session = Session::new(world, &format!("s{lane}"));
                    let mut refused = Vec::new();
                    for nth in (0..500).take_while(|_| !over.load(Ordering::Relaxed)) {
                        let done = session.stop(&tagged(&format!("claim {nth} of {lane}")));
                        if done.code == Some(2) {
                            refused.push((session.id.clone(), nth));
                        }
                        session.prompt(&format!("after {nth}"));
                    }
                    refused
                })
            })
            .collect();
        let kill = || {
            // Between two kills at least one event gets through.
            let known = claims_of(&world);
            process::until(LIMIT, || (claims_of(&world) > known).then_some(()))?;
            world.kill_server().ok()
        };
        let kills = (0..6).map_while(|_| kill()).count();
        // The lanes have to end before the test can say what is wrong.
        over.store(true, Ordering::Relaxed);
        (kills, lanes.into_iter().flat_map(|lane| lane.join().unwrap()).collect())
    });
    assert_eq!(kills, 6);
    assert!(refused.len() >= 6, "too little was answered: {refused:?}");
    let claims = world.claims().unwrap();
    let name = |session: &str, claim: &str| format!("{session}: {claim}");
    let known: Vec<String> = claims
        .iter()
        .map(|claim| name(claim["session"].as_str().unwrap(), claim["claim"].as_str().unwrap()))
        .collect();
    let once: BTreeSet<&String> = known.iter().collect();
    assert_eq!(once.len(), known.len(), "doubled: {known:?}");
    for (session, nth) in &refused {
        let wanted = name(session, &format!("claim {nth} of {}", &session[1..]));
        assert!(known.contains(&wanted), "{wanted} was refused and is not on the ledger");
    }
    assert!(
        claims.iter().all(|claim| claim["refusals"].as_u64().unwrap() <= 1),
        "{claims:?}"
    );
}

#[test]
fn a_session_goes_on_after_a_restart_from_its_stored_fold() {
    let world = World::new().unwrap();
    let session = Session::new(&world, "s");
    session.bash("c1", "cargo test", "ok");
    assert_silent(&session.stop(&tagged("it works on Windows")));
    session.event("SessionEnd", json!({"reason": "other"}));
    let key = proofmark_server::session::SessionKey {
        harness: Harness::ClaudeCode,
        session: "s".to_owned(),
    };
    let fold = wait_for("the stored fold", || ledger(&world)?.snapshot(&key, "").unwrap());
    world.kill_server().unwrap();
    // A reading of the whole record would count one turn.
    let fold = fold.replacen("\"turns\":1", "\"turns\":41", 1);
    ledger(&world).unwrap().put_snapshot(&key, "", &fold, 0).unwrap();

    assert_eq!(session.claims()[0]["state"], "open");
    let reminder = session.event("UserPromptSubmit", json!({"prompt": "Go on."}));
    assert!(reminder.stdout.contains("it works on Windows"), "{reminder:?}");
    // The call that was read before the restart still excuses a tag of the same turn.
    assert_silent(&session.stop(&tagged("it works on Windows")));
    session.prompt("2");
    assert_refused(&session.stop(&tagged("it works on a phone")), "it works on a phone");
    assert_eq!(session.claims()[1]["turn"], 42);
}
