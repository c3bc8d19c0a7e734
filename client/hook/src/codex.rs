//! Codex: its payloads as requests, and decisions as one JSON object on stdout.
//! The socket, the deadlines and every other harness stay out.

use std::path::Path;

use proofmark_protocol::{Decision, Harness, Outcome, SessionRef};
use serde::Serialize;

use crate::answer::{Answer, bounded, said};
use crate::dialect::{Ask, Dialect, Exchange, Wait};
use crate::payload::{Payload, Unreadable, name};
use crate::request::{self, Write};
use crate::rollout;

/// Codex reads no output as "go on".
pub(crate) const DIALECT: Dialect = Dialect {
    harness: Harness::Codex,
    turn: "turn_id",
    unread: "",
    silence: |_| "",
    wrote,
    exchange: Some(Exchange { ask, answer, tell }),
};

/// How an event is held up.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Refusal {
    /// Not at all.
    None,
    /// `decision` and `reason`: the agent goes on with the reason as a message. No cap of Codex's own ends that.
    Block,
    /// A permission decision: the call does not run.
    Deny,
}

/// One event: the method that it calls, and the ways in which its answer reaches somebody (Codex 0.171.0).
struct Event {
    name: &'static str,
    wait: Wait,
    refusal: Refusal,
    /// `additionalContext` is known there. On the Stop events it voids the whole answer.
    context: bool,
    /// `systemMessage` is known there.
    person: bool,
    /// The person can be told here that Proofmark itself failed.
    faults: bool,
    request: Write,
}

/// Every event that is put to the server; all others pass in silence.
#[rustfmt::skip]
static EVENTS: [Event; 7] = [
    Event { name: "SessionStart",     wait: Wait::Gate, refusal: Refusal::None,  context: true,  person: true,  faults: true,  request: request::session_start },
    Event { name: "UserPromptSubmit", wait: Wait::Gate, refusal: Refusal::None,  context: true,  person: true,  faults: true,  request: request::prompt },
    Event { name: "PreToolUse",       wait: Wait::Gate, refusal: Refusal::Deny,  context: true,  person: true,  faults: true,  request: request::pre_tool_use },
    Event { name: "Stop",             wait: Wait::Stop, refusal: Refusal::Block, context: false, person: true,  faults: true,  request: request::stop },
    Event { name: "SubagentStart",    wait: Wait::Gate, refusal: Refusal::None,  context: true,  person: true,  faults: false, request: request::subagent_start },
    Event { name: "SubagentStop",     wait: Wait::Stop, refusal: Refusal::Block, context: false, person: true,  faults: true,  request: request::subagent_stop },
    Event { name: "SessionEnd",       wait: Wait::Gate, refusal: Refusal::None,  context: false, person: false, faults: false, request: request::session_end },
];

fn event(name: &str) -> Option<&'static Event> {
    EVENTS.iter().find(|event| event.name == name)
}

/// True when Codex wrote the payload: it names the turn in its own way, or, where no turn has begun yet, one of its
/// records (0.171.0).
fn wrote(payload: &Payload<'_>) -> bool {
    payload.turn_id.is_some() || name(payload.transcript_path).is_some_and(|path| is_rollout(&path))
}

/// True for the path of a record of Codex's: `rollout-<time>-<thread>.jsonl`.
fn is_rollout(path: &str) -> bool {
    let file = Path::new(path).file_name().and_then(|file| file.to_str());
    file.is_some_and(|file| file.starts_with("rollout-"))
}

fn ask(payload: &Payload<'_>) -> Result<Option<Ask>, Unreadable> {
    let Some(event) = event(&payload.event()) else {
        return Ok(None);
    };
    let agent = name(payload.agent_id);
    // What a helper agent is told to do comes from the agent that started it: the person did not speak.
    if event.name == "UserPromptSubmit" && agent.is_some() {
        return Ok(None);
    }
    let mut at = SessionRef {
        harness: Harness::Codex,
        session: name(payload.session_id),
        agent,
        transcript: name(payload.transcript_path),
        agent_transcript: name(payload.agent_transcript_path),
        cwd: name(payload.cwd),
        turn: name(payload.turn_id),
    };
    // Reported for clients of 2026: a session with a record, and a payload that does not say where. Only these events read it.
    if at.transcript.is_none() && matches!(event.name, "UserPromptSubmit" | "Stop" | "SubagentStop") {
        let found = at.session.as_deref().and_then(rollout::of);
        at.transcript = found.and_then(|path| path.into_os_string().into_string().ok());
    }
    // Only here `transcript_path` is the helper's own record; at its end it is the session's.
    if event.name == "SubagentStart" {
        at.agent_transcript = at.transcript.take();
    }
    request::ask(event.name, event.wait, event.request, at, payload).map(Some)
}

/// An answer. Codex throws the whole of it away for one member that it does not know.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Output<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hook_specific_output: Option<Specific<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_message: Option<&'a str>,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Specific<'a> {
    hook_event_name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<&'a str>,
}

fn answer(name: &str, decision: &Decision) -> Answer {
    let Some(event) = event(name) else {
        return Answer::default();
    };
    let (to_agent, to_person) = (said(decision.to_agent.as_deref()), said(decision.to_person.as_deref()));
    let system_message = to_person.as_deref().filter(|_| event.person);
    let specific = Specific {
        hook_event_name: event.name,
        ..Specific::default()
    };
    let refusal = if decision.outcome == Outcome::Refuse {
        event.refusal
    } else {
        Refusal::None
    };
    // A refusal never comes without its reason, which Codex asks for.
    let output = match (refusal, to_agent.as_deref()) {
        (Refusal::Deny, reason @ Some(_)) => Output {
            hook_specific_output: Some(Specific {
                permission_decision: Some("deny"),
                permission_decision_reason: reason,
                ..specific
            }),
            system_message,
            ..Output::default()
        },
        (Refusal::Block, reason @ Some(_)) => Output {
            decision: Some("block"),
            reason,
            system_message,
            ..Output::default()
        },
        (_, context) => Output {
            hook_specific_output: context.filter(|_| event.context).map(|text| Specific {
                additional_context: Some(text),
                ..specific
            }),
            system_message,
            ..Output::default()
        },
    };
    object(&output)
}

fn tell(name: &str, text: &str) -> Option<Answer> {
    event(name).filter(|event| event.faults)?;
    Some(object(&Output {
        system_message: Some(&bounded(text)),
        ..Output::default()
    }))
}

fn object(output: &Output<'_>) -> Answer {
    let empty = output.decision.is_none() && output.hook_specific_output.is_none() && output.system_message.is_none();
    if empty {
        Answer::default()
    } else {
        Answer::object(output)
    }
}
