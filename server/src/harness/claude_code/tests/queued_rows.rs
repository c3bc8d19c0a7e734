//! What was queued, what the person said in refusing a call, and reports of tasks.
//! Rows of type `user` that begin a turn have their own tests.

use serde_json::{Value, json};

use super::super::record::knows;
use super::{main, user, with};
use crate::session::{Ending, Entry, Injection};

fn queued(members: Value) -> Value {
    let attachment = with(json!({"type": "queued_command"}), members);
    json!({"attachment": attachment, "type": "attachment", "uuid": "q1", "sessionId": "s1", "version": "2.1.170"})
}

fn report(status: &str, call: &str) -> String {
    format!(
        "<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>{call}</tool-use-id>\n<status>{status}</status>\n\
         <summary>It {status}</summary>\n<result><status>failed</status></result>\n</task-notification>"
    )
}

#[test]
fn a_queued_command_is_who_spoke() {
    let harness = Err(Injection::Harness);
    let cases = [
        (
            json!({"prompt": "and commit", "commandMode": "prompt"}),
            Ok("and commit"),
        ),
        (
            json!({"prompt": [{"type": "text", "text": "a"}, {"type": "image"}], "commandMode": "prompt"}),
            Ok("a"),
        ),
        (
            json!({"prompt": "a", "commandMode": "prompt", "origin": {"kind": "human"}}),
            Ok("a"),
        ),
        (
            json!({"prompt": "a", "commandMode": "prompt", "origin": "elsewhere"}),
            Ok("a"),
        ),
        (
            json!({"prompt": "<system-reminder>x</system-reminder>a", "commandMode": "prompt"}),
            Ok("a"),
        ),
        (
            json!({"prompt": "a", "commandMode": "prompt", "origin": {"kind": "channel"}}),
            harness,
        ),
        (json!({"prompt": "a", "commandMode": "prompt", "isMeta": true}), harness),
        (json!({"prompt": "ls", "commandMode": "bash"}), harness),
        (json!({"prompt": "a"}), harness),
        (json!({"commandMode": "prompt"}), harness),
        (
            json!({"prompt": "<command-name>/x</command-name>", "commandMode": "prompt"}),
            Err(Injection::Command),
        ),
        (
            json!({"prompt": "a", "commandMode": "task-notification"}),
            Err(Injection::Notification),
        ),
        (
            json!({"prompt": "<task-notification>", "commandMode": "prompt"}),
            Err(Injection::Notification),
        ),
    ];
    for (members, expected) in cases {
        let expected = match expected {
            Ok(text) => vec![
                Entry::Origin {
                    session: Some("s1".to_owned()),
                    client: true,
                    cwd: None,
                    by_harness: false,
                },
                Entry::Prompt {
                    row: "q1".to_owned(),
                    turn: None,
                    text: text.to_owned(),
                    queued: true,
                },
            ],
            Err(injection) => vec![Entry::Injected { injection, turn: None }],
        };
        assert_eq!(main(&queued(members.clone())), expected, "{members}");
        let helpers = with(queued(members.clone()), json!({"isSidechain": true}));
        assert_eq!(main(&helpers), [], "{members}");
        let other = with(
            queued(members),
            json!({"attachment": {"type": "file", "prompt": "a", "commandMode": "prompt"}}),
        );
        assert_eq!(main(&other), []);
    }
}

#[test]
fn a_report_that_names_its_call_ends_it() {
    let cases = [
        ("completed", Some(Ending::Untold)),
        ("failed", Some(Ending::Failed)),
        ("killed", Some(Ending::Interrupted)),
        ("running", None),
        ("", None),
    ];
    for (status, ending) in cases {
        let injected = |turn: Option<&str>| Entry::Injected {
            injection: Injection::Notification,
            turn: turn.map(str::to_owned),
        };
        let end = ending.map(|ending| Entry::Result {
            id: "t1".to_owned(),
            ending,
            exit: None,
            output: String::new(),
            helper: None,
            turn: None,
        });
        let text = report(status, "t1");
        let row = with(user(json!(text)), json!({"promptId": "p1"}));
        assert_eq!(
            main(&row),
            [Some(injected(Some("p1"))), end.clone()]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
        );
        let row = queued(json!({"prompt": text, "commandMode": "task-notification"}));
        assert_eq!(
            main(&row),
            [Some(injected(None)), end].into_iter().flatten().collect::<Vec<_>>()
        );
    }
    assert_eq!(main(&user(json!(report("failed", "")))).len(), 1);
    // What the task itself says is no word of the harness.
    let quoted = report("", "t1").replace("<status></status>", "");
    assert_eq!(main(&user(json!(quoted))).len(), 1);
}

#[test]
fn a_persons_words_in_a_refused_call_are_a_remark() {
    let refusal = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file \
                   edit, the new_string was NOT written to the file).";
    let note = "\n\nNote: The user's next message may contain a correction or preference. Pay close attention.";
    let ask = "To tell you how to proceed, the user said:\n";
    let cases = [
        (true, format!("{refusal} {ask}not there"), Some("not there")),
        (
            true,
            format!("{refusal} {ask}one\n\nNote: two{note}"),
            Some("one\n\nNote: two"),
        ),
        (
            true,
            "Permission for this tool use was denied. The user said:\nno".to_owned(),
            Some("no"),
        ),
        (true, format!("{refusal} {ask}{note}"), None),
        (
            true,
            format!("{refusal} STOP what you are doing and wait for the user."),
            None,
        ),
        (false, format!("{refusal} {ask}what a file holds"), None),
        (true, format!("Exit code 1\n{refusal} {ask}what a test printed"), None),
    ];
    for (is_error, content, remark) in cases {
        let block = json!({"type": "tool_result", "tool_use_id": "t1", "content": content, "is_error": is_error});
        let shown = main(&user(json!([block])));
        let said: Vec<&str> = shown
            .iter()
            .filter_map(|entry| match entry {
                Entry::Remark { row, text } if row == "u1" => Some(text.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(said, Vec::from_iter(remark), "{content}");
        if remark.is_some() {
            assert!(
                matches!(
                    &shown[0],
                    Entry::Result {
                        ending: Ending::Denied,
                        ..
                    }
                ),
                "{content}"
            );
        }
    }
}

#[test]
fn a_look_at_a_task_that_goes_on_shows_no_end() {
    let cases = [
        (
            "<retrieval_status>not_ready</retrieval_status>\n\n<status>running</status>\n\n",
            Ending::Background,
        ),
        ("<status>running</status>\n\n<stdout>\n</stdout>", Ending::Background),
        (
            "<retrieval_status>success</retrieval_status>\n<status>failed</status>\n<exit_code>5</exit_code>",
            Ending::Succeeded,
        ),
        (
            "<retrieval_status>success</retrieval_status>\n<status>completed</status>\n<output>\n<status>running</status>",
            Ending::Succeeded,
        ),
        ("it says <status>running</status>", Ending::Succeeded),
    ];
    for (content, expected) in cases {
        let block = json!({"type": "tool_result", "tool_use_id": "t1", "content": content});
        let shown = main(&user(json!([block])));
        assert!(
            matches!(&shown[..], [Entry::Result { ending, .. }] if *ending == expected),
            "{content}"
        );
    }
}

#[test]
fn a_transcript_is_known_by_a_speakers_row_or_a_sessions() {
    let cases = [
        (r#"{"type":"user","message":{"content":"a"}}"#, true),
        (r#"{"type":"system","subtype":"informational","sessionId":"s1"}"#, true),
        (r#"{"type":"summary","summary":"a","leafUuid":"x"}"#, false),
        (r#"{"type":"user"}"#, false),
        (
            r#"{"type":"event_msg","payload":{"type":"user_message","message":"a"}}"#,
            false,
        ),
        (r#"{"role":"user","message":{"content":"a"}}"#, false),
        (r#"{"sessionId":"s1"}"#, false),
        (r#"["type","sessionId"]"#, false),
        ("", false),
    ];
    for (line, known) in cases {
        assert_eq!(knows(line.as_bytes()), known, "{line}");
    }
}
