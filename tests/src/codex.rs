//! Runs one session of a real Codex in a world, with our hook registered and a scripted model behind it.
//! Which prompts and which replies is the caller's business.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use proofmark_protocol::Harness;
use serde_json::{Value, json};

use crate::model::Model;
use crate::process;
use crate::scenario::{Client, Ended};
use crate::world::World;

/// The events for which the hook is registered.
const EVENTS: [&str; 7] = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "SessionEnd",
];
/// Codex allows the hooks of a session's end no more, in seconds; the others have time enough.
const TIMEOUT: u32 = 3;
/// One prompt with all its tool calls and rewrites is done by then.
const PROMPT_LIMIT: Duration = Duration::from_secs(120);

/// A model whose tools are called one by one.
pub const DIRECT: &str = "gpt-5.5";
/// A model that writes scripts, which call the tools.
pub const SCRIPTS: &str = "gpt-5.6-sol";
/// The newest model that Codex 0.171.0 knows: it offers the person no other one in its place.
pub const NEWEST: &str = "gpt-6-sol";

/// What starts sessions of this program, for a model that Codex 0.171.0 knows by this name.
pub fn starter(program: PathBuf, name: &str) -> impl for<'w> Fn(&'w World, &Model) -> Result<Box<dyn Client + 'w>> {
    move |world, model| Ok(Box::new(Session::start(&program, name, world, model)?))
}

/// As [`starter`], but the person has registered nothing: `proofmark codex` runs the program.
pub fn wrapped(program: PathBuf, name: &str) -> impl for<'w> Fn(&'w World, &Model) -> Result<Box<dyn Client + 'w>> {
    move |world, model| {
        configure(name, world, model)?;
        Ok(Box::new(Session::new(&program, world, true)))
    }
}

/// `proofmark codex`, to run this program with arguments that follow.
pub fn wrapper(program: &Path, world: &World, own: &[&str]) -> Command {
    let mut command = world.command(&world.program("proofmark"));
    surround(&mut command, world);
    command.env("PROOFMARK_CODEX", program).arg("codex").args(own).arg("--");
    command
}

/// What Codex looks for in its surroundings.
pub fn surround(command: &mut Command, world: &World) {
    // A folder above Codex's own would be warned about.
    command
        .env("TMPDIR", world.home().join("tmp"))
        .env("SCRIPTED_KEY", "scripted");
}

/// A session, each of whose prompts is a process of its own: the later ones take the thread up again.
#[derive(Debug)]
pub struct Session<'w> {
    world: &'w World,
    program: PathBuf,
    /// `proofmark codex` runs the program.
    is_wrapped: bool,
    /// The person has given their trust in the hooks to Codex itself.
    is_trusted: bool,
    thread: Option<String>,
    ended: Ended,
}

impl<'w> Session<'w> {
    /// Registers the hook for the world's person, and tells Codex where the model is.
    ///
    /// # Errors
    /// The settings cannot be written.
    pub fn start(program: &Path, name: &str, world: &'w World, model: &Model) -> Result<Self> {
        configure(name, world, model)?;
        let hook = world.program("proofmark-hook");
        let hook = hook.to_str().context("the hook's path is no UTF-8")?;
        let hooks = world.home().join(".codex/hooks.json");
        fs::write(hooks, serde_json::to_vec_pretty(&registration(hook))?)?;
        Ok(Self::new(program, world, false))
    }

    /// A session with the hooks that are in Codex's settings already, and trusted.
    pub fn installed(program: &Path, world: &'w World) -> Self {
        Self {
            is_trusted: true,
            ..Self::new(program, world, false)
        }
    }

    fn new(program: &Path, world: &'w World, is_wrapped: bool) -> Self {
        Self {
            world,
            program: program.to_owned(),
            is_wrapped,
            is_trusted: is_wrapped,
            thread: None,
            ended: Ended {
                code: Some(0),
                ..Ended::default()
            },
        }
    }

    fn command(&self) -> Command {
        let mut command = if self.is_wrapped {
            wrapper(&self.program, self.world, &[])
        } else {
            let mut command = self.world.command(&self.program);
            surround(&mut command, self.world);
            command
        };
        command.arg("exec");
        if self.thread.is_some() {
            command.arg("resume");
        }
        command.args(["--json", "--skip-git-repo-check"]);
        if !self.is_trusted {
            // Trust in a hook is the person's to give; a test stands for one who gave it.
            command.arg("--dangerously-bypass-hook-trust");
        }
        command.args(&self.thread);
        command
    }
}

impl Client for Session<'_> {
    fn prompt(&mut self, text: &str) -> Result<()> {
        let done = process::run(self.command().arg(text), b"", PROMPT_LIMIT)?;
        let lines: Vec<String> = done.stdout.lines().map(str::to_owned).collect();
        let started = lines.iter().find_map(|line| {
            let event: Value = serde_json::from_str(line).ok()?;
            event["thread_id"].as_str().map(str::to_owned)
        });
        self.thread = started.or_else(|| self.thread.take());
        self.ended.lines.extend(lines);
        self.ended.stderr += &done.stderr;
        if done.code != Some(0) {
            self.ended.code = done.code;
        }
        ensure!(self.thread.is_some(), "no thread was started: {:#?}", self.ended);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Ended> {
        Ok(self.ended)
    }
}

/// Tells Codex where the model is, and makes the folders that it needs.
///
/// # Errors
/// They cannot be written.
pub fn configure(name: &str, world: &World, model: &Model) -> Result<()> {
    let home = world.home().join(".codex");
    fs::create_dir_all(&home)?;
    fs::create_dir_all(world.home().join("tmp"))?;
    let project = world.project();
    let project = project.to_str().context("the project's path is no UTF-8")?;
    Ok(fs::write(
        home.join("config.toml"),
        config(name, &model.url(), project),
    )?)
}

/// Codex's settings: the scripted model, nothing that looks for a network, and no question to a person.
fn config(name: &str, model: &str, project: &str) -> String {
    let (base, project) = (json!(format!("{model}/v1")), json!(project));
    format!(
        r#"model = "{name}"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[analytics]
enabled = false

[feedback]
enabled = false

[features]
apps = false
plugins = false
enable_request_compression = false

[model_providers.scripted]
name = "scripted"
base_url = {base}
env_key = "SCRIPTED_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false

[projects.{project}]
trust_level = "trusted"
"#
    )
}

/// Hooks that run ours on each of its events, by a shell.
fn registration(hook: &str) -> Value {
    let command = format!("'{}' {}", hook.replace('\'', r"'\''"), Harness::Codex.as_str());
    let handler = json!({"type": "command", "command": command, "timeout": TIMEOUT});
    let events = EVENTS.map(|event| (event.to_owned(), json!([{"hooks": [handler]}])));
    json!({"hooks": serde_json::Map::from_iter(events)})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_what_codex_reads() {
        let config: toml::Table = config(DIRECT, "http://127.0.0.1:7", "/a \"b\"").parse().unwrap();
        assert_eq!(
            config["model_providers"]["scripted"]["base_url"].as_str(),
            Some("http://127.0.0.1:7/v1")
        );
        assert_eq!(config["projects"]["/a \"b\""]["trust_level"].as_str(), Some("trusted"));
        // Codex reads no root key but these, and a hook's path goes through a shell.
        let hooks = registration("/a b's/hook");
        assert_eq!(hooks.as_object().unwrap().len(), 1);
        assert_eq!(
            hooks["hooks"]["Stop"][0]["hooks"][0]["command"],
            r"'/a b'\''s/hook' codex"
        );
    }
}
