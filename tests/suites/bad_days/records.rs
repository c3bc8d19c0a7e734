//! Transcripts that are missing, no files, too long, torn, or changed while they are read.
//! What a transcript says is in other rooms.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use proofmark_tests::need;
use proofmark_tests::world::World;

use crate::stage::{CLAIM, Session, can, owner, send, send_by, sparse, tagging};

/// More than a server needs that holds a line and a chunk of it, in KiB.
const MEMORY: u64 = 200 * 1024;

fn most_memory(world: &World) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", owner(world))).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}

#[test]
fn what_is_no_transcript_is_said_once_and_waited_for_in_vain_once() {
    type Make = fn(&Path);
    let cases: [(&str, Make, &str); 5] = [
        ("missing", |_| {}, "there is no record"),
        (
            "in-a-file",
            |path| fs::write(path.parent().unwrap(), "").unwrap(),
            "there is no record",
        ),
        ("folder", |path| fs::create_dir_all(path).unwrap(), "is not a file"),
        (
            "pipe",
            |path| assert!(Command::new("mkfifo").arg(path).status().unwrap().success()),
            "is not a file",
        ),
        (
            "loop",
            |path| std::os::unix::fs::symlink(path, path).unwrap(),
            "cannot read the record",
        ),
    ];
    let world = World::new().unwrap();
    for (name, make, why) in cases {
        let mut session = Session::new(&world, name);
        if name == "in-a-file" {
            session.transcript = world.home().join("file/s.jsonl");
        }
        make(&session.transcript);
        send(&world, &session.prompt("Is it ready?")).is_silent();
        send(&world, &session.tagged_stop()).says(why);
        thread::sleep(std::time::Duration::from_millis(300));
        send(&world, &session.tagged_stop()).is_silent();
        assert_eq!(session.claims(&world).len(), 1, "{name}: the claim is kept");
    }
}

#[test]
fn a_transcript_that_may_not_be_read_is_said_once() {
    if !can(&["setpriv"]) {
        return need::missing("root and the program setpriv").unwrap();
    }
    let world = World::new().unwrap();
    let session = Session::untried(&world, "s");
    fs::set_permissions(&session.transcript, fs::Permissions::from_mode(0o600)).unwrap();
    let root = world.home().parent().unwrap().to_owned();
    for folder in [root, world.home(), world.state(), world.project()] {
        chown(folder, Some(65_534), Some(65_534)).unwrap();
    }
    // Root reads everything, so hook and server run as nobody.
    let nobody = || {
        let mut command = world.command(Path::new("setpriv"));
        command
            .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
            .arg(world.program("proofmark-hook"));
        command
    };
    send_by(nobody(), &session.start()).is_taught();
    send_by(nobody(), &session.tagged_stop()).says("Permission denied");
    thread::sleep(std::time::Duration::from_millis(300));
    send_by(nobody(), &session.tagged_stop()).is_silent();
}

#[test]
fn a_line_of_two_gigabytes_costs_neither_the_deadline_nor_memory() {
    let world = World::new().unwrap();
    let session = Session::new(&world, "s");
    sparse(&session.transcript, 2 << 30);
    send(&world, &session.start()).is_taught();
    // It is passed unchecked: because the time is over, or because the line may hold a try.
    let first = send(&world, &session.tagged_stop());
    first.says("unchecked");
    send(&world, &session.gate()).is_silent();
    send(&world, &session.prompt("And now?"));
    let second = send(&world, &session.stop(&tagging("another claim")));
    assert!(first.person != second.person, "said twice: {second:?}");
    assert!(most_memory(&world) < MEMORY, "{} KiB", most_memory(&world));
    let other = Session::untried(&world, "other");
    send(&world, &other.tagged_stop()).is_refused();
}

#[test]
fn a_line_without_end_is_not_read_beyond_the_deadline() {
    let world = World::new().unwrap();
    let session = Session::new(&world, "s");
    sparse(&session.transcript, 64 << 30);
    send(&world, &session.start()).is_taught();
    send(&world, &session.tagged_stop()).says("took too long");
    // Somebody who was still reading would hold up the session.
    fs::remove_file(&session.transcript).unwrap();
    session.write(&[session.prompt_row("Is it ready?"), session.reply_row(&tagging(CLAIM))]);
    send(&world, &session.prompt("And now?")).is_silent();
    send(&world, &session.tagged_stop()).is_refused();
}

#[test]
fn a_turn_behind_a_line_of_200_megabytes_gets_its_verdict() {
    let world = World::new().unwrap();
    let session = Session::new(&world, "s");
    sparse(&session.transcript, 200 << 20);
    session.write_bytes(b"\n");
    session.write(&[session.prompt_row("Is it ready?"), session.reply_row(&tagging(CLAIM))]);
    send(&world, &session.start()).is_taught();
    // A slow machine may need several stops; what was read is not read again.
    let verdict = (0..5)
        .map(|_| {
            thread::sleep(std::time::Duration::from_millis(300));
            send(&world, &session.tagged_stop())
        })
        .find(|hooked| !hooked.stderr.is_empty());
    verdict.unwrap().is_refused();
    assert!(most_memory(&world) < MEMORY, "{} KiB", most_memory(&world));
}

#[test]
fn a_torn_end_is_no_evidence_until_it_is_whole() {
    let world = World::new().unwrap();
    let session = Session::new(&world, "s");
    session.write(&[session.prompt_row("Is it ready?")]);
    let reply = format!("{}\n", session.reply_row(&tagging(CLAIM)));
    let (begun, rest) = reply.as_bytes().split_at(reply.len() / 2);
    session.write_bytes(begun);
    send(&world, &session.tagged_stop()).says("unchecked");
    session.write_bytes(rest);
    send(&world, &session.tagged_stop()).is_refused();
}

#[test]
fn bytes_that_are_no_text_cost_only_their_own_line() {
    let world = World::new().unwrap();
    let session = Session::new(&world, "s");
    session.write_bytes(b"\xff\xfe\x00garbage\n{\"type\":\"user\",\"message\":\xc3\x28}\n\n[]\n5\n");
    session.write(&[session.prompt_row("Is it ready?"), session.reply_row(&tagging(CLAIM))]);
    send(&world, &session.tagged_stop()).is_refused();
}

#[test]
fn a_transcript_that_shrinks_and_is_replaced_while_it_is_read_is_read_anew() {
    let world = World::new().unwrap();
    let session = Session::untried(&world, "s");
    send(&world, &session.start()).is_taught();
    let over = AtomicBool::new(false);
    let original = fs::read(&session.transcript).unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            let aside = session.transcript.with_extension("aside");
            for nth in 0.. {
                if over.load(Ordering::Relaxed) {
                    break;
                }
                // Now cut short, now another file, longer or shorter than before.
                fs::write(&aside, original.repeat(1 + nth % 7)).unwrap();
                fs::rename(&aside, &session.transcript).unwrap();
                let file = fs::OpenOptions::new().write(true).open(&session.transcript).unwrap();
                file.set_len(original.len() as u64 * (nth as u64 % 3) / 2).unwrap();
            }
        });
        for _ in 0..8 {
            let _any_answer_in_time = send(&world, &session.prompt("Is it ready?"));
            let _any_answer_in_time = send(&world, &session.stop("Nothing is claimed."));
        }
        over.store(true, Ordering::Relaxed);
    });
    fs::remove_file(&session.transcript).unwrap();
    session.write(&[session.prompt_row("Once more."), session.reply_row(&tagging(CLAIM))]);
    send(&world, &session.tagged_stop()).is_refused();
}
