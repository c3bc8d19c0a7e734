//! Decisions, and what Claude Code reads: one row a case.
//! What goes wrong before there is a decision is in `faults`.

use proofmark_hook::Answer;
use serde_json::{Value, json};

use crate::fake::{Fake, State, claude, decision};

fn answer(payload: &str, decided: Value) -> Answer {
    let state = State::new();
    let fake = Fake::serve(state.path(), vec![decision(decided)]);
    let answer = state.ask(&claude(payload));
    assert_eq!(fake.asked().len(), 1);
    answer
}

/// One payload of each event.
const EVENTS: [(&str, &str); 7] = [
    ("SessionStart", "SessionStart-startup"),
    ("UserPromptSubmit", "UserPromptSubmit-headless"),
    ("PreToolUse", "PreToolUse-bash"),
    ("Stop", "Stop-plain"),
    ("SubagentStart", "SubagentStart-general-purpose"),
    ("SubagentStop", "SubagentStop-foreground"),
    ("SessionEnd", "SessionEnd-other"),
];

#[test]
fn silence_is_no_output_at_all() {
    for (event, payload) in EVENTS {
        assert_eq!(
            answer(payload, json!({"outcome": "allow"})),
            Answer::default(),
            "{event}"
        );
        assert_eq!(
            answer(payload, json!({"toAgent": "", "toPerson": ""})),
            Answer::default(),
            "{event}"
        );
    }
}

#[test]
fn a_refusal_is_exit_code_2_at_a_stop_and_a_denial_before_a_call() {
    let refusal = json!({"outcome": "refuse", "toAgent": "Run \"x\"\nfirst.", "toPerson": "Sent back."});
    for (event, payload) in EVENTS {
        let context = json!({
            "hookSpecificOutput": {"hookEventName": event, "additionalContext": "Run \"x\"\nfirst."},
            "systemMessage": "Sent back.",
        });
        let got = answer(payload, refusal.clone());
        match event {
            "PreToolUse" => {
                let denied = json!({
                    "hookSpecificOutput": {
                        "hookEventName": event,
                        "permissionDecision": "deny",
                        "permissionDecisionReason": "Run \"x\"\nfirst.",
                    },
                    "systemMessage": "Sent back.",
                });
                assert_eq!((got.exit, read(&got)), (0, denied));
            }
            "Stop" | "SubagentStop" => {
                let expected = Answer {
                    stdout: String::new(),
                    stderr: "Run \"x\"\nfirst.".to_owned(),
                    exit: 2,
                };
                assert_eq!(got, expected, "{event}");
            }
            "SessionEnd" => assert_eq!(got, Answer::default()),
            _ => assert_eq!((got.exit, read(&got)), (0, context), "{event}"),
        }
    }
}

#[test]
fn advice_goes_where_it_changes_nothing() {
    let both = json!({"outcome": "advise", "toAgent": "A", "toPerson": "P", "findings": []});
    for (event, payload) in EVENTS {
        let got = answer(payload, both.clone());
        assert_eq!((got.exit, got.stderr.as_str()), (0, ""), "{event}");
        let context = json!({"hookEventName": event, "additionalContext": "A"});
        match event {
            "PreToolUse" | "Stop" | "SubagentStop" => assert_eq!(read(&got), json!({"systemMessage": "P"}), "{event}"),
            "SessionEnd" => assert_eq!(got, Answer::default()),
            _ => assert_eq!(
                read(&got),
                json!({"hookSpecificOutput": context, "systemMessage": "P"}),
                "{event}"
            ),
        }
    }
    let got = answer(
        "UserPromptSubmit-headless",
        json!({"outcome": "advise", "toAgent": "A"}),
    );
    assert_eq!(
        read(&got),
        json!({"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "A"}})
    );
    assert_eq!(
        answer("Stop-plain", json!({"outcome": "advise", "toAgent": "A"})),
        Answer::default()
    );
}

#[test]
fn long_texts_stay_below_what_the_harness_cuts() {
    let long = "ü".repeat(50_000);
    let refused = answer("Stop-plain", json!({"outcome": "refuse", "toAgent": long}));
    assert_eq!(refused.exit, 2);
    let advised = read(&answer(
        "UserPromptSubmit-headless",
        json!({"outcome": "advise", "toAgent": long}),
    ));
    for text in [
        refused.stderr.as_str(),
        advised["hookSpecificOutput"]["additionalContext"].as_str().unwrap(),
    ] {
        assert!((8_000..9_000).contains(&text.chars().count()), "{}", text.len());
    }
}

#[test]
fn findings_of_a_later_build_do_not_cost_the_answer() {
    let later = json!({"outcome": "refuse", "toAgent": "A", "findings": [{"severity": "fatal"}], "more": 1});
    assert_eq!(answer("Stop-plain", later).exit, 2);
}

fn read(answer: &Answer) -> Value {
    serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"))
}
