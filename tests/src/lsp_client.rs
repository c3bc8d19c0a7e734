//! An editor without a screen: starts the language server, asks it, and keeps what it was told to show.
//! What ought to be shown is the tests' business.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use crate::process;
use crate::world::World;

/// Nothing takes so long, an owner's start included.
const LIMIT: Duration = Duration::from_secs(30);

/// A running language server and what it has said. Dropping it kills the server.
#[derive(Debug)]
pub struct Editor {
    child: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<Result<Value, String>>,
    shown: BTreeMap<String, Vec<Value>>,
    published: usize,
    asked: u64,
    requests: Vec<Value>,
    told: Vec<Told>,
}

/// What the server has said of sessions, for a client that asked for it.
#[derive(Debug, Clone)]
pub struct Told {
    /// The params of `findingsChanged`.
    pub params: Value,
    /// How often something was published before.
    pub published: usize,
}

/// The URI of a file.
pub fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

impl Editor {
    /// Starts `proofmark serve --stdio` in a world, with further arguments, and says nothing yet.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(world: &World, arguments: &[&str]) -> Result<Self> {
        let mut child = world
            .command(&world.program("proofmark"))
            .args(["serve", "--stdio"])
            .args(arguments)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .context("the language server can't be started")?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let (sender, messages) = mpsc::channel();
        if let Some(stdout) = stdout {
            thread::spawn(move || {
                let mut stdout = BufReader::new(stdout);
                while let Some(message) = frame(&mut stdout).transpose() {
                    let broken = message.is_err();
                    if sender.send(message.map_err(|failure| format!("{failure:#}"))).is_err() || broken {
                        break;
                    }
                }
            });
        }
        Ok(Self {
            child,
            stdin,
            messages,
            shown: BTreeMap::new(),
            published: 0,
            asked: 0,
            requests: Vec::new(),
            told: Vec::new(),
        })
    }

    /// Starts it and gives it the world's project as its workspace, with an editor's capabilities.
    ///
    /// # Errors
    /// It cannot be started, or does not answer.
    pub fn open(world: &World, arguments: &[&str], capabilities: &Value) -> Result<Self> {
        Self::open_at(world, arguments, &world.project(), capabilities, &Value::Null)
    }

    /// The same with another folder as its workspace, and what the person has set.
    ///
    /// # Errors
    /// It cannot be started, or does not answer.
    pub fn open_at(
        world: &World,
        arguments: &[&str],
        folder: &Path,
        capabilities: &Value,
        options: &Value,
    ) -> Result<Self> {
        let mut editor = Self::start(world, arguments)?;
        editor.greet(folder, capabilities, options)?;
        Ok(editor)
    }

    /// Gives a server that was just started a folder as its workspace, with an editor's capabilities, and what the person has set.
    ///
    /// # Errors
    /// It does not answer.
    pub fn greet(&mut self, folder: &Path, capabilities: &Value, options: &Value) -> Result<()> {
        let folder = uri(folder);
        let answer = self.ask(
            "initialize",
            json!({
                "processId": null, "rootUri": folder, "capabilities": capabilities,
                "workspaceFolders": [{"uri": folder, "name": "project"}], "initializationOptions": options,
            }),
        )?;
        ensure!(answer["result"].is_object(), "initialize: {answer}");
        self.tell("initialized", json!({}))
    }

    /// The language server's process.
    pub fn pid(&self) -> i32 {
        self.child.id().cast_signed()
    }

    /// Sends a notification.
    ///
    /// # Errors
    /// The server reads no more.
    pub fn tell(&mut self, method: &str, params: Value) -> Result<()> {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}))
    }

    /// Sends a request and returns the whole answer.
    ///
    /// # Errors
    /// The server reads no more, or gives no answer in time.
    pub fn ask(&mut self, method: &str, params: Value) -> Result<Value> {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        let end = Instant::now() + LIMIT;
        loop {
            let message = self.next(end).with_context(|| format!("no answer to {method}"))?;
            if message["id"] == id {
                return Ok(message);
            }
        }
    }

    /// What is shown now for a place.
    pub fn at(&self, uri: &str) -> &[Value] {
        self.shown.get(uri).map_or(&[], Vec::as_slice)
    }

    /// Every place for which something is shown.
    pub fn places(&self) -> Vec<&str> {
        let filled = self.shown.iter().filter(|(_, shown)| !shown.is_empty());
        filled.map(|(uri, _)| uri.as_str()).collect()
    }

    /// The places that were ever published to this editor, also those that are empty now.
    pub fn ever(&self) -> Vec<&str> {
        self.shown.keys().map(String::as_str).collect()
    }

    /// How often something was published.
    pub fn published(&self) -> usize {
        self.published
    }

    /// The first finding with a code, and where it is shown.
    pub fn finding(&self, code: &str) -> Option<(&str, &Value)> {
        let mut all = self
            .shown
            .iter()
            .flat_map(|(uri, shown)| shown.iter().map(move |one| (uri.as_str(), one)));
        all.find(|(_, one)| one["code"] == code)
    }

    /// Reads on until something holds of what is shown.
    ///
    /// # Errors
    /// It does not come to hold in time; the error says what is shown instead.
    pub fn wait_until(&mut self, what: &str, holds: impl Fn(&Self) -> bool) -> Result<()> {
        let end = Instant::now() + LIMIT;
        while !holds(self) {
            if let Err(failure) = self.next(end) {
                bail!("{what} does not come to hold ({failure:#}); shown: {:#?}", self.shown);
            }
        }
        Ok(())
    }

    /// Asks for the actions on a finding, as an editor does with the cursor on it.
    ///
    /// # Errors
    /// There is no list of actions for an answer.
    pub fn actions(&mut self, uri: &str, range: &Value) -> Result<Vec<Value>> {
        let params = json!({"textDocument": {"uri": uri}, "range": range, "context": {"diagnostics": []}});
        let answer = self.ask("textDocument/codeAction", params)?;
        answer["result"]
            .as_array()
            .cloned()
            .with_context(|| format!("no actions: {answer}"))
    }

    /// Runs an action's command.
    ///
    /// # Errors
    /// The action has no command, or the command fails.
    pub fn run(&mut self, action: &Value) -> Result<Value> {
        let command = if action["command"].is_object() {
            &action["command"]
        } else {
            action
        };
        let params = json!({"command": command["command"], "arguments": command["arguments"]});
        let answer = self.ask("workspace/executeCommand", params)?;
        ensure!(answer["error"].is_null(), "{command}: {answer}");
        Ok(answer["result"].clone())
    }

    /// Says goodbye as an editor does and returns the exit code. Stdin stays open meanwhile.
    ///
    /// # Errors
    /// The server does not end.
    pub fn close(mut self) -> Result<Option<i32>> {
        self.ask("shutdown", Value::Null)?;
        self.exit()
    }

    /// Says `exit` alone and returns the exit code. Stdin stays open meanwhile.
    ///
    /// # Errors
    /// The server does not end.
    pub fn exit(mut self) -> Result<Option<i32>> {
        self.tell("exit", Value::Null)?;
        let ended = process::wait(&mut self.child, LIMIT)?;
        Ok(ended.context("the language server stays after `exit`")?.code())
    }

    /// Closes stdin without a word, reads what still comes, and returns the exit code.
    ///
    /// # Errors
    /// The server does not end.
    pub fn hang_up(&mut self) -> Result<Option<i32>> {
        self.stdin = None;
        let end = Instant::now() + LIMIT;
        while self.next(end).is_ok() {}
        let ended = process::wait(&mut self.child, LIMIT)?;
        Ok(ended.context("the language server stays when stdin is closed")?.code())
    }

    /// Sends messages without waiting for anything.
    ///
    /// # Errors
    /// The server reads no more.
    pub fn send(&mut self, message: &Value) -> Result<()> {
        let body = message.to_string();
        let stdin = self.stdin.as_mut().context("stdin is closed")?;
        write!(stdin, "Content-Length: {}\r\n\r\n{body}", body.len())?;
        Ok(stdin.flush()?)
    }

    /// What the server has asked so far. Each request got an error for an answer, as from an editor that can't.
    pub fn requests(&self) -> &[Value] {
        &self.requests
    }

    /// What the server has said of sessions so far.
    pub fn told(&self) -> &[Told] {
        &self.told
    }

    /// The next message; what is published, and what is asked, is taken note of.
    fn next(&mut self, end: Instant) -> Result<Value> {
        let left = end.saturating_duration_since(Instant::now());
        let message = self.messages.recv_timeout(left)?.map_err(anyhow::Error::msg)?;
        if message["method"] == "textDocument/publishDiagnostics" {
            let params = &message["params"];
            let uri = params["uri"].as_str().context("a place without a URI")?;
            let shown = params["diagnostics"].as_array().context("no list of diagnostics")?;
            self.shown.insert(uri.to_owned(), shown.clone());
            self.published += 1;
        }
        if message["method"] == "findingsChanged" {
            let (params, published) = (message["params"].clone(), self.published);
            self.told.push(Told { params, published });
        }
        if message["method"].is_string() && !message["id"].is_null() {
            let error = json!({"code": -32601, "message": "this editor can't"});
            // The last requests may come when stdin is closed already.
            if self.stdin.is_some() {
                self.send(&json!({"jsonrpc": "2.0", "id": message["id"], "error": error}))?;
            }
            self.requests.push(message.clone());
        }
        Ok(message)
    }

    /// The next message that is not about what is shown, if one is there or comes in time.
    ///
    /// # Errors
    /// None comes.
    pub fn reply(&mut self) -> Result<Value> {
        let end = Instant::now() + LIMIT;
        loop {
            let message = self.next(end)?;
            if !message["id"].is_null() && message["method"].is_null() {
                return Ok(message);
            }
        }
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        process::kill_group(&mut self.child);
    }
}

/// Reads one message; none at the end. Anything that is no frame is an error: stdout is the protocol's alone.
fn frame(stdout: &mut impl BufRead) -> Result<Option<Value>> {
    let mut header = String::new();
    if stdout.read_line(&mut header)? == 0 {
        return Ok(None);
    }
    let length = header
        .strip_prefix("Content-Length: ")
        .with_context(|| format!("no header: {header:?}"))?;
    let mut body = vec![0; length.trim().parse()?];
    let mut blank = String::new();
    stdout.read_line(&mut blank)?;
    ensure!(blank == "\r\n", "more than one header: {blank:?}");
    stdout.read_exact(&mut body)?;
    Ok(Some(serde_json::from_slice(&body)?))
}
