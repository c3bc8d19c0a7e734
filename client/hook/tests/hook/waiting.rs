//! A server that says how long its answer may take: it is waited for that long, and no dead one is.
//! When a server says so is its own business.

use std::time::{Duration, Instant};

use proofmark_hook::{Host, respond};
use proofmark_protocol::method;
use serde_json::{Value, json};

use crate::fake::{Fake, State, Turn, claude, decision};

fn notice(seconds: u64) -> String {
    json!({"jsonrpc": "2.0", "method": method::WAITING, "params": {"seconds": seconds}, "proofmark": {"protocol": 1, "build": "0.1.0"}})
        .to_string()
}

fn answer() -> String {
    let Turn::Say(line) = decision(json!({"outcome": "refuse", "toAgent": "say it plainly"})) else {
        unreachable!()
    };
    line
}

/// A hook whose own limit for a stop is short.
fn host(state: &State, stop: Duration) -> Host {
    let mut host = state.host();
    host.deadlines.stop = stop;
    host
}

const SHORT: Duration = Duration::from_millis(300);

#[test]
fn an_answer_is_waited_for_as_long_as_the_server_says() {
    for (first, pause) in [
        (format!("{}\n", notice(20)), Duration::from_millis(900)),
        (format!("{}\n", notice(20)), Duration::ZERO),
        (format!("{}\n{}\n", notice(20), notice(20)), Duration::from_millis(600)),
    ] {
        let state = State::new();
        let fake = Fake::serve(state.path(), vec![Turn::Parts(first, pause, format!("{}\n", answer()))]);
        let told = respond(
            Some("claude-code"),
            claude("Stop-plain").as_bytes(),
            &host(&state, SHORT),
        );
        assert_eq!((told.exit, told.stderr.as_str()), (2, "say it plainly"));
        assert_eq!(fake.asked().len(), 1);
    }
}

#[test]
fn a_notice_and_its_answer_in_one_piece_are_both_read() {
    let state = State::new();
    let fake = Fake::serve(state.path(), vec![Turn::Say(format!("{}\n{}", notice(9), answer()))]);
    assert_eq!(state.ask(&claude("Stop-plain")).exit, 2);
    fake.asked();
}

#[test]
fn a_server_that_dies_after_its_notice_is_not_waited_for() {
    let state = State::new();
    let again = || Turn::Parts(format!("{}\n", notice(40)), Duration::ZERO, String::new());
    let fake = Fake::serve(state.path(), vec![again(), again()]);
    let begun = Instant::now();
    let told = respond(
        Some("claude-code"),
        claude("Stop-plain").as_bytes(),
        &host(&state, SHORT),
    );
    assert_eq!(told.exit, 0);
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    fake.asked();
}

#[test]
fn a_server_that_says_too_much_passes_the_event() {
    let state = State::new();
    let notices = format!("{}\n", notice(1)).repeat(20);
    let fake = Fake::serve(
        state.path(),
        vec![Turn::Parts(notices, Duration::ZERO, format!("{}\n", answer()))],
    );
    let told = state.ask(&claude("Stop-plain"));
    let said: Value = serde_json::from_str(&told.stdout).unwrap();
    assert!(
        said["systemMessage"].as_str().unwrap().contains("cannot be read"),
        "{told:?}"
    );
    fake.asked();
}

#[test]
fn a_notice_for_a_moment_costs_that_moment() {
    let state = State::new();
    let fake = Fake::serve(
        state.path(),
        vec![Turn::Parts(
            format!("{}\n", notice(1)),
            Duration::from_secs(30),
            String::new(),
        )],
    );
    let begun = Instant::now();
    let told = respond(
        Some("claude-code"),
        claude("Stop-plain").as_bytes(),
        &host(&state, SHORT),
    );
    let taken = begun.elapsed();
    assert_eq!(told.exit, 0);
    assert!(
        taken >= Duration::from_millis(1_000) && taken < Duration::from_secs(8),
        "{taken:?}"
    );
    fake.asked();
}
