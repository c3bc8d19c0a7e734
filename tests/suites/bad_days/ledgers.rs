//! Ledgers that are garbage, from the future, or held by another process.
//! Disks without room are in another room.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::FileExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Duration;

use proofmark_protocol::paths;
use proofmark_tests::need;
use proofmark_tests::world::World;
use serde_json::json;

use crate::stage::{CLAIM, Session, can, send, tagging};

#[test]
fn garbage_in_the_ledgers_place_is_kept_aside_and_said_once() {
    for garbage in [
        &b"not a database at all, but long enough to be read as the head of one, if one only tried to do so"[..],
        &[0; 8192],
    ] {
        let world = World::new().unwrap();
        let session = Session::untried(&world, "s");
        fs::write(paths::ledger(&world.state()), garbage).unwrap();
        send(&world, &session.start()).says("a new one was started");
        send(&world, &session.prompt("Is it ready?")).is_silent();
        send(&world, &session.tagged_stop()).is_refused();
        assert_eq!(session.claims(&world).len(), 1);
        let kept = fs::read_dir(world.state()).unwrap().map(|entry| entry.unwrap().path());
        let kept: Vec<_> = kept
            .filter(|path| path.display().to_string().contains(".broken-"))
            .collect();
        assert!(kept.iter().any(|path| fs::read(path).unwrap() == garbage), "{kept:?}");
    }
}

#[test]
fn a_ledger_from_the_future_is_left_as_it_is() {
    let world = World::new().unwrap();
    let session = Session::untried(&world, "s");
    send(&world, &session.start());
    world.proofmark(&["stop"]).unwrap().success().unwrap();
    let path = paths::ledger(&world.state());
    // SQLite's file format, section 1.3: the user version, in big-endian order.
    fs::OpenOptions::new()
        .write(true)
        .open(&path)
        .unwrap()
        .write_all_at(&900_u32.to_be_bytes(), 60)
        .unwrap();
    let before = fs::read(&path).unwrap();

    let session = Session::untried(&world, "later");
    send(&world, &session.start()).says("written by a newer Proofmark");
    send(&world, &session.prompt("Is it ready?")).is_silent();
    send(&world, &session.tagged_stop()).is_refused();
    std::thread::sleep(Duration::from_millis(300));
    send(&world, &session.tagged_stop()).says("sent back for it once");
    assert_eq!(fs::read(&path).unwrap(), before);
    world.proofmark(&["stop"]).unwrap().success().unwrap();
    // Made readable again: `proofmark claims` of this build, at the end of the test, need not cope with it.
    assert_eq!(fs::read(&path).unwrap(), before);
}

/// What the person is told while nothing can be written.
const KEPT: &str = "kept in memory until it can be written";

/// Another process in the middle of a write to a ledger.
struct Writer(Child, Option<ChildStdin>);

impl Writer {
    fn begin(world: &World) -> Self {
        let mut child = Command::new("sqlite3")
            .arg(paths::ledger(&world.state()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin
            .write_all(b"PRAGMA busy_timeout = 5000;\nBEGIN IMMEDIATE;\nSELECT 'held';\n")
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap())
            .lines()
            .map_while(Result::ok);
        assert!(lines.any(|line| line == "held"), "it does not get the lock");
        Self(child, Some(stdin))
    }

    fn end(mut self) {
        self.1.take().unwrap().write_all(b"COMMIT;\n").unwrap();
        self.0.wait().unwrap();
    }
}

#[test]
fn while_another_process_holds_the_ledger_events_are_decided_and_kept_for_later() {
    if !can(&["sqlite3"]) {
        return need::missing("root and the program sqlite3").unwrap();
    }
    let world = World::new().unwrap();
    let session = Session::untried(&world, "s");
    send(&world, &session.start());
    let writer = Writer::begin(&world);
    let mut told = vec![send(&world, &session.prompt("Is it ready?"))];
    send(&world, &session.tagged_stop()).is_refused();
    for _ in 0..2 {
        // Long enough that it is no second delivery of the same event.
        std::thread::sleep(Duration::from_millis(300));
        let again = send(&world, &session.tagged_stop());
        again.says("sent back for it once");
        told.push(again);
    }
    let reasons = told
        .iter()
        .filter(|hooked| hooked.person.as_ref().is_some_and(|text| text.contains(KEPT)));
    assert_eq!(reasons.count(), 1, "{told:?}");
    assert!(session.claims(&world).is_empty(), "the ledger was not held at all");
    writer.end();

    send(&world, &session.prompt("And on Windows?"));
    world.kill_server().unwrap();
    assert_eq!(session.claims(&world)[0]["refusals"], json!(1));
}

#[test]
fn a_server_starts_while_another_process_holds_the_ledger() {
    if !can(&["sqlite3"]) {
        return need::missing("root and the program sqlite3").unwrap();
    }
    let world = World::new().unwrap();
    let session = Session::untried(&world, "s");
    send(&world, &session.start());
    world.proofmark(&["stop"]).unwrap().success().unwrap();
    let writer = Writer::begin(&world);
    let answers = [
        send(&world, &session.start()),
        send(&world, &session.prompt("Is it ready?")),
    ];
    let told = answers.iter().filter(|answer| answer.person.is_some()).count();
    assert_eq!(told, 1, "{answers:?}");
    send(&world, &session.tagged_stop()).is_refused();
    writer.end();
    send(&world, &session.prompt("And on Windows?")).is_taught();
    world.kill_server().unwrap();
    assert_eq!(session.claims(&world)[0]["refusals"], json!(1));
}

#[test]
fn what_could_not_be_written_is_written_when_the_server_stops() {
    if !can(&["sqlite3"]) {
        return need::missing("root and the program sqlite3").unwrap();
    }
    let world = World::new().unwrap();
    let session = Session::untried(&world, "s");
    send(&world, &session.start());
    let writer = Writer::begin(&world);
    send(&world, &session.stop(&tagging(CLAIM))).is_refused();
    // So that what is tried after the answer is in vain, too.
    std::thread::sleep(Duration::from_millis(300));
    writer.end();
    world.proofmark(&["stop"]).unwrap().success().unwrap();
    assert_eq!(session.claims(&world)[0]["refusals"], json!(1));
}
