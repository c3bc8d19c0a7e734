//! What a server takes in memory: idle, and after many long sessions; and how often it wakes while nothing happens.
//! How long anything takes stays out.

use std::fmt;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use proofmark_protocol::method;
use serde::Serialize;
use serde_json::{Value, json};

use crate::dice::Dice;
use crate::talk::Talk;
use crate::world::World;

/// Events of a session: its turns are told in so many parts.
const PARTS: u64 = 4;
/// How long a server is looked at that has nothing to do.
const QUIET: Duration = Duration::from_secs(5);
/// After so long without work, the threads that a load had needed are gone.
const SETTLED: Duration = Duration::from_secs(12);
/// What a machine prints and a person writes is made of these, so that sessions differ as real ones do.
const WORDS: [&str; 16] = [
    "parser", "lexer", "ledger", "socket", "retry", "fixture", "module", "branch", "schema", "column", "header",
    "render", "worker", "router", "cursor", "buffer",
];

/// What the process takes, in bytes.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Taken {
    /// Pages in memory, those of shared files included.
    pub resident: u64,
    /// As `resident`, a page that several processes share counted in part.
    pub proportional: u64,
    /// Pages that belong to no file: heap and stacks. It says the same for every build of the program.
    pub anonymous: u64,
    /// The most that was resident so far.
    pub peak: u64,
    /// Threads.
    pub threads: u64,
}

/// What one run came to.
#[derive(Debug, Clone, Serialize)]
pub struct Memory {
    /// Sessions of the load.
    pub sessions: u64,
    /// Turns of each.
    pub turns: u64,
    /// Bytes of transcript that were read.
    pub read: u64,
    /// With one short session.
    pub idle: Taken,
    /// How often its threads woke in a second while nothing happened.
    pub wakes: f64,
    /// Right after the load.
    pub loaded: Taken,
    /// Some seconds after it.
    pub settled: Taken,
    /// The ledger, in bytes.
    pub ledger: u64,
}

/// Starts a server, looks at it while it is idle, puts `sessions` sessions of `turns` turns each through its socket, and
/// looks again. For Linux alone.
///
/// # Errors
/// There is no `/proc`; the server does not start, or does not answer.
pub fn measure(world: &World, sessions: u64, turns: u64) -> Result<Memory> {
    world.proofmark(&["serve", "--detach"])?.success()?;
    let mut read = session(world, u64::MAX, 1)?;
    let pid = world.owner()?.context("no server runs")?;
    thread::sleep(SETTLED);
    let (before, begun) = (woken(pid)?, Instant::now());
    thread::sleep(QUIET);
    let wakes = (woken(pid)? - before) as f64 / begun.elapsed().as_secs_f64();
    let idle = taken(pid)?;
    for nth in 0..sessions {
        read += session(world, nth, turns)?;
    }
    let loaded = taken(pid)?;
    thread::sleep(SETTLED);
    ensure!(world.owner()? == Some(pid), "the server was replaced under the load");
    Ok(Memory {
        sessions,
        turns,
        read,
        idle,
        wakes,
        loaded,
        settled: taken(pid)?,
        ledger: fs::metadata(world.state().join("ledger.sqlite"))?.len(),
    })
}

/// One session from its start to its last stop. Its transcript goes when it was read: a thousand of them are long.
fn session(world: &World, nth: u64, turns: u64) -> Result<u64> {
    let id = format!("{nth:08x}-5e55-4000-8000-00000000feed");
    let path = world.home().join(format!("{id}.jsonl"));
    let talk = Talk::new(world, &id);
    world.ask(method::ON_SESSION_START, &talk.with(&json!({"source": "startup"})))?;
    let mut text = String::new();
    let mut dice = Dice::new(nth, &[]);
    for turn in 1..=turns {
        let reply = write_turn(&mut text, &id, turn, &mut dice);
        if turn % turns.div_ceil(PARTS) == 0 || turn == turns {
            fs::OpenOptions::new()
                .create(true)
                .append(true)
                .open(&path)?
                .write_all(text.as_bytes())?;
            text.clear();
            let stop = talk.with(&json!({"reply": reply, "rewrite": false, "turn": format!("{id}-p{turn}")}));
            world.ask(method::ON_STOP, &stop)?;
        }
    }
    let length = fs::metadata(&path)?.len();
    fs::remove_file(&path)?;
    Ok(length)
}

/// Rows as Claude Code 2.1.332 writes them: a prompt, a look, a change, a run of the tests, a reply.
fn write_turn(text: &mut String, id: &str, turn: u64, dice: &mut Dice) -> String {
    let prompt = words(dice, 40);
    let look = (0..60)
        .map(|_| format!("    {}", words(dice, 6)))
        .collect::<Vec<_>>()
        .join("\n");
    let run = (0..25).map(|_| format!("test {}::{} ... ok", word(dice), words(dice, 2).replace(' ', "_")));
    let run = run.collect::<Vec<_>>().join("\n");
    let passed =
        format!("running 25 tests\n{run}\n\ntest result: ok. 25 passed; 0 failed; 0 ignored; finished in 0.{turn:02}s");
    let file = format!("src/{}/{}.rs", word(dice), word(dice));
    let reply = format!("I changed {file}: {}. The tests pass.", words(dice, 30));
    let mut row = |kind: &str, name: &str, message: Value| {
        let row = json!({
            "parentUuid": format!("{id}-{name}{}", turn - 1), "isSidechain": false, "userType": "external",
            "cwd": "/home/dev/project", "sessionId": id, "version": "2.1.332", "gitBranch": "main", "type": kind,
            "message": message, "uuid": format!("{id}-{name}{turn}"), "timestamp": "2026-11-30T12:00:00.000Z",
            "promptId": format!("{id}-p{turn}"), "requestId": format!("req_{turn:024}"),
        });
        text.push_str(&row.to_string());
        text.push('\n');
    };
    row("user", "p", json!({"role": "user", "content": prompt}));
    for (nth, tool, input, output) in [
        (0, "Read", json!({"file_path": file}), look.as_str()),
        (
            1,
            "Edit",
            json!({"file_path": file, "old_string": "a", "new_string": "b"}),
            "The file has been updated.",
        ),
        (
            2,
            "Bash",
            json!({"command": "cargo test", "description": "Run the tests"}),
            passed.as_str(),
        ),
    ] {
        let call = format!("toolu_{id}{turn}{nth}");
        let block = json!({"type": "tool_use", "id": call, "name": tool, "input": input});
        row(
            "assistant",
            &format!("c{nth}"),
            json!({"role": "assistant", "model": "m", "content": [block],
            "usage": {"input_tokens": 4, "output_tokens": 210}}),
        );
        let block = json!({"type": "tool_result", "tool_use_id": call, "content": output});
        row("user", &format!("r{nth}"), json!({"role": "user", "content": [block]}));
    }
    row(
        "assistant",
        "a",
        json!({"role": "assistant", "content": [{"type": "text", "text": reply}]}),
    );
    reply
}

/// One of some thousand words.
fn word(dice: &mut Dice) -> String {
    let word = dice.pick(&WORDS).copied().unwrap_or_default();
    format!("{word}{}", dice.below(200))
}

fn words(dice: &mut Dice, count: usize) -> String {
    (0..count).map(|_| word(dice)).collect::<Vec<_>>().join(" ")
}

fn taken(pid: i32) -> Result<Taken> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))?;
    Ok(Taken {
        resident: field(&status, "VmRSS:")? * 1024,
        proportional: field(&rollup, "Pss:")? * 1024,
        anonymous: field(&status, "RssAnon:")? * 1024,
        peak: field(&status, "VmHWM:")? * 1024,
        threads: field(&status, "Threads:")?,
    })
}

/// How often the threads of a process went to sleep so far, each time to be woken again.
fn woken(pid: i32) -> Result<u64> {
    let mut sum = 0;
    for task in fs::read_dir(Path::new("/proc").join(pid.to_string()).join("task"))? {
        // A thread may end while they are looked at.
        let status = fs::read_to_string(task?.path().join("status")).unwrap_or_default();
        sum += field(&status, "voluntary_ctxt_switches:").unwrap_or(0);
    }
    Ok(sum)
}

fn field(text: &str, name: &str) -> Result<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let number = line
        .and_then(|line| line.split_whitespace().next())
        .with_context(|| format!("no {name}"))?;
    number.parse().with_context(|| format!("{name} {number}"))
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mb = |bytes: u64| bytes as f64 / 1e6;
        writeln!(
            f,
            "{} sessions of {} turns, {:.0} MB of transcript; ledger {:.1} MB; idle, {:.1} wake-ups a second",
            self.sessions,
            self.turns,
            mb(self.read),
            mb(self.ledger),
            self.wakes
        )?;
        writeln!(
            f,
            "{:<22}{:>10}{:>10}{:>10}{:>10}{:>9}",
            "MB", "resident", "shared", "heap", "peak", "threads"
        )?;
        for (name, taken) in [
            ("idle", self.idle),
            ("after the load", self.loaded),
            ("12 s later", self.settled),
        ] {
            writeln!(
                f,
                "{name:<22}{:>10.1}{:>10.1}{:>10.1}{:>10.1}{:>9}",
                mb(taken.resident),
                mb(taken.proportional),
                mb(taken.anonymous),
                mb(taken.peak),
                taken.threads
            )?;
        }
        Ok(())
    }
}
