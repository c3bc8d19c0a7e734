//! Claude Code: its payloads as requests, and decisions as its own output and exit code.
//! The socket, the deadlines and every other harness stay out.

use std::path::Path;

use proofmark_protocol::{Decision, Harness, Outcome, SessionRef};
use serde::Serialize;

use crate::answer::{Answer, bounded, said};
use crate::dialect::{Ask, Dialect, Exchange, Wait};
use crate::payload::{Payload, Unreadable, name, text};
use crate::request::{self, Write};

/// Claude Code reads no output as "go on".
pub(crate) const DIALECT: Dialect = Dialect {
    harness: Harness::ClaudeCode,
    turn: "prompt_id",
    unread: "",
    silence: |_| "",
    wrote,
    exchange: Some(Exchange { ask, answer, tell }),
};

/// True when Claude Code wrote the payload: it names a turn in its own way, or, where no turn has begun yet, a transcript
/// that is called as the session (2.1.197, 2.1.332).
fn wrote(payload: &Payload<'_>) -> bool {
    let session = name(payload.session_id);
    let transcript = name(payload.transcript_path);
    let stem = transcript
        .as_deref()
        .and_then(|path| Path::new(path).file_stem()?.to_str());
    payload.prompt_id.is_some() || (stem.is_some() && stem == session.as_deref())
}

/// How an event is held up.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Refusal {
    /// Not at all.
    None,
    /// By exit code 2, with stderr for the agent.
    Exit,
    /// By a permission decision: the call does not run, and the agent reads the reason as the call's result. Said by exit
    /// code 2 it would be called a hook's error there.
    Deny,
}

/// One event: the method that it calls, and the ways in which its answer reaches somebody (Claude Code 2.1.332).
struct Event {
    name: &'static str,
    wait: Wait,
    /// How it is held up.
    refusal: Refusal,
    /// `additionalContext` reaches the agent and changes nothing else. On the Stop events it would make the turn go on.
    context: bool,
    /// `systemMessage` reaches the person.
    person: bool,
    /// The person can be told here that Proofmark itself failed.
    faults: bool,
    request: Write,
}

/// Every event that is put to the server; all others pass in silence.
#[rustfmt::skip]
static EVENTS: [Event; 7] = [
    Event { name: "SessionStart",     wait: Wait::Gate, refusal: Refusal::None, context: true,  person: true,  faults: true,  request: request::session_start },
    Event { name: "UserPromptSubmit", wait: Wait::Gate, refusal: Refusal::None, context: true,  person: true,  faults: true,  request: request::prompt },
    Event { name: "PreToolUse",       wait: Wait::Gate, refusal: Refusal::Deny, context: false, person: true,  faults: true,  request: request::pre_tool_use },
    Event { name: "Stop",             wait: Wait::Stop, refusal: Refusal::Exit, context: false, person: true,  faults: true,  request: request::stop },
    Event { name: "SubagentStart",    wait: Wait::Gate, refusal: Refusal::None, context: true,  person: true,  faults: false, request: request::subagent_start },
    Event { name: "SubagentStop",     wait: Wait::Stop, refusal: Refusal::Exit, context: false, person: true,  faults: true,  request: request::subagent_stop },
    Event { name: "SessionEnd",       wait: Wait::Gate, refusal: Refusal::None, context: false, person: false, faults: false, request: request::session_end },
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
    request::ask(event.name, event.wait, event.request, at, payload).map(Some)
}

/// Compaction reports its own summary as a helper's last words: without a type, or without a helper, and without a
/// transcript (2.1.197 and 2.1.332). A real helper of that description has written its transcript by then.
fn is_compaction(payload: &Payload<'_>) -> bool {
    let nameless = text(payload.agent_type).is_some_and(|kind| kind.is_empty()) || name(payload.agent_id).is_none();
    nameless && !name(payload.agent_transcript_path).is_some_and(|path| Path::new(&path).exists())
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Output<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    hook_specific_output: Option<Specific<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_message: Option<&'a str>,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Specific<'a> {
    /// Claude Code rejects the whole answer when this is not the event's exact name.
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
    let refusal = if decision.outcome == Outcome::Refuse {
        event.refusal
    } else {
        Refusal::None
    };
    let specific = Specific {
        hook_event_name: event.name,
        ..Specific::default()
    };
    let specific = match (refusal, to_agent.as_deref()) {
        // JSON beside exit code 2 would be read in place of stderr.
        (Refusal::Exit, _) => {
            return Answer {
                stdout: String::new(),
                stderr: to_agent.unwrap_or_default(),
                exit: 2,
            };
        }
        (Refusal::Deny, reason @ Some(_)) => Some(Specific {
            permission_decision: Some("deny"),
            permission_decision_reason: reason,
            ..specific
        }),
        (_, context) => context.filter(|_| event.context).map(|text| Specific {
            additional_context: Some(text),
            ..specific
        }),
    };
    output(&Output {
        hook_specific_output: specific,
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
    Answer::object(output)
}
