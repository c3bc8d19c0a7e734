//! Which events are timed, in sessions that were made ready for them: every event of each harness that an install asks for.
//! How they are run stays out.

use std::fs;
use std::path::PathBuf;

use anyhow::{Result, bail, ensure};
use proofmark_protocol::Harness;
use serde_json::{Value, json};

use super::event::{Event, Wanted, captured};
use super::record::{self, Form, Record};
use crate::scenario::fixtures;
use crate::world::World;

const MEGABYTE: u64 = 1_000_000;
/// A correction that begins a scope lock where the agent has changed something.
const CORRECTS: &str = "that's not what I asked, the parser only";
/// Where payloads lie, below the fixtures' payloads.
const CLAUDE_CODE: (Harness, &str) = (Harness::ClaudeCode, "claude-code/2.1.332");
const CODEX: (Harness, &str) = (Harness::Codex, "codex/0.171.0");
const CURSOR: (Harness, &str) = (Harness::Cursor, "cursor");
/// The record of Cursor's session: nothing is added to it, for its events tell what happens.
const CURSORS: &str = "cursor/formats/ide-turn.jsonl";
const CURSORS_REPLY: &str = "afterAgentResponse-final";
const CURSORS_STOP: &str = "stop-completed-cli-tui";
/// A reply as an agent ends a piece of work with, in Markdown.
const LONG_REPLY: &str = "bench/reply.md";
const CURSORS_SESSION: &str = "3f0c2a7e-5b1d-4c86-9a44-7d2e61f0b8a1";

/// Sessions below one folder, each with a number of its own.
#[derive(Debug)]
pub(super) struct Sessions<'a> {
    world: &'a World,
    folder: PathBuf,
    numbers: u8,
}

/// One row's name and event.
pub(super) type Named = (String, Event);

impl<'a> Sessions<'a> {
    pub(super) fn new(world: &'a World) -> Result<Self> {
        let folder = world.home().join("records");
        fs::create_dir(&folder)?;
        Ok(Self {
            world,
            folder,
            numbers: 0,
        })
    }

    fn record(&mut self, form: &'static Form, size: u64) -> Result<Record> {
        self.numbers += 1;
        Record::create(form, &self.folder, self.numbers, size)
    }

    /// A captured payload as one of this record's session in this world.
    fn about(&self, (_, folder): (Harness, &str), name: &str, record: &Record) -> Result<Value> {
        let mut payload = captured(folder, name)?;
        payload["session_id"] = json!(record.session);
        payload["transcript_path"] = json!(record.path);
        payload["cwd"] = json!(self.world.project());
        Ok(payload)
    }

    /// Every event of Claude Code and Codex that is told for each session, turn and call; and tool calls under a lock.
    pub(super) fn of_records(&mut self) -> Result<Vec<Named>> {
        let mut rows = Vec::new();
        let stored = [
            (
                CLAUDE_CODE,
                &record::CLAUDE_CODE,
                "SessionStart-startup",
                "UserPromptSubmit-headless",
            ),
            (CODEX, &record::CODEX, "SessionStart-text", "UserPromptSubmit-text"),
        ];
        for (whose, form, start, prompt) in stored {
            let (harness, turn) = (
                whose.0,
                if whose.0 == Harness::Codex {
                    "turn_id"
                } else {
                    "prompt_id"
                },
            );
            let free = self.record(form, MEGABYTE)?;
            deliver(self.world, harness, &self.about(whose, prompt, &free)?)?;
            rows.push(self.row(whose, start, &free, "SessionStart", Wanted::Teaching)?);
            let call = if harness == Harness::Codex {
                "PreToolUse-shell-ok"
            } else {
                "PreToolUse-write"
            };
            rows.push(self.row(whose, call, &free, "PreToolUse, no lock", Wanted::Silence)?);
            if harness == Harness::ClaudeCode {
                rows.extend(self.under_a_lock()?);
                rows.push(self.row(
                    whose,
                    "SubagentStart-general-purpose",
                    &free,
                    "SubagentStart",
                    Wanted::Teaching,
                )?);
            }
            let talk = self.record(form, MEGABYTE)?;
            let (name, mut event) = self.row(whose, prompt, &talk, "UserPromptSubmit", Wanted::Silence)?;
            (event.fresh, event.grows) = (
                if turn == "turn_id" {
                    &["prompt", "turn_id"]
                } else {
                    &["prompt", "prompt_id"]
                },
                Some(talk),
            );
            rows.push((name, event));
            if harness == Harness::Codex {
                rows.push(self.stop(whose, form, 1)?);
            }
        }
        Ok(rows)
    }

    /// The end of a turn of Claude Code, by how long the record is, in megabytes.
    pub(super) fn by_length(&mut self, lengths: &[u64]) -> Result<Vec<Named>> {
        lengths
            .iter()
            .map(|length| self.stop(CLAUDE_CODE, &record::CLAUDE_CODE, *length))
            .collect()
    }

    fn stop(&mut self, whose: (Harness, &str), form: &'static Form, length: u64) -> Result<Named> {
        let record = self.record(form, length * MEGABYTE)?;
        let name = if whose.0 == Harness::Codex {
            "Stop-text"
        } else {
            "Stop-plain"
        };
        let (name, mut event) = self.row(
            whose,
            name,
            &record,
            &format!("Stop, a record of {length} MB"),
            Wanted::Silence,
        )?;
        event.grows = Some(record);
        Ok((name, event))
    }

    fn row(&self, whose: (Harness, &str), payload: &str, record: &Record, name: &str, wanted: Wanted) -> Result<Named> {
        let event = Event {
            harness: whose.0,
            payload: self.about(whose, payload, record)?,
            fresh: &[],
            first: None,
            grows: None,
            wanted,
        };
        Ok((title(whose.0, name), event))
    }

    fn under_a_lock(&mut self) -> Result<Vec<Named>> {
        let held = self.record(&record::CLAUDE_CODE, MEGABYTE)?;
        let mut correction = self.about(CLAUDE_CODE, "UserPromptSubmit-headless", &held)?;
        correction["prompt"] = json!(CORRECTS);
        let told = deliver(self.world, Harness::ClaudeCode, &correction)?;
        ensure!(told.contains("SCOPE CONTRACT"), "the correction began no lock: {told}");
        Ok(vec![
            self.row(
                CLAUDE_CODE,
                "PreToolUse-write",
                &held,
                "PreToolUse, a lock, denied",
                Wanted::Denial,
            )?,
            self.row(
                CLAUDE_CODE,
                "PreToolUse-read",
                &held,
                "PreToolUse, a lock, looks and passes",
                Wanted::Silence,
            )?,
        ])
    }

    /// Every event of Cursor that is told for each session, turn and call.
    pub(super) fn of_cursor(&self) -> Result<Vec<Named>> {
        let path = self.folder.join(format!("{CURSORS_SESSION}.jsonl"));
        fs::copy(fixtures().join(CURSORS), &path)?;
        let rows: [(&str, &'static [&'static str], Wanted); 7] = [
            ("sessionStart-cli", &[], Wanted::Teaching),
            (
                "beforeSubmitPrompt-cli-tui",
                &["prompt", "generation_id"],
                Wanted::Silence,
            ),
            ("preToolUse-shell-cli", &[], Wanted::Silence),
            ("postToolUse-read", &["tool_use_id"], Wanted::Silence),
            ("afterFileEdit-replace", &["generation_id"], Wanted::Silence),
            (CURSORS_REPLY, &["generation_id"], Wanted::Silence),
            (CURSORS_STOP, &["generation_id"], Wanted::Silence),
        ];
        let payload = |name: &str| -> Result<Value> {
            let mut payload = captured(CURSOR.1, name)?;
            payload["transcript_path"] = json!(path);
            payload["workspace_roots"] = json!([self.world.project()]);
            if payload["text"].is_string() {
                payload["text"] = json!("Both widths are in now.");
            }
            Ok(payload)
        };
        let event = |name: &str, fresh, first, wanted| -> Result<Event> {
            Ok(Event {
                harness: CURSOR.0,
                payload: payload(name)?,
                fresh,
                first,
                grows: None,
                wanted,
            })
        };
        let mut events = Vec::new();
        for (name, fresh, wanted) in rows {
            // A stop whose reply nobody told waits for it.
            let first = if name == CURSORS_STOP {
                Some(payload(CURSORS_REPLY)?)
            } else {
                None
            };
            let title = title(CURSOR.0, name.split('-').next().unwrap_or(name));
            events.push((title, event(name, fresh, first, wanted)?));
        }
        let long = fs::read_to_string(fixtures().join(LONG_REPLY))?;
        let title = format!("{}, a reply of {} KB", title(CURSOR.0, "stop"), long.len() / 1_000);
        let mut reply = payload(CURSORS_REPLY)?;
        reply["text"] = json!(long);
        let stop = event(CURSORS_STOP, &["generation_id"], Some(reply), Wanted::Silence)?;
        events.push((title, stop));
        Ok(events)
    }
}

fn title(harness: Harness, event: &str) -> String {
    let harness = match harness {
        Harness::ClaudeCode => "Claude Code",
        Harness::Codex => "Codex",
        Harness::Cursor => "Cursor",
    };
    format!("{harness}: {event}")
}

/// What the hook prints of an event that has to pass.
pub(super) fn deliver(world: &World, harness: Harness, payload: &Value) -> Result<String> {
    let done = world.hook(harness, payload.to_string().as_bytes())?;
    if done.code != Some(0) || !done.stderr.is_empty() {
        bail!("an event that makes a session ready did not pass: {done:?}");
    }
    Ok(done.stdout)
}
