//! What a server takes over from the process that started it: a few variables, and nothing else.
//! Linux only: other systems do not show a process's surroundings.

#![cfg(target_os = "linux")]

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, pipe};
use std::path::PathBuf;

use proofmark_tests::process;
use proofmark_tests::world::World;
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::{FdFlags, fcntl_setfd};

use crate::session::{LIMIT, Session, assert_refused, tagged, wait_for};

fn proc(pid: i32, entry: &str) -> PathBuf {
    PathBuf::from(format!("/proc/{pid}/{entry}"))
}

/// The names in a process's environment.
fn variables(pid: i32) -> BTreeSet<String> {
    let environment = fs::read(proc(pid, "environ")).unwrap();
    let entries = environment.split(|byte| *byte == 0).filter(|entry| !entry.is_empty());
    entries
        .map(|entry| {
            std::str::from_utf8(entry)
                .unwrap()
                .split('=')
                .next()
                .unwrap()
                .to_owned()
        })
        .collect()
}

#[test]
fn a_server_started_by_the_command_gets_no_more_variables() {
    let world = World::new().unwrap();
    let mut command = world.command(&world.program("proofmark"));
    command
        .args(["serve", "--detach"])
        .env("SECRET_TOKEN", "abc")
        .env("USER", "me");
    process::run(&mut command, b"", LIMIT).unwrap().success().unwrap();
    let names = variables(world.owner().unwrap().unwrap());
    assert_eq!(
        names,
        ["HOME", "LANG", "PATH", "PROOFMARK_STATE_DIR", "USER"]
            .map(str::to_owned)
            .into()
    );
}

#[test]
fn a_server_started_by_a_hook_holds_nothing_of_the_harness() {
    let world = World::new().unwrap();
    let session = Session::new(&world, "s");
    let (mut reader, writer) = pipe().unwrap();
    // As a harness may leave it: programs that it starts inherit it.
    fcntl_setfd(&writer, FdFlags::empty()).unwrap();
    let mut hook = world.command(&world.program("proofmark-hook"));
    hook.arg("claude-code")
        .env("SECRET_TOKEN", "abc")
        .env("ANTHROPIC_API_KEY", "abc")
        .env("CLAUDE_CODE_MESSAGING_TOKEN", "abc")
        .env("LD_PRELOAD", "")
        .env("LC_ALL", "C.UTF-8")
        .env("XDG_DATA_HOME", "/nowhere")
        .env("PROOFMARK_JUDGE_CHILD", "0");
    // Fails when the server holds the hook's own stdout or stderr.
    let done = process::run(&mut hook, &session.stop_payload(&tagged("it works"), false), LIMIT).unwrap();
    assert_refused(&done, "it works");
    drop(writer);
    fcntl_setfl(&reader, OFlags::NONBLOCK).unwrap();
    // Hooks of tests beside this one may hold it for a moment.
    wait_for("the end of a pipe that nobody holds", || {
        reader.read(&mut [0]).ok().filter(|read| *read == 0)
    });

    let server = world.owner().unwrap().unwrap();
    let wanted = ["HOME", "LANG", "LC_ALL", "PATH", "PROOFMARK_STATE_DIR", "XDG_DATA_HOME"];
    assert_eq!(variables(server), wanted.map(str::to_owned).into());
    for handle in fs::read_dir(proc(server, "fd")).unwrap() {
        let handle = handle.unwrap();
        let target = fs::read_link(handle.path()).unwrap().display().to_string();
        let number = handle.file_name();
        match number.to_str().unwrap() {
            "0" | "1" => assert_eq!(target, "/dev/null"),
            _ => assert!(!target.starts_with("pipe:"), "{number:?} is {target}"),
        }
    }
    assert_eq!(fs::read_link(proc(server, "cwd")).unwrap(), PathBuf::from("/"));
    let stat = fs::read_to_string(proc(server, "stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(") ").unwrap().1.split(' ').collect();
    let [parent, session] = [1, 3].map(|at: usize| fields[at].parse::<i32>().unwrap());
    assert_eq!(session, server, "the server is not in a session of its own");
    let this = i32::try_from(std::process::id()).unwrap();
    assert!(
        parent != this && fs::metadata(proc(parent, "stat")).is_ok(),
        "its parent is {parent}"
    );
}
