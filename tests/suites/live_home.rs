//! One home with a real Claude Code and a real Codex: installed, obeyed, looked over, and taken out again.
//! What each harness does beside that is its own suite's.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use proofmark_tests::model::{MAIN, Model};
use proofmark_tests::packages::{self, Cache};
use proofmark_tests::process::{self, Finished};
use proofmark_tests::scenario::Client;
use proofmark_tests::world::World;
use proofmark_tests::{claude_code, codex, need};
use serde_json::{Value, json};

/// The harnesses, and the versions that are tried.
const PINS: [(&str, &str, &str); 2] = [("claude-code", "2.1.332", "claude"), ("codex", "0.171.0", "codex")];
/// No command of ours takes so long.
const LIMIT: Duration = Duration::from_secs(120);

/// A model that tags a claim, and leaves it out when it is sent back.
fn model() -> Result<Model> {
    let tagged = "Ready. {{CAT-UNVERIFIED: the parser works on Windows -- cannot verify: no Windows box}}";
    let turns = json!([[{"text": tagged}], [{"text": "Nobody has looked at it on Windows, and neither have I."}]]);
    Model::start(serde_json::from_value(json!({"lanes": {"main": turns}}))?)
}

/// The model was asked twice, the second time with the refusal.
fn was_obeyed(model: &Model, who: &str) -> Result<()> {
    let asked = model.asked(MAIN);
    ensure!(asked.len() == 2, "{who}: {} requests", asked.len());
    ensure!(
        asked[1].to_string().contains("Proofmark asks for a check"),
        "{who}: {}",
        asked[1]
    );
    Ok(())
}

/// `proofmark`, where the harnesses are on the path.
fn proofmark(world: &World, arguments: &[&str]) -> Result<Finished> {
    let path = std::env::join_paths([world.home().join("bin"), "/usr/bin".into(), "/bin".into()])?;
    let mut command = world.command(&world.program("proofmark"));
    codex::surround(&mut command, world);
    process::run(command.args(arguments).env("PATH", path), b"", LIMIT)
}

/// The files of the person's own settings, with what they hold.
fn settings(world: &World) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut files = BTreeMap::new();
    for name in [".claude/settings.json", ".codex/config.toml", ".codex/hooks.json"] {
        let path = world.home().join(name);
        if path.exists() {
            files.insert(path.clone(), fs::read(path)?);
        }
    }
    Ok(files)
}

fn prompted(mut session: Box<dyn Client + '_>) -> Result<()> {
    session.prompt("Is the parser ready?")?;
    let ended = session.finish()?;
    ensure!(ended.code == Some(0), "{ended:?}");
    Ok(())
}

/// Everything that the doctor does not pass, by harness and check.
fn complaints(report: &Value) -> Vec<String> {
    let harnesses = report["harnesses"].as_array().into_iter().flatten();
    let all = harnesses.chain([&report["server"]]).flat_map(|part| {
        let checks = part["checks"].as_array().into_iter().flatten();
        checks.map(move |check| {
            format!(
                "{} {}: {} {}",
                part["harness"], check["check"], check["state"], check["what"]
            )
        })
    });
    all.filter(|line| !line.contains(": \"pass\"")).collect()
}

fn play(programs: &BTreeMap<&str, PathBuf>, world: &World) -> Result<()> {
    let bin = world.home().join("bin");
    fs::create_dir_all(&bin)?;
    fs::create_dir_all(world.home().join(".claude"))?;
    for (_, _, name) in PINS {
        symlink(&programs[name], bin.join(name))?;
    }
    fs::write(
        world.home().join(".claude/settings.json"),
        "{\n   \"cleanupPeriodDays\": 30,\n   \"env\": {}\n}",
    )?;
    let (claude_model, codex_model) = (model()?, model()?);
    codex::configure(codex::DIRECT, world, &codex_model)?;
    let before = settings(world)?;
    proofmark(world, &["install", "all", "--trust"])?
        .success()
        .context("install")?;
    ensure!(settings(world)? != before, "nothing was installed");

    let program = |name: &str| -> &Path { &programs[name] };
    let session = claude_code::Session::installed(program("claude"), world, &claude_model)?;
    prompted(Box::new(session)).context("Claude Code")?;
    was_obeyed(&claude_model, "Claude Code")?;
    prompted(Box::new(codex::Session::installed(program("codex"), world))).context("Codex")?;
    was_obeyed(&codex_model, "Codex")?;

    let told = proofmark(world, &["doctor", "--json"])?;
    let report: Value = serde_json::from_str(&told.stdout).with_context(|| format!("{told:?}"))?;
    ensure!(told.code == Some(0), "{:#?}", complaints(&report));
    proofmark(world, &["uninstall", "all"])?
        .success()
        .context("uninstall")?;
    // Trust that Codex was given, and what it wrote itself meanwhile, is in the same file as the person's own.
    ensure!(settings(world)? == before, "{:#?}", settings(world)?);
    Ok(())
}

#[test]
fn both_are_installed_obeyed_looked_over_and_taken_out_again() -> Result<()> {
    if !need::only_loopback().unwrap_or(false) {
        return need::missing("a network namespace with loopback only (tests/run live-home)");
    }
    let mut programs = BTreeMap::new();
    for (package, version, name) in PINS {
        let Some(program) = Cache::from_env()?.program(&packages::pin(package, version)?) else {
            return need::missing(&format!("{package} {version} in the package cache (fetch-packages)"));
        };
        programs.insert(name, program);
    }
    let world = World::new()?;
    if let Err(failure) = play(&programs, &world) {
        // Not returned: the world would not know that the test has failed, and might hide why.
        panic!("{failure:?}");
    }
    Ok(())
}
