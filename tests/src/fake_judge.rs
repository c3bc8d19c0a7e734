//! A runner for the judge that answers as a case says, and keeps the questions that it was asked.
//! What the judge makes of its answers is what the cases are about.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::Deserialize;
use serde_json::Value;

use crate::case::{Expect, Wanted};
use crate::world::World;

/// The checks that are about replies alone; on in the cases of `reply-judge`.
const CHECKS: [&str; 4] = ["plain-words", "unproven-claim", "malformed-tag", "reply-length"];
/// The system of the cases that are about the judge and the checks beside it.
pub const SYSTEM: &str = "reply-judge";
/// Keeps its question, waits, answers. `{canary}` in an answer becomes the known answer, as a model would find it.
const SCRIPT: &str = r#"#!/bin/sh
here=$(dirname "$0")
question="$here/questions/$$"
cat >"$question.part"
mv "$question.part" "$question"
sleep "$(cat "$here/delay")"
canary=$(sed -n 's/.*left is that the \(.*\) has to settle.*/\1/p' "$question")
sed "s/{canary}/$canary/" "$here/answer"
exit "$(cat "$here/exit")"
"#;

/// What the runner does when it is asked.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FakeJudge {
    /// The object that it prints; one that finds nothing without it.
    #[serde(default)]
    pub answer: Option<Value>,
    /// What it prints in place of an object.
    #[serde(default)]
    pub raw: Option<String>,
    /// Its exit code.
    #[serde(default)]
    pub exit: u8,
    /// How long it takes, in seconds.
    #[serde(default)]
    pub delay: f64,
}

/// Where the runner of a world stands.
fn folder(world: &World) -> PathBuf {
    world.home().join("judge")
}

/// Puts the runner into a world, with what it does from now on.
///
/// # Errors
/// A file can't be written.
pub fn place(world: &World, judge: &FakeJudge) -> Result<PathBuf> {
    let folder = folder(world);
    fs::create_dir_all(folder.join("questions"))?;
    let nothing = || r#"{"match": false, "category": "", "closest": ""}"#.to_owned();
    let printed = match (&judge.raw, &judge.answer) {
        (Some(raw), _) => raw.clone(),
        (None, answer) => answer.as_ref().map_or_else(nothing, Value::to_string) + "\n",
    };
    fs::write(folder.join("answer"), printed)?;
    fs::write(folder.join("exit"), judge.exit.to_string())?;
    fs::write(folder.join("delay"), judge.delay.to_string())?;
    let script = folder.join("runner");
    if !script.exists() {
        fs::write(&script, SCRIPT)?;
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755))?;
    }
    Ok(script)
}

/// The settings under which the cases of the judge are played.
pub fn settings(wanted: &Wanted, runner: &Path) -> String {
    let level = if wanted.enforcement.as_deref() == Some("0") {
        "off"
    } else {
        "refuse"
    };
    let checks = CHECKS.map(|check| format!("[checks.{check}]\nmode = \"{level}\"\n\n"));
    let off = [
        "untried-claim",
        "stale-verdict",
        "claimed-pass",
        "scope-lock",
        "scope-drift",
    ];
    let off = off.map(|check| format!("[checks.{check}]\nmode = \"off\"\n\n"));
    let wait = wanted.wait.unwrap_or(6);
    format!(
        "{}{}[judge]\nenabled = true\nwait_seconds = {wait}\n\n[[judge.runner]]\nname = \"fake\"\ncommand = [{:?}]\n",
        checks.concat(),
        off.concat(),
        runner.display().to_string()
    )
}

/// The questions that were asked so far.
///
/// # Errors
/// They can't be read.
pub fn questions(world: &World) -> Result<Vec<String>> {
    let Ok(files) = fs::read_dir(folder(world).join("questions")) else {
        return Ok(Vec::new());
    };
    let paths = files.flatten().map(|file| file.path());
    let whole = paths.filter(|path| path.extension().is_none());
    whole.map(|path| Ok(fs::read_to_string(path)?)).collect()
}

/// What the questions lack of an expectation, a line each.
///
/// # Errors
/// They can't be read.
pub fn shortfalls(expect: &Expect, world: &World) -> Result<Vec<String>> {
    let asked = questions(world)?;
    let mut bad = Vec::new();
    if expect.model_calls.is_some_and(|calls| calls != asked.len()) {
        bad.push(format!("{} model calls, wanted {:?}", asked.len(), expect.model_calls));
    }
    let asked = asked.join("\n");
    let lacks = expect.judge_prompt_has.iter().filter(|part| !asked.contains(*part));
    bad.extend(lacks.map(|part| format!("the question lacks {part:?}")));
    let holds = expect.judge_prompt_lacks.iter().filter(|part| asked.contains(*part));
    bad.extend(holds.map(|part| format!("the question holds {part:?}")));
    Ok(bad)
}
