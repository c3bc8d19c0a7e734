//! A recorded session that grows: rows of a transcript, and the events that go with them.
//! No harness runs here; that is `scenario`'s.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use proofmark_protocol::Harness;
use serde_json::{Value, json};

use crate::world::World;

/// An object with the members of another one, whose values count where both have one.
pub(crate) fn with(mut object: Value, more: &Value) -> Value {
    for (name, value) in more.as_object().into_iter().flatten() {
        object[name] = value.clone();
    }
    object
}

/// One session, with its transcript in the world's home.
#[derive(Debug)]
pub struct Talk {
    session: String,
    transcript: PathBuf,
    cwd: PathBuf,
    turns: u64,
}

impl Talk {
    /// A session in the world's project that has not begun.
    pub fn new(world: &World, session: &str) -> Self {
        let transcript = world.home().join(format!("{session}.jsonl"));
        Self {
            session: session.to_owned(),
            transcript,
            cwd: world.project(),
            turns: 0,
        }
    }

    /// Where its events belong: the params that every event carries.
    pub fn at(&self) -> Value {
        json!({
            "harness": Harness::ClaudeCode, "session": self.session, "transcript": self.transcript, "cwd": self.cwd,
        })
    }

    /// Its params with more.
    pub fn with(&self, more: &Value) -> Value {
        with(self.at(), more)
    }

    /// Writes a turn to the transcript: a prompt, and a reply that tags a claim. Returns the params of its stop.
    ///
    /// # Errors
    /// The transcript can't be written.
    pub fn claim(&mut self, claim: &str) -> Result<Value> {
        self.claims(&[claim.to_owned()])
    }

    /// As [`Talk::claim`], with a reply that tags several.
    fn claims(&mut self, claims: &[String]) -> Result<Value> {
        self.turns += 1;
        let tag = |claim: &String| format!("{{{{CAT-UNVERIFIED: {claim} -- cannot verify: no box}}}}");
        let reply = format!("Done. {}", claims.iter().map(tag).collect::<Vec<_>>().join("\n"));
        let (turn, session) = (self.turns, &self.session);
        // Rows as Claude Code 2.1.332 writes them, cut to the members that are read.
        let rows = [
            json!({"type": "user", "uuid": format!("{session}-p{turn}"), "sessionId": session,
                "promptId": format!("prompt-{turn}"), "message": {"role": "user", "content": "go on"}}),
            json!({"type": "assistant", "uuid": format!("{session}-a{turn}"), "sessionId": session,
                "message": {"role": "assistant", "content": [{"type": "text", "text": reply}]}}),
        ];
        let mut file = OpenOptions::new().create(true).append(true).open(&self.transcript)?;
        for row in rows {
            writeln!(file, "{row}")?;
        }
        Ok(self.with(&json!({"reply": reply, "rewrite": false})))
    }

    /// A turn as [`Talk::claim`] writes it, with its stop told to the hook as the harness does.
    ///
    /// # Errors
    /// The transcript can't be written, or the hook does not refuse the stop: nothing in the turn was tried.
    pub fn claim_by_hook(&mut self, world: &World, claim: &str) -> Result<()> {
        self.claims_by_hook(world, &[claim.to_owned()])
    }

    /// As [`Talk::claim_by_hook`], with a reply that tags several.
    ///
    /// # Errors
    /// As [`Talk::claim_by_hook`].
    pub fn claims_by_hook(&mut self, world: &World, claims: &[String]) -> Result<()> {
        let stop = self.claims(claims)?;
        let payload = json!({
            "hook_event_name": "Stop", "session_id": self.session, "transcript_path": self.transcript, "cwd": self.cwd,
            "stop_hook_active": false, "last_assistant_message": stop["reply"],
        });
        let done = world.hook(Harness::ClaudeCode, payload.to_string().as_bytes())?;
        anyhow::ensure!(done.code == Some(2), "the stop was not refused: {done:?}");
        Ok(())
    }
}
