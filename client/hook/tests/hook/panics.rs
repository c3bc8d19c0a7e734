//! A panic in the middle of an event: the process still answers, and passes the event.
//! It takes the whole process down, so each case runs in one of its own.

use std::cell::RefCell;
use std::io::{self, Read};
use std::process::Command;

use proofmark_hook::{Host, respond};

use crate::fake::State;

const HARNESS: &str = "PROOFMARK_TEST_PANIC_HARNESS";

struct Panics;

impl Read for Panics {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        panic!("a secret of the payload's")
    }
}

thread_local! {
    static SAID: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
}

#[test]
fn what_a_panic_prints_follows_what_is_known_of_the_event() {
    let host = Host {
        on_panic: |stdout| SAID.with_borrow_mut(|said| said.push(stdout)),
        ..State::new().host()
    };
    respond(
        Some("claude-code"),
        &br#"{"hook_event_name":"beforeSubmitPrompt"}"#[..],
        &host,
    );
    assert_eq!(SAID.take(), ["", r#"{"continue":true}"#]);
}

#[test]
#[ignore = "ends its process; the test below runs it in another one"]
fn child() {
    let harness = std::env::var(HARNESS).unwrap();
    respond(Some(&harness), Panics, &Host::this());
}

#[test]
fn a_panic_passes_the_event_with_one_answer() {
    for (harness, expected) in [
        ("claude-code", ""),
        ("codex", ""),
        ("cursor", r#"{"continue":true,"permission":"allow"}"#),
    ] {
        let child = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "panics::child",
                "--ignored",
                "--nocapture",
                "--test-threads=1",
            ])
            .env(HARNESS, harness)
            .output()
            .unwrap();
        assert!(child.status.success(), "{child:?}");
        let stdout = String::from_utf8(child.stdout).unwrap();
        // The test harness announces itself first, and never comes to a result.
        let answer = stdout.split_once("panics::child ... ").unwrap().1;
        assert_eq!(answer.trim_end(), expected);
        let stderr = String::from_utf8(child.stderr).unwrap();
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        assert!(
            stderr.contains("internal error") && !stderr.contains("secret"),
            "{stderr}"
        );
    }
}
