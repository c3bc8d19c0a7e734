//! A session of Claude Code as the hook sees it: a transcript that grows, and events about it.
//! The rows carry no client's version, so a stop is decided by what is on record at that moment.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use proofmark_protocol::Harness;
use proofmark_server::ledger::Ledger;
use proofmark_tests::process::{self, Finished};
use proofmark_tests::world::World;
use serde_json::{Value, json};

/// Nothing that is waited for takes so long, however busy the machine is.
pub(crate) const LIMIT: Duration = Duration::from_secs(30);

pub(crate) struct Session<'w> {
    world: &'w World,
    pub(crate) id: String,
    pub(crate) transcript: PathBuf,
}

impl<'w> Session<'w> {
    /// A session whose transcript holds one prompt.
    pub(crate) fn new(world: &'w World, id: &str) -> Self {
        let session = Self::empty(world, id);
        session.prompt("1");
        session
    }

    /// A session that has no transcript yet.
    pub(crate) fn empty(world: &'w World, id: &str) -> Self {
        let transcript = world.project().join(format!("{id}.jsonl"));
        let id = id.to_owned();
        Self { world, id, transcript }
    }

    /// Writes a prompt to the transcript, whose row is called `<session>-<name>`.
    pub(crate) fn prompt(&self, name: &str) {
        self.row(&self.prompt_row(&format!("{}-{name}", self.id)));
    }

    /// A prompt's row.
    pub(crate) fn prompt_row(&self, uuid: &str) -> Value {
        let message = json!({"role": "user", "content": "Is the parser ready?"});
        json!({"type": "user", "uuid": uuid, "sessionId": self.id, "message": message})
    }

    /// Writes a call of Bash that succeeds, and what it showed.
    pub(crate) fn bash(&self, id: &str, command: &str, output: &str) {
        let call = json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}});
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": output, "is_error": false});
        for (kind, block) in [("assistant", call), ("user", result)] {
            self.row(&json!({
                "type": kind, "uuid": format!("{id}-{kind}"), "sessionId": self.id,
                "message": {"role": kind, "content": [block]},
                "toolUseResult": {"stdout": output, "stderr": "", "interrupted": false},
            }));
        }
    }

    pub(crate) fn row(&self, row: &Value) {
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.transcript)
            .unwrap();
        file.write_all(format!("{row}\n").as_bytes()).unwrap();
    }

    /// The payload of an event, as the hook gets it.
    pub(crate) fn payload(&self, event: &str, own: Value) -> Vec<u8> {
        let mut payload = json!({
            "hook_event_name": event, "session_id": self.id, "transcript_path": self.transcript,
            "cwd": self.world.project(),
        });
        payload
            .as_object_mut()
            .unwrap()
            .extend(own.as_object().unwrap().clone());
        payload.to_string().into_bytes()
    }

    pub(crate) fn stop_payload(&self, reply: &str, rewrite: bool) -> Vec<u8> {
        self.payload(
            "Stop",
            json!({"last_assistant_message": reply, "stop_hook_active": rewrite}),
        )
    }

    /// The hook's answer to an event.
    pub(crate) fn event(&self, event: &str, own: Value) -> Finished {
        self.world.hook(Harness::ClaudeCode, &self.payload(event, own)).unwrap()
    }

    /// The hook's answer to the end of a turn.
    pub(crate) fn stop(&self, reply: &str) -> Finished {
        self.world
            .hook(Harness::ClaudeCode, &self.stop_payload(reply, false))
            .unwrap()
    }

    /// The claims of this session on the ledger.
    pub(crate) fn claims(&self) -> Vec<Value> {
        let claims = self.world.claims().unwrap();
        claims
            .into_iter()
            .filter(|claim| claim["session"] == self.id.as_str())
            .collect()
    }

    /// This session in `proofmark status --json`.
    pub(crate) fn status(&self) -> Value {
        let status = status(self.world);
        let sessions = status["sessions"].as_array().unwrap();
        sessions
            .iter()
            .find(|session| session["session"] == self.id.as_str())
            .unwrap()
            .clone()
    }
}

/// A reply that tags one claim.
pub(crate) fn tagged(claim: &str) -> String {
    format!("Done. {{{{CAT-UNVERIFIED: {claim} -- cannot verify: no machine for it}}}}")
}

/// The world's ledger; none when there is none yet.
pub(crate) fn ledger(world: &World) -> Option<Ledger> {
    Ledger::open_existing(&world.state()).unwrap()
}

/// What `proofmark status --json` prints.
pub(crate) fn status(world: &World) -> Value {
    let done = world.proofmark(&["status", "--json"]).unwrap().success().unwrap();
    serde_json::from_str(&done.stdout).unwrap()
}

/// Fails unless the event was refused for this claim.
pub(crate) fn assert_refused(done: &Finished, claim: &str) {
    assert_eq!((done.code, done.stdout.as_str()), (Some(2), ""), "{done:?}");
    assert!(done.stderr.contains(&format!("“{claim}”")), "{done:?}");
}

/// Fails unless the event passed without a word.
pub(crate) fn assert_silent(done: &Finished) {
    assert_eq!(
        (done.code, done.stdout.as_str(), done.stderr.as_str()),
        (Some(0), "", "")
    );
}

/// What the person reads of an event that passed; empty when nothing is said.
pub(crate) fn told(done: &Finished) -> String {
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{done:?}");
    if done.stdout.trim().is_empty() {
        return String::new();
    }
    let output: Value = serde_json::from_str(&done.stdout).unwrap();
    output["systemMessage"].as_str().unwrap_or_default().to_owned()
}

/// Waits until something is found, and fails when it is not.
pub(crate) fn wait_for<T>(what: &str, look: impl FnMut() -> Option<T>) -> T {
    process::until(LIMIT, look).unwrap_or_else(|| panic!("waited in vain: {what}"))
}
