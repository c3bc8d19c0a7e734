//! Plays a conformance case: writes its settings and transcripts, and gives its payloads to the real hook.
//! What a case may hold, and what its outcome is worth, stays out.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use proofmark_protocol::Harness;
use serde_json::{Map, Value, json};

use crate::case::{Act, Case, Late, Step, Wanted};
use crate::fake_judge;
use crate::outcome::{Answer, shortfalls};
use crate::process::{self, Finished};
use crate::transcript::Transcript;
use crate::world::World;

/// No step takes so long, whatever happens.
const LIMIT: Duration = Duration::from_secs(30);
/// What is written over a file of the state folder.
const RUBBISH: &str = "{bad";
/// The checks whose cases can be played.
const SYSTEMS: [&str; 5] = [UNTRIED, "stale-verdict", "claimed-pass", LOCK, "scope-drift"];
/// The checks whose default is to hold the agent up.
const UNTRIED: &str = "untried-claim";
const LOCK: &str = "scope-lock";
/// Checks that are not played here, or that this version has not: a settings file may speak of them all the same.
const OTHER_CHECKS: [&str; 6] = [
    "hedge",
    "malformed-tag",
    "plain-words",
    "reply-length",
    "retraction",
    "unproven-claim",
];

/// Two deliveries within this time are one event, whatever happens in between.
const WINDOW: Duration = Duration::from_millis(250);
/// What the person is told when an event passed because a deadline was over.
const OVER: [&str; 2] = ["did not answer within", "took too long"];

/// How a case went.
#[derive(Debug, PartialEq, Eq)]
pub enum Played {
    /// What fell short, a line each.
    Judged(Vec<String>),
    /// The machine was too busy to keep a time that the case rests on: nothing is shown.
    TooSlow,
}

/// Plays a case in a world of its own.
///
/// # Errors
/// The case cannot be played: something in it is of no known form, or a program of ours does not end.
pub fn play(case: &Case, world: &World) -> Result<Played> {
    ensure!(
        SYSTEMS.contains(&case.system.as_str()) || case.system == fake_judge::SYSTEM,
        "cases of {} cannot be played",
        case.system
    );
    let mut play = Play {
        world,
        system: &case.system,
        records: BTreeMap::new(),
        rows: 0,
        too_slow: false,
    };
    fs::create_dir_all(play.folder())?;
    let mut bad = Vec::new();
    for (number, step) in case.given.before.iter().enumerate() {
        ensure!(step.before.is_empty(), "a step before has steps before it");
        let label = format!("step {}", number + 1);
        let (answer, mut found) = play.step(step).context(label.clone())?;
        if let Some(expect) = &step.expect {
            found.extend(shortfalls(expect, &answer, world)?);
            found.extend(fake_judge::shortfalls(expect, world)?);
        }
        bad.extend(found.into_iter().map(|line| format!("{label}: {line}")));
    }
    let (answer, found) = play.step(&case.given)?;
    bad.extend(found);
    bad.extend(shortfalls(&case.expect, &answer, world)?);
    bad.extend(fake_judge::shortfalls(&case.expect, world)?);
    Ok(if play.too_slow && !bad.is_empty() {
        Played::TooSlow
    } else {
        Played::Judged(bad)
    })
}

struct Play<'a> {
    world: &'a World,
    /// The check that is on; the others are off, so that what is said is its.
    system: &'a str,
    records: BTreeMap<String, Transcript>,
    rows: u64,
    too_slow: bool,
}

impl Play<'_> {
    /// What a step came to, and what was wrong whatever it should have come to.
    fn step(&mut self, step: &Step) -> Result<(Answer, Vec<String>)> {
        let path = self.write_record(step)?;
        let payload = self.payload(step, &path)?;
        let runner = fake_judge::place(self.world, &step.judge)?;
        let settings = match &step.settings {
            Some(text) => text.replace("{runner}", &runner.display().to_string()),
            None if self.system == fake_judge::SYSTEM => fake_judge::settings(&step.env, &runner),
            None => settings(self.system, &step.env),
        };
        fs::write(self.settings(), settings)?;
        let project = self.world.project().join("proofmark.toml");
        match &step.project {
            Some(text) => fs::write(project, text)?,
            None if project.exists() => fs::remove_file(project)?,
            None => {}
        }
        if step.corrupt_state {
            self.corrupt()?;
        }
        if step.event == Act::Command {
            let started = Instant::now();
            let done = process::run(
                self.command("proofmark").args(self.arguments(&step.command)?),
                b"",
                LIMIT,
            )?;
            return Ok((Answer::of_command(&done, started.elapsed()), Vec::new()));
        }
        let input = match &step.stdin {
            Some(stdin) => stdin.clone(),
            None => payload.to_string(),
        };
        let started = Instant::now();
        let answers = self.deliver(step, &path, input.as_bytes())?;
        let taken = started.elapsed();
        let other = |answer: &&Finished| {
            let first = &answers[0];
            (answer.code, &answer.stdout, &answer.stderr) != (first.code, &first.stdout, &first.stderr)
        };
        let mut bad = Vec::new();
        if let Some(other) = answers.iter().find(other) {
            self.too_slow |= taken > WINDOW;
            bad.push(format!("two deliveries, two answers: {:?} and {other:?}", answers[0]));
        }
        let over = |answer: &Finished| OVER.iter().any(|sign| answer.stdout.contains(sign));
        self.too_slow |= answers.iter().any(over);
        Ok((Answer::of_hook(step.event, &answers[0], taken), bad))
    }

    /// Gives the hook the event, as often as the step says, while what comes late is written.
    fn deliver(&mut self, step: &Step, path: &Path, input: &[u8]) -> Result<Vec<Finished>> {
        let late = match &step.late {
            Some(late) => Some((Duration::from_millis(late.after_ms), self.late(step, late)?)),
            None => None,
        };
        let harness = self.harness(step);
        let offsets = if step.deliveries.is_empty() {
            &[0][..]
        } else {
            &step.deliveries
        };
        thread::scope(|scope| {
            let started: Vec<_> = offsets
                .iter()
                .map(|offset| {
                    let mut hook = self.command("proofmark-hook");
                    hook.arg(harness.as_str());
                    hook.envs(step.env.child.iter().map(|child| ("PROOFMARK_JUDGE_CHILD", child)));
                    scope.spawn(move || {
                        thread::sleep(Duration::from_millis(*offset));
                        process::run(&mut hook, input, LIMIT)
                    })
                })
                .collect();
            if let Some((after, text)) = late {
                thread::sleep(after);
                write_over(path, &text)?;
            }
            let ended = started
                .into_iter()
                .map(|hook| hook.join().map_err(|_| anyhow!("the hook's thread panicked"))?);
            ended.collect()
        })
    }

    /// Whose hook it is: a record of Codex's form comes from Codex.
    fn harness(&self, step: &Step) -> Harness {
        let codex = self.records.get(&step.record).is_some_and(Transcript::is_codex);
        if codex { Harness::Codex } else { Harness::ClaudeCode }
    }

    fn late(&mut self, step: &Step, late: &Late) -> Result<String> {
        let record = self.records.entry(step.record.clone()).or_default();
        record.append(&late.append, &step.record, &mut self.rows)?;
        Ok(record.text(""))
    }

    /// Brings the step's transcript and its helpers' records up to date and returns the transcript's path.
    fn write_record(&mut self, step: &Step) -> Result<PathBuf> {
        let folder = self.folder();
        let record = self.records.entry(step.record.clone()).or_default();
        record.append(&step.append, &step.record, &mut self.rows)?;
        let name = if step.fresh_transcript_copy {
            "copy"
        } else {
            &step.record
        };
        // Each harness calls its records in its own way, and the hook knows them by that.
        let sign = if record.is_codex() { "rollout-" } else { "" };
        let path = folder.join(format!("{sign}{name}.jsonl"));
        write_over(&path, &record.text(&step.torn))?;
        let helpers = folder.join(&step.record).join("subagents");
        for (id, events) in &step.helpers {
            fs::create_dir_all(&helpers)?;
            self.write_helper(&helpers.join(format!("agent-{id}.jsonl")), events, &step.record)?;
        }
        if let Some(events) = &step.agent_transcript {
            self.write_helper(&folder.join("agent.jsonl"), events, &step.record)?;
        }
        Ok(path)
    }

    fn write_helper(&mut self, path: &Path, events: &[Value], session: &str) -> Result<()> {
        let mut record = Transcript::default();
        record.append(events, session, &mut self.rows)?;
        fs::write(path, record.text("")).with_context(|| format!("cannot write {}", path.display()))
    }

    fn payload(&self, step: &Step, transcript: &Path) -> Result<Value> {
        let event = match step.event {
            Act::Stop => "Stop",
            Act::SubagentStop => "SubagentStop",
            Act::Prompt => "UserPromptSubmit",
            Act::PreTool => "PreToolUse",
            Act::Command => return Ok(Value::Null),
        };
        let mut payload = Map::new();
        let mut put = |name: &str, value: Value| drop(payload.insert(name.to_owned(), value));
        put("hook_event_name", json!(event));
        if !step.no_identity {
            put("cwd", json!(self.world.project()));
            if !step.session.is_empty() {
                put(&step.session_key, json!(step.session));
            }
            if !step.no_transcript {
                let gone = self.folder().join("gone.jsonl");
                put(
                    "transcript_path",
                    json!(if step.missing_transcript { &gone } else { transcript }),
                );
            }
        }
        if let Some(agent) = &step.agent {
            put("agent_id", json!(agent));
            put("agent_type", json!("general-purpose"));
        }
        if step.agent_transcript.is_some() {
            put("agent_transcript_path", json!(self.folder().join("agent.jsonl")));
        }
        match step.event {
            Act::Stop | Act::SubagentStop => {
                put("stop_hook_active", json!(false));
                if !step.no_reply {
                    put("last_assistant_message", json!(step.reply));
                }
            }
            Act::Prompt => put("prompt", json!(step.prompt)),
            Act::PreTool | Act::Command => {
                put("tool_name", json!(step.tool));
                put(
                    "tool_input",
                    if step.tool_input.is_null() {
                        json!({})
                    } else {
                        step.tool_input.clone()
                    },
                );
            }
        }
        payload.extend(step.payload.clone());
        Ok(Value::Object(payload))
    }

    /// The arguments of a command, with the ids of the claims that they name.
    fn arguments(&self, words: &[String]) -> Result<Vec<String>> {
        let fill = |word: &String| {
            let Some(text) = word.strip_prefix('{').and_then(|word| word.strip_suffix('}')) else {
                return Ok(word.clone());
            };
            let claims = self.world.claims()?;
            let claim = claims.iter().find(|claim| claim["claim"] == text);
            let id = claim.and_then(|claim| claim["id"].as_str());
            id.map(str::to_owned)
                .with_context(|| format!("no claim is called {text:?}"))
        };
        words.iter().map(fill).collect()
    }

    fn corrupt(&self) -> Result<()> {
        self.world.proofmark(&["stop"])?.success().context("proofmark stop")?;
        for entry in fs::read_dir(self.world.state())? {
            let path = entry?.path();
            let spared = path
                .extension()
                .is_some_and(|ending| ending == "sock" || ending == "lock");
            if path.is_file() && !spared {
                fs::write(path, RUBBISH)?;
            }
        }
        Ok(())
    }

    fn command(&self, program: &str) -> Command {
        let mut command = self.world.command(&self.world.program(program));
        command.env("PROOFMARK_CONFIG", self.settings());
        command
    }

    fn settings(&self) -> PathBuf {
        self.world.home().join("config.toml")
    }

    /// Where the transcripts are.
    fn folder(&self) -> PathBuf {
        self.world.home().join("records")
    }
}

/// Brings a file to this text. Never empty in between: a harness only appends, and a reader may look at any moment.
fn write_over(path: &Path, text: &str) -> Result<()> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
    file.write_all(text.as_bytes())?;
    file.set_len(u64::try_from(text.len())?)?;
    Ok(())
}

/// The person's settings file: the check that a case is about as it is by default, all others off.
fn settings(system: &str, wanted: &Wanted) -> String {
    let mode = wanted.mode.as_deref().unwrap_or("all");
    let strict = mode == "do_not_emit";
    let reminder = if strict || mode == "all" { "next-prompt" } else { mode };
    let off = wanted.enforcement.as_deref() == Some("0");
    let level = |check: &str| match check {
        _ if off || check != system => "off",
        UNTRIED | LOCK => "refuse",
        _ => "advise",
    };
    let mut text = format!(
        "[checks.untried-claim]\nmode = \"{}\"\nstrict = {strict}\nreminder = \"{reminder}\"\n\n\
         [judge]\nenabled = false\nwait_seconds = 6\n",
        level(UNTRIED)
    );
    for check in SYSTEMS
        .into_iter()
        .filter(|check| *check != UNTRIED)
        .chain(OTHER_CHECKS)
    {
        text += &format!("\n[checks.{check}]\nmode = \"{}\"\n", level(check));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_brought_to_a_longer_and_to_a_shorter_text() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record.jsonl");
        for text in ["a\nb", "a\nbc\nd\n", "a\n"] {
            write_over(&path, text).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[test]
    fn settings_follow_the_wanted_mode() {
        let written = |mode: Option<&str>, enforcement: Option<&str>| {
            let wanted = Wanted {
                mode: mode.map(str::to_owned),
                enforcement: enforcement.map(str::to_owned),
                ..Wanted::default()
            };
            settings(UNTRIED, &wanted)
        };
        for (mode, strict, reminder) in [
            (None, false, "next-prompt"),
            (Some("stale"), false, "stale"),
            (Some("loud"), false, "loud"),
            (Some("do_not_emit"), true, "next-prompt"),
        ] {
            let text = written(mode, None);
            let wanted = format!("mode = \"refuse\"\nstrict = {strict}\nreminder = \"{reminder}\"\n");
            assert!(text.contains(&wanted), "{mode:?}: {text}");
        }
        assert!(written(None, Some("0")).starts_with("[checks.untried-claim]\nmode = \"off\"\n"));
        let others = settings("stale-verdict", &Wanted::default());
        for line in [
            "[checks.untried-claim]\nmode = \"off\"",
            "[checks.stale-verdict]\nmode = \"advise\"",
            "[checks.claimed-pass]\nmode = \"off\"",
        ] {
            assert!(others.contains(line), "{others}");
        }
    }
}
