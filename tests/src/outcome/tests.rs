//! Every expectation of a case can fall short.
//! Whether the product meets them is the suites' business.

use serde_json::json;

use super::*;

fn done(code: i32, stdout: &str, stderr: &str) -> Finished {
    Finished {
        code: Some(code),
        stdout: stdout.to_owned(),
        stderr: stderr.to_owned(),
    }
}

#[test]
fn an_answer_is_what_the_harness_takes_it_for() {
    let context = r#"{"hookSpecificOutput": {"additionalContext": "more"}}"#;
    let rows = [
        (Act::Stop, done(2, "", "back\n"), Decided::Blocked, "back"),
        (Act::Stop, done(0, "", "unseen"), Decided::Allowed, ""),
        (Act::Stop, done(1, "", "unseen"), Decided::Failed(Some(1)), ""),
        (Act::Stop, done(0, context, ""), Decided::Blocked, "more"),
        (Act::SubagentStop, done(0, context, ""), Decided::Blocked, "more"),
        (Act::Prompt, done(0, context, ""), Decided::Allowed, "more"),
        (Act::Prompt, done(0, "plain\n", ""), Decided::Allowed, "plain"),
        (Act::Stop, done(0, "plain\n", ""), Decided::Allowed, ""),
        (
            Act::Stop,
            done(0, r#"{"decision": "block", "reason": "r"}"#, ""),
            Decided::Blocked,
            "r",
        ),
        (
            Act::Stop,
            done(0, r#"{"systemMessage": "s"}"#, ""),
            Decided::Allowed,
            "s",
        ),
        (
            Act::PreTool,
            done(
                0,
                r#"{"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "p"}}"#,
                "",
            ),
            Decided::Blocked,
            "p",
        ),
    ];
    for (event, done, decision, said) in rows {
        let answer = Answer::of_hook(event, &done, Duration::ZERO);
        assert_eq!(
            (answer.decision, answer.said.as_str()),
            (decision, said),
            "{event:?} {done:?}"
        );
    }
}

#[test]
fn each_expectation_of_what_is_said_can_fall_short() {
    let rows = [
        (json!({"decision": "allow"}), 0),
        (
            json!({"decision": "advise", "mentions": ["HELD"], "not_mentions": ["loose"], "max_seconds": 2.0}),
            0,
        ),
        (json!({"decision": "speak"}), 0),
        (json!({"decision": "block"}), 1),
        (json!({"decision": "fail"}), 1),
        (json!({"decision": "allow", "silent": true}), 1),
        (json!({"decision": "allow", "mentions": ["a", "b", "held"]}), 2),
        (json!({"decision": "allow", "not_mentions": ["Held"]}), 1),
        (json!({"decision": "allow", "max_seconds": 0.5}), 1),
    ];
    let answer = Answer {
        decision: Decided::Allowed,
        said: "It is held.".to_owned(),
        taken: Duration::from_secs(1),
    };
    for (expect, short) in rows {
        let found = spoken(&serde_json::from_value(expect.clone()).unwrap(), &answer);
        assert_eq!(found.len(), short, "{expect}: {found:?}");
    }
    let silent = Answer {
        said: String::new(),
        ..answer
    };
    let advise = serde_json::from_value(json!({"decision": "advise"})).unwrap();
    assert_eq!(spoken(&advise, &silent), ["said nothing"]);
}

fn claims() -> Vec<Claim> {
    let claim = |id: &str, text: &str, state: &str| {
        json!({"id": id, "harness": "claude-code", "session": "s", "claim": text, "reason": "r", "state": state,
            "turns": 1, "turn": 1, "first_seen": 1, "changed": 1, "refusals": 2})
    };
    let mut checked = claim("2", "b", "checked");
    checked["settled_by"] = json!({"call": "t1", "tool": "Read", "input": "f"});
    checked["matched"] = json!(false);
    checked["rewords"] = json!("1");
    serde_json::from_value(json!([claim("1", "a", "open"), checked])).unwrap()
}

#[test]
fn each_expectation_of_the_ledger_can_fall_short() {
    let rows = [
        (
            json!({"open": ["a"], "open_count": 1, "turns": {"a": 1}, "outcome": {"b": "checked"}}),
            0,
        ),
        (json!({"open": []}), 1),
        (json!({"open_count": 2}), 1),
        (json!({"turns": {"a": 2}}), 1),
        (json!({"turns": {"c": 1}}), 1),
        (json!({"outcome": {"b": "open"}}), 1),
    ];
    for (wanted, short) in rows {
        let found = state(&serde_json::from_value(wanted.clone()).unwrap(), &claims());
        assert_eq!(found.len(), short, "{wanted}: {found:?}");
    }
    let first = json!({"claim": "a", "state": "open", "tool": "", "rewords": "", "session": "s", "agent": ""});
    let second = json!({"claim": "b", "state": "checked", "tool": "Read", "call": "t1", "matched": false, "turns": 1,
        "refusals": 2, "rewords": "a"});
    let fits = |wishes: Value| listed(&serde_json::from_value::<Vec<ClaimWish>>(wishes).unwrap(), &claims()).is_empty();
    assert!(fits(json!([second, first])), "the order does not matter");
    assert!(!fits(json!([first])), "a claim is left");
    assert!(!fits(json!([first, first, second])), "one claim meets one wish");
    for (name, value) in [
        ("claim", json!("a")),
        ("state", json!("dropped")),
        ("session", json!("t")),
        ("agent", json!("a7")),
        ("tool", json!("Bash")),
        ("call", json!("t2")),
        ("matched", json!(true)),
        ("turns", json!(0)),
        ("refusals", json!(0)),
        ("rewords", json!("")),
        ("why", json!("gone")),
    ] {
        let mut other = second.clone();
        other[name] = value;
        assert!(!fits(json!([first, other])), "{name}");
    }
}
