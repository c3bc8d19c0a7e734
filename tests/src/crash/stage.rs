//! Programs of ours that run under a killer's eye: each is timed, and known by its number until it is reaped.
//! What they are asked, and when one is killed, stays out.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process};

use super::legal::{Told, told};
use super::pulse::Pulse;
use super::talks::Event;
use super::tally::Tally;
use crate::lsp_client::Editor;
use crate::process::{self, Finished};
use crate::world::World;

/// A program that takes longer hangs, whatever the machine does.
const HANGS: Duration = Duration::from_secs(30);
/// How long the pipes of an ended program may stay open: what it leaves behind must not hold them.
const PIPES: Duration = Duration::from_secs(3);
/// How often a running program is looked at.
const LOOK: Duration = Duration::from_millis(1);
/// What a command of the person's may take.
const COMMAND: Duration = Duration::from_secs(5);
/// What a command may take that asks a server, signals it, and ends it by force at last.
const STOP: Duration = Duration::from_secs(15);

/// What a running program is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Hook,
    Command,
}

/// Where everything happens.
pub(crate) struct Stage<'a> {
    pub(crate) world: World,
    pub(crate) tally: &'a Tally,
    pulse: &'a Pulse,
    running: Mutex<BTreeMap<i32, Running>>,
    /// The front ends of editors, and whether one was killed.
    fronts: Mutex<BTreeMap<i32, bool>>,
    /// What each hook took that was not killed.
    times: Mutex<Vec<(&'static str, Duration)>>,
    unchecked: AtomicU64,
    pub(crate) over: AtomicBool,
}

struct Running {
    role: Role,
    killed: bool,
}

/// What a program came to.
struct Ran {
    /// None when it was killed, or hung.
    finished: Option<Finished>,
    took: Duration,
    /// What the machine may have added to that.
    slack: Duration,
    killed: bool,
}

impl<'a> Stage<'a> {
    pub(crate) fn new(tally: &'a Tally, pulse: &'a Pulse) -> Result<Self> {
        let world = World::new()?;
        let stage = Self {
            world,
            tally,
            pulse,
            running: Mutex::default(),
            fronts: Mutex::default(),
            times: Mutex::default(),
            unchecked: AtomicU64::new(0),
            over: AtomicBool::new(false),
        };
        fs::create_dir(stage.temp())?;
        Ok(stage)
    }

    /// The folder for temporary files of everything that runs here.
    pub(crate) fn temp(&self) -> PathBuf {
        self.world.home().join("tmp")
    }

    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// What a busy machine may add to something that has begun then.
    pub(crate) fn slack_since(&self, begun: Instant) -> Duration {
        self.pulse.slack_since(begun)
    }

    /// As [`Tally::hold`], of something that takes several programs, one after the other, and has to be over within a time.
    /// On a machine on which even nothing takes long beside that nothing is shown by it, and that is counted.
    pub(crate) fn in_time(
        &self,
        invariant: &'static str,
        (begun, within): (Instant, Duration),
        holds: bool,
        why: impl FnOnce() -> String,
    ) {
        if !holds && self.pulse.is_slow_since(begun, within) {
            self.tally
                .event("times that were not judged, as the machine was too slow");
        } else {
            self.tally.hold(invariant, holds, why);
        }
    }

    /// Gives the hook an event, and holds it to its limit and to the form of its harness. None when it was killed.
    pub(crate) fn hook(&self, event: &Event) -> Result<Option<(Told, Duration)>> {
        self.forget_said();
        let mut command = self.command("proofmark-hook");
        let ran = self.run(Role::Hook, command.arg(event.registered.as_str()), &event.payload)?;
        self.tally.event(event.name);
        if !ran.killed {
            lock(&self.times).push((event.name, ran.took));
        }
        let limit = event.limit + ran.slack;
        // One that was killed shows nothing.
        if !ran.killed {
            self.tally.hold(
                "hooks end within their limit",
                ran.finished.is_some() && ran.took <= limit,
                || format!("{} took {:?} of {limit:?}", event.name, ran.took),
            );
        }
        let Some(finished) = ran.finished else { return Ok(None) };
        let read = told(event.harness, event.name, &finished);
        let told = self.tally.well("answers have their harness's form", read);
        if told.as_ref().is_some_and(|told| told.unchecked) {
            self.unchecked.fetch_add(1, Ordering::Relaxed);
        }
        Ok(told.map(|told| (told, ran.took)))
    }

    /// What the hooks took since this was asked last, each with its event, and how many said that nobody checked it.
    pub(crate) fn taken(&self) -> (Vec<(&'static str, Duration)>, u64) {
        let times = std::mem::take(&mut *lock(&self.times));
        (times, self.unchecked.swap(0, Ordering::Relaxed))
    }

    /// Runs `proofmark`. None when it was killed.
    pub(crate) fn proofmark(&self, arguments: &[&str]) -> Result<Option<Finished>> {
        self.proofmark_within(arguments, COMMAND)
    }

    /// As [`Stage::proofmark`], of a command that ends a server: a deaf one takes its time.
    pub(crate) fn proofmark_slowly(&self, arguments: &[&str]) -> Result<Option<Finished>> {
        self.proofmark_within(arguments, STOP)
    }

    fn proofmark_within(&self, arguments: &[&str], limit: Duration) -> Result<Option<Finished>> {
        let begun = Instant::now();
        let mut command = self.command("proofmark");
        let ran = self.run(Role::Command, command.args(arguments), b"")?;
        self.tally.event("commands");
        let limit = limit + ran.slack;
        let ended = ran
            .finished
            .as_ref()
            .is_some_and(|done| matches!(done.code, Some(0..=2)));
        let told = || format!("{arguments:?} took {:?}: {:?}", ran.took, ran.finished);
        if !ran.killed {
            self.tally.hold("commands end, with an exit code", ended, told);
            self.in_time("commands end in time", (begun, COMMAND), ran.took <= limit, told);
        }
        Ok(ran.finished)
    }

    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = self.world.command(&self.world.program(program));
        command.env("TMPDIR", self.temp());
        command
    }

    fn run(&self, role: Role, command: &mut Command, input: &[u8]) -> Result<Ran> {
        let begun = Instant::now();
        let command = command
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        // Known before anybody looks: else it would be taken for a process that nobody here has started.
        let mut running = lock(&self.running);
        let mut child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
        let pid = i32::try_from(child.id())?;
        running.insert(pid, Running { role, killed: false });
        drop(running);
        let (stdout, stderr) = (
            process::collect(child.stdout.take()),
            process::collect(child.stderr.take()),
        );
        if let Some(mut stdin) = child.stdin.take() {
            // One that is killed reads nothing more.
            let _closed = stdin.write_all(input);
        }
        let ended = self.reaped(&mut child, pid, begun + HANGS)?;
        let took = begun.elapsed();
        let (code, killed) = ended.unwrap_or((None, false));
        let pipes = (stdout.recv_timeout(PIPES), stderr.recv_timeout(PIPES));
        let held = || format!("{command:?}");
        self.tally.hold(
            "nothing holds the pipes of what has ended",
            pipes.0.is_ok() && pipes.1.is_ok(),
            held,
        );
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let finished = match (ended.is_some() && !killed, pipes) {
            (true, (Ok(stdout), Ok(stderr))) => Some(Finished {
                code,
                stdout: text(stdout?),
                stderr: text(stderr?),
            }),
            _ => None,
        };
        Ok(Ran {
            finished,
            took,
            slack: self.slack_since(begun),
            killed,
        })
    }

    /// The exit code, and whether it was killed; none when it hangs. Reaped under the lock: until then its number is its own.
    fn reaped(&self, child: &mut Child, pid: i32, end: Instant) -> Result<Option<(Option<i32>, bool)>> {
        loop {
            {
                let mut running = lock(&self.running);
                if let Some(status) = child.try_wait()? {
                    let killed = running.remove(&pid).is_some_and(|known| known.killed);
                    return Ok(Some((status.code(), killed && status.code().is_none())));
                }
            }
            if Instant::now() >= end {
                lock(&self.running).remove(&pid);
                process::kill_group(child);
                return Ok(None);
            }
            thread::sleep(LOOK);
        }
    }

    /// Kills one of the programs that run now in a role, and says whether there was one.
    pub(crate) fn kill_running(&self, role: Role, nth: usize) -> bool {
        let mut running = lock(&self.running);
        let mut known: Vec<_> = running.iter_mut().filter(|(_, known)| known.role == role).collect();
        let count = known.len();
        if count == 0 {
            return false;
        }
        let (pid, known) = &mut known[nth % count];
        known.killed = send(**pid, Signal::KILL);
        known.killed
    }

    /// Starts an editor's front end, which is known before anybody looks for processes.
    ///
    /// # Errors
    /// It does not start.
    pub(crate) fn attach(&self) -> Result<Editor> {
        let mut fronts = lock(&self.fronts);
        let editor = Editor::start(&self.world, &[])?;
        fronts.insert(editor.pid(), false);
        Ok(editor)
    }

    /// An editor's front end is gone; true when it was killed.
    pub(crate) fn detached(&self, pid: i32) -> bool {
        lock(&self.fronts).remove(&pid).unwrap_or(false)
    }

    /// True of a front end that was killed, whether it is gone yet or not.
    pub(crate) fn is_killed(&self, pid: i32) -> bool {
        lock(&self.fronts).get(&pid).is_some_and(|killed| *killed)
    }

    /// Kills one of the front ends, and says whether there was one.
    pub(crate) fn kill_front(&self, nth: usize, signal: Signal) -> bool {
        let mut fronts = lock(&self.fronts);
        let mut alive: Vec<_> = fronts.iter_mut().filter(|(_, killed)| !**killed).collect();
        let count = alive.len();
        if count == 0 {
            return false;
        }
        let (pid, killed) = &mut alive[nth % count];
        **killed = self.signal(**pid, signal);
        **killed
    }

    /// Sends a signal to a process of this stage, and to no other that may have its number by now.
    pub(crate) fn signal(&self, pid: i32, signal: Signal) -> bool {
        self.world.processes().contains(&pid) && send(pid, signal)
    }

    /// The owner, where one runs.
    pub(crate) fn owner(&self) -> Option<i32> {
        self.world
            .owner()
            .ok()
            .flatten()
            .filter(|pid| self.world.processes().contains(pid))
    }

    /// Processes that nobody here has started: owners, and those that start one.
    pub(crate) fn background(&self) -> Vec<i32> {
        let mut pids = self.world.processes();
        let (running, fronts) = (lock(&self.running), lock(&self.fronts));
        pids.retain(|pid| !running.contains_key(pid) && !fronts.contains_key(pid));
        pids
    }

    /// Has the hook tell every trouble, not only the first of its kind: else a silent answer could be either.
    fn forget_said(&self) {
        for mark in fs::read_dir(self.world.state().join("said"))
            .into_iter()
            .flatten()
            .flatten()
        {
            // Another lane may have been faster.
            let _gone = fs::remove_file(mark.path());
        }
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn send(pid: i32, signal: Signal) -> bool {
    Pid::from_raw(pid).is_some_and(|pid| kill_process(pid, signal).is_ok())
}
