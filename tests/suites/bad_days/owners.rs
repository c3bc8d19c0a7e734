//! Servers that are there and do not answer: stopped, killed, cut off from their socket; and clients at once.
//! Locks that name somebody else are in the next room.

use std::fs::{self, File};
use std::path::Path;
use std::thread;
use std::time::Duration;

use proofmark_protocol::paths;
use proofmark_tests::world::World;
use rustix::process::Signal;
use serde_json::json;

use crate::stage::{CLAIM, Session, is_running, owner, replacers, send, send_by, servers, signal, tagging, wait_for};

#[test]
fn a_stopped_server_is_said_once_and_replaced() {
    let world = World::new().unwrap();
    let session = Session::untried(&world, "s");
    send(&world, &session.start());
    let deaf = owner(&world);
    signal(deaf, Signal::STOP);

    send(&world, &session.gate()).says("did not answer within");
    send(&world, &session.gate()).is_silent();
    // The stop is put to the deaf server; when that one is ended, the next one is asked.
    send(&world, &session.tagged_stop()).is_refused();
    assert!(!is_running(deaf), "the deaf server is left over");
    assert_eq!(servers(&world.state()), [owner(&world)]);
    assert_eq!(session.claims(&world).len(), 1);
}

#[test]
fn a_harness_that_ends_the_hooks_group_does_not_end_the_replacement() {
    let world = World::new().unwrap();
    let session = Session::untried(&world, "s");
    send(&world, &session.start());
    let deaf = owner(&world);
    signal(deaf, Signal::STOP);
    let mut harness = world.command(Path::new("sh"));
    harness
        .args(["-c", "\"$0\" \"$@\"; kill -KILL 0"])
        .arg(world.program("proofmark-hook"));
    let late = send_by(harness, &session.gate());
    assert!(late.person.is_some_and(|text| text.contains("did not answer within")));
    send(&world, &session.tagged_stop()).is_refused();
    assert!(!is_running(deaf));
}

#[test]
fn of_many_late_hooks_one_replaces_the_server() {
    let world = World::new().unwrap();
    let session = Session::untried(&world, "s");
    send(&world, &session.start());
    let deaf = owner(&world);
    signal(deaf, Signal::STOP);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| send(&world, &session.gate()));
        }
    });
    wait_for("the deaf server is replaced", || {
        !is_running(deaf) && world.is_served().unwrap()
    });
    send(&world, &session.gate()).is_silent();
    let next = owner(&world);
    // Nobody who came late takes the new one for the deaf one.
    wait_for("whoever replaces has ended", || replacers(&world.state()) == 0);
    assert_eq!(servers(&world.state()), [next]);
}

#[test]
fn whoever_starts_a_server_is_alone_with_it() {
    let world = World::new().unwrap();
    let session = Session::untried(&world, "s");
    send(&world, &session.start());
    let deaf = owner(&world);
    signal(deaf, Signal::STOP);
    let starting = File::create(paths::startup_lock(&world.state())).unwrap();
    starting.lock().unwrap();
    let replace = || {
        world
            .proofmark(&["serve", "--detach", "--replace"])
            .unwrap()
            .success()
            .unwrap()
    };
    assert!(replace().stdout.contains("Another process is starting"));
    assert_eq!(servers(&world.state()), [deaf]);
    drop(starting);
    replace();
    assert!(!is_running(deaf));
    assert_eq!(servers(&world.state()), [owner(&world)]);
}

#[test]
fn a_server_that_is_only_busy_is_not_replaced() {
    let world = World::new().unwrap();
    let sessions: Vec<Session> = (0..4).map(|nth| Session::new(&world, &format!("s{nth}"))).collect();
    send(&world, &sessions[0].start());
    let busy = owner(&world);
    thread::scope(|scope| {
        for session in &sessions {
            // Each waits a second for a transcript that never comes.
            scope.spawn(|| send(&world, &session.tagged_stop()));
        }
        for _ in 0..3 {
            world
                .proofmark(&["serve", "--detach", "--replace"])
                .unwrap()
                .success()
                .unwrap();
        }
    });
    assert_eq!(servers(&world.state()), [busy]);
}

#[test]
fn a_server_killed_in_the_middle_of_an_answer_is_asked_again() {
    let world = World::new().unwrap();
    let session = Session::new(&world, "s");
    send(&world, &session.start());
    let killed = owner(&world);
    let connected = || fs::read_dir(format!("/proc/{killed}/fd")).map_or(0, Iterator::count);
    // The connection of the event before is closed once it is seen to be over.
    let mut idle = 0;
    while idle != connected() {
        idle = connected();
        thread::sleep(Duration::from_millis(100));
    }
    thread::scope(|scope| {
        // It waits for the transcript.
        let stop = scope.spawn(|| send(&world, &session.tagged_stop()));
        wait_for("the server has the question", || connected() > idle);
        world.kill_server().unwrap();
        session.write(&[session.prompt_row("Is it ready?"), session.reply_row(&tagging(CLAIM))]);
        stop.join().unwrap().is_refused();
    });
    assert_ne!(owner(&world), killed);
    assert_eq!(
        session.claims(&world)[0]["refusals"],
        json!(1),
        "refused once, not twice"
    );
}

#[test]
fn a_server_whose_socket_was_removed_comes_back_to_it() {
    let world = World::new().unwrap();
    let session = Session::untried(&world, "s");
    send(&world, &session.start());
    let alive = owner(&world);
    fs::remove_file(paths::socket(&world.state())).unwrap();

    send(&world, &session.gate().starting()).is_silent();
    send(&world, &session.tagged_stop()).is_refused();
    assert_eq!((servers(&world.state()), owner(&world)), (vec![alive], alive));
}

#[test]
fn a_stopped_server_whose_socket_was_removed_is_replaced() {
    let world = World::new().unwrap();
    let session = Session::untried(&world, "s");
    send(&world, &session.start());
    let deaf = owner(&world);
    signal(deaf, Signal::STOP);
    fs::remove_file(paths::socket(&world.state())).unwrap();

    send(&world, &session.gate().starting()).says("did not answer within");
    wait_for("the deaf server is replaced", || {
        !is_running(deaf) && paths::socket(&world.state()).exists()
    });
    send(&world, &session.tagged_stop()).is_refused();
    assert_eq!(servers(&world.state()), [owner(&world)]);
}

#[test]
fn a_server_whose_folder_was_taken_away_gives_way() {
    let world = World::new().unwrap();
    let session = Session::untried(&world, "s");
    send(&world, &session.start());
    let old = owner(&world);
    fs::rename(world.state(), world.home().join("moved")).unwrap();
    send(&world, &session.tagged_stop()).is_refused();
    wait_for("the old server has gone", || !is_running(old));
    assert!(
        paths::socket(&world.state()).exists(),
        "it took the new server's socket along"
    );
    assert_eq!(servers(&world.state()), [owner(&world)]);
}

#[test]
fn eight_hooks_at_once_get_eight_answers_from_one_server() {
    let world = World::new().unwrap();
    let sessions: Vec<Session> = (0..8).map(|nth| Session::untried(&world, &format!("s{nth}"))).collect();
    thread::scope(|scope| {
        let hooks: Vec<_> = sessions
            .iter()
            .map(|session| scope.spawn(|| send(&world, &session.tagged_stop())))
            .collect();
        for hook in hooks {
            hook.join().unwrap().is_refused();
        }
    });
    assert_eq!(servers(&world.state()), [owner(&world)]);
    assert_eq!(world.claims().unwrap().len(), 8);
}
