//! Real Claude Code and real Codex as runners of the judge, with scripted models and no network but loopback.
//! What the judge makes of other answers is told as cases.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use proofmark_tests::codex::{self, DIRECT};
use proofmark_tests::model::{Model, Script};
use proofmark_tests::packages::{self, Cache};
use proofmark_tests::process;
use proofmark_tests::scenario::Client;
use proofmark_tests::world::World;
use proofmark_tests::{claude_code, need};
use serde_json::{Value, json};

/// A start of the server takes no longer.
const LIMIT: Duration = Duration::from_secs(30);
const HIT: &str = r#"{"match": true, "category": "plain-words-made-up-labels", "closest": "velvet gate"}"#;

/// The program of a harness, where this machine can run it.
fn program(harness: &str, version: &str) -> Result<Option<PathBuf>> {
    if !need::only_loopback().unwrap_or(false) {
        need::missing("a network namespace with loopback only (tests/run live-judge)")?;
        return Ok(None);
    }
    let program = Cache::from_env()?.program(&packages::pin(harness, version)?);
    if program.is_none() {
        need::missing(&format!("{harness} {version} in the package cache (fetch-packages)"))?;
    }
    Ok(program)
}

fn model(lane: &str, turns: &[&str]) -> Result<Model> {
    let turns: Vec<Value> = turns.iter().map(|text| json!([{"text": text}])).collect();
    let script: Script = serde_json::from_value(json!({"lanes": {lane: turns}}))?;
    Model::start(script)
}

/// The person's settings with one runner, and a server that has its variables.
fn judged_by(world: &World, command: &[&str], env: &[(&str, &str)]) -> Result<()> {
    let folder = world.home().join(".config/proofmark");
    fs::create_dir_all(&folder)?;
    let names: Vec<&str> = env.iter().map(|(name, _)| *name).collect();
    let settings = format!(
        "[judge]\nenabled = true\nwait_seconds = 40\n\n[[judge.runner]]\nname = \"real\"\ncommand = {}\nenv = {}\n",
        json!(command),
        json!(names)
    );
    fs::write(folder.join("config.toml"), settings)?;
    let mut serve = world.command(&world.program("proofmark"));
    serve.args(["serve", "--detach"]);
    serve.envs(env.iter().map(|(name, value)| (format!("PROOFMARK_ENV_{name}"), value)));
    process::run(&mut serve, b"", LIMIT)?.success()?;
    Ok(())
}

/// Claude Code says something that the judge finds: it is sent back with list and quote, and its rewrite passes.
fn plays(world: &World, claude: &Path, judge: &Model, lane: &str) -> Result<()> {
    let agent = model(
        "main",
        &[
            "The velvet gate is half open.",
            "The import works, the export does not.",
        ],
    )?;
    let mut session: Box<dyn Client + '_> = claude_code::starter(claude.to_owned())(world, &agent)?;
    session.prompt("Is it ready?")?;
    session.finish()?;
    let asked = agent.asked("main");
    assert_eq!(asked.len(), 2, "one reply and one rewrite");
    let sent_back = asked[1].to_string();
    for part in ["velvet gate", "plain-words-made-up-labels", "asks for plain words"] {
        assert!(sent_back.contains(part), "{part} is missing: {sent_back}");
    }
    let questions = judge.asked(lane);
    assert_eq!(questions.len(), 1, "one question for the reply, none for the rewrite");
    let question = questions[0].to_string();
    assert!(question.contains("| The velvet gate is half open."), "{question}");
    Ok(())
}

#[test]
fn claude_code_answers_the_judge() -> Result<()> {
    let Some(claude) = program("claude-code", "2.1.332")? else {
        return Ok(());
    };
    let world = World::new()?;
    let judge = model("aux", &[HIT])?;
    let path = claude.to_str().context("the program's path is no UTF-8")?;
    let command = [
        path,
        "-p",
        "--model",
        "haiku",
        "--settings",
        "{\"disableAllHooks\":true}",
        "--tools",
        "",
        "--no-session-persistence",
    ];
    let env = [
        ("ANTHROPIC_BASE_URL", judge.url()),
        ("ANTHROPIC_API_KEY", "scripted".to_owned()),
    ];
    let quiet = [
        "DISABLE_TELEMETRY",
        "DISABLE_ERROR_REPORTING",
        "DISABLE_AUTOUPDATER",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
    ];
    let mut all: Vec<(&str, &str)> = env.iter().map(|(name, value)| (*name, value.as_str())).collect();
    all.extend(quiet.map(|name| (name, "1")));
    judged_by(&world, &command, &all)?;
    plays(&world, &claude, &judge, "aux")
}

#[test]
fn codex_answers_the_judge() -> Result<()> {
    let (Some(claude), Some(codex)) = (program("claude-code", "2.1.332")?, program("codex", "0.171.0")?) else {
        return Ok(());
    };
    let world = World::new()?;
    let judge = model("main", &[HIT])?;
    // Writes the settings that lead Codex to the model.
    codex::starter(codex.clone(), DIRECT)(&world, &judge)?;
    let path = codex.to_str().context("the program's path is no UTF-8")?;
    let command = [
        path,
        "exec",
        "--ephemeral",
        "--skip-git-repo-check",
        "--sandbox",
        "read-only",
        "-c",
        "features.hooks=false",
        "-",
    ];
    judged_by(&world, &command, &[("SCRIPTED_KEY", "scripted")])?;
    plays(&world, &claude, &judge, "main")
}
