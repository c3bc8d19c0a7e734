//! The requests that payloads become, for the harnesses whose payloads name their members alike.
//! Which event calls which method, and who the session is, is each dialect's business.

use proofmark_protocol::event::{
    PreToolUseParams, PromptParams, SessionEndParams, SessionStartParams, StopParams, SubagentStartParams,
};
use proofmark_protocol::frame::{MAX_FRAME, Request};
use proofmark_protocol::{Call, SessionRef, method};
use serde::Serialize;

use crate::dialect::{Ask, Wait};
use crate::payload::{Payload, Unreadable, count, flag, name, text};

/// Writes the request for a payload about a session, as one line.
pub(crate) type Write = fn(SessionRef, &Payload<'_>) -> Result<Vec<u8>, Unreadable>;

/// The question that an event puts to the server.
pub(crate) fn ask(
    event: &'static str,
    wait: Wait,
    write: Write,
    at: SessionRef,
    payload: &Payload<'_>,
) -> Result<Ask, Unreadable> {
    let session = at.session.clone().or_else(|| at.transcript.clone()).unwrap_or_default();
    Ok(Ask {
        event,
        line: write(at, payload)?,
        wait,
        session,
        opens: event.eq_ignore_ascii_case("SessionStart"),
    })
}

pub(crate) fn session_start(at: SessionRef, payload: &Payload<'_>) -> Result<Vec<u8>, Unreadable> {
    line(
        method::ON_SESSION_START,
        SessionStartParams {
            at,
            source: name(payload.source),
        },
    )
}

pub(crate) fn prompt(at: SessionRef, payload: &Payload<'_>) -> Result<Vec<u8>, Unreadable> {
    let prompt = text(payload.prompt).ok_or(Unreadable::Lacks("prompt"))?;
    line(method::ON_PROMPT, PromptParams { at, prompt })
}

pub(crate) fn pre_tool_use(at: SessionRef, payload: &Payload<'_>) -> Result<Vec<u8>, Unreadable> {
    let tool = name(payload.tool_name).ok_or(Unreadable::Lacks("tool_name"))?;
    let call = Call {
        id: name(payload.tool_use_id),
        tool,
        input: payload.tool_input.map(ToOwned::to_owned),
    };
    line(method::ON_PRE_TOOL_USE, PreToolUseParams { at, call })
}

pub(crate) fn stop(at: SessionRef, payload: &Payload<'_>) -> Result<Vec<u8>, Unreadable> {
    line(method::ON_STOP, stop_params(at, payload))
}

pub(crate) fn subagent_stop(at: SessionRef, payload: &Payload<'_>) -> Result<Vec<u8>, Unreadable> {
    line(method::ON_SUBAGENT_STOP, stop_params(at, payload))
}

fn stop_params(mut at: SessionRef, payload: &Payload<'_>) -> StopParams {
    // A helper without an id is known by its own record, whatever the event is called: it must never be taken for the
    // main agent.
    at.agent = at.agent.or_else(|| at.agent_transcript.clone());
    StopParams {
        at,
        reply: text(payload.last_assistant_message),
        rewrite: flag(payload.stop_hook_active),
        background: count(payload.background_tasks),
    }
}

pub(crate) fn subagent_start(at: SessionRef, _: &Payload<'_>) -> Result<Vec<u8>, Unreadable> {
    line(method::ON_SUBAGENT_START, SubagentStartParams { at })
}

pub(crate) fn session_end(at: SessionRef, payload: &Payload<'_>) -> Result<Vec<u8>, Unreadable> {
    line(
        method::ON_SESSION_END,
        SessionEndParams {
            at,
            reason: name(payload.reason),
        },
    )
}

/// The request as one line. A tool's input passes through as it was written, and in JSON a bare line end is only ever
/// white space between values, so it can be made a blank.
pub(crate) fn line(method: &str, params: impl Serialize) -> Result<Vec<u8>, Unreadable> {
    let mut line = serde_json::to_vec(&Request::new(1, method, params)).map_err(|_| Unreadable::Unwritable)?;
    for byte in &mut line {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    line.push(b'\n');
    if line.len() > MAX_FRAME {
        Err(Unreadable::TooLong)
    } else {
        Ok(line)
    }
}
