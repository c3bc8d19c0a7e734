//! A home in which all is well, one in which nothing was installed, and what a look leaves behind.
//! What is broken stands elsewhere.

use std::fs;
use std::path::PathBuf;

use proofmark_server::ledger::Ledger;
use proofmark_server::session::SessionKey;
use serde_json::Value;

use crate::stage::{Stage, amiss, run};

const NONE: [&str; 0] = [];

/// All that a session leaves on the ledger.
fn kept(stage: &Stage) -> (usize, usize) {
    let ledger = Ledger::open_existing(&stage.world.state()).unwrap().unwrap();
    let sessions = ledger.sessions().unwrap();
    let facts = |key: &SessionKey| ledger.facts(key, 0).unwrap().facts.len();
    (sessions.len(), sessions.iter().map(|row| facts(&row.key)).sum())
}

#[test]
fn where_all_is_well_everything_passes_and_the_ledger_shows_no_trace_of_it() {
    let stage = Stage::sound();
    let before = kept(&stage);
    let first = stage.run(&["doctor", "--json"]);
    assert_eq!(amiss(&first), NONE, "{}", first.stdout);
    let second = stage.run(&["doctor", "--json"]);
    assert_eq!(amiss(&second), NONE);
    assert_eq!(kept(&stage), before, "the self-test is on the ledger");
    let read: Value = serde_json::from_str(&second.stdout).unwrap();
    let heard = read["heard"].as_array().unwrap();
    assert_eq!(heard.len(), 6, "{heard:?}");
    assert!(
        heard.iter().all(|heard| heard["count"] == 1),
        "the self-test was counted: {heard:?}"
    );
    assert!(!second.stdout.contains("self-test-"));

    let told = stage.done(&["doctor"]);
    assert!(
        told.contains("0 failed, 0 unchecked") && told.contains("onStop"),
        "{told}"
    );
    // Without a server the ledger knows, too.
    stage.done(&["stop"]);
    let later = stage.run(&["doctor", "--json", "--no-self-test"]);
    let untested = [
        "claude-code/self-test=unchecked",
        "codex/self-test=unchecked",
        "cursor/self-test=unchecked",
    ];
    assert_eq!(
        amiss(&later),
        [&untested[..], &["server/server=unchecked", "server/socket=unchecked"]].concat()
    );
    let later: Value = serde_json::from_str(&later.stdout).unwrap();
    assert_eq!(later["heard"].as_array().unwrap().len(), 6);
}

#[test]
fn a_look_changes_no_file_and_starts_nothing() {
    let stage = Stage::sound();
    stage.done(&["stop"]);
    let root = stage.world.home().parent().unwrap().to_owned();
    let before = Stage::files(&root);
    stage.run(&["doctor", "--no-self-test"]);
    stage.run(&["doctor", "--no-self-test", "--json", "codex"]);
    let after = Stage::files(&root);
    let other = after.iter().filter(|(path, bytes)| before.get(*path) != Some(bytes));
    assert_eq!(other.map(|(path, _)| path).collect::<Vec<_>>(), Vec::<&PathBuf>::new());
    assert_eq!(after.len(), before.len(), "a file is gone");
    assert!(stage.world.processes().is_empty());
}

#[test]
fn before_an_installation_that_is_said_and_nothing_is_made() {
    let stage = Stage::bare();
    let report = stage.run(&["doctor", "--json"]);
    let lacking = ["claude-code", "codex", "cursor"]
        .map(|harness| [format!("{harness}/entries=fail"), format!("{harness}/heard=unchecked")]);
    let server = ["state-folder", "server", "socket", "times"].map(|check| format!("server/{check}=unchecked"));
    assert_eq!(amiss(&report), [&lacking.concat()[..], &server].concat());
    assert!(!stage.world.state().exists() && stage.world.processes().is_empty());
}

#[test]
fn what_is_not_here_is_no_fault_unless_it_was_asked_for() {
    let stage = Stage::bare();
    fs::remove_dir(stage.home(".cursor")).unwrap();
    let without = |arguments: &[&str]| {
        let mut command = stage.command(arguments);
        command.env("PATH", "/usr/bin:/bin");
        run(&mut command)
    };
    let all = without(&["doctor", "--json"]);
    let read: Value = serde_json::from_str(&all.stdout).unwrap();
    assert_eq!(read["harnesses"].as_array().unwrap().len(), 2);
    assert!(
        read["absent"][0].as_str().unwrap().contains("Cursor was not found"),
        "{read}"
    );
    let one = without(&["doctor", "--json", "cursor"]);
    assert_eq!(amiss(&one)[0], "cursor/version=fail");
    assert_eq!(without(&["doctor", "nothing"]).code, Some(2));
}

#[test]
fn without_a_home_everything_is_unchecked_and_nothing_breaks() {
    let stage = Stage::sound();
    let mut command = stage.command(&["doctor", "--json"]);
    command.env_remove("HOME").env_remove("PROOFMARK_STATE_DIR");
    let lost = amiss(&run(&mut command));
    assert!(lost.iter().all(|one| one.ends_with("=unchecked")), "{lost:?}");
    for expected in [
        "codex/settings=unchecked",
        "codex/heard=unchecked",
        "server/state-folder=unchecked",
    ] {
        assert!(lost.iter().any(|one| one == expected), "{lost:?}");
    }
}

#[test]
fn shells_get_their_completions_and_the_version_is_told() {
    let stage = Stage::bare();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = stage.done(&["completions", shell]);
        assert!(script.contains("proofmark") && script.contains("doctor"), "{shell}");
    }
    assert_eq!(stage.run(&["completions", "tcl"]).code, Some(2));
    let version = stage.done(&["--version"]);
    let expected = format!("proofmark {}", proofmark_protocol::frame::BUILD);
    let rest = version.trim().strip_prefix(&expected).unwrap();
    let commit = rest.strip_prefix(" (").and_then(|rest| rest.strip_suffix(')'));
    assert!(
        rest.is_empty()
            || commit.is_some_and(|commit| commit.len() >= 12 && commit.chars().all(|c| c.is_ascii_hexdigit())),
        "{version}"
    );
}
