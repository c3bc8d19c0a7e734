//! What an end-to-end test needs: the built programs, and a home, a state folder and a project of its own.
//! Harnesses and their models are other rooms' business.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use proofmark_protocol::frame::Request;
use proofmark_protocol::{Harness, paths};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use crate::process::{self, Finished};

/// No program of ours takes so long, whatever it does.
const LIMIT: Duration = Duration::from_secs(30);
/// Only what the system itself brings: a person's own tools must not change what an agent finds.
pub(crate) const PATH: &str = "/usr/local/bin:/usr/bin:/bin";
/// A process that was told to stop, or killed, is gone by then.
const GONE_WITHIN: Duration = Duration::from_secs(10);
/// A server that says nothing for so long does not answer.
const ANSWERED_WITHIN: Duration = Duration::from_secs(15);
/// How often a process that is to end is looked at.
const LOOK: Duration = Duration::from_millis(10);

/// One test's surroundings. Dropping it stops the server and fails the test when anything is left running.
#[derive(Debug)]
pub struct World {
    bin: PathBuf,
    root: TempDir,
    state: PathBuf,
}

impl World {
    /// An empty home, state folder and project, and the programs from `$PROOFMARK_BIN_DIR`, else from where cargo
    /// puts them beside the running test.
    ///
    /// # Errors
    /// The programs are not built; no folder can be made.
    pub fn new() -> Result<Self> {
        let world = Self::without_state("state")?;
        fs::create_dir(world.state())?;
        Ok(world)
    }

    /// As [`World::new`], but the state folder has this name within the world, and nobody has made it yet.
    ///
    /// # Errors
    /// As [`World::new`].
    pub fn without_state(name: &str) -> Result<Self> {
        let bin = bin_dir()?;
        for program in ["proofmark", "proofmark-hook"] {
            let path = bin.join(program);
            ensure!(
                path.is_file(),
                "{} is not built: run `cargo build --workspace` first",
                path.display()
            );
        }
        // The canonical path, because a harness tells the canonical one, too.
        let base = fs::canonicalize(env::temp_dir())?;
        let root = tempfile::Builder::new().prefix("pm-").tempdir_in(base)?;
        let state = root.path().join(name);
        let world = Self { bin, root, state };
        for folder in [world.home(), world.project()] {
            fs::create_dir(folder)?;
        }
        Ok(world)
    }

    /// The home folder.
    pub fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    /// Proofmark's state folder.
    pub fn state(&self) -> PathBuf {
        self.state.clone()
    }

    /// The folder in which an agent works.
    pub fn project(&self) -> PathBuf {
        self.root.path().join("project")
    }

    /// Where one of our programs is.
    pub fn program(&self, name: &str) -> PathBuf {
        self.bin.join(name)
    }

    /// A command in this world: in the project, with this world's variables and nothing of the caller's.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.project())
            .env_clear()
            .env("PATH", PATH)
            .env("HOME", self.home())
            .env("LANG", "C.UTF-8")
            .env("TERM", "dumb")
            // Python takes a file for unchanged that was edited within a second to one of the same length.
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("PROOFMARK_STATE_DIR", self.state());
        command
    }

    /// Gives the hook a payload, as a harness does.
    ///
    /// # Errors
    /// It does not end, or leaves something behind that holds its output.
    pub fn hook(&self, harness: Harness, payload: &[u8]) -> Result<Finished> {
        let mut hook = self.command(&self.program("proofmark-hook"));
        process::run(hook.arg(harness.as_str()), payload, LIMIT)
    }

    /// Runs `proofmark`.
    ///
    /// # Errors
    /// It does not end, or leaves something behind that holds its output.
    pub fn proofmark(&self, arguments: &[&str]) -> Result<Finished> {
        self.proofmark_with(arguments, b"")
    }

    /// Runs `proofmark` with something on stdin.
    ///
    /// # Errors
    /// It does not end, or leaves something behind that holds its output.
    pub fn proofmark_with(&self, arguments: &[&str], input: &[u8]) -> Result<Finished> {
        process::run(self.command(&self.program("proofmark")).args(arguments), input, LIMIT)
    }

    /// Asks the server one thing, on a connection of its own as hooks do, and returns its result.
    ///
    /// # Errors
    /// No server listens; it does not answer, or with an error.
    pub fn ask(&self, name: &str, params: &Value) -> Result<Value> {
        let mut stream = UnixStream::connect(paths::socket(&self.state())).context("no server listens")?;
        stream.set_read_timeout(Some(ANSWERED_WITHIN))?;
        stream.set_write_timeout(Some(ANSWERED_WITHIN))?;
        let mut line = serde_json::to_vec(&Request::new(1, name, params))?;
        line.push(b'\n');
        stream.write_all(&line)?;
        let mut answer = String::new();
        BufReader::new(stream).read_line(&mut answer)?;
        let mut answer: Value =
            serde_json::from_str(&answer).with_context(|| format!("{name}: no JSON: {answer:?}"))?;
        ensure!(answer["error"].is_null(), "{name}: the server says {answer}");
        Ok(answer["result"].take())
    }

    /// What `proofmark claims --json` prints.
    ///
    /// # Errors
    /// It fails, or prints something else than a JSON list.
    pub fn claims(&self) -> Result<Vec<Value>> {
        let told = self.told(&["claims", "--json"])?;
        serde_json::from_value(told).context("no list of claims")
    }

    /// What `proofmark` prints with these arguments, as JSON.
    ///
    /// # Errors
    /// It fails, or prints something else than one JSON value.
    pub fn told(&self, arguments: &[&str]) -> Result<Value> {
        let done = self
            .proofmark(arguments)?
            .success()
            .with_context(|| format!("proofmark {arguments:?}"))?;
        serde_json::from_str(&done.stdout).with_context(|| format!("no JSON: {}", done.stdout))
    }

    /// True when a record of a harness below the home folder holds this text.
    pub fn is_recorded(&self, text: &str) -> bool {
        let mut folders = vec![self.home()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let (path, kind) = (entry.path(), entry.file_type());
                if kind.is_ok_and(|kind| kind.is_dir()) {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "jsonl")
                    && fs::read(&path).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(text))
                {
                    return true;
                }
            }
        }
        false
    }

    /// The process id in the owner's lock; none when there is no lock, or nobody in it.
    ///
    /// # Errors
    /// The lock cannot be read, or holds something else.
    pub fn owner(&self) -> Result<Option<i32>> {
        let path = self.state().join("owner.lock");
        let text = match fs::read_to_string(&path) {
            Err(failure) if failure.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read.with_context(|| format!("cannot read {}", path.display()))?,
        };
        let Some(word) = text.split_whitespace().next() else {
            return Ok(None);
        };
        Ok(Some(
            word.parse()
                .with_context(|| format!("{} holds {text:?}", path.display()))?,
        ))
    }

    /// Kills the server with SIGKILL, as a crash would, and waits until it is gone.
    ///
    /// # Errors
    /// No server runs; it cannot be killed; it is still there afterwards.
    pub fn kill_server(&self) -> Result<()> {
        let owner = self
            .owner()?
            .filter(|pid| is_running(*pid))
            .context("no server runs that could be killed")?;
        kill(owner)?;
        ensure!(wait_until_gone(owner), "the server {owner} survived SIGKILL");
        Ok(())
    }

    /// True when the process in the owner's lock is running.
    ///
    /// # Errors
    /// The lock cannot be read, or holds something else than a process id.
    pub fn is_served(&self) -> Result<bool> {
        Ok(self.owner()?.is_some_and(is_running))
    }

    /// The processes whose environment names this world's state folder; none where the system has no `/proc`.
    pub fn processes(&self) -> Vec<i32> {
        processes_of(&self.state)
    }

    fn close(&self) -> Result<()> {
        let owner = self.owner();
        let stopped = self
            .proofmark(&["stop"])
            .and_then(Finished::success)
            .context("proofmark stop");
        // Looked for after the stop: it must not have started anything itself.
        let left = wait_until_none(|| {
            let mut pids: BTreeSet<i32> = self.processes().into_iter().collect();
            pids.extend(owner.as_ref().ok().copied().flatten().filter(|pid| is_running(*pid)));
            pids
        });
        for pid in &left {
            // Whatever the test finds: nothing of it stays on the machine.
            drop(kill(*pid));
        }
        stopped?;
        owner?;
        ensure!(left.is_empty(), "still running after `proofmark stop`: {left:?}");
        Ok(())
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if let Err(failure) = self.close() {
            if thread::panicking() {
                // A second panic would abort the test and hide the first.
                drop(writeln!(io::stderr(), "and at the end: {failure:#}"));
            } else {
                panic!("{failure:#}");
            }
        }
    }
}

/// Where the built programs are.
pub(crate) fn bin_dir() -> Result<PathBuf> {
    if let Some(folder) = env::var_os("PROOFMARK_BIN_DIR") {
        return Ok(folder.into());
    }
    let exe = env::current_exe()?;
    let folder = exe.parent().context("this program has no folder")?;
    let folder = if folder.ends_with("deps") {
        folder.parent().unwrap_or(folder)
    } else {
        folder
    };
    Ok(folder.to_owned())
}

fn kill(pid: i32) -> Result<()> {
    let pid = Pid::from_raw(pid).with_context(|| format!("{pid} is no process id"))?;
    kill_process(pid, Signal::KILL).with_context(|| format!("cannot kill {pid:?}"))
}

/// True when the process is there and not merely waiting to be reaped.
pub fn is_running(pid: i32) -> bool {
    let Some(pid) = Pid::from_raw(pid) else { return false };
    if rustix::process::test_kill_process(pid).is_err() {
        return false;
    }
    // The state follows the program's name, which is in parentheses and may itself hold any character.
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
    !stat
        .rsplit_once(") ")
        .is_some_and(|(_, rest)| rest.starts_with(['Z', 'X']))
}

/// Waits until none of the processes that are looked for is found, and returns those that stay.
fn wait_until_none(look: impl Fn() -> BTreeSet<i32>) -> BTreeSet<i32> {
    let end = Instant::now() + GONE_WITHIN;
    loop {
        let left = look();
        if left.is_empty() || Instant::now() >= end {
            return left;
        }
        thread::sleep(LOOK);
    }
}

/// Waits for a process to end; false when it stays.
fn wait_until_gone(pid: i32) -> bool {
    wait_until_none(|| {
        BTreeSet::from([pid])
            .into_iter()
            .filter(|pid| is_running(*pid))
            .collect()
    })
    .is_empty()
}

/// The processes whose environment names this state folder; none where the system has no `/proc`.
fn processes_of(state: &Path) -> Vec<i32> {
    let variable = format!("PROOFMARK_STATE_DIR={}", state.display());
    let named = |pid: &i32| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment
            .split(|byte| *byte == 0)
            .any(|entry| entry == variable.as_bytes())
    };
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(named)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_are_found_by_their_state_folder_and_seen_to_go() {
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new("sleep")
            .arg("60")
            .env("PROOFMARK_STATE_DIR", folder.path())
            .spawn()
            .unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        // Until it has become `sleep` the child still shows this test's environment.
        let end = Instant::now() + GONE_WITHIN;
        while processes_of(folder.path()) != [pid] && Instant::now() < end {
            thread::sleep(LOOK);
        }
        assert_eq!(processes_of(folder.path()), [pid]);
        assert!(is_running(pid));
        kill(pid).unwrap();
        // Nobody has reaped it yet: it is a zombie, and that counts as gone.
        assert!(wait_until_gone(pid));
        assert!(child.try_wait().unwrap().is_some());
        assert!(processes_of(folder.path()).is_empty());
    }
}
