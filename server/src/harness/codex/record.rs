//! One line of a rollout, and what it shows.
//! What is behind single kinds of lines is in the files beside this one.
//!
//! Two forms are read. Newer files (`history_mode` "paginated", first met in 0.171.0) tell by `item_completed` what was
//! said and what ran; older ones by `user_message`, `agent_message` and the `..._end` events. In both the same
//! stands in messages to and from the model as well, a line before or after.

use serde_json::value::RawValue;

use super::fork::{self, Copying};
use super::reading::Reading;
use super::{call, event, output, person};
use crate::harness::json::{Members, Text, look, lossy};
use crate::harness::{Reader, skim};
use crate::session::{Entry, Injection};

/// A line; its other members are passed over.
#[derive(serde::Deserialize)]
struct Line<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<&'a RawValue>,
    #[serde(borrow)]
    timestamp: Option<&'a RawValue>,
    #[serde(borrow)]
    payload: Option<&'a RawValue>,
}

/// Types of lines, as 0.118.0 to 0.171.0 write them, by which a rollout is known.
const TYPES: [&str; 6] = [
    "compacted",
    "event_msg",
    "response_item",
    "session_meta",
    "turn_context",
    "world_state",
];
/// Types of lines that are read; all others are bookkeeping, or too new to be known.
const READ: [&[u8]; 5] = [
    b"compacted",
    b"event_msg",
    b"response_item",
    b"session_meta",
    b"turn_context",
];
/// Types whose lines may show what somebody said or did.
const TELLING: [&str; 2] = ["event_msg", "response_item"];

/// Adds what one line shows; see [`HarnessSpec::entries`](crate::harness::HarnessSpec::entries).
pub(super) fn entries(line: &[u8], reader: &mut Reader<'_>, out: &mut Vec<Entry>) {
    // As with Claude Code, a line of another type is passed over at the sight of it.
    let is_other = || skim::row_type(line).is_some_and(|kind| !READ.contains(&kind));
    if line.trim_ascii().is_empty() || (is_other() && line.trim_ascii_end().ends_with(b"}")) {
        return;
    }
    let text = lossy(line);
    let mut reading = Reading {
        tools: reader.tools,
        memory: &mut reader.memory.codex,
        out,
    };
    match parse(&text) {
        Some(line) => reading.line(&line),
        None => reading.show(Entry::Unreadable),
    }
}

/// Whether a line is one of a rollout: of a type that Codex writes, with its payload.
pub(super) fn knows(line: &[u8]) -> bool {
    let text = lossy(line);
    parse(&text).is_some_and(|line| {
        let object = line.payload.is_some_and(|payload| payload.get().starts_with('{'));
        object && TYPES.contains(&string(line.kind).as_str())
    })
}

/// Adds what the beginning of an over-long line shows: that it is unreadable, when it may be an entry.
pub(super) fn too_long(head: &[u8], out: &mut Vec<Entry>) {
    let is_other = skim::row_type(head).is_some_and(|kind| TELLING.iter().all(|telling| telling.as_bytes() != kind));
    if !is_other {
        out.push(Entry::Unreadable);
    }
}

fn parse(text: &str) -> Option<Line<'_>> {
    // Looked at here because serde would take an array for a struct.
    let object = text.trim_start().starts_with('{');
    serde_json::from_str(text).ok().filter(|_| object)
}

/// The text of a member; empty when there is none.
fn string(member: Option<&RawValue>) -> String {
    look::<Option<Text<'_>>>(member).map_or(String::new(), |text| text.0.into_owned())
}

impl Reading<'_> {
    fn line(&mut self, line: &Line<'_>) {
        let kind = string(line.kind);
        let payload = Members::read(line.payload);
        match kind.as_str() {
            "session_meta" => self.meta(&payload, &string(line.timestamp)),
            "turn_context" => self.context(&payload),
            "compacted" if !self.copies(line, &payload) => self.inject(Injection::Harness),
            "event_msg" if payload.is("type", "task_started") => event::task_started(self, &payload),
            "event_msg" if !self.copies(line, &payload) => event::entries(self, &payload),
            "response_item" if !self.copies(line, &payload) => self.item(&payload),
            _ => {}
        }
    }

    /// Who holds the session. The first line says it: resumes add more of them, forks those of the session they copied.
    fn meta(&mut self, meta: &Members<'_>, timestamp: &str) {
        if self.memory.met {
            return;
        }
        self.memory.met = true;
        self.memory.paginated = meta.is("history_mode", "paginated");
        self.memory.copying = Copying::begun(meta, timestamp);
        self.memory.cwd = meta.text("cwd");
        let source = meta.object("source");
        // Reviews, and looks at what an agent wants to do ("guardian"), are no work of the person's.
        let by_harness = source.says("subagent") && !source.object("subagent").says("thread_spawn");
        self.show(Entry::Origin {
            session: meta.text("session_id").or_else(|| meta.text("id")),
            client: meta.says("cli_version"),
            cwd: meta.text("cwd"),
            by_harness,
        });
    }

    fn context(&mut self, context: &Members<'_>) {
        self.memory.turn = context.text("turn_id").or_else(|| self.memory.turn.take());
        if let Some(cwd) = context.text("cwd") {
            self.memory.cwd = Some(cwd.clone());
            self.works_in(Some(cwd));
        }
    }

    /// True when a line belongs to a copy of the parent's record. What joins copy and own work is the end of it.
    fn copies(&mut self, line: &Line<'_>, payload: &Members<'_>) -> bool {
        let Some(copying) = &mut self.memory.copying else {
            return false;
        };
        if copying.goes_on(&string(line.timestamp)) {
            let joined = payload.is("type", "function_call_output") && fork::joins(&output::text(payload));
            let told = payload.is("type", "agent_message") && person::is_task(payload);
            if joined || told {
                self.own_work();
            }
            return !told;
        }
        self.own_work();
        false
    }

    fn own_work(&mut self) {
        self.memory.copying = None;
        self.memory.untasked = true;
    }

    /// A message to or from the model, or a call with its result.
    fn item(&mut self, item: &Members<'_>) {
        match item.text("type").as_deref() {
            Some("message") => person::message(self, item),
            Some("agent_message") => person::from_agent(self, item),
            Some("function_call") => call::function(self, item),
            Some("custom_tool_call") => call::custom(self, item),
            Some("local_shell_call") => call::local_shell(self, item),
            Some("web_search_call") => call::search(self, item),
            Some("function_call_output" | "custom_tool_call_output") => output::entries(self, item),
            _ => {}
        }
    }
}
