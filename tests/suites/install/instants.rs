//! Commands that are killed at any instant, and several of them at once: a settings file is the old one or the new one.
//! What is in the files is the other tests' business.

use std::fs::{self, File};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use proofmark_protocol::Harness::{ClaudeCode, Codex, Cursor};

use crate::stage::{Files, Stage, count, run};

/// Instants at which a command is killed, spread over the time that it takes.
const KILLS: u32 = 40;
/// No more time is spent on it.
const LIMIT: Duration = Duration::from_secs(30);

fn fill(stage: &Stage) -> Files {
    let settings = format!(
        "{{\n  \"permissions\": {{ \"allow\": [{}] }}\n}}\n",
        vec!["\"Bash(x:*)\""; 5_000].join(", ")
    );
    stage.put(ClaudeCode, "settings.json", settings);
    // Without its bytes from before nobody could tell how this one was laid out.
    stage.put(Codex, "hooks.json", "{\n}\n");
    stage.put(Codex, "config.toml", "model = \"x\"\n");
    stage.put(Cursor, "hooks.json", "{\"version\": 1, \"hooks\": {}}\n");
    stage.files()
}

#[test]
fn a_command_that_is_killed_at_any_instant_leaves_whole_files_and_can_be_run_again() {
    let model = Stage::new();
    let before = fill(&model);
    let begun = Instant::now();
    model.done(&["install", "--trust"]);
    let took = begun.elapsed();
    let after: Files = with_paths(&model, model.files());
    let begun = Instant::now();
    let (mut old, mut new) = (0, 0);
    let stage = Stage::new();
    assert_eq!(fill(&stage), before);
    for nth in 0..KILLS {
        if begun.elapsed() > LIMIT {
            break;
        }
        for arguments in [&["install", "--trust"][..], &["uninstall"]] {
            let mut child = stage
                .command(arguments)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            thread::sleep(took * nth / KILLS);
            child.kill().unwrap();
            child.wait().unwrap();
            let mut found = with_paths(&stage, stage.files());
            // What it was writing when it was killed; nobody takes that for settings.
            found.retain(|path, _| !path.to_string_lossy().ends_with(".proofmark-draft"));
            for (path, bytes) in &found {
                let is_old = before.get(path) == Some(bytes);
                assert!(
                    is_old || after.get(path) == Some(bytes),
                    "{} is half of something",
                    path.display()
                );
                *(if is_old { &mut old } else { &mut new }) += 1;
            }
            assert_eq!(found.len(), before.len());
            if arguments[0] == "install" {
                stage.done(arguments);
                assert_eq!(
                    with_paths(&stage, stage.files()),
                    after,
                    "the second run does not end what the first began"
                );
            }
        }
        stage.done(&["uninstall"]);
        assert_eq!(stage.files(), before);
    }
    assert!(
        old > 0 && new > 0,
        "{old} old files and {new} new ones: the kills came all before or all after"
    );
}

/// Files in which the home's own path has a name that is the same for every home, and its hash none.
fn with_paths(stage: &Stage, files: Files) -> Files {
    let home = stage.home.to_str().unwrap();
    let same = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace(home, "HOME").into_bytes();
    files.into_iter().map(|(path, bytes)| (path, same(bytes))).collect()
}

#[test]
fn many_at_once_are_as_one() {
    let stage = Stage::new();
    let before = fill(&stage);
    let start = |arguments: &[&str]| {
        stage
            .command(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    let children: Vec<_> = (0..6).map(|_| start(&["install"])).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    for (path, bytes) in stage.files() {
        let events = if path.ends_with("config.toml") {
            0
        } else {
            count(&bytes, "\"timeout\"")
        };
        assert_eq!(count(&bytes, &stage.hook()), events, "{}", path.display());
    }
    let children: Vec<_> = (0..6).map(|_| start(&["uninstall"])).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(stage.files(), before);
}

#[test]
fn another_one_at_work_is_waited_for_and_then_said() {
    let stage = Stage::new();
    let file = stage.put(ClaudeCode, "settings.json", "{}");
    stage.done(&["install"]);
    stage.done(&["uninstall"]);
    let lock = File::open(stage.world.state().join("install/lock")).unwrap();
    lock.lock().unwrap();
    let begun = Instant::now();
    let waited = run(&mut stage.command(&["install"]));
    assert_eq!(waited.code, Some(1), "{waited:?}");
    assert!(
        waited
            .stderr
            .contains("has been at work for 10 seconds; nothing was written"),
        "{}",
        waited.stderr
    );
    assert!(begun.elapsed() >= Duration::from_secs(10));
    assert_eq!(fs::read(&file).unwrap(), b"{}");
    let mut child = stage.command(&["install"]).stdout(Stdio::null()).spawn().unwrap();
    thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none(), "it did not wait");
    lock.unlock().unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(count(fs::read(&file).unwrap(), &stage.hook()), 7);
}
