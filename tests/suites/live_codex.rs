//! Real Codex sessions with our hook, a scripted model, and no network but loopback.
//! What single events do without a harness is the other suites' business.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use proofmark_tests::codex::{DIRECT, SCRIPTS, starter};
use proofmark_tests::need;
use proofmark_tests::packages::{self, Cache};
use proofmark_tests::process;
use proofmark_tests::scenario;
use proofmark_tests::world::World;
use serde_json::Value;

const VERSION: &str = "0.171.0";

/// Codex's program, where this machine has it, and no network for it.
fn codex() -> Result<Option<PathBuf>> {
    if !need::only_loopback().unwrap_or(false) {
        need::missing("a network namespace with loopback only (tests/run live-codex)")?;
        return Ok(None);
    }
    let program = Cache::from_env()?.program(&packages::pin("codex", VERSION)?);
    if program.is_none() {
        need::missing(&format!("codex {VERSION} in the package cache (fetch-packages)"))?;
    }
    Ok(program)
}

/// Plays one scenario with a model, where this machine can.
fn play(name: &str, model: &str) -> Result<()> {
    let Some(program) = codex()? else { return Ok(()) };
    let world = World::new()?;
    if let Err(failure) = scenario::load(name, &world)?.play(&starter(program, model), &world) {
        // Not returned: the world would not know that the test has failed, and might hide why.
        panic!("{failure:?}");
    }
    Ok(())
}

#[test]
fn an_untried_claim_is_sent_back_once() -> Result<()> {
    play("untried-claim", DIRECT)
}

#[test]
fn a_tried_claim_passes_is_recalled_and_is_settled() -> Result<()> {
    play("codex/tried-claim", DIRECT)
}

#[test]
fn a_script_that_looks_at_nothing_is_no_attempt() -> Result<()> {
    play("codex/scripts", SCRIPTS)
}

#[test]
fn new_claims_without_end_come_to_an_end() -> Result<()> {
    play("new-claim-each-time", DIRECT)
}

#[test]
fn a_verdict_that_went_stale_is_told_once() -> Result<()> {
    play("codex/stale-verdict", DIRECT)
}

#[test]
fn a_reply_that_owns_the_failure_is_left_alone() -> Result<()> {
    play("codex/owned-verdict", DIRECT)
}

#[test]
fn a_corrected_scope_is_locked_agreed_and_released() -> Result<()> {
    play("codex/scope-lock", DIRECT)
}

/// What the doctor says of the trust that Codex has in our hooks.
fn trust(world: &World) -> Result<String> {
    let told = proofmark(world, &["doctor", "codex", "--json"])?;
    let report: Value = serde_json::from_str(&told.stdout).with_context(|| format!("{told:?}"))?;
    let checks = report["harnesses"][0]["checks"].as_array().context("no checks")?;
    let trust = checks.iter().find(|check| check["check"] == "trust");
    let trust = trust.with_context(|| format!("no word on trust: {checks:?}"))?;
    Ok(format!("{}: {}", trust["state"], trust["what"]))
}

fn proofmark(world: &World, arguments: &[&str]) -> Result<process::Finished> {
    let mut command = world.command(&world.program("proofmark"));
    let path = std::env::join_paths([world.home().join("bin"), "/usr/bin".into(), "/bin".into()])?;
    process::run(command.args(arguments).env("PATH", path), b"", Duration::from_secs(60))
}

#[test]
fn the_doctor_says_of_our_hooks_what_codex_says() -> Result<()> {
    let Some(program) = codex()? else { return Ok(()) };
    let world = World::new()?;
    fs::create_dir_all(world.home().join("bin"))?;
    symlink(program, world.home().join("bin/codex"))?;
    proofmark(&world, &["install", "codex"])?.success()?;
    let untrusted = trust(&world)?;
    ensure!(
        untrusted.contains("fail") && untrusted.contains("(untrusted)"),
        "{untrusted}"
    );
    proofmark(&world, &["install", "codex", "--trust"])?.success()?;
    let trusted = trust(&world)?;
    ensure!(trusted.contains("pass") && trusted.contains("all 7 hooks"), "{trusted}");
    let file = world.home().join(".codex/hooks.json");
    let text = fs::read_to_string(&file)?;
    fs::write(&file, text.replacen("\"timeout\": 60", "\"timeout\": 61", 1))?;
    let modified = trust(&world)?;
    ensure!(
        modified.contains("fail") && modified.contains("(modified)"),
        "{modified}"
    );
    Ok(())
}
