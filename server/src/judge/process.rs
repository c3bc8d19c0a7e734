//! One run of a runner: the question on its stdin, its answer from stdout, and nothing of it left behind.
//! What the answer says, and who is run next, stays out.

use std::ffi::OsString;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::process::{Pid, Signal, kill_process_group};
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;

use super::leftovers;
use crate::text::quote;

/// A runner that prints more than this on one stream is ended, in bytes.
const MAX_OUTPUT: u64 = 1024 * 1024;
/// The longest part of a runner's own complaint that is told, in characters.
const MAX_COMPLAINT: usize = 120;
/// Tells our hooks that a judge runs them.
const CHILD: &str = "PROOFMARK_JUDGE_CHILD";
/// Tells the processes of one run from all others.
pub(super) const RUN: &str = "PROOFMARK_JUDGE_RUN";

/// What is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Program {
    pub(super) path: PathBuf,
    pub(super) arguments: Vec<String>,
    pub(super) environment: Vec<(OsString, OsString)>,
}

/// Why a run brought no output that counts.
#[derive(Debug, Error)]
pub(super) enum RunError {
    #[error("it can't be started ({0})")]
    Start(io::Error),
    #[error("its empty folder can't be made ({0})")]
    Folder(io::Error),
    #[error("it can't be talked to ({0})")]
    Pipe(#[from] io::Error),
    #[error("it printed more than {MAX_OUTPUT} bytes")]
    TooMuch,
    #[error("it ended with {0}{1}")]
    Exit(ExitStatus, String),
    #[error("it printed something that is not UTF-8")]
    NotText,
}

/// Runs a program on a question to its end. Dropped before that, it takes the program and all it has started along.
pub(super) async fn run(program: &Program, question: &str) -> Result<String, RunError> {
    let run = run_id();
    let folder = Folder::make(&run).map_err(RunError::Folder)?;
    let mut child = Command::new(&program.path)
        .args(&program.arguments)
        .current_dir(&folder.0)
        .env_clear()
        .envs(program.environment.iter().map(|(name, value)| (name, value)))
        .env(CHILD, "1")
        .env(RUN, &run)
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(RunError::Start)?;
    let tree = Tree {
        group: child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw),
        run,
    };
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let ask = async {
        if let Some(mut stdin) = stdin {
            // A runner that does not read its question, or not to the end, may still answer.
            let _unread = stdin.write_all(question.as_bytes()).await;
        }
        Ok(())
    };
    let end = async {
        let status = child.wait().await?;
        // What it leaves behind could keep the pipes open.
        tree.kill();
        Ok(status)
    };
    let ((), printed, complaint, status) = tokio::try_join!(ask, bounded(stdout), bounded(stderr), end)?;
    if !status.success() {
        let complaint = String::from_utf8_lossy(&complaint);
        let last = complaint.lines().rev().find(|line| !line.trim().is_empty());
        let last = last.map_or_else(String::new, |line| format!(": {}", quote(line, MAX_COMPLAINT)));
        return Err(RunError::Exit(status, last));
    }
    String::from_utf8(printed).map_err(|_| RunError::NotText)
}

/// All that a stream brings.
async fn bounded(stream: Option<impl AsyncRead + Unpin>) -> Result<Vec<u8>, RunError> {
    let mut bytes = Vec::new();
    if let Some(stream) = stream {
        stream.take(MAX_OUTPUT + 1).read_to_end(&mut bytes).await?;
    }
    if bytes.len() as u64 > MAX_OUTPUT {
        return Err(RunError::TooMuch);
    }
    Ok(bytes)
}

/// A program's processes: its group, and whatever carries the run's mark.
struct Tree {
    group: Option<Pid>,
    run: String,
}

impl Tree {
    fn kill(&self) {
        if let Some(group) = self.group {
            // There may be nobody left in it.
            let _gone = kill_process_group(group, Signal::KILL);
        }
        leftovers::kill(&self.run);
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The empty folder in which a runner stands; gone when the run is over.
struct Folder(PathBuf);

impl Folder {
    fn make(run: &str) -> io::Result<Self> {
        let path = std::env::temp_dir().join(format!("proofmark-judge-{run}"));
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        remove(&self.0);
    }
}

fn remove(folder: &Path) {
    // What a runner made unremovable in a temporary folder is left to the system, which clears it.
    let _left = std::fs::remove_dir_all(folder);
}

/// A word that no other run on this machine has.
fn run_id() -> String {
    static RUNS: AtomicU64 = AtomicU64::new(0);
    let run = RUNS.fetch_add(1, Ordering::Relaxed);
    format!("{}-{:x}-{run}", std::process::id(), crate::engine::now())
}
