//! Codex's events of a self-test, what it takes as a refusal, and what it says itself of the hooks it knows (0.171.0).
//! Its settings stay out.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use proofmark_protocol::Harness;
use serde_json::{Value, json};

use super::{Listed, Rehearsal, Row, by_exit_code, is_said, object, only, told};
use crate::child::{self, Finished, Trouble};

/// How long Codex has to start and to list its hooks.
const ASK: Duration = Duration::from_secs(15);
/// The id of the question in Codex's own protocol.
const QUESTION: u64 = 2;

/// Codex's row.
pub(super) static ROW: Row = Row {
    harness: Harness::Codex,
    rehearsals: [
        Rehearsal {
            what: "a tool call",
            payload: |session| {
                json!({
                    "session_id": session, "turn_id": session, "transcript_path": null, "cwd": "/",
                    "hook_event_name": "PreToolUse", "permission_mode": "default", "tool_name": "Bash",
                    "tool_input": {"command": "true"}, "tool_use_id": session,
                })
            },
            fault: |answer| (!by_exit_code(answer) && !denies(answer)).then(|| told(answer)),
        },
        Rehearsal {
            what: "the end of a turn",
            payload: |session| {
                json!({
                    "session_id": session, "turn_id": session, "transcript_path": null, "cwd": "/",
                    "hook_event_name": "Stop", "permission_mode": "default", "stop_hook_active": false,
                    "last_assistant_message": "Done.",
                })
            },
            fault: |answer| (!by_exit_code(answer) && !blocks(answer)).then(|| told(answer)),
        },
    ],
    listed: Some(listed),
    also_runs: None,
};

/// One member that Codex does not know voids the whole answer.
fn denies(answer: &Finished) -> bool {
    let Some(output) = object(answer).filter(|_| answer.code == Some(0)) else {
        return false;
    };
    let specific = output.get("hookSpecificOutput").and_then(Value::as_object);
    only(&output, &["hookSpecificOutput", "systemMessage"])
        && specific.is_some_and(|specific| {
            let text = |name: &str| specific.get(name).and_then(Value::as_str);
            text("hookEventName") == Some("PreToolUse")
                && text("permissionDecision") == Some("deny")
                && is_said(specific.get("permissionDecisionReason"))
                && only(
                    specific,
                    &[
                        "hookEventName",
                        "permissionDecision",
                        "permissionDecisionReason",
                        "additionalContext",
                    ],
                )
        })
}

fn blocks(answer: &Finished) -> bool {
    let output = object(answer).filter(|_| answer.code == Some(0));
    output.is_some_and(|output| {
        only(&output, &["decision", "reason", "systemMessage"])
            && output.get("decision").and_then(Value::as_str) == Some("block")
            && is_said(output.get("reason"))
    })
}

/// Asks `codex app-server` by `hooks/list`, which starts no session.
fn listed(program: &Path) -> Result<Vec<Listed>, Trouble> {
    let here = std::env::current_dir().unwrap_or_else(|_| "/".into());
    let messages = [
        json!({"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "proofmark", "version": env!("CARGO_PKG_VERSION")}}}),
        json!({"method": "initialized"}),
        json!({"id": QUESTION, "method": "hooks/list", "params": {"cwds": [here]}}),
    ];
    let input: String = messages.iter().map(|message| format!("{message}\n")).collect();
    let is_answer = |line: &str| serde_json::from_str::<Value>(line).is_ok_and(|message| message["id"] == QUESTION);
    let answer = child::ask(
        Command::new(program).arg("app-server"),
        input.as_bytes(),
        ASK,
        is_answer,
    )?;
    let answer: Value = serde_json::from_str(&answer).unwrap_or_default();
    read(&answer).ok_or(Trouble::Silent)
}

/// The hooks in an answer; none where it is no list of hooks.
fn read(answer: &Value) -> Option<Vec<Listed>> {
    let folders = answer["result"]["data"].as_array()?;
    let hooks = folders.iter().filter_map(|folder| folder["hooks"].as_array()).flatten();
    let hook = |hook: &Value| {
        let status = hook["trustStatus"].as_str()?.to_owned();
        Some(Listed {
            key: hook["key"].as_str()?.to_owned(),
            runs: hook["enabled"] != false && matches!(status.as_str(), "trusted" | "managed"),
            status,
        })
    };
    Some(hooks.filter_map(hook).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_codex_lists_is_read() {
        let hook =
            |key: &str, status: &str, enabled: bool| json!({"key": key, "trustStatus": status, "enabled": enabled});
        let answer = json!({"id": 2, "result": {"data": [{"cwd": "/", "hooks": [
            hook("a", "trusted", true), hook("b", "modified", true), hook("c", "trusted", false),
            hook("d", "managed", true), hook("e", "untrusted", true), {"key": "f"},
        ]}, {"cwd": "/x"}]}});
        let read = read(&answer).unwrap();
        let told: Vec<(&str, bool)> = read.iter().map(|hook| (hook.key.as_str(), hook.runs)).collect();
        assert_eq!(
            told,
            [("a", true), ("b", false), ("c", false), ("d", true), ("e", false)]
        );
        assert_eq!(
            super::read(&json!({"id": 2, "error": {"message": "no such method"}})),
            None
        );
    }
}
