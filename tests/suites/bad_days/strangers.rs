//! Locks, sockets and process ids that a dead server left: a new one starts, and no stranger is hit.
//! Servers that live and do not answer are in the room before.

use std::fs::{self, OpenOptions};
use std::iter;
use std::os::unix::net::UnixListener;
use std::process::{Child, Command};

use proofmark_protocol::paths;
use proofmark_tests::world::World;

use crate::stage::{Session, is_running, owner, send, servers};

/// Somebody else's program.
struct Innocent(Child);

impl Innocent {
    fn new() -> Self {
        Self(Command::new("sleep").arg("600").spawn().unwrap())
    }

    fn pid(&self) -> i32 {
        i32::try_from(self.0.id()).unwrap()
    }
}

impl Drop for Innocent {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[test]
fn what_a_killed_server_left_is_no_hindrance() {
    let innocent = Innocent::new();
    for text in [
        "",
        "no number",
        "1",
        &format!("{}", innocent.pid()),
        &format!("{} 0123 1", innocent.pid()),
    ] {
        let world = World::new().unwrap();
        let session = Session::untried(&world, "s");
        send(&world, &session.start());
        world.kill_server().unwrap();
        assert!(paths::socket(&world.state()).exists());
        fs::write(paths::owner_lock(&world.state()), text).unwrap();

        send(&world, &session.gate().starting()).is_silent();
        send(&world, &session.tagged_stop()).is_refused();
        assert_eq!(servers(&world.state()), [owner(&world)]);
        assert!(is_running(innocent.pid()), "{text:?}: a stranger was ended");
    }
}

#[test]
fn a_lock_that_is_held_and_names_a_stranger_ends_nobody() {
    let world = World::new().unwrap();
    let session = Session::untried(&world, "s");
    let innocent = Innocent::new();
    let lock = OpenOptions::new()
        .create(true)
        .truncate(true)
        .write(true)
        .open(paths::owner_lock(&world.state()))
        .unwrap();
    lock.lock().unwrap();
    fs::write(paths::owner_lock(&world.state()), format!("{} 0123 1", innocent.pid())).unwrap();
    // A socket on which nobody takes a connection, as a stopped process has it.
    let deaf = UnixListener::bind(paths::socket(&world.state())).unwrap();

    send(&world, &session.gate()).says("did not answer within");
    // The late hook has sent somebody, too.
    let done = iter::repeat_with(|| world.proofmark(&["serve", "--detach", "--replace"]).unwrap())
        .find(|done| !done.stdout.contains("Another process is starting"))
        .unwrap();
    assert!(done.stderr.contains("nothing was ended"), "{done:?}");
    assert!(is_running(innocent.pid()), "a stranger was ended");
    drop((lock, deaf));
    send(&world, &session.tagged_stop()).is_refused();
    assert_eq!(servers(&world.state()), [owner(&world)]);
}
