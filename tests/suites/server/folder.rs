//! The state folder: closed to others, never somebody else's, and of any length.
//! What lies in the ledger is told elsewhere.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, lchown, symlink};
use std::path::Path;

use proofmark_protocol::paths;
use proofmark_tests::world::World;
use proofmark_tests::{need, process};
use serde_json::json;

use crate::session::{LIMIT, Session, assert_refused, assert_silent, tagged, told};
use crate::wire::detach;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o777
}

/// Somebody who is not this test.
const NOBODY: u32 = 65_534;

#[test]
fn a_folder_is_made_closed_and_an_open_one_is_closed() {
    for exists in [false, true] {
        let world = World::without_state("state").unwrap();
        if exists {
            fs::create_dir(world.state()).unwrap();
            fs::set_permissions(world.state(), fs::Permissions::from_mode(0o755)).unwrap();
        }
        assert_refused(&Session::new(&world, "s").stop(&tagged("it works")), "it works");
        assert_eq!(mode(&world.state()), 0o700, "exists: {exists}");
        for file in ["ledger.sqlite", "owner.lock", "startup.lock", "server.log"] {
            assert_eq!(mode(&world.state().join(file)), 0o600, "{file}");
        }
    }
}

#[test]
fn a_command_makes_the_folder_closed_too() {
    for arguments in [&["pause", "1m"][..], &["serve", "--detach"]] {
        let world = World::without_state("deep/state").unwrap();
        world.proofmark(arguments).unwrap().success().unwrap();
        assert_eq!(mode(&world.state()), 0o700, "{arguments:?}");
        assert_eq!(mode(&world.state().join("ledger.sqlite")), 0o600, "{arguments:?}");
    }
}

#[test]
fn somebody_elses_folder_is_not_used_and_that_is_said_once() {
    let world = World::new().unwrap();
    if !rustix::process::geteuid().is_root() {
        return need::missing("root, to give a folder away").unwrap();
    }
    chown(world.state(), Some(NOBODY), Some(NOBODY)).unwrap();
    let session = Session::new(&world, "s");
    let first = told(&session.stop(&tagged("it works")));
    assert!(first.contains("did not check this"), "{first:?}");
    assert_silent(&session.stop(&tagged("it works")));
    assert_silent(&session.stop(&tagged("it works, too")));
    let other = told(&Session::new(&world, "other").stop("Done."));
    assert!(other.contains("did not check this"), "{other:?}");
    assert!(world.processes().is_empty());
    assert!(!paths::ledger(&world.state()).exists());
}

#[test]
fn a_long_path_works_through_a_folder_that_is_gone_with_the_owner() {
    let world = World::without_state(&"x".repeat(120)).unwrap();
    let socket = paths::socket(&world.state());
    let folder = socket.parent().unwrap();
    assert!(!folder.starts_with(world.state()), "the path is not too long");
    let session = Session::new(&world, "s");
    for claim in ["it works", "it works on Windows"] {
        assert_refused(&session.stop(&tagged(claim)), claim);
        assert_eq!(mode(folder), 0o700);
        session.prompt(claim);
        world.proofmark(&["stop"]).unwrap().success().unwrap();
        assert!(!folder.exists(), "{} is left", folder.display());
    }
    // A killed owner leaves it, and the next one uses it.
    detach(&world);
    world.kill_server().unwrap();
    assert!(folder.exists());
    assert_silent(&session.event("PreToolUse", json!({"tool_name": "Bash", "tool_input": {}})));
}

#[test]
fn a_socket_folder_that_somebody_else_made_is_not_used() {
    if !rustix::process::geteuid().is_root() {
        return need::missing("root, to give a folder away").unwrap();
    }
    let world = World::without_state(&"y".repeat(120)).unwrap();
    let socket = paths::socket(&world.state());
    let folder = socket.parent().unwrap();
    fs::create_dir(folder).unwrap();
    chown(folder, Some(NOBODY), Some(NOBODY)).unwrap();
    let first = told(&Session::new(&world, "s").stop(&tagged("it works")));
    assert!(first.contains("did not check this"), "{first:?}");
    assert!(world.processes().is_empty() && !socket.exists());
    fs::remove_dir(folder).unwrap();
}

#[test]
fn a_link_in_the_socket_folders_place_is_not_used() {
    if !rustix::process::geteuid().is_root() {
        return need::missing("root, to give a link away").unwrap();
    }
    for (name, of_others, dangling) in [("v", true, false), ("w", true, true), ("u", false, false)] {
        let world = World::without_state(&name.repeat(120)).unwrap();
        let socket = paths::socket(&world.state());
        let folder = socket.parent().unwrap();
        let target = world.home().join("elsewhere");
        if !dangling {
            fs::create_dir(&target).unwrap();
            fs::set_permissions(&target, fs::Permissions::from_mode(0o700)).unwrap();
        }
        symlink(&target, folder).unwrap();
        if of_others {
            lchown(folder, Some(NOBODY), Some(NOBODY)).unwrap();
        }
        let first = told(&Session::new(&world, "s").stop(&tagged("it works")));
        assert!(first.contains("did not check this"), "{name}: {first:?}");
        assert!(world.processes().is_empty(), "{name}");
        let put_there = fs::read_dir(&target).map_or(0, Iterator::count);
        assert_eq!(put_there, 0, "{name}");
        fs::remove_file(folder).unwrap();
    }
}

/// Somebody who came by the socket, over a folder that was open for a moment, is not answered.
#[test]
fn another_user_is_not_answered() {
    if !rustix::process::geteuid().is_root() {
        return need::missing("root, to ask as somebody else").unwrap();
    }
    let world = World::new().unwrap();
    detach(&world);
    let socket = paths::socket(&world.state());
    for opened in [world.state().parent().unwrap(), &world.state(), &socket] {
        fs::set_permissions(opened, fs::Permissions::from_mode(0o777)).unwrap();
    }
    let ask = "import json, os, socket, sys\n\
        os.setuid(int(sys.argv[2]))\n\
        s = socket.socket(socket.AF_UNIX)\n\
        s.settimeout(10)\n\
        s.connect(sys.argv[1])\n\
        print('connected')\n\
        s.sendall(json.dumps({'jsonrpc': '2.0', 'id': 1, 'method': 'ping'}).encode() + b'\\n')\n\
        print(len(s.recv(4096)))\n";
    for (user, answered) in [(0, true), (NOBODY, false)] {
        let mut python = world.command(Path::new("python3"));
        python.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        python.args(["-c", ask]).arg(&socket).arg(user.to_string());
        let done = process::run(&mut python, b"", LIMIT).unwrap();
        let mut lines = done.stdout.lines();
        assert_eq!(lines.next(), Some("connected"), "as {user}: {done:?}");
        let bytes = lines.next().map_or(0, |bytes| bytes.parse::<usize>().unwrap());
        // A server that hangs up at once may do so before the question is written.
        assert!(done.code == Some(0) || done.stderr.contains("Error"), "{done:?}");
        assert_eq!(bytes > 0, answered, "as {user}: {done:?}");
    }
}
