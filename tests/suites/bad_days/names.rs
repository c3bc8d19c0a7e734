//! State folders with odd names, two of them, or none at all.
//! What can go wrong inside of one is in other rooms.

use std::fs;
use std::path::Path;
use std::process::Command;

use proofmark_protocol::paths;
use proofmark_tests::process;
use proofmark_tests::world::World;

use crate::stage::{STOP, Session, send, send_by};

fn hook_with_home(world: &World, home: &Path) -> Command {
    let mut command = world.command(&world.program("proofmark-hook"));
    command.env_remove("PROOFMARK_STATE_DIR").env("HOME", home);
    command
}

fn proofmark_with_home(world: &World, home: &Path, arguments: &[&str]) -> String {
    let mut command = world.command(&world.program("proofmark"));
    command
        .env_remove("PROOFMARK_STATE_DIR")
        .env("HOME", home)
        .args(arguments);
    process::run(&mut command, b"", STOP * 10)
        .unwrap()
        .success()
        .unwrap()
        .stdout
}

#[test]
fn two_homes_have_two_servers_and_share_nothing() {
    let world = World::new().unwrap();
    let session = Session::untried(&world, "s");
    let homes = ["one", "two"].map(|name| world.home().join(name));
    let mut owners = Vec::new();
    for home in &homes {
        fs::create_dir(home).unwrap();
        send_by(hook_with_home(&world, home), &session.start());
        owners.push(fs::read_to_string(home.join(".local/state/proofmark/owner.lock")).unwrap());
    }
    assert_ne!(owners[0], owners[1]);
    send_by(hook_with_home(&world, &homes[0]), &session.tagged_stop()).is_refused();
    let claims = homes
        .each_ref()
        .map(|home| proofmark_with_home(&world, home, &["claims", "--json"]));
    assert!(claims[0].contains("Windows") && claims[1].trim() == "[]", "{claims:?}");
    for home in &homes {
        proofmark_with_home(&world, home, &["stop"]);
    }
}

#[test]
fn without_a_home_the_start_of_the_session_says_so() {
    let world = World::new().unwrap();
    let session = Session::untried(&world, "s");
    let homeless = || {
        let mut command = world.command(&world.program("proofmark-hook"));
        command.env_remove("PROOFMARK_STATE_DIR").env_remove("HOME");
        command
    };
    send_by(homeless(), &session.start()).says("neither PROOFMARK_STATE_DIR nor XDG_STATE_HOME nor HOME is set");
    send_by(homeless(), &session.gate()).is_silent();
    send_by(homeless(), &session.tagged_stop()).is_silent();
}

#[test]
fn a_path_too_long_for_a_socket_is_served() {
    let world = World::new().unwrap();
    let session = Session::untried(&world, "s");
    let state = world.state().join("d".repeat(60)).join("e".repeat(60));
    let socket = paths::socket(&state);
    assert!(!socket.starts_with(&state), "the path is not too long");
    let at = |program: &str| {
        let mut command = world.command(&world.program(program));
        command.env("PROOFMARK_STATE_DIR", &state);
        command
    };
    send_by(at("proofmark-hook"), &session.tagged_stop()).is_refused();
    process::run(at("proofmark").arg("stop"), b"", STOP * 10)
        .unwrap()
        .success()
        .unwrap();
    assert!(
        !socket.parent().unwrap().exists(),
        "the folder of the socket is left over"
    );
    send(&world, &session.gate().starting()).is_silent();
}
