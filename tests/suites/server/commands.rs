//! `status`, `claims` and `pause`: what they print for programs, and what they change.
//! How it looks on a terminal is not looked at.

use proofmark_protocol::query::{Claim, ClaimState, Status};
use proofmark_tests::world::World;
use serde_json::{Value, json};

use crate::session::{Session, assert_refused, assert_silent, status, tagged, told};

fn json_of(world: &World, arguments: &[&str]) -> Value {
    let done = world.proofmark(arguments).unwrap().success().unwrap();
    serde_json::from_str(&done.stdout).unwrap()
}

#[test]
fn without_a_ledger_there_is_nothing_to_show_and_nothing_is_started() {
    let world = World::without_state("state").unwrap();
    assert_eq!(json_of(&world, &["claims", "--json"]), json!([]));
    let state_dir = world.state().display().to_string();
    let nothing = json!({"server": {"running": false, "state_dir": state_dir}, "sessions": []});
    assert_eq!(json_of(&world, &["status", "--json"]), nothing);
    for arguments in [&["claims"][..], &["status"], &["claims", "--session", "x"]] {
        world.proofmark(arguments).unwrap().success().unwrap();
    }
    let retire = world.proofmark(&["claims", "retire", "abc"]).unwrap();
    assert_eq!((retire.code, retire.stdout.as_str()), (Some(1), ""));
    assert!(retire.stderr.starts_with("proofmark: there is no ledger"), "{retire:?}");
    assert!(!world.state().exists(), "a question has made the state folder");
    assert!(world.processes().is_empty());
}

#[test]
fn what_they_print_is_what_the_protocol_says_with_and_without_a_server() {
    let world = World::new().unwrap();
    let session = Session::new(&world, "s");
    assert_refused(&session.stop(&tagged("it works")), "it works");
    Session::new(&world, "t").stop(&tagged("it works, too"));
    let owner = world.owner().unwrap().unwrap();
    for served in [true, false] {
        if !served {
            world.proofmark(&["stop"]).unwrap().success().unwrap();
        }
        let printed = json_of(&world, &["status", "--json"]);
        let status: Status = serde_json::from_value(printed.clone()).unwrap();
        assert_eq!(
            serde_json::to_value(&status).unwrap(),
            printed,
            "a member is not the protocol's"
        );
        assert_eq!(status.server.running, served);
        assert_eq!(status.server.pid, served.then(|| owner.try_into().unwrap()));
        assert_eq!(
            status.server.build.as_deref(),
            served.then_some(proofmark_protocol::frame::BUILD)
        );
        let names: Vec<&str> = status.sessions.iter().map(|session| session.session.as_str()).collect();
        assert_eq!(names, ["t", "s"], "the one heard of last comes first");
        assert_eq!((status.sessions[1].open_claims, status.sessions[1].refusals), (1, 1));
        assert!(status.notes.is_empty() && status.paused_until.is_none());

        let printed = json_of(&world, &["claims", "--json", "--session", "s"]);
        let claims: Vec<Claim> = serde_json::from_value(printed.clone()).unwrap();
        assert_eq!(
            serde_json::to_value(&claims).unwrap(),
            printed,
            "a member is not the protocol's"
        );
        let [claim] = &claims[..] else { panic!("{claims:?}") };
        assert_eq!(
            (claim.claim.as_str(), claim.reason.as_str()),
            ("it works", "no machine for it")
        );
        assert_eq!(
            (claim.state, claim.turn, claim.turns, claim.refusals),
            (ClaimState::Open, 1, 0, 1)
        );
        assert_eq!(json_of(&world, &["claims", "--json"]).as_array().unwrap().len(), 2);
    }
    assert!(world.processes().is_empty(), "a question has started a server");
}

#[test]
fn a_pause_lets_pass_what_would_be_refused_and_says_so() {
    let world = World::new().unwrap();
    let session = Session::new(&world, "s");
    // Each turn has its own claim: what was said about an earlier one decides nothing.
    let mut turn = 0;
    let mut stop = |session: &Session<'_>| {
        turn += 1;
        session.prompt(&format!("turn {turn}"));
        (
            session.stop(&tagged(&format!("claim {turn} holds"))),
            format!("claim {turn} holds"),
        )
    };
    for (arguments, ends) in [
        (&["pause", "30m"][..], &["pause", "off"][..]),
        (&["pause", "30m", "--session", "s"], &["pause", "off", "--session", "s"]),
    ] {
        let (done, claim) = stop(&session);
        assert_refused(&done, &claim);
        world.proofmark(arguments).unwrap().success().unwrap();
        let (done, claim) = stop(&session);
        let told = told(&done);
        assert!(told.contains("Proofmark is paused") && told.contains(&claim), "{told}");
        let shown = status(&world);
        let (all, own) = (&shown["paused_until"], &session.status()["paused_until"]);
        let until = if arguments.len() == 2 { (all, own) } else { (own, all) };
        assert!(until.0.is_u64() && until.1.is_null(), "{arguments:?}: {shown}");
        let left = until.0.as_u64().unwrap() - shown["sessions"][0]["last_seen"].as_u64().unwrap();
        assert!((1_700_000..=1_800_000).contains(&left), "{left} ms are not 30 minutes");
        if arguments.len() > 2 {
            let (done, claim) = stop(&Session::new(&world, "other"));
            assert_refused(&done, &claim);
        }
        world.proofmark(ends).unwrap().success().unwrap();
        let (done, claim) = stop(&session);
        assert_refused(&done, &claim);
        assert_eq!(
            (&status(&world)["paused_until"], &session.status()["paused_until"]),
            (&json!(null), &json!(null))
        );
    }
    let wrong = world.proofmark(&["pause", "soon"]).unwrap();
    assert_eq!(wrong.code, Some(1));
    assert!(wrong.stderr.contains("“soon” is no duration"), "{wrong:?}");
}

#[test]
fn a_retired_claim_is_not_brought_up_again() {
    let world = World::new().unwrap();
    let session = Session::new(&world, "s");
    session.bash("c1", "cargo test", "ok");
    assert_silent(&session.stop(&tagged("it works")));
    let id = session.claims()[0]["id"].as_str().unwrap().to_owned();
    // In words of their own: the same prompt again at once would be the same event.
    let reminded = |prompt: &str| {
        let done = session.event("UserPromptSubmit", json!({"prompt": prompt}));
        done.stdout.contains("it works")
    };
    assert!(reminded("Go on."));
    let wrong = world.proofmark(&["claims", "retire", "0000000000"]).unwrap();
    assert_eq!((wrong.code, wrong.stdout.as_str()), (Some(1), ""));
    assert_eq!(
        wrong.stderr,
        "proofmark: no claim on the ledger has the id 0000000000\n"
    );
    world
        .proofmark(&["claims", "retire", &id, "--why", "nobody asks"])
        .unwrap()
        .success()
        .unwrap();
    let claims = session.claims();
    assert_eq!(
        (&claims[0]["state"], &claims[0]["why"]),
        (&json!("retired"), &json!("nobody asks"))
    );
    assert!(!reminded("And now?"), "the running server has not heard of it");
    let again = world.proofmark(&["claims", "retire", &id]).unwrap();
    assert_eq!(again.code, Some(1));
    assert!(again.stderr.contains("not open any more"), "{again:?}");
}
