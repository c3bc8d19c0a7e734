//! How many tool calls a second one server answers, by how many clients ask at once.
//! The hook's own process stays out: starting processes would be what is measured.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use proofmark_protocol::method;
use serde::Serialize;
use serde_json::{Value, json};

use super::figures::Quantiles;
use crate::talk::Talk;
use crate::world::World;

/// How many clients ask at once.
const CLIENTS: [usize; 3] = [1, 4, 16];
/// How long they ask.
const FOR: Duration = Duration::from_secs(2);

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
    CLIENTS.iter().map(|clients| load(world, *clients)).collect()
}

fn load(world: &World, clients: usize) -> Result<Load> {
    let calls: Vec<Value> = (0..clients)
        .map(|client| {
            let mut talk = Talk::new(world, &format!("load-{clients}-{client}"));
            talk.claim("the tile cache holds")?;
            let call = json!({"call": {"id": "t1", "tool": "Write", "input": {"file_path": "a", "content": "b"}}});
            // The session is loaded before its calls are timed.
            world.ask(method::ON_PROMPT, &talk.with(&json!({"prompt": "Go on."})))?;
            Ok(talk.with(&call))
        })
        .collect::<Result<_>>()?;
    let begun = Instant::now();
    let ask = |call: &Value| -> Result<Vec<f64>> {
        let mut times = Vec::new();
        while begun.elapsed() < FOR {
            let asked = Instant::now();
            let answer = world.ask(method::ON_PRE_TOOL_USE, call)?;
            times.push(asked.elapsed().as_secs_f64() * 1e6);
            ensure!(answer["outcome"] == "allow", "it answered {answer}");
        }
        Ok(times)
    };
    let times: Vec<Vec<f64>> = thread::scope(|scope| {
        let asking: Vec<_> = calls.iter().map(|call| scope.spawn(|| ask(call))).collect();
        let ended = asking.into_iter().map(thread::ScopedJoinHandle::join);
        ended
            .map(|one| one.map_err(|_| anyhow!("a client panicked"))?)
            .collect::<Result<_>>()
    })?;
    let times = times.concat();
    let took = begun.elapsed().as_secs_f64();
    Ok(Load {
        clients,
        per_second: times.len() as f64 / took,
        times: Quantiles::of(&times).context("nothing was answered")?,
    })
}
