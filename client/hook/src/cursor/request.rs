//! Cursor's payloads as requests: whose they are, and the calls behind the events that do not name a tool.
//! Which event is answered how stays out.

use std::collections::BTreeMap;
use std::path::Path;

use proofmark_protocol::event::{Ended, PostToolUseParams, PreToolUseParams, ReplyParams, StopParams};
use proofmark_protocol::{Call, Harness, SessionRef, method};
use serde_json::value::RawValue;

use crate::payload::{Payload, Unreadable, flag, name, number, text};
use crate::request::line;

/// The tool that runs a shell command, as `preToolUse` names it.
const SHELL: &str = "Shell";
/// The tool that changes files, as `preToolUse` names it.
const WRITE: &str = "Write";
/// The tool that reads a file.
const READ: &str = "Read";
/// What stands before the name of an MCP server's tool.
const MCP: &str = "MCP:";

/// Where an event of Cursor's belongs (2.7 to 3.24, and its command line of 2026). A sub-agent's own events carry a
/// conversation of their own; only its start and its end name the one that it works for.
pub(super) fn at(event: &str, payload: &Payload<'_>) -> SessionRef {
    let is_helper = event.starts_with("subagent");
    let parent = name(payload.parent_conversation_id).filter(|_| is_helper);
    let own = name(payload.conversation_id).or_else(|| name(payload.session_id));
    let agent_transcript = name(payload.agent_transcript_path);
    let file = || {
        let path = agent_transcript.as_deref()?;
        Path::new(path).file_stem()?.to_str().map(str::to_owned)
    };
    SessionRef {
        harness: Harness::Cursor,
        session: parent.or(own).or_else(|| name(payload.session_id_camel)),
        agent: name(payload.subagent_id).or_else(file).filter(|_| is_helper),
        transcript: name(payload.transcript_path),
        agent_transcript,
        cwd: folder(payload),
        turn: name(payload.generation_id),
    }
}

/// The folder in which the agent works: `cwd` is often empty, and the hook's own folder is never the project's.
fn folder(payload: &Payload<'_>) -> Option<String> {
    let asked = members(payload.tool_input);
    let named = |member: &str| name(asked.get(member).copied());
    let roots: Vec<&RawValue> = payload
        .workspace_roots
        .and_then(|raw| serde_json::from_str(raw.get()).ok())
        .unwrap_or_default();
    named("working_directory")
        .or_else(|| named("cwd"))
        .or_else(|| name(payload.cwd))
        .or_else(|| name(roots.first().copied()))
        .or_else(|| std::env::var("CURSOR_PROJECT_DIR").ok().filter(|root| !root.is_empty()))
        .map(|path| plain(&path).to_owned())
}

/// A path without the slash that Windows builds put before a drive (`/d:/Name`, 3.7 to 3.24).
fn plain(path: &str) -> &str {
    match path.as_bytes() {
        [b'/', drive, b':', ..] if drive.is_ascii_alphabetic() => &path[1..],
        _ => path,
    }
}

fn members(raw: Option<&RawValue>) -> BTreeMap<String, &RawValue> {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok())
        .unwrap_or_default()
}

pub(super) fn before_shell(at: SessionRef, payload: &Payload<'_>) -> Result<Vec<u8>, Unreadable> {
    let call = shell(payload)?;
    line(method::ON_PRE_TOOL_USE, PreToolUseParams { at, call })
}

pub(super) fn before_mcp(at: SessionRef, payload: &Payload<'_>) -> Result<Vec<u8>, Unreadable> {
    let call = mcp(payload)?;
    line(method::ON_PRE_TOOL_USE, PreToolUseParams { at, call })
}

/// The file's content, which the event brings as well, is nobody's business.
pub(super) fn before_read(at: SessionRef, payload: &Payload<'_>) -> Result<Vec<u8>, Unreadable> {
    let call = file(READ, payload)?;
    line(method::ON_PRE_TOOL_USE, PreToolUseParams { at, call })
}

pub(super) fn tool_succeeded(at: SessionRef, payload: &Payload<'_>) -> Result<Vec<u8>, Unreadable> {
    let call = tool(payload)?;
    ended(at, payload, call, Ended::Succeeded, payload.tool_output)
}

pub(super) fn tool_failed(at: SessionRef, payload: &Payload<'_>) -> Result<Vec<u8>, Unreadable> {
    let call = tool(payload)?;
    let how = match name(payload.failure_type).as_deref() {
        _ if flag(payload.is_interrupt) => Ended::Interrupted,
        Some("timeout") => Ended::TimedOut,
        Some("permission_denied") => Ended::Denied,
        _ => Ended::Failed,
    };
    ended(at, payload, call, how, payload.error_message)
}

/// The event has no exit code, and whether it comes after a failure is not known.
pub(super) fn after_shell(at: SessionRef, payload: &Payload<'_>) -> Result<Vec<u8>, Unreadable> {
    let call = shell(payload)?;
    ended(at, payload, call, Ended::Ran, payload.output)
}

pub(super) fn after_mcp(at: SessionRef, payload: &Payload<'_>) -> Result<Vec<u8>, Unreadable> {
    let call = mcp(payload)?;
    ended(at, payload, call, Ended::Ran, payload.result_json)
}

/// The old and the new text, which the event brings as well, are nobody's business.
pub(super) fn after_edit(at: SessionRef, payload: &Payload<'_>) -> Result<Vec<u8>, Unreadable> {
    let call = file(WRITE, payload)?;
    ended(at, payload, call, Ended::Succeeded, None)
}

pub(super) fn reply(at: SessionRef, payload: &Payload<'_>) -> Result<Vec<u8>, Unreadable> {
    let reply = text(payload.text).ok_or(Unreadable::Lacks("text"))?;
    line(method::ON_REPLY, ReplyParams { at, reply })
}

pub(super) fn stop(at: SessionRef, payload: &Payload<'_>) -> Result<Vec<u8>, Unreadable> {
    line(
        method::ON_STOP,
        stopped(at, payload, text(payload.last_assistant_message)),
    )
}

/// `summary` is the last that a sub-agent says.
pub(super) fn subagent_stop(mut at: SessionRef, payload: &Payload<'_>) -> Result<Vec<u8>, Unreadable> {
    // One that nothing names must never be taken for the main agent.
    at.agent = at.agent.or_else(|| Some("unnamed".to_owned()));
    line(method::ON_SUBAGENT_STOP, stopped(at, payload, text(payload.summary)))
}

fn stopped(at: SessionRef, payload: &Payload<'_>, reply: Option<String>) -> StopParams {
    let again = number(payload.loop_count).is_some_and(|loops| loops > 0.0);
    StopParams {
        at,
        reply,
        rewrite: again || flag(payload.stop_hook_active),
        background: 0,
    }
}

fn ended(
    at: SessionRef,
    payload: &Payload<'_>,
    call: Call,
    ended: Ended,
    output: Option<&RawValue>,
) -> Result<Vec<u8>, Unreadable> {
    let params = PostToolUseParams {
        at,
        call,
        ended,
        output: output.map(ToOwned::to_owned),
        duration: number(payload.duration),
    };
    line(method::ON_POST_TOOL_USE, params)
}

fn tool(payload: &Payload<'_>) -> Result<Call, Unreadable> {
    Ok(Call {
        id: name(payload.tool_use_id),
        tool: name(payload.tool_name).ok_or(Unreadable::Lacks("tool_name"))?,
        input: payload.tool_input.map(ToOwned::to_owned),
    })
}

fn shell(payload: &Payload<'_>) -> Result<Call, Unreadable> {
    let command = payload.command.ok_or(Unreadable::Lacks("command"))?;
    Ok(Call {
        id: None,
        tool: SHELL.to_owned(),
        input: object("command", command),
    })
}

fn file(tool: &str, payload: &Payload<'_>) -> Result<Call, Unreadable> {
    let path = payload.file_path.or(payload.file_path_camel);
    Ok(Call {
        id: None,
        tool: tool.to_owned(),
        input: object("file_path", path.ok_or(Unreadable::Lacks("file_path"))?),
    })
}

/// The input comes as JSON in a text, and the name bare or, in older builds, with its prefix. `command` is here the line
/// that starts the server.
fn mcp(payload: &Payload<'_>) -> Result<Call, Unreadable> {
    let tool = name(payload.tool_name).ok_or(Unreadable::Lacks("tool_name"))?;
    let inner = text(payload.tool_input).and_then(|json| RawValue::from_string(json).ok());
    Ok(Call {
        id: None,
        tool: format!("{MCP}{}", tool.strip_prefix(MCP).unwrap_or(&tool)),
        input: inner.or_else(|| payload.tool_input.map(ToOwned::to_owned)),
    })
}

fn object(member: &str, value: &RawValue) -> Option<Box<RawValue>> {
    // Of a name and a value that are JSON only JSON comes.
    RawValue::from_string(format!("{{\"{member}\":{}}}", value.get())).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_has_no_slash_before_it() {
        for (path, expected) in [
            ("/d:/Name", "d:/Name"),
            ("e:/x", "e:/x"),
            ("C:\\x", "C:\\x"),
            ("/d", "/d"),
            ("/ä:/x", "/ä:/x"),
            ("", ""),
        ] {
            assert_eq!(plain(path), expected, "{path}");
        }
    }

    #[test]
    fn the_folder_is_the_first_that_is_named() {
        for (payload, expected) in [
            (
                r#"{"tool_input":{"working_directory":"/a","cwd":"/b"},"cwd":"/c"}"#,
                Some("/a"),
            ),
            (r#"{"tool_input":{"cwd":"/b"},"cwd":"/c"}"#, Some("/b")),
            (
                r#"{"tool_input":{"cwd":""},"cwd":"/c","workspace_roots":["/d"]}"#,
                Some("/c"),
            ),
            (
                r#"{"tool_input":"x","cwd":"","workspace_roots":["/d:/n"]}"#,
                Some("d:/n"),
            ),
            (r#"{"workspace_roots":[7]}"#, None),
            (r#"{"workspace_roots":[]}"#, None),
        ] {
            let read = Payload::read(payload.as_bytes()).unwrap();
            assert_eq!(folder(&read).as_deref(), expected, "{payload}");
        }
    }
}
