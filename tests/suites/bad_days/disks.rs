//! State folders that cannot be written: a full disk, a read-only file system.
//! Mounts are made in a namespace of their own, so that root is refused too and nothing is left behind.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use proofmark_protocol::paths;
use proofmark_tests::need;
use proofmark_tests::process;
use proofmark_tests::world::World;
use serde_json::{Value, json};

use crate::stage::{STOP, Session, can, send_by};

/// A mount namespace in which something stands in the state folder's place; it ends with this.
struct Namespace<'a> {
    world: &'a World,
    keeper: Child,
}

impl<'a> Namespace<'a> {
    /// `mount` is run in the namespace, with the state folder as `$1`.
    fn new(world: &'a World, mount: &str) -> Self {
        let script = format!("set -e; {mount}; echo mounted; exec sleep 600");
        let mut keeper = Command::new("unshare")
            .args(["--mount", "sh", "-c", &script, "sh"])
            .arg(world.state())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(keeper.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        assert_eq!(line, "mounted\n");
        Self { world, keeper }
    }

    /// A command in the namespace.
    fn command(&self, program: &str) -> Command {
        let mut command = self.world.command(Path::new("nsenter"));
        command
            .arg(format!("--mount=/proc/{}/ns/mnt", self.keeper.id()))
            .arg(self.world.program(program));
        command
    }

    /// The state folder as the namespace has it.
    fn state(&self) -> PathBuf {
        let path = self.world.state();
        Path::new(&format!("/proc/{}/root", self.keeper.id())).join(path.strip_prefix("/").unwrap())
    }

    fn claims(&self) -> Vec<Value> {
        let mut command = self.command("proofmark");
        let done = process::run(command.args(["claims", "--json"]), b"", STOP * 10)
            .unwrap()
            .success()
            .unwrap();
        serde_json::from_str(&done.stdout).unwrap()
    }

    fn stop(&self) {
        process::run(self.command("proofmark").arg("stop"), b"", STOP * 10)
            .unwrap()
            .success()
            .unwrap();
    }

    /// Leaves no room on the state folder's disk; the file that takes it.
    fn fill(&self) -> PathBuf {
        let path = self.state().join("filler");
        let mut file = File::create(&path).unwrap();
        let full = (0..1 << 16).find_map(|_| file.write_all(&[1; 4096]).err());
        assert_eq!(full.unwrap().kind(), std::io::ErrorKind::StorageFull);
        path
    }
}

impl Drop for Namespace<'_> {
    fn drop(&mut self) {
        self.keeper.kill().unwrap();
        self.keeper.wait().unwrap();
    }
}

/// True when namespaces can be made here; else it is said that the test is skipped.
fn can_mount() -> bool {
    let can = can(&["unshare", "nsenter", "mount"])
        && Command::new("unshare")
            .args(["--mount", "true"])
            .status()
            .is_ok_and(|status| status.success());
    if !can {
        need::missing("root, and the programs unshare, nsenter and mount").unwrap();
    }
    can
}

#[test]
fn on_a_read_only_disk_the_start_of_the_session_says_so() {
    if !can_mount() {
        return;
    }
    let world = World::new().unwrap();
    let session = Session::untried(&world, "s");
    let namespace = Namespace::new(&world, "mount --bind \"$1\" \"$1\"; mount -o remount,ro,bind \"$1\"");
    send_by(namespace.command("proofmark-hook"), &session.start()).says("Read-only file system");
    send_by(namespace.command("proofmark-hook"), &session.gate().starting()).is_silent();
    send_by(namespace.command("proofmark-hook"), &session.tagged_stop()).is_silent();
}

#[test]
fn on_a_full_disk_the_server_works_from_memory_and_says_so_once() {
    if !can_mount() {
        return;
    }
    let world = World::new().unwrap();
    let session = Session::untried(&world, "s");
    let namespace = Namespace::new(&world, "mount -t tmpfs -o size=1m,mode=700 none \"$1\"");
    namespace.fill();
    send_by(namespace.command("proofmark-hook"), &session.start()).says("in memory only");
    send_by(namespace.command("proofmark-hook"), &session.prompt("Is it ready?")).is_silent();
    send_by(namespace.command("proofmark-hook"), &session.tagged_stop()).is_refused();
    std::thread::sleep(Duration::from_millis(300));
    send_by(namespace.command("proofmark-hook"), &session.tagged_stop()).says("sent back for it once");
    namespace.stop();
}

#[test]
fn what_a_full_disk_did_not_take_is_written_when_there_is_room() {
    if !can_mount() {
        return;
    }
    let world = World::new().unwrap();
    let session = Session::untried(&world, "s");
    let namespace = Namespace::new(&world, "mount -t tmpfs -o size=2m,mode=700 none \"$1\"");
    send_by(namespace.command("proofmark-hook"), &session.start()).is_taught();
    let filler = namespace.fill();
    send_by(namespace.command("proofmark-hook"), &session.tagged_stop()).is_refused();
    std::thread::sleep(Duration::from_millis(300));
    send_by(namespace.command("proofmark-hook"), &session.tagged_stop()).says("kept in memory until it can be written");
    fs::remove_file(filler).unwrap();
    send_by(namespace.command("proofmark-hook"), &session.prompt("And now?"));
    // Without a chance to write anything more.
    let owner = fs::read_to_string(paths::owner_lock(&namespace.state())).unwrap();
    crate::stage::signal(
        owner.split(' ').next().unwrap().parse().unwrap(),
        rustix::process::Signal::KILL,
    );
    let claims = namespace.claims();
    assert_eq!((claims.len(), &claims[0]["refusals"]), (1, &json!(1)));
}
