//! Signals: the child gets those that the wrapper gets, and its end by one is the wrapper's.
//! Those that a terminal sends are tested beside this.

use std::fs;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command};

use proofmark_tests::process::until;
use proofmark_tests::world::is_running;
use rustix::process::{Pid, Signal, kill_process};

use crate::stand_in::{LIMIT, StandIn, finish, start};

/// Says that it is there, and waits. A signal ends no running `sleep` of a shell's, so each one is short.
const WAIT: &str = "echo $$; while :; do sleep 0.05; done";

fn signal(pid: u32, signal: Signal) {
    kill_process(Pid::from_raw(pid.try_into().unwrap()).unwrap(), signal).unwrap();
}

/// Starts a command, and returns with its child's process id once the child has said it.
fn ready(command: &mut Command) -> (Child, u32) {
    let mut wrapper = start(command);
    let stdout = wrapper.stdout.as_mut().unwrap();
    let mut line = Vec::new();
    // Byte by byte: what follows is read by somebody else.
    while line.last() != Some(&b'\n') {
        let mut byte = [0];
        stdout.read_exact(&mut byte).unwrap();
        line.push(byte[0]);
    }
    let pid = String::from_utf8(line).unwrap().trim().parse().unwrap();
    (wrapper, pid)
}

#[test]
fn each_signal_reaches_the_child_which_ends_as_it_likes() {
    for (name, sent) in [
        ("TERM", Signal::TERM),
        ("HUP", Signal::HUP),
        ("INT", Signal::INT),
        ("QUIT", Signal::QUIT),
        ("USR1", Signal::USR1),
        ("USR2", Signal::USR2),
    ] {
        let codex = StandIn::new(&format!("trap 'echo got {name}; exit 7' {name}; {WAIT}"));
        let (wrapper, _) = ready(&mut codex.command(&["--", "exec"]));
        signal(wrapper.id(), sent);
        let left = finish(wrapper);
        assert_eq!(left.status.code(), Some(7), "{name}");
        assert_eq!(left.stdout, format!("got {name}\n").into_bytes());
        codex.assert_nothing_is_left();
    }
}

#[test]
fn a_signal_that_the_child_does_not_catch_ends_both() {
    for sent in [Signal::TERM, Signal::HUP, Signal::INT, Signal::USR1] {
        let codex = StandIn::new(WAIT);
        let (wrapper, child) = ready(&mut codex.command(&["--", "exec"]));
        signal(wrapper.id(), sent);
        let left = finish(wrapper);
        assert_eq!(left.status.signal(), Some(sent.as_raw()), "{:?}", left.status);
        assert!(!is_running(child.try_into().unwrap()), "{sent:?}");
        codex.assert_nothing_is_left();
    }
}

#[test]
fn the_signal_that_killed_the_child_is_how_the_wrapper_ends() {
    for name in ["KILL", "TERM", "INT", "HUP", "PIPE", "SEGV", "ABRT", "QUIT"] {
        let codex = StandIn::new(&format!("echo last words; kill -{name} $$; sleep 60"));
        let left = codex.run(&["--fail-on", "refuse", "--", "exec"], b"");
        let expected = Command::new("/bin/sh")
            .args(["-c", &format!("kill -{name} $$; sleep 60")])
            .status()
            .unwrap();
        assert!(expected.signal().is_some());
        assert_eq!(left.status.signal(), expected.signal(), "{name}");
        assert_eq!(left.stdout, b"last words\n");
        codex.assert_nothing_is_left();
        let dumps = fs::read_dir(codex.world.project()).unwrap().count();
        assert_eq!(dumps, 0, "{name}: the wrapper has dumped its memory");
    }
}

#[test]
fn a_signal_that_was_ignored_before_is_ignored_by_the_child() {
    // As `nohup` starts a program.
    let codex = StandIn::new("echo $$; while [ ! -e go ]; do sleep 0.05; done; exit 5");
    let program = codex.world.program("proofmark");
    let mut shell = codex.world.command("/bin/sh".as_ref());
    codex.surround(&mut shell);
    shell.args([
        "-c",
        &format!("trap '' HUP; exec '{}' codex -- exec", program.display()),
    ]);
    let (wrapper, _) = ready(&mut shell);
    signal(wrapper.id(), Signal::HUP);
    fs::write(codex.world.project().join("go"), "").unwrap();
    assert_eq!(finish(wrapper).status.code(), Some(5));
}

#[test]
fn a_child_that_stopped_itself_goes_on_when_the_wrapper_is_told_to() {
    let codex = StandIn::new("echo $$; kill -STOP $$; echo back; exit 5");
    let (wrapper, child) = ready(&mut codex.command(&["--", "exec"]));
    let stopped = || {
        // The state follows the name, which is in parentheses; where there is no such file, `ps` tells it.
        let stat = fs::read_to_string(format!("/proc/{child}/stat"));
        let state = stat
            .map(|stat| stat.rsplit_once(") ").unwrap().1.to_owned())
            .unwrap_or_else(|_| {
                let ps = Command::new("ps")
                    .args(["-o", "state=", "-p", &child.to_string()])
                    .output()
                    .unwrap();
                String::from_utf8(ps.stdout).unwrap()
            });
        state.starts_with('T').then_some(())
    };
    until(LIMIT, stopped).unwrap();
    signal(wrapper.id(), Signal::CONT);
    let left = finish(wrapper);
    assert_eq!((left.status.code(), left.stdout.as_slice()), (Some(5), &b"back\n"[..]));
}

#[test]
fn a_child_that_takes_its_time_is_waited_for() {
    let codex = StandIn::new("trap 'rm go' TERM; touch go; echo $$; while [ -e go ]; do sleep 0.05; done; exit 3");
    let (wrapper, _) = ready(&mut codex.command(&["--", "exec"]));
    signal(wrapper.id(), Signal::TERM);
    assert_eq!(finish(wrapper).status.code(), Some(3));
}

#[test]
fn what_the_child_leaves_in_the_background_is_its_own() {
    // Its pipes are its own, too: whoever reads them waits for it as they would without the wrapper.
    let codex = StandIn::new("sleep 60 </dev/null >/dev/null 2>&1 & echo $!; exit 2");
    let left = codex.run(&["--", "exec"], b"");
    assert_eq!(left.status.code(), Some(2));
    let pid: u32 = String::from_utf8(left.stdout).unwrap().trim().parse().unwrap();
    assert!(is_running(pid.try_into().unwrap()), "it was ended");
    signal(pid, Signal::KILL);
}
