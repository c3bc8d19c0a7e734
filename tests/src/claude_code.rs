//! Runs one session of a real Claude Code in a world, with our hook registered and a scripted model behind it.
//! Which prompts and which replies is the caller's business.

use std::fs;
use std::io;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use proofmark_protocol::Harness;
use serde_json::{Value, json};

use crate::model::Model;
use crate::process::{self, collect};
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
/// What the agent may do without a person to ask.
const ALLOWED_TOOLS: &str = "Bash,Read,Write,Edit,Grep,Glob,Agent";
/// Several prompts in one session, each ended by a line of type `result` (2.1.197 to 2.1.332).
const STREAMING: [&str; 6] = [
    "-p",
    "--input-format",
    "stream-json",
    "--output-format",
    "stream-json",
    "--verbose",
];
/// One prompt with all its tool calls and rewrites is done by then.
const PROMPT_LIMIT: Duration = Duration::from_secs(120);
/// A session whose input has ended exits by itself within this time.
const EXIT_LIMIT: Duration = Duration::from_secs(30);
/// More output than this is cut off, in bytes.
const MAX_OUTPUT: u64 = 64 * 1024 * 1024;

/// What starts sessions of this program.
pub fn starter(program: PathBuf) -> impl for<'w> Fn(&'w World, &Model) -> Result<Box<dyn Client + 'w>> {
    move |world, model| Ok(Box::new(Session::start(&program, world, model)?))
}

/// A session that waits for prompts; dropping it kills its whole process group.
#[derive(Debug)]
pub struct Session {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    stderr: Receiver<io::Result<Vec<u8>>>,
    seen: Vec<String>,
}

impl Session {
    /// Registers the hook in the world's project and starts the program there.
    ///
    /// # Errors
    /// The settings cannot be written; the program cannot be started.
    pub fn start(program: &Path, world: &World, model: &Model) -> Result<Self> {
        let settings = world.project().join(".claude");
        fs::create_dir_all(&settings)?;
        let hook = world.program("proofmark-hook");
        fs::write(
            settings.join("settings.json"),
            serde_json::to_vec_pretty(&registration(&hook))?,
        )?;
        Self::installed(program, world, model)
    }

    /// Starts the program in the world's project, with the hooks that are in its settings already.
    ///
    /// # Errors
    /// The program cannot be started.
    pub fn installed(program: &Path, world: &World, model: &Model) -> Result<Self> {
        let mut child = world
            .command(program)
            .args(STREAMING)
            .args(["--allowedTools", ALLOWED_TOOLS])
            .env("ANTHROPIC_BASE_URL", model.url())
            .env("ANTHROPIC_API_KEY", "scripted")
            .env("DISABLE_TELEMETRY", "1")
            .env("DISABLE_ERROR_REPORTING", "1")
            .env("DISABLE_AUTOUPDATER", "1")
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let (stdin, stderr) = (child.stdin.take(), collect(child.stderr.take()));
        let (sender, lines) = mpsc::channel();
        if let Some(stdout) = child.stdout.take() {
            thread::spawn(move || {
                for line in BufReader::new(stdout.take(MAX_OUTPUT)).lines().map_while(Result::ok) {
                    if sender.send(line).is_err() {
                        break;
                    }
                }
            });
        }
        Ok(Self {
            child,
            stdin,
            lines,
            stderr,
            seen: Vec::new(),
        })
    }

    fn errors(&self) -> String {
        let read = self
            .stderr
            .recv_timeout(EXIT_LIMIT)
            .map(|read| read.unwrap_or_default());
        String::from_utf8_lossy(&read.unwrap_or_default()).into_owned()
    }
}

impl Client for Session {
    /// The harness reports each turn's result, which is waited for.
    fn prompt(&mut self, text: &str) -> Result<()> {
        let stdin = self.stdin.as_mut().context("the session has no input")?;
        let line = json!({"type": "user", "message": {"role": "user", "content": text}});
        writeln!(stdin, "{line}")
            .and_then(|()| stdin.flush())
            .context("the session takes no more prompts")?;
        let end = Instant::now() + PROMPT_LIMIT;
        loop {
            match self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    let is_result = serde_json::from_str::<Value>(&line).is_ok_and(|line| line["type"] == "result");
                    self.seen.push(line);
                    if is_result {
                        return Ok(());
                    }
                }
                Err(failure) => {
                    process::kill_group(&mut self.child);
                    let what = match failure {
                        RecvTimeoutError::Timeout => "no result in time",
                        RecvTimeoutError::Disconnected => "the session ended",
                    };
                    bail!(
                        "{what}, after {text:?}\nprinted: {:#?}\nstderr: {}",
                        self.seen,
                        self.errors()
                    );
                }
            }
        }
    }

    /// The end of its input ends the program.
    fn finish(mut self: Box<Self>) -> Result<Ended> {
        self.stdin = None;
        let Some(status) = process::wait(&mut self.child, EXIT_LIMIT)? else {
            process::kill_group(&mut self.child);
            bail!(
                "the session did not exit\nprinted: {:#?}\nstderr: {}",
                self.seen,
                self.errors()
            );
        };
        let end = Instant::now() + EXIT_LIMIT;
        loop {
            match self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) => self.seen.push(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => bail!("something that the session started holds its output"),
            }
        }
        let stderr = self.errors();
        Ok(Ended {
            code: status.code(),
            lines: std::mem::take(&mut self.seen),
            stderr,
        })
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        process::kill_group(&mut self.child);
    }
}

/// Settings that run our hook on each of its events, started directly and not by a shell.
fn registration(hook: &Path) -> Value {
    let handler = json!({"type": "command", "command": hook, "args": [Harness::ClaudeCode.as_str()]});
    let events = EVENTS.map(|event| (event.to_owned(), json!([{"hooks": [handler]}])));
    json!({"hooks": serde_json::Map::from_iter(events)})
}

/// The transcripts of main agents that sessions in this world left, oldest name first.
///
/// # Errors
/// The folder of transcripts is there and cannot be read.
pub fn transcripts(world: &World) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let projects = world.home().join(".claude").join("projects");
    for project in fs::read_dir(&projects).with_context(|| format!("no transcripts in {}", projects.display()))? {
        for file in fs::read_dir(project?.path())? {
            let path = file?.path();
            if path.extension().is_some_and(|extension| extension == "jsonl") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
