//! Symbolic links that somebody laid into the state folder: what they lead to is left as it is, and the person is told.
//! Links on the way to the folder are the person's own and are followed.

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

use proofmark_tests::lsp_client::Editor;
use proofmark_tests::world::World;
use serde_json::json;

use crate::session::{Session, assert_refused, tagged, told};
use crate::wire::detach;

/// What a link leads to: a file with something in it, or a folder with nothing.
struct Victim {
    path: PathBuf,
    bytes: Vec<u8>,
    mode: u32,
}

impl Victim {
    fn new(path: PathBuf, bytes: &[u8]) -> Self {
        fs::write(&path, bytes).unwrap();
        let mode = fs::metadata(&path).unwrap().mode();
        Self {
            path,
            bytes: bytes.to_owned(),
            mode,
        }
    }

    fn assert_untouched(&self, name: &str) {
        assert_eq!(fs::read(&self.path).unwrap(), self.bytes, "{name}");
        assert_eq!(fs::metadata(&self.path).unwrap().mode(), self.mode, "{name}");
    }
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).unwrap().next().is_none()
}

#[test]
fn a_link_in_the_place_of_a_lock_or_the_log_is_not_followed_and_that_is_said() {
    for name in ["owner.lock", "startup.lock", "server.log"] {
        for dangling in [false, true] {
            let world = World::new().unwrap();
            let victim = Victim::new(world.home().join("victim"), b"theirs");
            let target = if dangling {
                world.home().join("new")
            } else {
                victim.path.clone()
            };
            symlink(&target, world.state().join(name)).unwrap();
            let said = told(&Session::new(&world, "s").stop(&tagged("it works")));
            assert!(said.contains("did not check this"), "{name}: {said:?}");
            victim.assert_untouched(name);
            assert!(!world.home().join("new").exists(), "{name}");
            // The lock for starting is taken by hooks alone; a person's own command starts a server without it.
            if name != "startup.lock" {
                let serve = world.proofmark(&["serve", "--detach"]).unwrap();
                // What the server itself says stands in its log.
                let log = match name {
                    "owner.lock" => fs::read_to_string(world.state().join("server.log")).unwrap(),
                    _ => serve.stderr.clone(),
                };
                assert!(
                    serve.code != Some(0) && log.contains("symbolic link"),
                    "{name}: {serve:?}, {log}"
                );
                victim.assert_untouched(name);
            }
            fs::remove_file(world.state().join(name)).unwrap();
            assert_refused(&Session::new(&world, "t").stop(&tagged("it works")), "it works");
        }
    }
}

#[test]
fn a_link_in_the_place_of_a_file_of_the_ledger_is_not_followed_and_that_is_said() {
    for (suffix, moved) in [("", false), ("-wal", true), ("-shm", true), ("-journal", true)] {
        let name = format!("ledger.sqlite{suffix}");
        let world = World::new().unwrap();
        let session = Session::new(&world, "s");
        // A ledger that is there already, so that what SQLite lays beside it is looked for.
        assert_refused(&session.stop(&tagged("it works")), "it works");
        world.proofmark(&["stop"]).unwrap().success().unwrap();
        let place = world.state().join(&name);
        if place.exists() {
            fs::remove_file(&place).unwrap();
        }
        let victim = Victim::new(
            world.home().join("victim"),
            b"theirs, and long enough to be taken for a file of SQLite's",
        );
        symlink(&victim.path, &place).unwrap();
        session.prompt("2");
        let done = session.event("UserPromptSubmit", json!({"prompt": "go on"}));
        assert!(done.stdout.contains("ymbolic link"), "{name}: {done:?}");
        victim.assert_untouched(&name);
        let link = fs::symlink_metadata(&place).is_ok_and(|found| found.is_symlink());
        assert_eq!(link, !moved, "{name}");
        assert_refused(&session.stop(&tagged("it works on Windows")), "it works on Windows");
        victim.assert_untouched(&name);
    }
}

#[test]
fn a_link_in_the_place_of_a_folder_is_not_written_into() {
    let world = World::new().unwrap();
    let elsewhere = world.home().join("elsewhere");
    for name in ["said", "sessions", "docs", "install"] {
        fs::create_dir_all(elsewhere.join(name)).unwrap();
        symlink(elsewhere.join(name), world.state().join(name)).unwrap();
    }
    // Pages and documents, which editors open.
    let mut editor = Editor::open(&world, &[], &json!({})).unwrap();
    assert_refused(&Session::new(&world, "s").stop(&tagged("it works")), "it works");
    editor
        .ask(
            "textDocument/hover",
            json!({"textDocument": {"uri": "file:///a"}, "position": {"line": 0, "character": 0}}),
        )
        .unwrap();
    drop(editor);
    // What was said: a fault of ours is marked in a file.
    world.proofmark(&["stop"]).unwrap().success().unwrap();
    fs::remove_file(world.state().join("server.log")).unwrap();
    symlink(world.home().join("log"), world.state().join("server.log")).unwrap();
    let said = told(&Session::new(&world, "t").event("SessionStart", json!({"source": "startup"})));
    assert!(said.contains("did not check this"), "{said:?}");
    fs::remove_file(world.state().join("server.log")).unwrap();
    fs::create_dir(world.home().join(".claude")).unwrap();
    let install = world.proofmark(&["install", "claude-code"]).unwrap();
    assert!(
        install.code != Some(0) && install.stderr.contains("symbolic link"),
        "{install:?}"
    );
    for name in ["said", "sessions", "docs", "install"] {
        assert!(is_empty(&elsewhere.join(name)), "{name} was written through a link");
    }
    // The server itself works on.
    detach(&world);
}
