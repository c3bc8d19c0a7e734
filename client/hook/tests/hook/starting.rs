//! Where no server listens: one is started, by one hook at a time, and asked.
//! The program that is started is a script; the server that it stands for is the test's.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use proofmark_hook::{Answer, Host, respond};
use proofmark_protocol::{frame, paths};
use serde_json::json;

use crate::fake::{Fake, State, Turn, claude, decision, error};

/// A program that does this, with its arguments, folder and environment left in the state folder. The file that is run
/// is not written by the test: a file that some other process still holds open for writing cannot be run.
fn program(state: &State, script: &str) -> PathBuf {
    fs::write(state.path().join("script"), script).unwrap();
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hook/program.sh")
}

fn ask(host: &Host, payload: &str) -> Answer {
    respond(Some("claude-code"), claude(payload).as_bytes(), host)
}

fn refusal() -> Turn {
    decision(json!({"outcome": "refuse", "toAgent": "A"}))
}

/// Whether the fake server's refusal of a call has arrived.
fn denies(answer: &Answer) -> bool {
    answer.exit == 0
        && answer
            .stdout
            .contains(r#""permissionDecision":"deny","permissionDecisionReason":"A""#)
}

#[test]
fn a_server_is_started_and_asked() {
    let state = State::new();
    // The listener is there, but not where the hook looks until the program has run.
    let fake = Fake::serve(state.path(), vec![refusal()]);
    fs::rename(paths::socket(state.path()), state.path().join("aside")).unwrap();
    let mut host = Host {
        program: Some(program(&state, "mv aside proofmark.sock")),
        ..state.host()
    };
    // A start has a deadline of its own.
    host.deadlines.gate = Duration::ZERO;

    assert!(denies(&ask(&host, "PreToolUse-bash")));
    let called = fs::read_to_string(state.path().join("called")).unwrap();
    let folder = state.path().canonicalize().unwrap();
    assert_eq!(called, format!("serve --detach\n{}\n", folder.display()));
    let environment = fs::read_to_string(state.path().join("environment")).unwrap();
    assert!(
        environment.contains(&format!("PROOFMARK_STATE_DIR={}", state.path().display())),
        "{environment}"
    );
    // The test itself has many more, `CARGO_…` among them.
    for name in environment
        .lines()
        .filter_map(|line| line.split_once('='))
        .map(|(name, _)| name)
    {
        let by_shell = ["PWD", "OLDPWD", "SHLVL", "_"].contains(&name);
        let allowed = ["HOME", "PATH", "USER", "LOGNAME", "LANG", "TMPDIR"].contains(&name);
        let by_prefix = ["LC_", "XDG_", "PROOFMARK_"]
            .iter()
            .any(|prefix| name.starts_with(prefix));
        assert!(by_shell || allowed || by_prefix, "{name}");
    }
    fake.asked();
}

#[test]
fn a_missing_state_folder_is_made_for_its_owner_alone() {
    let state = State::new();
    let dir = state.path().join("new/proofmark");
    let host = Host {
        state_dir: Some(dir.clone()),
        program: Some("/bin/false".into()),
        ..state.host()
    };
    let answer = ask(&host, "Stop-plain");
    assert!(answer.stdout.contains("could not be started"), "{answer:?}");
    assert_eq!(fs::metadata(&dir).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn whoever_waits_for_another_start_uses_its_server() {
    let state = State::new();
    let starting = File::create(paths::startup_lock(state.path())).unwrap();
    starting.lock().unwrap();
    let host = Host {
        program: Some(program(&state, "")),
        ..state.host()
    };
    let waiting = std::thread::spawn(move || ask(&host, "PreToolUse-bash"));
    let fake = Fake::serve(state.path(), vec![refusal()]);
    drop(starting);
    assert!(denies(&waiting.join().unwrap()));
    assert!(!state.path().join("called").exists());
    fake.asked();
}

#[test]
fn of_two_hooks_at_once_one_starts_the_server() {
    let state = State::new();
    let fake = Fake::serve(state.path(), vec![refusal(), refusal()]);
    fs::rename(paths::socket(state.path()), state.path().join("aside")).unwrap();
    // The start takes long enough for the second hook to find none running.
    let host = Host {
        program: Some(program(&state, "sleep 0.2; mv aside proofmark.sock")),
        ..state.host()
    };
    std::thread::scope(|scope| {
        let hooks = [(); 2].map(|()| scope.spawn(|| ask(&host, "PreToolUse-bash")));
        for hook in hooks {
            assert!(denies(&hook.join().unwrap()));
        }
    });
    let called = fs::read_to_string(state.path().join("called")).unwrap();
    assert_eq!(called.matches("serve").count(), 1, "{called}");
    fake.asked();
}

#[test]
fn an_older_server_is_replaced_and_the_new_one_asked() {
    let state = State::new();
    let fake = Fake::serve(state.path(), vec![error(frame::SUPERSEDED), refusal()]);
    let host = Host {
        program: Some(program(&state, "")),
        ..state.host()
    };
    assert_eq!(ask(&host, "Stop-plain").exit, 2);
    assert!(state.path().join("called").exists());
    let asked = fake.asked();
    assert_eq!(asked[0], asked[1]);
}

#[test]
fn a_killed_server_is_started_again() {
    let state = State::new();
    drop(std::os::unix::net::UnixListener::bind(paths::socket(state.path())).unwrap());
    fs::rename(paths::socket(state.path()), state.path().join("dead")).unwrap();
    let fake = Fake::serve(state.path(), vec![refusal()]);
    fs::rename(paths::socket(state.path()), state.path().join("aside")).unwrap();
    fs::rename(state.path().join("dead"), paths::socket(state.path())).unwrap();
    let host = Host {
        program: Some(program(&state, "mv aside proofmark.sock")),
        ..state.host()
    };
    assert_eq!(ask(&host, "Stop-plain").exit, 2);
    fake.asked();
}

#[test]
fn what_cannot_be_started_is_told_and_passes() {
    let state = State::new();
    for (nth, (script, words)) in [
        ("exit 3", "exit status: 3"),
        ("exit 0", "nothing listens"),
        ("exec sleep 5", "within 300 ms"),
    ]
    .into_iter()
    .enumerate()
    {
        let mut host = Host {
            program: Some(program(&state, script)),
            ..state.host()
        };
        if script.contains("sleep") {
            host.deadlines.gate_starting = Duration::from_millis(300);
        }
        let payload = claude("PreToolUse-bash").replace("500f554f", &format!("0000000{nth}"));
        let answer = respond(Some("claude-code"), payload.as_bytes(), &host);
        assert_eq!((answer.exit, answer.stderr.as_str()), (0, ""));
        assert!(answer.stdout.contains(words), "{script}: {answer:?}");
    }
    let answer = ask(
        &Host {
            program: Some("/nowhere/proofmark".into()),
            ..state.host()
        },
        "PreToolUse-bash",
    );
    assert!(answer.stdout.contains("could not be started"), "{answer:?}");
}
