//! A home with three harnesses in which everything is as it should be, and the doctor run in it.
//! What is broken in it is the tests' business.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use proofmark_protocol::Harness;
use proofmark_tests::process::{self, Finished};
use proofmark_tests::world::World;
use serde_json::{Value, json};

/// The doctor waits for several programs, one after the other.
const LIMIT: Duration = Duration::from_secs(120);
/// A Codex that says its version, and lists the hooks in a file of the home as its own protocol does.
const CODEX: &str = r#"case "$1" in
  app-server) while read -r line; do case $line in *hooks/list*) cat "$HOME/listed.json" ;; esac; done ;;
  *) echo 'codex-cli 0.171.0' ;;
esac"#;

pub(crate) struct Stage {
    pub(crate) world: World,
    bin: PathBuf,
}

impl Stage {
    /// A home with three harnesses in it, and nothing of ours.
    pub(crate) fn bare() -> Self {
        let world = World::without_state("state").unwrap();
        let bin = world.home().with_file_name("bin");
        fs::create_dir(&bin).unwrap();
        let stage = Self { world, bin };
        stage.program("claude", "echo '2.1.332 (Claude Code)'");
        stage.program("codex", CODEX);
        stage.program("cursor", "echo 3.24.12");
        for folder in [".claude", ".codex", ".cursor"] {
            fs::create_dir(stage.home(folder)).unwrap();
        }
        stage.list("trusted");
        stage
    }

    /// A home in which everything is as it should be: installed, trusted, heard.
    pub(crate) fn sound() -> Self {
        let stage = Self::bare();
        stage.done(&["install", "all", "--trust"]);
        for payload in [
            json!({"hook_event_name": "UserPromptSubmit", "prompt": "Parse dates."}),
            json!({"hook_event_name": "Stop", "stop_hook_active": false, "last_assistant_message": "Done."}),
        ] {
            let with = |more: Value| {
                let mut all = payload.clone();
                all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
                all
            };
            stage.hear(Harness::ClaudeCode, &with(json!({"session_id": "c", "prompt_id": "1"})));
            stage.hear(Harness::Codex, &with(json!({"session_id": "x", "turn_id": "1"})));
        }
        for payload in [
            json!({"hook_event_name": "beforeSubmitPrompt", "prompt": "Parse dates."}),
            json!({"hook_event_name": "stop", "status": "completed", "loop_count": 0}),
        ] {
            let mut payload = payload;
            payload["conversation_id"] = json!("u");
            payload["generation_id"] = json!("1");
            stage.hear(Harness::Cursor, &payload);
        }
        stage
    }

    fn hear(&self, harness: Harness, payload: &Value) {
        let heard = self.world.hook(harness, payload.to_string().as_bytes()).unwrap();
        heard.success().unwrap();
    }

    pub(crate) fn home(&self, path: &str) -> PathBuf {
        self.world.home().join(path)
    }

    /// Changes a file of the home, which has to be different then.
    pub(crate) fn edit(&self, path: &str, change: impl FnOnce(&str) -> String) {
        let path = self.home(path);
        let text = fs::read_to_string(&path).unwrap();
        let changed = change(&text);
        assert_ne!(changed, text, "{} was to be changed", path.display());
        fs::write(path, changed).unwrap();
    }

    /// Puts a program on `PATH`, by its script.
    pub(crate) fn program(&self, name: &str, script: &str) {
        let path = self.bin.join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// What Codex lists of our hooks.
    pub(crate) fn list(&self, status: &str) {
        let events = [
            "session_start",
            "user_prompt_submit",
            "pre_tool_use",
            "stop",
            "subagent_start",
            "subagent_stop",
            "session_end",
        ];
        let file = self.home(".codex/hooks.json");
        let hook = |event: &&str| json!({"key": format!("{}:{event}:0:0", file.display()), "enabled": true, "trustStatus": status});
        let hooks: Vec<Value> = events.iter().map(hook).collect();
        let answer = json!({"id": 2, "result": {"data": [{"cwd": "/", "hooks": hooks}]}});
        fs::write(self.home("listed.json"), format!("{answer}\n")).unwrap();
    }

    /// `proofmark` with arguments, not started.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.world.command(&self.world.program("proofmark"));
        let path = std::env::join_paths([&self.bin, Path::new("/usr/bin"), Path::new("/bin")]).unwrap();
        command.args(arguments).env("PATH", path);
        command
    }

    /// Runs `proofmark`.
    pub(crate) fn run(&self, arguments: &[&str]) -> Finished {
        run(&mut self.command(arguments))
    }

    /// Runs `proofmark`, which has to end with exit code 0.
    pub(crate) fn done(&self, arguments: &[&str]) -> String {
        self.run(arguments).success().unwrap().stdout
    }

    /// Every file below a folder, but for what the server holds open.
    pub(crate) fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut open = vec![folder.to_owned()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    let bytes = fs::read(&path).unwrap_or_default();
                    files.insert(path, bytes);
                }
            }
        }
        files
    }
}

/// Runs a command that was made ready.
pub(crate) fn run(command: &mut Command) -> Finished {
    process::run(command, b"", LIMIT).unwrap()
}

/// Everything in a report that does not pass: `part/check=state`.
pub(crate) fn amiss(report: &Finished) -> Vec<String> {
    let read: Value = serde_json::from_str(&report.stdout).unwrap_or_else(|error| panic!("{error}: {report:?}"));
    let mut amiss = Vec::new();
    let mut add = |part: &str, checks: &Value| {
        for check in checks.as_array().unwrap() {
            let (name, state) = (check["check"].as_str().unwrap(), check["state"].as_str().unwrap());
            assert!(!check["what"].as_str().unwrap().is_empty(), "{check}");
            assert_eq!(check["mend"].is_string(), state != "pass", "{check}");
            if state != "pass" {
                amiss.push(format!("{part}/{name}={state}"));
            }
        }
    };
    for patient in read["harnesses"].as_array().unwrap() {
        add(patient["harness"].as_str().unwrap(), &patient["checks"]);
    }
    add("server", &read["server"]);
    let code = match (amiss.iter().any(|one| one.ends_with("=fail")), amiss.is_empty()) {
        (true, _) => 1,
        (false, false) => 2,
        (false, true) => 0,
    };
    assert_eq!(report.code, Some(code), "{amiss:?}");
    amiss
}
