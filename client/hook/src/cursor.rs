//! Cursor: telling its payloads from others, and the answer that leaves its events as they are.
//! Its events are not put to the server.

use proofmark_protocol::Harness;

use crate::dialect::Dialect;
use crate::payload::Payload;

/// Cursor takes silence, and an object without the member that it looks for, as a refusal on its permission events
/// (reported for 3.15 and the 2026 command line). `allow` is the weakest word there: every other hook's `ask` or `deny`
/// wins over it, and Cursor's own permission check comes after the hooks.
const GATE: &str = r#"{"permission":"allow"}"#;
/// The prompt goes to the model.
const PROMPT: &str = r#"{"continue":true}"#;
/// Events that only inform: anything but an object is an error in the log.
const OTHER: &str = "{}";

/// Cursor's answers.
pub(crate) const DIALECT: Dialect = Dialect {
    harness: Harness::Cursor,
    turn: "generation_id",
    // Whatever the event was, this holds the member that it looks for.
    unread: r#"{"continue":true,"permission":"allow"}"#,
    silence,
    wrote,
    exchange: None,
};

/// True when Cursor wrote the payload: it has Cursor's own members, or an event name in camel case.
fn wrote(payload: &Payload<'_>) -> bool {
    payload.cursor_version.is_some()
        || payload.generation_id.is_some()
        || payload.conversation_id.is_some()
        || payload.workspace_roots.is_some()
        || payload.event().starts_with(|first: char| first.is_ascii_lowercase())
}

/// Names as documented for Cursor 3.x; those in Claude Code's spelling have been seen from Cursor as well.
fn silence(event: &str) -> &'static str {
    match event {
        "preToolUse"
        | "beforeShellExecution"
        | "beforeMCPExecution"
        | "beforeReadFile"
        | "beforeTabFileRead"
        | "subagentStart"
        | "PreToolUse"
        | "SubagentStart" => GATE,
        "beforeSubmitPrompt" | "UserPromptSubmit" => PROMPT,
        _ => OTHER,
    }
}
