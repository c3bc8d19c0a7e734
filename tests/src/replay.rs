//! A recorded session of Claude Code told again, turn by turn: its rows go to a transcript, its edits to files, and the
//! hook is given an event wherever the recording shows that one was raised. Who watches that is not known here.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use proofmark_protocol::Harness;
use serde::Serialize;
use serde_json::{Value, json};

use crate::scenario::{RECORDED_PROJECT, fixtures, load};
use crate::talk::with;
use crate::world::World;

/// What the hook answered to one event.
#[derive(Debug, Serialize)]
pub struct Told {
    /// The event, as the harness names it.
    pub event: &'static str,
    /// The hook's exit code.
    pub code: Option<i32>,
    /// What it printed.
    pub stdout: String,
    /// What it printed as errors.
    pub stderr: String,
}

/// A recording that is told in a world.
#[derive(Debug)]
pub struct Replay {
    rows: Vec<Value>,
    at: usize,
    session: String,
    transcript: PathBuf,
    /// The agent's last words, and whether its stop was told already.
    reply: Option<String>,
    rewrite: bool,
}

impl Replay {
    /// Puts a recording's project into the world and stands before the first row. `name` is that of a scenario in
    /// `fixtures/live` and of what was recorded of it.
    ///
    /// # Errors
    /// There is no such recording, or its files can't be written.
    pub fn new(name: &str, world: &World) -> Result<Self> {
        load(name, world)?.lay(world)?;
        let path = fixtures()
            .join("claude-code/recorded")
            .join(name)
            .with_extension("jsonl");
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let project = world
            .project()
            .to_str()
            .context("the project's path is no UTF-8")?
            .to_owned();
        let text = text.replace(RECORDED_PROJECT, &project);
        let rows: Vec<Value> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
        let session = rows.iter().find_map(|row| row["sessionId"].as_str());
        let session = session.context("the recording names no session")?.to_owned();
        let transcript = world.home().join("records").join(format!("{session}.jsonl"));
        fs::create_dir_all(transcript.with_file_name(""))?;
        Ok(Self {
            rows,
            at: 0,
            session,
            transcript,
            reply: None,
            rewrite: false,
        })
    }

    /// Where the transcript grows.
    pub fn transcript(&self) -> &PathBuf {
        &self.transcript
    }

    /// The session's id.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// Tells the next turn, from its prompt to the end of its last stop. Empty when there is none left.
    ///
    /// # Errors
    /// The hook does not end, or a file can't be written.
    pub fn turn(&mut self, world: &World) -> Result<Vec<Told>> {
        let mut told = Vec::new();
        if self.at == 0 {
            let start = json!({"hook_event_name": "SessionStart", "source": "startup"});
            told.push(self.hook(world, "SessionStart", start)?);
        }
        let mut prompted = false;
        while let Some(row) = self.rows.get(self.at).cloned() {
            if let Some(prompt) = prompt(&row) {
                if prompted {
                    break;
                }
                prompted = true;
                self.rewrite = false;
                let event = json!({"hook_event_name": "UserPromptSubmit", "prompt": prompt});
                told.push(self.hook(world, "UserPromptSubmit", event)?);
            } else if follows_a_stop(&row)
                && let Some(reply) = self.reply.take()
            {
                let event = json!({
                    "hook_event_name": "Stop", "stop_hook_active": self.rewrite, "last_assistant_message": reply,
                });
                told.push(self.hook(world, "Stop", event)?);
                self.rewrite = true;
            }
            self.write(&row)?;
            self.at += 1;
        }
        Ok(told)
    }

    /// One row more for the transcript, and what it says was done to a file.
    fn write(&mut self, row: &Value) -> Result<()> {
        let mut file = OpenOptions::new().create(true).append(true).open(&self.transcript)?;
        writeln!(file, "{row}")?;
        for block in row["message"]["content"].as_array().into_iter().flatten() {
            match (row["type"].as_str(), block["type"].as_str()) {
                (Some("assistant"), Some("text")) => self.reply = block["text"].as_str().map(str::to_owned),
                (Some("assistant"), Some("tool_use")) => {
                    self.reply = None;
                    if block["name"] == "Edit" {
                        edit(&block["input"])?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn hook(&self, world: &World, event: &'static str, own: Value) -> Result<Told> {
        let at = json!({"session_id": self.session, "transcript_path": self.transcript, "cwd": world.project()});
        let payload = with(at, &own);
        let done = world.hook(Harness::ClaudeCode, payload.to_string().as_bytes())?;
        Ok(Told {
            event,
            code: done.code,
            stdout: done.stdout,
            stderr: done.stderr,
        })
    }
}

/// The person's words, where a row holds them.
fn prompt(row: &Value) -> Option<&str> {
    let own = row["type"] == "user" && row["isMeta"] != true;
    row["message"]["content"].as_str().filter(|_| own)
}

/// True of a row that Claude Code (2.1.332) writes after its hooks have heard that a turn wants to end.
fn follows_a_stop(row: &Value) -> bool {
    let feedback = || {
        row["message"]["content"]
            .as_str()
            .is_some_and(|text| text.starts_with("Stop hook feedback"))
    };
    row["attachment"]["hookEvent"] == "Stop"
        || row["subtype"] == "stop_hook_summary"
        || (row["isMeta"] == true && feedback())
}

/// Does to a file what a call of the tool Edit does.
fn edit(input: &Value) -> Result<()> {
    let part = |name: &str| input[name].as_str().with_context(|| format!("an edit without {name}"));
    let path = part("file_path")?;
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {path}"))?;
    let old = part("old_string")?;
    ensure!(text.matches(old).count() == 1, "{path} does not hold {old:?} once");
    Ok(fs::write(path, text.replacen(old, part("new_string")?, 1))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recording_shows_where_the_person_spoke_and_where_a_turn_ended() {
        let path = fixtures().join("claude-code/recorded/editors.jsonl");
        let text = fs::read_to_string(path).unwrap();
        let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(rows.iter().filter_map(prompt).count(), 5);
        // One turn was sent back once, so there is one stop more than there are prompts.
        let mut stops = 0;
        let mut spoken = false;
        for row in &rows {
            if row["type"] == "assistant" {
                spoken = true;
            } else if follows_a_stop(row) && spoken {
                (stops, spoken) = (stops + 1, false);
            }
        }
        assert_eq!(stops, 6);
    }

    #[test]
    fn an_edit_that_does_not_fit_the_file_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.py");
        fs::write(&file, "one two").unwrap();
        let input = |old: &str| json!({"file_path": file, "old_string": old, "new_string": "x"});
        edit(&input("two")).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "one x");
        assert!(edit(&input("three")).unwrap_err().to_string().contains("three"));
    }
}
