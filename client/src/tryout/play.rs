//! Plays events: each one a hook process, in front of a server with a state folder of its own.
//! Which events there are, and how the result looks, is decided elsewhere.

use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};
use indicatif::ProgressBar;
use proofmark_protocol::{Decision, Finding, Outcome};
use proofmark_server::engine::queries;
use proofmark_server::session::{FactBody, SessionKey};
use proofmark_server::text::quote;
use serde_json::{Value, json};

use super::interrupt::Interrupt;
use super::script::{Event, Kind, Script};
use super::{Answer, Report, Turn, board};
use crate::place::Place;
use crate::stop;

/// The longest prompt or reply in a report, in characters.
const MAX_QUOTE: usize = 300;

/// A server of its own, stopped when it is dropped.
struct World {
    folder: tempfile::TempDir,
    place: Place,
    plain: bool,
    interrupt: Interrupt,
}

/// What a hook process left behind.
struct Hooked {
    refused: bool,
    stdout: String,
    stderr: String,
}

/// Plays a script, whose transcript is `bytes`, found at `path`.
pub(crate) fn play(
    script: &Script,
    bytes: &[u8],
    path: Option<&Path>,
    progress: &ProgressBar,
) -> anyhow::Result<Report> {
    let world = World::new(path.is_none())?;
    let session = script.session.clone().unwrap_or_else(|| "recorded".to_owned());
    let (records, named) = (world.records(), file_name(&session));
    let place = |agent: Option<&str>| (script.spec.place)(&records, &named, agent);
    let transcript = place(None).context("the session's id can't be a file's name")?;
    let mut file = File::create(&transcript)?;
    let base = json!({ "session_id": session, "transcript_path": transcript });
    let start = json!({ "hook_event_name": "SessionStart", "source": "startup" });
    // The recorded session's folders are another machine's: settings that happen to lie there are not its own.
    let member = proofmark_hook::turn_member(script.spec.harness);
    let turn = |event: &Event| Some((member?, event.turn.clone()?));
    let cwd = |event: &Event| event.cwd.clone().filter(|_| path.is_some());
    world.hook(
        script,
        &payload(&base, None, script.events.first().and_then(cwd), start),
    )?;
    let (board, calls) = board::of(script, bytes);
    let mut report = Report {
        harness: script.spec.harness.to_string(),
        turns: Vec::new(),
        claims: Vec::new(),
        board,
        calls,
    };
    let key = SessionKey {
        harness: script.spec.harness,
        session,
    };
    let (mut written, mut seen) = (0, 0);
    for event in &script.events {
        file.write_all(bytes.get(written..event.written).unwrap_or_default())?;
        written = written.max(event.written);
        let helper = grow_helper(script, event, &place)?;
        let own = own(event, helper.as_deref());
        let hooked = world.hook(script, &payload(&base, turn(event), cwd(event), own))?;
        let findings = world.findings(&key, &mut seen)?;
        report.take(event, hooked, findings);
        progress.inc(1);
    }
    if let Some(ledger) = world.place.ledger()? {
        report.claims = queries::claims(&ledger, None)?;
    }
    Ok(report)
}

/// The members of an event's own, as Claude Code (2.1.332) and Codex (0.171.0) name them; Cursor's hook reads these too.
fn own(event: &Event, helper: Option<&Path>) -> Value {
    match &event.kind {
        Kind::Prompt(text) => json!({ "hook_event_name": "UserPromptSubmit", "prompt": text }),
        Kind::Stop { reply, rewrite } => json!({
            "hook_event_name": "Stop", "last_assistant_message": reply, "stop_hook_active": rewrite,
        }),
        Kind::HelperStop {
            agent, reply, rewrite, ..
        } => json!({
            "hook_event_name": "SubagentStop", "agent_id": agent, "agent_transcript_path": helper,
            "last_assistant_message": reply, "stop_hook_active": rewrite,
        }),
    }
}

fn payload(base: &Value, turn: Option<(&str, String)>, cwd: Option<String>, own: Value) -> String {
    let mut members = base.as_object().cloned().unwrap_or_default();
    members.extend(turn.map(|(member, turn)| (member.to_owned(), Value::from(turn))));
    members.extend(cwd.map(|cwd| ("cwd".to_owned(), Value::from(cwd))));
    members.extend(own.as_object().cloned().unwrap_or_default());
    Value::Object(members).to_string()
}

/// A session id as a file's name: ids are opaque, so only harmless characters stay.
fn file_name(session: &str) -> String {
    let harmless = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    session.chars().take(80).map(harmless).collect()
}

/// Brings the record of an event's helper agent to where it was when the event was raised. `place` says where it lies.
fn grow_helper(
    script: &Script,
    event: &Event,
    place: &dyn Fn(Option<&str>) -> Option<PathBuf>,
) -> anyhow::Result<Option<PathBuf>> {
    let Kind::HelperStop { agent, record, .. } = &event.kind else {
        return Ok(None);
    };
    let Some(path) = place(Some(agent)) else {
        return Ok(None);
    };
    let bytes = script
        .helpers
        .get(agent)
        .and_then(|bytes| bytes.get(..*record))
        .unwrap_or_default();
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    // From its beginning each time, as the same file: the server takes what it has read already for known.
    std::fs::write(&path, bytes).context("a helper's record can't be written")?;
    Ok(Some(path))
}

impl World {
    /// `plain`: the person's own settings are left out, so that the recorded session always looks the same.
    fn new(plain: bool) -> anyhow::Result<Self> {
        // Ended at once, it would leave a copy of the transcript behind.
        let interrupt = Interrupt::noted().context("Ctrl-C can't be waited for")?;
        let folder = tempfile::Builder::new().prefix("proofmark-try-").tempdir()?;
        let place = Place {
            state_dir: folder.path().join("state"),
        };
        std::fs::create_dir(folder.path().join("records"))?;
        Ok(Self {
            folder,
            place,
            plain,
            interrupt,
        })
    }

    /// Where the records lie.
    fn records(&self) -> PathBuf {
        self.folder.path().join("records")
    }

    /// Runs the hook as the harness would, and waits for it.
    fn hook(&self, script: &Script, payload: &str) -> anyhow::Result<Hooked> {
        let program = std::env::current_exe().context("the path of this program can't be found")?;
        let mut command = Command::new(program);
        command
            .args(["hook", script.spec.harness.as_str()])
            .env("PROOFMARK_STATE_DIR", &self.place.state_dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if self.plain {
            let settings = |name: &OsString| {
                name.to_str()
                    .is_some_and(|name| name.starts_with("PROOFMARK_") && name.contains("__"))
            };
            for (name, _) in std::env::vars_os().filter(|(name, _)| settings(name)) {
                command.env_remove(name);
            }
            command.env("PROOFMARK_CONFIG", self.folder.path().join("no-settings.toml"));
        }
        // Should this command be killed, its server goes soon after.
        command.env("PROOFMARK_SERVER__IDLE_MINUTES", "1");
        let mut child = command.spawn().context("the hook can't be started")?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin
                .write_all(payload.as_bytes())
                .context("the hook doesn't take its payload")?;
        }
        let output = child.wait_with_output().context("the hook can't be waited for")?;
        // A terminal's Ctrl-C ends the hook too.
        ensure!(!self.interrupt.came(), "interrupted");
        let code = output.status.code();
        ensure!(matches!(code, Some(0 | 2)), "the hook ended with {}", output.status);
        Ok(Hooked {
            refused: code == Some(2),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }

    /// What was found for the last event: the hook passes on texts only, so it is read from the ledger.
    fn findings(&self, key: &SessionKey, seen: &mut i64) -> anyhow::Result<Vec<Finding>> {
        let Some(ledger) = self.place.ledger()? else {
            return Ok(Vec::new());
        };
        let new = ledger.facts(key, *seen)?;
        *seen = new.last;
        let decision = |body| match body {
            FactBody::Answered { decision, .. } => Some::<Decision>(decision),
            _ => None,
        };
        Ok(new
            .facts
            .into_iter()
            .filter_map(|stored| decision(stored.fact.body))
            .flat_map(|decision| decision.findings)
            .collect())
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // A server that can't be stopped here stops by itself when it is idle.
        let _stopped = stop::stop(&self.place);
    }
}

impl Report {
    fn take(&mut self, event: &Event, hooked: Hooked, findings: Vec<Finding>) {
        let answer = answer(event, hooked);
        if let Kind::Prompt(text) = &event.kind {
            self.turns.push(Turn {
                index: self.turns.len() as u64 + 1,
                prompt: quote(text, MAX_QUOTE),
                decision: Outcome::Allow,
                findings: Vec::new(),
                answers: Vec::new(),
            });
        }
        if let Some(turn) = self.turns.last_mut() {
            turn.decision = turn.decision.max(answer.decision);
            turn.findings.extend(findings);
            turn.answers.push(answer);
        }
    }
}

/// The hook's answer as its harness takes it. Exit code 2 refuses, with stderr for the agent; else stdout is one object:
/// one that says `block` refuses with its reason, and Cursor goes on with a `followup_message`.
fn answer(event: &Event, hooked: Hooked) -> Answer {
    let (name, reply, agent) = match &event.kind {
        Kind::Prompt(_) => ("prompt", None, None),
        Kind::Stop { reply, .. } => ("stop", Some(quote(reply, MAX_QUOTE)), None),
        Kind::HelperStop { reply, agent, .. } => ("subagent-stop", Some(quote(reply, MAX_QUOTE)), Some(agent.clone())),
    };
    let said: Value = serde_json::from_str(&hooked.stdout).unwrap_or_default();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let blocked = text(&said["reason"]).filter(|_| said["decision"] == "block");
    let blocked = blocked.or_else(|| text(&said["followup_message"]));
    let refused = hooked.refused.then(|| hooked.stderr.trim().to_owned()).or(blocked);
    if let Some(reason) = refused {
        let to_agent = Some(reason);
        return Answer {
            event: name,
            agent,
            reply,
            decision: Outcome::Refuse,
            to_agent,
            to_person: None,
        };
    }
    let to_agent = text(&said["hookSpecificOutput"]["additionalContext"]);
    let to_person = text(&said["systemMessage"]).or_else(|| text(&said["user_message"]));
    let decision = if to_agent.is_some() || to_person.is_some() {
        Outcome::Advise
    } else {
        Outcome::Allow
    };
    Answer {
        event: name,
        agent,
        reply,
        decision,
        to_agent,
        to_person,
    }
}
