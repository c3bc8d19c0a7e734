//! A server that fails in every way it can: the event passes, and the person hears of it once.
//! Servers that have to be started are in `starting`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use proofmark_hook::{Answer, Host, respond};
use proofmark_protocol::{frame, paths};
use serde_json::{Value, json};

use crate::fake::{Fake, State, Turn, claude, decision, error};

/// What the person reads; fails when the event did not pass or anything else was written.
fn told(answer: &Answer) -> String {
    assert_eq!((answer.exit, answer.stderr.as_str()), (0, ""), "{answer:?}");
    let said: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"));
    assert_eq!(said.as_object().unwrap().len(), 1);
    said["systemMessage"].as_str().unwrap().to_owned()
}

#[test]
fn an_answer_that_makes_no_sense_passes_the_event_and_is_told() {
    let result = |value: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"result":{value}}}"#);
    for answer in [
        "rubbish".to_owned(),
        String::new(),
        "[{\"outcome\":\"refuse\",\"toAgent\":\"x\"}]".to_owned(),
        "{}".to_owned(),
        result("null"),
        result("7"),
        result(r#"{"outcome":"grant"}"#),
        result(r#"{"outcome":"refuse"}"#),
        result(r#"{"outcome":"refuse","toAgent":" \n"}"#),
        "{\"result\":{\"outcome\":\"refuse\",".to_owned(),
        // Right in itself, and longer than any answer may be.
        format!(
            "{}{}",
            result(r#"{"outcome":"refuse","toAgent":"x"}"#),
            " ".repeat(frame::MAX_FRAME + 100_000)
        ),
    ] {
        let state = State::new();
        let fake = Fake::serve(state.path(), vec![Turn::Say(answer.clone())]);
        let text = told(&state.ask(&claude("PreToolUse-bash")));
        assert!(
            text.contains("cannot be read") && text.contains("`proofmark status`"),
            "{answer}: {text}"
        );
        assert_eq!(fake.asked().len(), 1);
    }
}

#[test]
fn an_error_is_told_in_the_servers_words() {
    for (code, words) in [
        (frame::INTERNAL_ERROR, "the ledger is full"),
        (frame::DEADLINE, "ran out of time"),
    ] {
        let state = State::new();
        let fake = Fake::serve(state.path(), vec![error(code)]);
        let text = told(&state.ask(&claude("Stop-plain")));
        assert!(text.contains(words), "{text}");
        assert_eq!(fake.asked().len(), 1, "it is not asked again");
    }
}

#[test]
fn of_a_long_error_only_the_beginning_is_told() {
    let state = State::new();
    let long = json!({"error": {"code": frame::INTERNAL_ERROR, "message": "x".repeat(100_000)}}).to_string();
    let fake = Fake::serve(state.path(), vec![Turn::Say(long)]);
    assert!(told(&state.ask(&claude("Stop-plain"))).len() < 700);
    fake.asked();
}

#[test]
fn a_server_that_turns_a_request_down_unread_is_heard() {
    let state = State::new();
    let down = json!({"error": {"code": frame::INVALID_REQUEST, "message": "too long"}}).to_string();
    let fake = Fake::serve(state.path(), vec![Turn::Interrupt(down)]);
    let payload = json!({"hook_event_name": "Stop", "session_id": "s", "last_assistant_message": "x".repeat(4 << 20)});
    assert!(told(&state.ask(&payload.to_string())).contains("too long"));
    fake.asked();
}

#[test]
fn a_server_that_never_answers_costs_the_deadline_and_no_more() {
    let short = Duration::from_millis(60);
    for payload in ["PreToolUse-bash", "Stop-plain"] {
        let state = State::new();
        let fake = Fake::serve(state.path(), vec![Turn::Hang]);
        let mut host = state.host();
        match payload {
            "Stop-plain" => host.deadlines.stop = short,
            _ => host.deadlines.gate = short,
        }
        let begun = Instant::now();
        let text = told(&respond(Some("claude-code"), claude(payload).as_bytes(), &host));
        assert!(begun.elapsed() >= short && begun.elapsed() < Duration::from_secs(10));
        assert!(text.contains("within 60 ms"), "{text}");
        assert_eq!(fake.asked().len(), 1);
    }
}

#[test]
fn a_connection_that_breaks_is_tried_once_more() {
    let refusal = json!({"outcome": "refuse", "toAgent": "A"});
    for half in ["", "{\"jsonrpc\":\"2.0\",\"result\":{\"outcome\":\"allow\"}}"] {
        let state = State::new();
        let fake = Fake::serve(state.path(), vec![Turn::Break(half), decision(refusal.clone())]);
        let answer = state.ask(&claude("Stop-plain"));
        assert_eq!((answer.exit, answer.stderr.as_str()), (2, "A"));
        let asked = fake.asked();
        assert_eq!(asked.len(), 2);
        assert_eq!(asked[0], asked[1]);
    }
}

/// As a server does that is being killed: it takes connections for a moment, and reads none of them.
#[test]
#[cfg(target_os = "linux")]
fn a_question_that_nobody_read_is_put_until_somebody_does() {
    let state = State::new();
    let refusal = decision(serde_json::json!({"outcome": "refuse", "toAgent": "A"}));
    let fake = Fake::serve(state.path(), vec![Turn::Ignore, Turn::Ignore, Turn::Ignore, refusal]);
    assert_eq!(state.ask(&claude("Stop-plain")).exit, 2);
    fake.asked();
}

#[test]
fn a_connection_that_breaks_twice_passes_the_event() {
    let state = State::new();
    let fake = Fake::serve(state.path(), vec![Turn::Break(""), Turn::Break("{")]);
    assert!(told(&state.ask(&claude("Stop-plain"))).contains("twice"));
    assert_eq!(fake.asked().len(), 2);
}

#[test]
fn each_kind_of_fault_is_told_once_in_a_session_and_where_it_can_be() {
    let state = State::new();
    let other = claude("Stop-plain").replace("4c252179", "00000000");
    let internal = error(frame::INTERNAL_ERROR);
    for (payload, turn, is_told) in [
        // Events without a way to the person do not use the telling up.
        (claude("SessionEnd-other"), internal.clone(), false),
        (claude("SubagentStart-general-purpose"), internal.clone(), false),
        (claude("Stop-plain"), internal.clone(), true),
        (claude("Stop-plain"), internal.clone(), false),
        (claude("Stop-plain"), Turn::Say("{}".to_owned()), true),
        (claude("Stop-plain"), Turn::Say("{}".to_owned()), false),
        (other.clone(), internal.clone(), true),
        (other, internal, false),
    ] {
        let fake = Fake::serve(state.path(), vec![turn]);
        let answer = state.ask(&payload);
        fake.asked();
        fs::remove_file(paths::socket(state.path())).unwrap();
        match is_told {
            true => assert!(!told(&answer).is_empty()),
            false => assert_eq!(answer, Answer::default()),
        }
    }
}

#[test]
fn without_a_place_to_remember_only_the_start_of_a_session_speaks() {
    let state = State::new();
    let mut host = state.host();
    host.state_dir = None;
    for (payload, is_told) in [
        ("SessionStart-startup", true),
        ("PreToolUse-bash", false),
        ("Stop-plain", false),
    ] {
        let answer = respond(Some("claude-code"), claude(payload).as_bytes(), &host);
        match is_told {
            true => assert!(told(&answer).contains("HOME")),
            false => assert_eq!(answer, Answer::default(), "{payload}"),
        }
    }
}

#[test]
fn a_socket_that_others_could_have_put_there_is_not_spoken_to() {
    let state = State::new();
    let fake = Fake::serve(
        state.path(),
        vec![decision(json!({"outcome": "refuse", "toAgent": "A"}))],
    );
    fs::set_permissions(state.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let mut host = state.host();
    host.program = Some("/bin/true".into());
    let answer = respond(Some("claude-code"), claude("Stop-plain").as_bytes(), &host);
    assert!(told(&answer).contains("open to other users"), "{answer:?}");

    fs::set_permissions(state.path(), fs::Permissions::from_mode(0o700)).unwrap();
    let answer = respond(Some("claude-code"), claude("Stop-plain").as_bytes(), &host);
    assert_eq!(answer.exit, 2, "closed again, it is");
    fake.asked();
}

#[test]
fn a_link_in_the_sockets_place_is_not_followed() {
    let (state, other) = (State::new(), State::new());
    let fake = Fake::serve(
        other.path(),
        vec![decision(json!({"outcome": "refuse", "toAgent": "A"}))],
    );
    std::os::unix::fs::symlink(paths::socket(other.path()), paths::socket(state.path())).unwrap();
    let host = Host {
        program: Some("/bin/true".into()),
        ..state.host()
    };
    let answer = respond(Some("claude-code"), claude("Stop-plain").as_bytes(), &host);
    assert!(told(&answer).contains("open to other users"), "{answer:?}");
    assert_eq!(fake.asked_at_most_once(), None);
}

/// Where the state folder's path is too long for a socket, its socket lies under `/tmp`: anybody may have made that.
#[test]
fn a_socket_outside_of_the_state_folder_needs_a_closed_folder_of_the_same_owner() {
    let state = State::new();
    let long = state.path().join("x".repeat(120));
    fs::create_dir(&long).unwrap();
    fs::set_permissions(&long, fs::Permissions::from_mode(0o700)).unwrap();
    let socket = paths::socket(&long);
    let folder = socket.parent().unwrap().to_owned();
    assert!(!socket.starts_with(&long));
    fs::create_dir(&folder).unwrap();
    let host = Host {
        state_dir: Some(long),
        program: Some("/bin/true".into()),
        ..state.host()
    };
    let fake = Fake::at(
        socket.clone(),
        vec![decision(json!({"outcome": "refuse", "toAgent": "A"}))],
    );
    let ask = |session: &str| {
        let payload = claude("Stop-plain").replace("4c252179", session);
        respond(Some("claude-code"), payload.as_bytes(), &host)
    };

    let mode = |mode| fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).unwrap();
    mode(0o755);
    let open = ask("00000001");
    mode(0o700);
    // Only root can give a file away; for anybody else the next two answers are those of their own files.
    let given_away = [&folder, &socket].map(|path| {
        let is_given = std::os::unix::fs::chown(path, Some(65_534), None).is_ok();
        let answer = is_given.then(|| ask(&format!("{:08}", path.as_os_str().len())));
        if is_given {
            std::os::unix::fs::chown(path, Some(0), None).unwrap();
        }
        answer
    });
    let closed = ask("00000002");
    fs::remove_dir_all(&folder).unwrap();

    assert!(told(&open).contains("open to other users"), "{open:?}");
    for answer in given_away.into_iter().flatten() {
        assert!(told(&answer).contains("belongs to one"), "{answer:?}");
    }
    assert_eq!(closed.exit, 2, "{closed:?}");
    drop(fake);
}

#[test]
fn a_request_larger_than_the_sockets_buffer_gets_through() {
    let state = State::new();
    let fake = Fake::serve(
        state.path(),
        vec![decision(json!({"outcome": "refuse", "toAgent": "A"}))],
    );
    let prompt = "x".repeat(4 * 1024 * 1024);
    let payload = json!({"hook_event_name": "Stop", "session_id": "s", "last_assistant_message": prompt}).to_string();
    assert_eq!(state.ask(&payload).exit, 2);
    assert!(fake.asked()[0].len() > prompt.len());
}
