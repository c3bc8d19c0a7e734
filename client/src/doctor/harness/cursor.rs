//! Cursor's events of a self-test, as its builds of 2026 send them, and what it takes as a refusal.
//! Its settings stay out.

use proofmark_protocol::Harness;
use serde_json::{Value, json};

use super::{Rehearsal, Row, is_said, object, told};
use crate::child::Finished;

/// Cursor's row.
pub(super) static ROW: Row = Row {
    harness: Harness::Cursor,
    rehearsals: [
        Rehearsal {
            what: "a tool call",
            payload: |session| {
                json!({
                    "conversation_id": session, "generation_id": session, "session_id": session,
                    "hook_event_name": "preToolUse", "cursor_version": "3.24.0", "workspace_roots": [],
                    "transcript_path": null, "tool_name": "Shell", "tool_input": {"command": "true"},
                    "tool_use_id": session, "cwd": "/",
                })
            },
            fault: |answer| (!denies(answer)).then(|| told(answer)),
        },
        Rehearsal {
            what: "the end of a turn",
            payload: |session| {
                json!({
                    "conversation_id": session, "generation_id": session, "session_id": session,
                    "hook_event_name": "stop", "cursor_version": "3.24.0", "workspace_roots": [],
                    "transcript_path": null, "status": "completed", "loop_count": 0,
                })
            },
            fault: |answer| (!follows_up(answer)).then(|| told(answer)),
        },
    ],
    listed: None,
    also_runs: Some(Harness::ClaudeCode),
};

/// Which of the two texts the agent reads differs by build.
fn denies(answer: &Finished) -> bool {
    let output = object(answer).filter(|_| answer.code == Some(0));
    output.is_some_and(|output| {
        output.get("permission").and_then(Value::as_str) == Some("deny")
            && is_said(output.get("user_message"))
            && is_said(output.get("agent_message"))
    })
}

/// Exit code 2 would drop the message.
fn follows_up(answer: &Finished) -> bool {
    let output = object(answer).filter(|_| answer.code == Some(0));
    output.is_some_and(|output| is_said(output.get("followup_message")))
}
