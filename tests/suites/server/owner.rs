//! One owner for a state folder, however many want one, and its end when it is told to end.
//! What the owner answers is not looked at closely.

use std::collections::BTreeSet;
use std::thread;

use proofmark_protocol::Harness;
use proofmark_tests::process::Finished;
use proofmark_tests::world::{World, is_running};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::session::{Session, assert_refused, assert_silent, status, tagged, wait_for};
use crate::wire::{Foreground, detach};

/// How often a machine that is busy with other things may be too slow for the hooks' deadline.
const TRIES: usize = 5;

/// Runs fifty hooks at the same time in a world without a state folder, each with its own payload, and returns their
/// answers. An answer that says that the time was over tells of the machine and not of the server: all begins anew.
fn fifty_at_once(payload: impl Fn(&World, usize) -> Vec<u8>) -> (World, Vec<Finished>) {
    for _ in 0..TRIES {
        let world = World::without_state("state").unwrap();
        let payloads: Vec<Vec<u8>> = (0..50).map(|nth| payload(&world, nth)).collect();
        let answers: Vec<Finished> = thread::scope(|scope| {
            let world = &world;
            let hooks: Vec<_> = payloads
                .iter()
                .map(|payload| scope.spawn(move || world.hook(Harness::ClaudeCode, payload).unwrap()))
                .collect();
            hooks.into_iter().map(|hook| hook.join().unwrap()).collect()
        });
        if !answers
            .iter()
            .any(|answer| answer.stdout.contains("did not answer within"))
        {
            return (world, answers);
        }
    }
    panic!("{TRIES} times fifty hooks were not answered in time");
}

/// Fails unless the process in the owner's lock is the only one of this state folder.
fn assert_one_owner(world: &World) {
    let owner = world.owner().unwrap().unwrap();
    assert!(is_running(owner));
    // Those that came too late to be the owner, and those that started them, are on their way out.
    wait_for("a single process", || (world.processes() == [owner]).then_some(()));
}

#[test]
fn fifty_stops_on_an_empty_folder_share_one_server_and_each_gets_its_own_answer() {
    let name = |nth: usize| format!("s{nth}");
    let (world, answers) = fifty_at_once(|world, nth| {
        let session = Session::new(world, &name(nth));
        session.stop_payload(&tagged(&format!("claim of {}", session.id)), false)
    });
    for (nth, done) in answers.iter().enumerate() {
        assert_refused(done, &format!("claim of {}", name(nth)));
        assert_eq!(done.stderr.matches('“').count(), 1, "{done:?}");
    }
    assert_one_owner(&world);
    let known: BTreeSet<String> = world
        .claims()
        .unwrap()
        .iter()
        .map(|claim| format!("{} {} {}", claim["session"], claim["claim"], claim["refusals"]))
        .collect();
    let wanted = |nth| format!("\"{0}\" \"claim of {0}\" 1", name(nth));
    assert_eq!(known, (0..50).map(wanted).collect());
    assert_eq!(status(&world)["sessions"].as_array().unwrap().len(), 50);
}

#[test]
fn fifty_tool_calls_on_an_empty_folder_share_one_server_and_pass() {
    let (world, answers) = fifty_at_once(|world, nth| {
        let call = json!({"tool_name": "Bash", "tool_input": {"command": "true"}, "tool_use_id": "t"});
        Session::empty(world, &format!("s{nth}")).payload("PreToolUse", call)
    });
    for done in answers {
        assert_silent(&done);
    }
    assert_one_owner(&world);
}

#[test]
fn a_second_start_finds_the_owner_and_says_who_it_is() {
    let world = World::new().unwrap();
    let first = world.proofmark(&["serve", "--detach"]).unwrap().success().unwrap();
    let owner = world.owner().unwrap().unwrap();
    assert!(first.stdout.contains(&format!("process {owner},")), "{first:?}");
    let second = world.proofmark(&["serve", "--detach"]).unwrap().success().unwrap();
    assert!(second.stdout.contains(&format!("process {owner}, owns")), "{second:?}");
    assert_one_owner(&world);
}

#[test]
fn a_server_in_the_foreground_is_an_owner_too() {
    let world = World::new().unwrap();
    let mut server = Foreground::start(&world, &[]);
    let pid = server.0.id();
    let second = world.proofmark(&["serve", "--detach"]).unwrap().success().unwrap();
    assert!(second.stdout.contains(&format!("process {pid}, owns")), "{second:?}");
    let other = world.proofmark(&["serve", "--foreground"]).unwrap();
    assert_eq!(other.code, Some(1), "{other:?}");
    assert!(other.stderr.contains("another server owns"), "{other:?}");
    world.proofmark(&["stop"]).unwrap().success().unwrap();
    server.ended();
}

#[test]
fn stop_says_when_there_is_nothing_to_stop() {
    for world in [World::new().unwrap(), World::without_state("state").unwrap()] {
        let before = world.state().exists();
        let done = world.proofmark(&["stop"]).unwrap().success().unwrap();
        assert_eq!(done.stdout, "No server is running.\n");
        assert_eq!(world.state().exists(), before);
    }
}

#[test]
fn stop_returns_when_the_process_is_gone() {
    let world = World::new().unwrap();
    // A window of a moment shows itself only now and then.
    for _ in 0..10 {
        detach(&world);
        let owner = world.owner().unwrap().unwrap();
        world.proofmark(&["stop"]).unwrap().success().unwrap();
        assert!(!is_running(owner), "the server {owner} outlives `proofmark stop`");
        assert!(!proofmark_protocol::paths::socket(&world.state()).exists());
    }
}

#[test]
fn a_server_that_does_not_hear_is_ended_by_force() {
    let world = World::new().unwrap();
    detach(&world);
    let owner = world.owner().unwrap().unwrap();
    kill_process(Pid::from_raw(owner).unwrap(), Signal::STOP).unwrap();
    world.proofmark(&["stop"]).unwrap().success().unwrap();
    assert!(!is_running(owner));
}
