//! Claude Code's events of a self-test, as its version 2.1.332 sends them, and what it takes as a refusal.
//! Its settings stay out.

use proofmark_protocol::Harness;
use serde_json::{Value, json};

use super::{Rehearsal, Row, by_exit_code, is_said, object, told};
use crate::child::Finished;

/// Claude Code's row.
pub(super) static ROW: Row = Row {
    harness: Harness::ClaudeCode,
    rehearsals: [
        Rehearsal {
            what: "a tool call",
            payload: |session| {
                json!({
                    "session_id": session, "cwd": "/", "prompt_id": session, "permission_mode": "default",
                    "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "true"},
                    "tool_use_id": session,
                })
            },
            fault: |answer| (!by_exit_code(answer) && !denies(answer)).then(|| told(answer)),
        },
        Rehearsal {
            what: "the end of a turn",
            payload: |session| {
                json!({
                    "session_id": session, "cwd": "/", "prompt_id": session, "permission_mode": "default",
                    "hook_event_name": "Stop", "stop_hook_active": false, "last_assistant_message": "Done.",
                })
            },
            fault: |answer| (!by_exit_code(answer) && !blocks(answer)).then(|| told(answer)),
        },
    ],
    listed: None,
    also_runs: None,
};

/// A wrong event name would make the answer an error that holds nothing up.
fn denies(answer: &Finished) -> bool {
    let output = object(answer).filter(|_| answer.code == Some(0));
    let output = output.and_then(|object| object.get("hookSpecificOutput").cloned());
    output.is_some_and(|output| {
        output["hookEventName"] == "PreToolUse"
            && output["permissionDecision"] == "deny"
            && is_said(output.get("permissionDecisionReason"))
    })
}

fn blocks(answer: &Finished) -> bool {
    let output = object(answer).filter(|_| answer.code == Some(0));
    output.is_some_and(|output| {
        output.get("decision").and_then(Value::as_str) == Some("block") && is_said(output.get("reason"))
    })
}
