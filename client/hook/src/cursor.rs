//! Cursor: its payloads as requests, and decisions as exactly one JSON object on stdout, always with exit code 0.
//! The socket, the deadlines and every other harness stay out.

mod request;

use proofmark_protocol::decision::OWN_WORDS;
use proofmark_protocol::{Decision, Harness, Outcome};
use serde::Serialize;

use crate::answer::{Answer, bounded, said};
use crate::dialect::{Ask, Dialect, Exchange, Wait};
use crate::payload::{Payload, Unreadable, name, number, text};
use crate::request::{ask as put, pre_tool_use, prompt, session_end, session_start, subagent_start};

/// Cursor takes silence, and an object without the member that it looks for, as a refusal on its permission events
/// (reported for 3.15 and the 2026 command line). `allow` is the weakest word there: every other hook's `ask` or `deny`
/// wins over it, and Cursor's own permission check comes after the hooks.
const GATE: &str = r#"{"permission":"allow"}"#;
/// The prompt goes to the model.
const PROMPT: &str = r#"{"continue":true}"#;
/// Events that only inform: anything but an object is an error in the log.
const OTHER: &str = "{}";

/// So many automatic messages in a row are enough, whoever sent them. The server counts its own by turn; this holds also
/// when its memory is gone, and where no `loop_limit` of Cursor's does: hooks in Claude Code's settings have none.
const MAX_LOOPS: f64 = 3.0;

/// Cursor's answers.
pub(crate) const DIALECT: Dialect = Dialect {
    harness: Harness::Cursor,
    turn: "generation_id",
    // Whatever the event was, this holds the member that it looks for.
    unread: r#"{"continue":true,"permission":"allow"}"#,
    silence,
    wrote,
    exchange: Some(Exchange { ask, answer, tell }),
};

/// In which form an event is answered (Cursor 3.24 and its command line of 2026).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `continue`, and a text for the person when it is false.
    Prompt,
    /// `permission`, with a text where it is `deny`.
    Gate,
    /// `additional_context` for the agent.
    Start,
    /// `followup_message`: the next message to the agent, as if the person had sent it. There is no other way to go on.
    End,
    /// Nothing is read.
    Nothing,
}

/// One event: the method that it calls, and the form of its answer.
struct Event {
    name: &'static str,
    /// As Claude Code spells it: seen from Cursor as well.
    also: &'static str,
    form: Form,
    wait: Wait,
    request: crate::request::Write,
}

/// Every event that is put to the server; all others pass in silence.
#[rustfmt::skip]
static EVENTS: [Event; 16] = [
    Event { name: "sessionStart",         also: "SessionStart",       form: Form::Start,   wait: Wait::Gate, request: session_start },
    Event { name: "beforeSubmitPrompt",   also: "UserPromptSubmit",   form: Form::Prompt,  wait: Wait::Gate, request: prompt },
    Event { name: "preToolUse",           also: "PreToolUse",         form: Form::Gate,    wait: Wait::Gate, request: pre_tool_use },
    Event { name: "beforeShellExecution", also: "",                   form: Form::Gate,    wait: Wait::Gate, request: request::before_shell },
    Event { name: "beforeMCPExecution",   also: "",                   form: Form::Gate,    wait: Wait::Gate, request: request::before_mcp },
    Event { name: "beforeReadFile",       also: "",                   form: Form::Gate,    wait: Wait::Gate, request: request::before_read },
    Event { name: "postToolUse",          also: "PostToolUse",        form: Form::Nothing, wait: Wait::Gate, request: request::tool_succeeded },
    Event { name: "postToolUseFailure",   also: "PostToolUseFailure", form: Form::Nothing, wait: Wait::Gate, request: request::tool_failed },
    Event { name: "afterShellExecution",  also: "",                   form: Form::Nothing, wait: Wait::Gate, request: request::after_shell },
    Event { name: "afterMCPExecution",    also: "",                   form: Form::Nothing, wait: Wait::Gate, request: request::after_mcp },
    Event { name: "afterFileEdit",        also: "",                   form: Form::Nothing, wait: Wait::Gate, request: request::after_edit },
    Event { name: "afterAgentResponse",   also: "",                   form: Form::Nothing, wait: Wait::Gate, request: request::reply },
    Event { name: "stop",                 also: "Stop",               form: Form::End,     wait: Wait::Stop, request: request::stop },
    Event { name: "subagentStart",        also: "SubagentStart",      form: Form::Gate,    wait: Wait::Gate, request: subagent_start },
    Event { name: "subagentStop",         also: "SubagentStop",       form: Form::End,     wait: Wait::Stop, request: request::subagent_stop },
    Event { name: "sessionEnd",           also: "SessionEnd",         form: Form::Nothing, wait: Wait::Gate, request: session_end },
];

/// A stop after which no more messages are sent: it is put to the server all the same.
static SPENT: Event = Event {
    name: "stop, spent",
    also: "",
    form: Form::Nothing,
    wait: Wait::Stop,
    request: request::stop,
};

/// As [`SPENT`], of a helper agent.
static SPENT_HELPER: Event = Event {
    name: "subagentStop, spent",
    also: "",
    form: Form::Nothing,
    wait: Wait::Stop,
    request: request::subagent_stop,
};

fn event(name: &str) -> Option<&'static Event> {
    let is_it = |event: &&Event| event.name == name || (event.also == name && !name.is_empty());
    EVENTS.iter().find(is_it)
}

/// True when Cursor wrote the payload: it has Cursor's own members, or an event name in camel case.
fn wrote(payload: &Payload<'_>) -> bool {
    payload.cursor_version.is_some()
        || payload.generation_id.is_some()
        || payload.conversation_id.is_some()
        || payload.workspace_roots.is_some()
        || payload.event().starts_with(|first: char| first.is_ascii_lowercase())
}

fn silence(name: &str) -> &'static str {
    match event(name).map(|event| event.form) {
        Some(Form::Prompt) => PROMPT,
        Some(Form::Gate) => GATE,
        // Whole files, at every completion: never put to the server.
        None if name == "beforeTabFileRead" => GATE,
        _ => OTHER,
    }
}

fn ask(payload: &Payload<'_>) -> Result<Option<Ask>, Unreadable> {
    let Some(mut event) = event(&payload.event()) else {
        return Ok(None);
    };
    if event.form == Form::End {
        // The person, or an error, ended it: nothing is to be said about it. Older payloads have no status.
        if name(payload.status).is_some_and(|status| status != "completed") {
            return Ok(None);
        }
        if number(payload.loop_count).is_some_and(|loops| loops >= MAX_LOOPS) {
            event = if event.name == "stop" { &SPENT } else { &SPENT_HELPER };
        }
    }
    // It comes before the person has agreed, and again when the command has run.
    let is_stub = event.name == "postToolUse" && payload.tool_output.is_none();
    if is_stub && text(payload.tool_name).as_deref() == Some("Shell") {
        return Ok(None);
    }
    let at = request::at(event.name, payload);
    put(event.name, event.wait, event.request, at, payload).map(Some)
}

/// An answer.
#[derive(Default, Serialize)]
struct Output<'a> {
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    goes_on: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user_message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    followup_message: Option<String>,
}

fn answer(name: &str, decision: &Decision) -> Answer {
    let form = event(name).map_or(Form::Nothing, |event| event.form);
    let (to_agent, to_person) = (said(decision.to_agent.as_deref()), said(decision.to_person.as_deref()));
    let refused = decision.outcome == Outcome::Refuse;
    let output = match form {
        Form::Prompt => Output {
            goes_on: Some(!refused),
            user_message: to_person.as_deref().or(to_agent.as_deref().filter(|_| refused)),
            ..Output::default()
        },
        // Which of the two the agent reads differs by build, so both say the same.
        Form::Gate if refused => Output {
            permission: Some("deny"),
            user_message: to_agent.as_deref(),
            agent_message: to_agent.as_deref(),
            ..Output::default()
        },
        Form::Gate => Output {
            permission: Some("allow"),
            ..Output::default()
        },
        Form::Start => Output {
            additional_context: to_agent.as_deref(),
            ..Output::default()
        },
        // A text for the person has no way here: it stays where an editor shows it.
        Form::End => Output {
            followup_message: to_agent.filter(|_| refused).map(|text| format!("{OWN_WORDS}{text}")),
            ..Output::default()
        },
        Form::Nothing => Output::default(),
    };
    Answer::object(&output)
}

/// Cursor shows a hook's stderr in its list of hooks alone; nothing else reaches the person. Tool calls stay quiet.
fn tell(name: &str, why: &str) -> Option<Answer> {
    let form = event(name).map(|event| event.form)?;
    let telling = matches!(form, Form::Prompt | Form::Start | Form::End);
    telling.then(|| Answer {
        stdout: silence(name).to_owned(),
        stderr: bounded(why).into_owned(),
        exit: 0,
    })
}
