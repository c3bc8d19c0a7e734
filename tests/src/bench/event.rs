//! One event of a harness as it is timed: its payload, the record that grows before it comes, and the answer that counts.
//! Which events there are, and in which sessions, stays out.

use std::fs::{self, File};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use proofmark_protocol::Harness;
use serde_json::{Value, json};

use super::record::{Record, Turn};
use crate::scenario::fixtures;
use crate::world::World;

/// What a hook prints where it has to say something: a note, a fault, a denial, a message to the agent.
const WORDS: [&str; 6] = [
    "systemMessage",
    "user_message",
    "agent_message",
    "followup_message",
    "\"deny\"",
    "\"block\"",
];

/// The answer that a row is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// The event passes without a word.
    Silence,
    /// It passes, and the agent is told how claims are marked.
    Teaching,
    /// The tool call is denied.
    Denial,
}

/// An event that comes again and again.
#[derive(Debug)]
pub(super) struct Event {
    pub(super) harness: Harness,
    pub(super) payload: Value,
    /// Members that have another value each time: the same event twice would be one event.
    pub(super) fresh: &'static [&'static str],
    /// An event of the same turn that comes before it each time, and is not timed.
    pub(super) first: Option<Value>,
    /// The record that has grown by a turn each time before the event comes.
    pub(super) grows: Option<Record>,
    pub(super) wanted: Wanted,
}

impl Event {
    /// Makes the event happen in the session: its record grows, its members change. Returns the hook, ready to run.
    fn prepare(&mut self, world: &World, number: u64) -> Result<Command> {
        if let Some(record) = &mut self.grows {
            let Turn { prompt_id, reply } = record.grow()?;
            let turn = match self.harness {
                Harness::ClaudeCode => "prompt_id",
                Harness::Codex => "turn_id",
                Harness::Cursor => "generation_id",
            };
            self.payload[turn] = json!(prompt_id);
            if self.payload["last_assistant_message"].is_string() {
                self.payload["last_assistant_message"] = json!(reply);
            }
        }
        for name in self.fresh {
            let value = match *name {
                "prompt" => format!("Go on with number {number}."),
                _ => format!("{number:08x}-0000-4000-8000-000000000000"),
            };
            for payload in self.first.iter_mut().chain([&mut self.payload]) {
                payload[*name] = json!(value);
            }
        }
        if let Some(first) = &self.first {
            world.hook(self.harness, first.to_string().as_bytes())?.success()?;
        }
        // A fault is told once in a session, and the next one would look like an event that was passed in silence.
        let told = world.state().join("said");
        if told.exists() {
            fs::remove_dir_all(told)?;
        }
        let path = world.home().join("payload.json");
        fs::write(&path, self.payload.to_string())?;
        let mut hook = world.command(&world.program("proofmark-hook"));
        hook.arg(self.harness.as_str()).stdin(File::open(&path)?);
        Ok(hook)
    }

    /// How long the whole process of the hook took, and whether it answered as it should. Where it is to find no server,
    /// the one that runs is stopped just before.
    pub(super) fn deliver(&mut self, world: &World, number: u64, cold: bool) -> Result<(Duration, bool)> {
        let mut hook = self.prepare(world, number)?;
        if cold {
            world.proofmark(&["stop"])?.success()?;
        }
        let (time, output) = timed(&mut hook)?;
        Ok((time, self.wanted.is(&output)))
    }
}

impl Wanted {
    fn is(self, output: &Output) -> bool {
        if !output.status.success() || !output.stderr.is_empty() {
            return false;
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let answer: Option<Value> = serde_json::from_slice(&output.stdout).ok();
        let says = WORDS.iter().any(|word| text.contains(word));
        let teaches = ["additionalContext", "additional_context"]
            .iter()
            .any(|word| text.contains(word));
        match self {
            Self::Silence => !says && !teaches && (answer.is_some() || text.is_empty()),
            Self::Teaching => !says && teaches,
            Self::Denial => {
                answer.is_some_and(|answer| answer["hookSpecificOutput"]["permissionDecision"] == json!("deny"))
            }
        }
    }
}

/// Both outputs are read to their end through pipes, as harnesses do.
pub(super) fn timed(command: &mut Command) -> Result<(Duration, Output)> {
    let started = Instant::now();
    let output = command.output();
    let time = started.elapsed();
    Ok((time, output.with_context(|| format!("cannot start {command:?}"))?))
}

/// A captured payload.
pub(super) fn captured(folder: &str, name: &str) -> Result<Value> {
    let path = fixtures()
        .join("payloads")
        .join(folder)
        .join(name)
        .with_extension("json");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is no JSON", path.display()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use super::*;

    #[test]
    fn an_answer_is_told_from_another() {
        let deny = r#"{"hookSpecificOutput":{"permissionDecision":"deny"}}"#;
        let late = r#"{"systemMessage":"its server did not answer within 130 ms"}"#;
        let teaches = r#"{"hookSpecificOutput":{"additionalContext":"mark it"}}"#;
        let follows = r#"{"followup_message":"go on"}"#;
        for (code, stdout, stderr, silence, teaching, denial) in [
            (0, "", "", true, false, false),
            (0, "{}", "", true, false, false),
            (0, r#"{"permission":"allow"}"#, "", true, false, false),
            (0, teaches, "", false, true, false),
            (0, deny, "", false, false, true),
            (0, late, "", false, false, false),
            (0, follows, "", false, false, false),
            (0, "{", "", false, false, false),
            (2, "", "", false, false, false),
            (2, deny, "", false, false, false),
            (0, "", "trouble", false, false, false),
        ] {
            let output = Output {
                status: ExitStatus::from_raw(code << 8),
                stdout: stdout.into(),
                stderr: stderr.into(),
            };
            let is = [Wanted::Silence, Wanted::Teaching, Wanted::Denial].map(|wanted| wanted.is(&output));
            assert_eq!(is, [silence, teaching, denial], "{code} {stdout} {stderr}");
        }
    }

    #[test]
    fn what_is_timed_is_the_whole_run() {
        let (time, output) = timed(Command::new("sh").args(["-c", "sleep 0.05; echo done"])).unwrap();
        assert!(time >= Duration::from_millis(50) && output.stdout == b"done\n");
        assert!(timed(&mut Command::new("/no/such/program")).is_err());
    }
}
