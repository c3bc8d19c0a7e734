//! How many tool calls a second one server answers, by how many clients ask at once.
//! The hook's own process stays out: starting processes would be what is measured.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use proofmark_protocol::frame::Request;
use proofmark_protocol::{method, paths};
use serde::Serialize;
use serde_json::{Value, json};

use super::figures::Quantiles;
use crate::talk::Talk;
use crate::world::World;

/// How many clients ask at once.
const CLIENTS: [usize; 3] = [1, 4, 16];
/// How long they ask.
const FOR: Duration = Duration::from_secs(2);
/// A server that answers later than this does not answer.
const LIMIT: Duration = Duration::from_secs(10);

/// What one number of clients came to.
#[derive(Debug, Serialize)]
pub struct Load {
    /// How many asked at once, each over a new connection every time, as hooks do.
    pub clients: usize,
    /// Answers a second, of all of them.
    pub per_second: f64,
    /// How long one answer took, in microseconds.
    pub times: Quantiles,
}

/// Has more and more clients ask whether a call may run, each in a session of its own.
///
/// # Errors
/// The server cannot be reached, or answers something else than `allow`.
pub fn measure(world: &World) -> Result<Vec<Load>> {
    world.proofmark(&["serve", "--detach"])?.success()?;
    let socket = paths::socket(&world.state());
    CLIENTS.iter().map(|clients| load(world, &socket, *clients)).collect()
}

fn load(world: &World, socket: &Path, clients: usize) -> Result<Load> {
    let lines: Vec<Vec<u8>> = (0..clients)
        .map(|client| {
            let mut talk = Talk::new(world, &format!("load-{clients}-{client}"));
            talk.claim("the tile cache holds")?;
            let call = json!({"call": {"id": "t1", "tool": "Write", "input": {"file_path": "a", "content": "b"}}});
            let line = |name, params| serde_json::to_vec(&Request::<Value>::new(1, name, params));
            // The session is loaded before its calls are timed.
            ask(
                socket,
                &mut line(method::ON_PROMPT, talk.with(&json!({"prompt": "Go on."})))?,
            )?;
            Ok(line(method::ON_PRE_TOOL_USE, talk.with(&call))?)
        })
        .collect::<Result<_>>()?;
    let begun = Instant::now();
    let asking: Vec<_> = lines
        .into_iter()
        .map(|mut line| {
            let socket: PathBuf = socket.to_owned();
            thread::spawn(move || -> Result<Vec<f64>> {
                let mut times = Vec::new();
                while begun.elapsed() < FOR {
                    let asked = Instant::now();
                    let answer = ask(&socket, &mut line)?;
                    times.push(asked.elapsed().as_secs_f64() * 1e6);
                    ensure!(answer["result"]["outcome"] == "allow", "it answered {answer}");
                }
                Ok(times)
            })
        })
        .collect();
    let mut times = Vec::new();
    for thread in asking {
        times.extend(thread.join().map_err(|_| anyhow!("a client panicked"))??);
    }
    let took = begun.elapsed().as_secs_f64();
    Ok(Load {
        clients,
        per_second: times.len() as f64 / took,
        times: Quantiles::of(&times).context("nothing was answered")?,
    })
}

fn ask(socket: &Path, line: &mut Vec<u8>) -> Result<Value> {
    if line.last() != Some(&b'\n') {
        line.push(b'\n');
    }
    let mut stream = UnixStream::connect(socket).context("no server")?;
    stream.set_read_timeout(Some(LIMIT))?;
    stream.write_all(line)?;
    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer)?;
    serde_json::from_str(&answer).with_context(|| format!("it answered {answer:?}"))
}
