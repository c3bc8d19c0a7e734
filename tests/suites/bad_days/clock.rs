//! A clock that jumps back: nothing waits for it to catch up.
//! Only the server's clock jumps, by a library that is put before the system's own.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use proofmark_protocol::paths;
use proofmark_tests::need;
use proofmark_tests::world::World;
use serde_json::json;

use crate::stage::{Session, can, send, wait_for};

/// `clock_gettime` with the seconds in the file `$CLOCK` added to the time of day.
const CLOCK: &str = r#"
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t id, struct timespec *time) {
    int result = (int) syscall(SYS_clock_gettime, id, time);
    long seconds = 0;
    FILE *file = id == CLOCK_REALTIME ? fopen(getenv("CLOCK"), "r") : NULL;
    if (file) {
        if (fscanf(file, "%ld", &seconds) == 1) time->tv_sec += seconds;
        fclose(file);
    }
    return result;
}
"#;

/// A server in the foreground whose clock the test can set.
struct Server<'a> {
    world: &'a World,
    clock: PathBuf,
    child: Child,
}

impl<'a> Server<'a> {
    fn start(world: &'a World, idle_seconds: &str) -> Self {
        let [source, library, clock] = ["clock.c", "clock.so", "clock"].map(|name| world.home().join(name));
        fs::write(&source, CLOCK).unwrap();
        let built = Command::new("cc")
            .args(["-shared", "-fPIC", "-o"])
            .args([&library, &source])
            .status()
            .unwrap();
        assert!(built.success());
        fs::write(&clock, "0").unwrap();
        let mut command = world.command(&world.program("proofmark"));
        command
            .args(["serve", "--foreground", "--idle-seconds", idle_seconds])
            .env("LD_PRELOAD", library)
            .env("CLOCK", &clock)
            .stdout(Stdio::null());
        let child = command.spawn().unwrap();
        wait_for("the server listens", || paths::socket(&world.state()).exists());
        Self { world, clock, child }
    }

    fn jump(&self, seconds: i64) {
        fs::write(&self.clock, seconds.to_string()).unwrap();
    }
}

impl Drop for Server<'_> {
    fn drop(&mut self) {
        self.world.proofmark(&["stop"]).unwrap();
        self.child.wait().unwrap();
    }
}

#[test]
fn a_clock_that_jumps_back_costs_no_claim_and_no_budget() {
    if !can(&["cc"]) {
        return need::missing("a C compiler").unwrap();
    }
    let world = World::new().unwrap();
    let mut session = Session::untried(&world, "s");
    let server = Server::start(&world, "600");
    send(&world, &session.tagged_stop()).is_refused();
    let told = session.claims(&world)[0].clone();
    server.jump(-7200);
    std::thread::sleep(std::time::Duration::from_millis(300));
    send(&world, &session.tagged_stop()).says("sent back for it once");
    session.turn = "turn-2".to_owned();
    session.write(&[session.prompt_row("And now?")]);
    session.write(&session.look_rows());
    let reply = "It works on Windows, too.";
    session.write(&[session.reply_row(reply)]);
    send(&world, &session.stop(reply)).says("parser works on Windows");
    let claim = &session.claims(&world)[0];
    assert_eq!((&claim["state"], &claim["refusals"]), (&json!("checked"), &json!(1)));
    let at = |claim: &serde_json::Value| claim["changed"].as_u64().unwrap();
    assert!(at(claim) + 7_000_000 < at(&told), "the server's clock did not jump");
}

#[test]
fn a_clock_that_jumps_back_keeps_no_idle_server_alive() {
    if !can(&["cc"]) {
        return need::missing("a C compiler").unwrap();
    }
    let world = World::new().unwrap();
    let session = Session::untried(&world, "s");
    let mut server = Server::start(&world, "1");
    send(&world, &session.gate()).is_silent();
    server.jump(-7200);
    let child = std::cell::RefCell::new(&mut server.child);
    wait_for("the idle server goes", || {
        child.borrow_mut().try_wait().unwrap().is_some()
    });
}
