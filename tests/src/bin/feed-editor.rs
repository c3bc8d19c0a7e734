//! Gives an editor under test something to show: a world of its own, and sessions that are told to the hook on request.
//! Reads one JSON object a line on stdin and answers each with one on stdout; the world goes when stdin ends.

use std::io::{self, BufRead, Write};

use anyhow::{Context, Result};
use proofmark_tests::packages::Cache;
use proofmark_tests::replay::Replay;
use proofmark_tests::talk::Talk;
use proofmark_tests::vscode::{Host, Tools, VERSIONS};
use proofmark_tests::world::World;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// What is asked for.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", tag = "do")]
enum Request {
    /// Lays the project of a recording, and stands before its first turn.
    Record { name: String },
    /// Tells the recording's next turn.
    Turn,
    /// A turn of another session that tags these claims, without a try.
    Claims { session: String, claims: Vec<String> },
    /// Runs `proofmark` with these arguments.
    Proofmark { arguments: Vec<String> },
    /// The process that owns the state folder.
    Owner,
    /// Kills it, as a crash would.
    Kill,
    /// The processes that have this world's state folder, with their command lines.
    Processes,
}

/// One world, and the sessions in it.
struct Feed {
    world: World,
    replay: Option<Replay>,
    talks: Vec<(String, Talk)>,
}

fn main() -> Result<()> {
    let mut feed = Feed {
        world: World::new()?,
        replay: None,
        talks: Vec::new(),
    };
    say(&places(&feed.world)?)?;
    for line in io::stdin().lock().lines() {
        let request = serde_json::from_str(&line?).context("a request of no known form")?;
        let answer = feed
            .answer(request)
            .unwrap_or_else(|failure| json!({"error": format!("{failure:#}")}));
        say(&answer)?;
    }
    Ok(())
}

/// Where everything is that a driver needs. What is not in the cache is left out.
fn places(world: &World) -> Result<Value> {
    let cache = Cache::from_env()?;
    let mut hosts = Map::new();
    for version in VERSIONS {
        if let Some((node, entry)) = Host::new(&cache, version)?.place() {
            hosts.insert(version.to_owned(), json!({"node": node, "entry": entry}));
        }
    }
    Ok(json!({
        "home": world.home(), "state": world.state(), "project": world.project(),
        "proofmark": world.program("proofmark"), "hosts": hosts, "tools": Tools::new(&cache)?.place(),
    }))
}

impl Feed {
    fn answer(&mut self, request: Request) -> Result<Value> {
        Ok(match request {
            Request::Record { name } => {
                let replay = Replay::new(&name, &self.world)?;
                let answer = json!({"session": replay.session(), "transcript": replay.transcript()});
                self.replay = Some(replay);
                answer
            }
            Request::Turn => {
                let replay = self.replay.as_mut().context("no recording was asked for")?;
                json!({"told": replay.turn(&self.world)?})
            }
            Request::Claims { session, claims } => {
                let at = self.talks.iter().position(|(name, _)| *name == session);
                let at = at.unwrap_or_else(|| {
                    self.talks.push((session.clone(), Talk::new(&self.world, &session)));
                    self.talks.len() - 1
                });
                self.talks[at].1.claims_by_hook(&self.world, &claims)?;
                json!({})
            }
            Request::Proofmark { arguments } => {
                let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
                let done = self.world.proofmark(&arguments)?;
                json!({"code": done.code, "stdout": done.stdout, "stderr": done.stderr})
            }
            Request::Owner => json!({"pid": self.world.owner()?.filter(|_| self.world.is_served().unwrap_or(false))}),
            Request::Kill => {
                self.world.kill_server()?;
                json!({})
            }
            Request::Processes => {
                let command = |pid: &i32| std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
                let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).replace('\0', " ");
                let all = self.world.processes();
                let all: Vec<Value> = all
                    .iter()
                    .map(|pid| json!({"pid": pid, "command": text(command(pid))}))
                    .collect();
                json!({"processes": all})
            }
        })
    }
}

fn say(answer: &Value) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{answer}")?;
    out.flush()
}
