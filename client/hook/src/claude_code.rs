//! Claude Code: its payloads as requests, and decisions as its own output and exit code.
//! The socket, the deadlines and every other harness stay out.

use std::path::Path;

use proofmark_protocol::event::{
    PreToolUseParams, PromptParams, SessionEndParams, SessionStartParams, StopParams, SubagentStartParams,
};
use proofmark_protocol::frame::{MAX_FRAME, Request};
use proofmark_protocol::{Call, Decision, Harness, Outcome, SessionRef, method};
use serde::Serialize;

use crate::answer::{Answer, bounded};
use crate::dialect::{Ask, Dialect, Exchange, Wait};
use crate::payload::{Payload, Unreadable, count, flag, name, text};

/// Claude Code reads no output as "go on".
pub(crate) const DIALECT: Dialect = Dialect {
    harness: Harness::ClaudeCode,
    unread: "",
    silence: |_| "",
    exchange: Some(Exchange { ask, answer, tell }),
};

/// One event: the method that it calls, and the ways in which its answer reaches somebody (Claude Code 2.1.332).
struct Event {
    name: &'static str,
    wait: Wait,
    /// Exit code 2 holds it up, with stderr for the agent.
    refusable: bool,
    /// `additionalContext` reaches the agent and changes nothing else. On the Stop events it would make the turn go on.
    context: bool,
    /// `systemMessage` reaches the person.
    person: bool,
    /// The person can be told here that Proofmark itself failed.
    faults: bool,
    request: fn(SessionRef, &Payload<'_>) -> Result<Vec<u8>, Unreadable>,
}

/// Every event that is put to the server; all others pass in silence.
#[rustfmt::skip]
static EVENTS: [Event; 7] = [
    Event { name: "SessionStart",     wait: Wait::Gate, refusable: false, context: true,  person: true,  faults: true,  request: session_start },
    Event { name: "UserPromptSubmit", wait: Wait::Gate, refusable: false, context: true,  person: true,  faults: true,  request: prompt },
    Event { name: "PreToolUse",       wait: Wait::Gate, refusable: true,  context: false, person: true,  faults: true,  request: pre_tool_use },
    Event { name: "Stop",             wait: Wait::Stop, refusable: true,  context: false, person: true,  faults: true,  request: stop },
    Event { name: "SubagentStart",    wait: Wait::Gate, refusable: false, context: true,  person: true,  faults: false, request: subagent_start },
    Event { name: "SubagentStop",     wait: Wait::Stop, refusable: true,  context: false, person: true,  faults: true,  request: subagent_stop },
    Event { name: "SessionEnd",       wait: Wait::Gate, refusable: false, context: false, person: false, faults: false, request: session_end },
];

fn event(name: &str) -> Option<&'static Event> {
    EVENTS.iter().find(|event| event.name == name)
}

fn ask(payload: &Payload<'_>) -> Result<Option<Ask>, Unreadable> {
    let Some(event) = event(&payload.event()) else {
        return Ok(None);
    };
    if event.name == "SubagentStop" && is_compaction(payload) {
        return Ok(None);
    }
    let at = SessionRef {
        harness: Harness::ClaudeCode,
        session: name(payload.session_id).or_else(|| name(payload.session_id_camel)),
        agent: name(payload.agent_id),
        transcript: name(payload.transcript_path),
        agent_transcript: name(payload.agent_transcript_path),
        cwd: name(payload.cwd),
        turn: name(payload.prompt_id),
    };
    let session = at.session.clone().or_else(|| at.transcript.clone()).unwrap_or_default();
    let line = (event.request)(at, payload)?;
    Ok(Some(Ask {
        event: event.name,
        line,
        wait: event.wait,
        session,
        opens: event.name == "SessionStart",
    }))
}

/// Compaction reports its own summary as a helper's last words: without a type, or without a helper, and without a
/// transcript (2.1.197 and 2.1.332). A real helper of that description has written its transcript by then.
fn is_compaction(payload: &Payload<'_>) -> bool {
    let nameless = text(payload.agent_type).is_some_and(|kind| kind.is_empty()) || name(payload.agent_id).is_none();
    nameless && !name(payload.agent_transcript_path).is_some_and(|path| Path::new(&path).exists())
}

fn session_start(at: SessionRef, payload: &Payload<'_>) -> Result<Vec<u8>, Unreadable> {
    line(
        method::ON_SESSION_START,
        SessionStartParams {
            at,
            source: name(payload.source),
        },
    )
}

fn prompt(at: SessionRef, payload: &Payload<'_>) -> Result<Vec<u8>, Unreadable> {
    let prompt = text(payload.prompt).ok_or(Unreadable::Lacks("prompt"))?;
    line(method::ON_PROMPT, PromptParams { at, prompt })
}

fn pre_tool_use(at: SessionRef, payload: &Payload<'_>) -> Result<Vec<u8>, Unreadable> {
    let tool = name(payload.tool_name).ok_or(Unreadable::Lacks("tool_name"))?;
    let call = Call {
        id: name(payload.tool_use_id),
        tool,
        input: payload.tool_input.map(ToOwned::to_owned),
    };
    line(method::ON_PRE_TOOL_USE, PreToolUseParams { at, call })
}

fn stop(at: SessionRef, payload: &Payload<'_>) -> Result<Vec<u8>, Unreadable> {
    line(method::ON_STOP, stop_params(at, payload))
}

fn subagent_stop(mut at: SessionRef, payload: &Payload<'_>) -> Result<Vec<u8>, Unreadable> {
    // A helper without an id is known by its own record: it must never be taken for the main agent.
    at.agent = at.agent.or_else(|| at.agent_transcript.clone());
    line(method::ON_SUBAGENT_STOP, stop_params(at, payload))
}

fn stop_params(at: SessionRef, payload: &Payload<'_>) -> StopParams {
    StopParams {
        at,
        reply: text(payload.last_assistant_message),
        rewrite: flag(payload.stop_hook_active),
        background: count(payload.background_tasks),
    }
}

fn subagent_start(at: SessionRef, _: &Payload<'_>) -> Result<Vec<u8>, Unreadable> {
    line(method::ON_SUBAGENT_START, SubagentStartParams { at })
}

fn session_end(at: SessionRef, payload: &Payload<'_>) -> Result<Vec<u8>, Unreadable> {
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
fn line(method: &str, params: impl Serialize) -> Result<Vec<u8>, Unreadable> {
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

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Output<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    hook_specific_output: Option<Specific<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_message: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Specific<'a> {
    /// Claude Code rejects the whole answer when this is not the event's exact name.
    hook_event_name: &'static str,
    additional_context: &'a str,
}

fn answer(name: &str, decision: &Decision) -> Answer {
    let Some(event) = event(name) else {
        return Answer::default();
    };
    let said = |text: &Option<String>| {
        text.as_deref()
            .map(|text| bounded(text).into_owned())
            .filter(|text| !text.is_empty())
    };
    let (to_agent, to_person) = (said(&decision.to_agent), said(&decision.to_person));
    if event.refusable && decision.outcome == Outcome::Refuse {
        // JSON beside exit code 2 would be read in place of stderr.
        return Answer {
            stdout: String::new(),
            stderr: to_agent.unwrap_or_default(),
            exit: 2,
        };
    }
    output(&Output {
        hook_specific_output: to_agent
            .as_deref()
            .filter(|_| event.context)
            .map(|additional_context| Specific {
                hook_event_name: event.name,
                additional_context,
            }),
        system_message: to_person.as_deref().filter(|_| event.person),
    })
}

fn tell(name: &str, text: &str) -> Option<Answer> {
    event(name).filter(|event| event.faults)?;
    Some(output(&Output {
        system_message: Some(&bounded(text)),
        ..Output::default()
    }))
}

fn output(output: &Output<'_>) -> Answer {
    if output.hook_specific_output.is_none() && output.system_message.is_none() {
        return Answer::default();
    }
    match serde_json::to_string(output) {
        Ok(json) => Answer::pass(&json),
        Err(error) => Answer::pass_because("", format_args!("the answer could not be written: {error}")),
    }
}
