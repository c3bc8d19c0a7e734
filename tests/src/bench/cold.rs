//! The first reading of a record: how fast its lines become a session's state, and what is held meanwhile.
//! Hooks, sockets and the ledger stay out.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use proofmark_protocol::Harness;
use proofmark_server::harness::{self, Memory, Reader, Stream as Whose};
use proofmark_server::record::{Follower, Line};
use proofmark_server::session::Stream;
use serde::{Deserialize, Serialize};

use super::mix::{MIXES, Mix};
use crate::process;
use crate::world::bin_dir;

/// No record of a benchmark takes so long to read.
const LIMIT: Duration = Duration::from_secs(120);

/// What one first reading came to.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Reading {
    /// The record's length in bytes.
    pub bytes: u64,
    /// How long the reading took, on one thread.
    pub time: Duration,
    /// How much more memory the process held at its fullest than before it began, in bytes.
    pub peak: u64,
    /// How much of that it still held when all was read: the session's state, and what the allocator keeps for later.
    pub left: u64,
    /// How many calls the session's state has seen.
    pub calls: u64,
    /// Whether the reading program was built as people get it.
    pub optimised: bool,
}

impl Reading {
    /// Gigabytes in a second.
    pub fn speed(&self) -> f64 {
        self.bytes as f64 / 1e9 / self.time.as_secs_f64()
    }
}

/// Reads a record as a server does that has never seen it. The peak is this process's own, so one process should read one
/// record.
///
/// # Errors
/// The harness's records are not known, or the file cannot be read.
pub fn read(path: &Path, harness: Harness) -> Result<Reading> {
    let spec = harness::spec(harness).with_context(|| format!("no records of {harness} are known"))?;
    // Fails where the kernel does not let a process forget its peak, and the figure is then an upper bound.
    let _forgotten = fs::write("/proc/self/clear_refs", "5");
    let before = held("VmRSS:").unwrap_or_default();
    let (mut follower, mut memory, mut stream) = (Follower::new(path.to_owned()), Memory::default(), Stream::default());
    let mut entries = Vec::new();
    let started = Instant::now();
    let progress = follower.read_new(&|| true, &mut |line| {
        match line {
            Line::Restarted => {}
            Line::Complete(bytes) => {
                let mut reader = Reader {
                    stream: Whose::Main,
                    tools: &|_| None,
                    memory: &mut memory,
                };
                (spec.entries)(bytes, &mut reader, &mut entries);
            }
            Line::TooLong { head, .. } => (spec.too_long)(head, &mut entries),
        }
        for entry in entries.drain(..) {
            stream.fold(entry);
        }
        ControlFlow::Continue(())
    })?;
    let time = started.elapsed();
    let more = |now: Option<u64>| now.unwrap_or_default().saturating_sub(before);
    Ok(Reading {
        bytes: progress.bytes,
        time,
        peak: more(held("VmHWM:")),
        left: more(held("VmRSS:")),
        calls: stream.board.calls,
        optimised: !cfg!(debug_assertions),
    })
}

/// What the first reading of one mix came to.
#[derive(Debug, Serialize)]
pub struct Speed {
    /// The mix.
    pub name: &'static str,
    /// The record's length in bytes.
    pub bytes: u64,
    /// The fastest reading in gigabytes a second: others waited for a core.
    pub fastest: f64,
    /// All readings in gigabytes a second, in their order.
    pub speeds: Vec<f64>,
    /// The most that a reading held beside what was left after it, in bytes.
    pub beside: u64,
    /// The most that was left after a reading, in bytes.
    pub left: u64,
    /// What the fastest has to be at least; none where nothing is promised.
    pub at_least: Option<f64>,
}

/// Reads a record of each mix some times, each time in a process of its own, from the page cache.
///
/// # Errors
/// A record cannot be made or read.
pub fn measure(folder: &Path, size: u64, times: usize) -> Result<Vec<Speed>> {
    MIXES.iter().map(|mix| speed(mix, folder, size, times)).collect()
}

fn speed(mix: &Mix, folder: &Path, size: u64, times: usize) -> Result<Speed> {
    let path = mix.record(folder, size)?;
    let mut speed = Speed {
        name: mix.name,
        bytes: fs::metadata(&path)?.len(),
        fastest: 0.0,
        speeds: Vec::new(),
        beside: 0,
        left: 0,
        at_least: mix.at_least,
    };
    for _ in 0..times {
        let mut reader = Command::new(program()?);
        reader.arg(mix.harness.as_str()).arg(&path);
        let done = process::run(&mut reader, b"", LIMIT)?.success()?;
        let reading: Reading = serde_json::from_str(&done.stdout).context("no reading")?;
        ensure!(
            reading.bytes == speed.bytes,
            "{}: {reading:?} is not all of it",
            mix.name
        );
        speed.speeds.push(reading.speed());
        speed.fastest = speed.fastest.max(reading.speed());
        speed.beside = speed.beside.max(reading.peak.saturating_sub(reading.left));
        speed.left = speed.left.max(reading.left);
    }
    fs::remove_file(&path)?;
    Ok(speed)
}

/// Where the program is that reads one record, beside the other programs.
///
/// # Errors
/// This program's own place is not known.
pub fn program() -> Result<PathBuf> {
    Ok(bin_dir()?.join("read-record"))
}

/// What this process holds, by a line of `/proc/self/status`, in bytes; none where there is no such file.
fn held(name: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
