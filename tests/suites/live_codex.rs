//! Real Codex sessions with our hook, a scripted model, and no network but loopback.
//! What single events do without a harness is the other suites' business.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use proofmark_tests::codex::{self, DIRECT, NEWEST, SCRIPTS, starter, wrapped, wrapper};
use proofmark_tests::model::Model;
use proofmark_tests::need;
use proofmark_tests::packages::{self, Cache};
use proofmark_tests::process::{self, Finished};
use proofmark_tests::scenario::{self, Start};
use proofmark_tests::terminal::Terminal;
use proofmark_tests::world::World;
use serde_json::{Value, json};

const VERSION: &str = "0.171.0";
/// The trust in a hook for `Stop` that runs `touch trusted`.
const TRUSTED: &str = "sha256:2fc889e99a61538ae68fb7f1638823880d76db5b6133fe60709af69be07a999d";
/// One run of Codex is done by then.
const LIMIT: Duration = Duration::from_secs(60);

/// Does something with Codex in a world, where this machine can.
fn with_codex(act: impl FnOnce(PathBuf, &World) -> Result<()>) -> Result<()> {
    if !need::only_loopback().unwrap_or(false) {
        return need::missing("a network namespace with loopback only (tests/run live-codex)");
    }
    let pin = packages::pin("codex", VERSION)?;
    let Some(program) = Cache::from_env()?.program(&pin) else {
        return need::missing(&format!("codex {VERSION} in the package cache (fetch-packages)"));
    };
    let world = World::new()?;
    if let Err(failure) = act(program, &world) {
        // Not returned: the world would not know that the test has failed, and might hide why.
        panic!("{failure:?}");
    }
    Ok(())
}

/// Plays one scenario with a session that is started in one way.
fn play_with(name: &str, start: impl FnOnce(PathBuf) -> Box<Start<'static>>) -> Result<()> {
    with_codex(|program, world| scenario::load(name, world)?.play(&*start(program), world))
}

/// Plays one scenario with a model.
fn play(name: &str, model: &'static str) -> Result<()> {
    play_with(name, |program| Box::new(starter(program, model)))
}

/// The same, with nothing registered and `proofmark codex` in front of Codex.
fn play_wrapped(name: &str, model: &'static str) -> Result<()> {
    play_with(name, |program| Box::new(wrapped(program, model)))
}

/// A model that tags a claim without any check in its first answers, and leaves it out afterwards.
fn claims(times: usize) -> Result<Model> {
    let tagged = "The parser is ready. {{CAT-UNVERIFIED: the parser works on Windows -- cannot verify: no box}}";
    let mut turns = vec![json!([{"text": tagged}]); times];
    turns.push(json!([{"text": "Nobody has looked at it on Windows."}]));
    Model::start(serde_json::from_value(json!({"lanes": {"main": turns}}))?)
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
fn a_reply_that_is_only_repeated_passes() -> Result<()> {
    play("repeated-reply", DIRECT)
}

#[test]
fn a_subagents_claim_is_sent_back_to_the_subagent() -> Result<()> {
    play("codex/helper-claim", DIRECT)
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

#[test]
fn wrapped_an_untried_claim_is_sent_back_once() -> Result<()> {
    play_wrapped("untried-claim", DIRECT)
}

#[test]
fn wrapped_a_tried_claim_passes_is_recalled_over_a_resume_and_is_settled() -> Result<()> {
    play_wrapped("codex/tried-claim", DIRECT)
}

#[test]
fn wrapped_scripts_are_seen_as_well() -> Result<()> {
    play_wrapped("codex/scripts", SCRIPTS)
}

/// One `exec` through the wrapper.
fn exec(program: &Path, world: &World, own: &[&str], arguments: &[&str]) -> Result<Finished> {
    let mut command = wrapper(program, world, own);
    command.args(["exec", "--skip-git-repo-check"]).args(arguments);
    process::run(command.arg("Is the parser ready?"), b"", LIMIT)
}

#[test]
fn the_wrapper_tells_at_the_end_sets_the_code_and_touches_no_file() -> Result<()> {
    with_codex(|program, world| {
        // Two hooks of the person's own, of which they have trusted one: that one runs, and the other does not.
        let hooks = world.home().join(".codex/hooks.json");
        let group = |command| json!({"hooks": [{"type": "command", "command": command}]});
        let own = json!({"hooks": {"Stop": [group("touch trusted"), group("touch untrusted")]}});
        // What Codex 0.171.0 itself stores for the first one when it is trusted.
        let trust = format!(
            "[hooks.state.{}]\ntrusted_hash = \"{TRUSTED}\"\n",
            json!(format!("{}:stop:0:0", hooks.display()))
        );
        for (own_arguments, arguments, code, told) in [
            (&["--fail-on", "refuse"][..], &["--json"][..], 3, true),
            (&["--fail-on", "advise"], &[], 3, true),
            (&[], &["--json"], 0, true),
            (&["--quiet"], &["--json"], 0, false),
            // Without hooks the same record is judged when all is over.
            (&["--fail-on", "refuse"], &["--json", "--disable", "hooks"], 3, true),
        ] {
            let model = claims(1)?;
            codex::configure(DIRECT, world, &model)?;
            fs::write(&hooks, own.to_string())?;
            let config = world.home().join(".codex/config.toml");
            fs::write(&config, fs::read_to_string(&config)? + &trust)?;
            let before = (fs::read(&config)?, fs::read(&hooks)?);
            let done = exec(&program, world, own_arguments, arguments)?;
            let context = || format!("{own_arguments:?} {arguments:?}: {done:#?}");
            ensure!(done.code == Some(code), context());
            ensure!(done.stderr.contains("the parser works on Windows") == told, context());
            let hooked = !arguments.contains(&"--disable");
            ensure!(done.stdout.contains("Nobody has looked") == hooked, context());
            ensure!(
                done.stderr.contains(&format!("Codex {VERSION} ran no hooks")) != hooked || !told,
                context()
            );
            if arguments.contains(&"--json") {
                let all_json = done
                    .stdout
                    .lines()
                    .all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok());
                ensure!(all_json, context());
            }
            ensure!(
                (fs::read(&config)?, fs::read(&hooks)?) == before,
                "a file of the person's is another one"
            );
            let ran = |name| world.project().join(name).exists();
            ensure!(!ran("untrusted"), "a hook ran that the person has not trusted");
            ensure!(ran("trusted") == hooked, "what the person has trusted: {}", context());
            if hooked {
                fs::remove_file(world.project().join("trusted"))?;
            }
            let temporary: Vec<_> = fs::read_dir(world.home().join("tmp"))?.collect();
            ensure!(temporary.is_empty(), "{temporary:?} is left");
        }
        Ok(())
    })
}

#[test]
fn the_wrapper_leaves_the_screen_to_codex_and_tells_when_it_is_gone() -> Result<()> {
    with_codex(|program, world| {
        // One of the answers is taken for the session's title, whichever question comes first.
        let model = claims(2)?;
        codex::configure(NEWEST, world, &model)?;
        let mut setsid = world.command(Path::new("setsid"));
        codex::surround(&mut setsid, world);
        setsid.env("TERM", "xterm-256color").env("PROOFMARK_CODEX", &program);
        let proofmark = world.program("proofmark");
        let arguments = ["codex", "--fail-on", "refuse", "--", "Is the parser ready?"];
        let mut terminal = Terminal::start(setsid, proofmark.as_os_str(), &arguments)?;
        terminal.shows("Blocked by hook", 1, LIMIT)?;
        // Asked to leave until it does: at first there may still be something that it cancels instead. Once it goes, the
        // same key would be a signal.
        let leaves = process::until(LIMIT, || {
            terminal.press("\u{3}").ok();
            terminal.shows("Shutting down", 1, Duration::from_millis(300)).ok()
        });
        ensure!(leaves.is_some(), "{}", terminal.shown());
        let left = terminal.end(LIMIT)?;
        let code = left.context("Codex did not end")?.code();
        ensure!(code == Some(3), "{code:?}: {}", terminal.shown());
        terminal.shows("Proofmark found in this run:", 1, LIMIT)?;
        terminal.shows("sent back", 1, LIMIT)?;
        Ok(())
    })
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
    with_codex(|program, world| {
        fs::create_dir_all(world.home().join("bin"))?;
        symlink(program, world.home().join("bin/codex"))?;
        proofmark(world, &["install", "codex"])?.success()?;
        let untrusted = trust(world)?;
        ensure!(
            untrusted.contains("fail") && untrusted.contains("(untrusted)"),
            "{untrusted}"
        );
        proofmark(world, &["install", "codex", "--trust"])?.success()?;
        let trusted = trust(world)?;
        ensure!(trusted.contains("pass") && trusted.contains("all 7 hooks"), "{trusted}");
        let file = world.home().join(".codex/hooks.json");
        let text = fs::read_to_string(&file)?;
        fs::write(&file, text.replacen("\"timeout\": 60", "\"timeout\": 61", 1))?;
        let modified = trust(world)?;
        ensure!(
            modified.contains("fail") && modified.contains("(modified)"),
            "{modified}"
        );
        Ok(())
    })
}
