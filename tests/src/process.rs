//! Runs a program to its end within a limit of time, in a process group of its own.
//! What the program is and which environment it gets is the caller's business.

use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process_group};

/// More output than this is cut off, in bytes.
const MAX_OUTPUT: u64 = 64 * 1024 * 1024;
/// How long the pipes of an ended program may stay open.
const PIPE_GRACE: Duration = Duration::from_secs(3);
/// How often a running program is looked at.
const LOOK: Duration = Duration::from_millis(5);

/// What a program left when it ended.
#[derive(Debug, Clone)]
pub struct Finished {
    /// The exit code; none when a signal ended it.
    pub code: Option<i32>,
    /// What it printed; invalid UTF-8 replaced.
    pub stdout: String,
    /// What it printed as errors; invalid UTF-8 replaced.
    pub stderr: String,
}

impl Finished {
    /// The output of a program that must have ended with exit code 0.
    ///
    /// # Errors
    /// It ended otherwise; the error holds what it printed.
    pub fn success(self) -> Result<Self> {
        if self.code != Some(0) {
            bail!(
                "exit code {:?}\nstdout: {}\nstderr: {}",
                self.code,
                self.stdout,
                self.stderr
            );
        }
        Ok(self)
    }
}

/// Runs a program with `input` on its stdin until it ends.
///
/// # Errors
/// It cannot be started; it is not done within `limit` (its process group is killed then); something that it left
/// behind still holds its output 3 s after its end.
pub fn run(command: &mut Command, input: &[u8], limit: Duration) -> Result<Finished> {
    let mut child = command
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {command:?}"))?;
    let feeder = child.stdin.take().map(|mut stdin| {
        let input = input.to_vec();
        // A program may end without reading its input: a closed pipe is no failure of the run.
        thread::spawn(move || stdin.write_all(&input).is_ok())
    });
    let (stdout, stderr) = (collect(child.stdout.take()), collect(child.stderr.take()));
    let ended = wait(&mut child, limit);
    if !matches!(ended, Ok(Some(_))) {
        kill_group(&mut child);
    }
    let Some(status) = ended.context("cannot wait")? else {
        bail!("{command:?} was not done within {limit:?}");
    };
    let pipes = (stdout.recv_timeout(PIPE_GRACE), stderr.recv_timeout(PIPE_GRACE));
    let (Ok(stdout), Ok(stderr)) = pipes else {
        bail!("{command:?} ended, but something that it started still holds its output");
    };
    if let Some(feeder) = feeder {
        // Only a closed pipe can be left of it: the program has ended.
        drop(feeder.join());
    }
    Ok(Finished {
        code: status.code(),
        stdout: lossy(stdout?),
        stderr: lossy(stderr?),
    })
}

/// Waits for a program's end; none when `limit` passes first.
///
/// # Errors
/// The system refuses to tell.
pub fn wait(child: &mut Child, limit: Duration) -> io::Result<Option<ExitStatus>> {
    let end = Instant::now() + limit;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= end {
            return Ok(None);
        }
        thread::sleep(LOOK);
    }
}

/// Looks again and again until something is found; none when `limit` passes first.
pub fn until<T>(limit: Duration, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let end = Instant::now() + limit;
    loop {
        let found = look();
        if found.is_some() || Instant::now() >= end {
            return found;
        }
        thread::sleep(LOOK);
    }
}

/// Kills the program with everything in its process group, and reaps it; a program that has ended is left alone.
pub(crate) fn kill_group(child: &mut Child) {
    // Once the program is reaped its number may belong to somebody else.
    if matches!(child.try_wait(), Ok(None)) {
        // It fails only when the program has ended just now.
        let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
        drop(child.wait());
    }
}

/// Reads a pipe to its end on a thread; the receiver hears once.
pub(crate) fn collect(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = match pipe {
            Some(pipe) => pipe.take(MAX_OUTPUT).read_to_end(&mut bytes),
            None => Ok(0),
        };
        // A caller that has given up no longer listens.
        drop(sender.send(read.map(|_| bytes)));
    });
    receiver
}

fn lossy(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, input: &[u8], limit: Duration) -> Result<Finished> {
        run(Command::new("sh").args(["-c", script]), input, limit)
    }

    #[test]
    fn returns_code_and_both_outputs() {
        let done = shell("cat; echo oops >&2; exit 3", b"fed", Duration::from_secs(20)).unwrap();
        assert_eq!(
            (done.code, done.stdout.as_str(), done.stderr.as_str()),
            (Some(3), "fed", "oops\n")
        );
        assert!(done.success().unwrap_err().to_string().contains("oops"));
    }

    #[test]
    fn input_that_nobody_reads_is_harmless() {
        let done = shell("exec <&-; exit 0", &vec![b'x'; 1 << 20], Duration::from_secs(20)).unwrap();
        assert_eq!(done.code, Some(0));
    }

    #[test]
    fn the_limit_takes_the_whole_group() {
        let folder = tempfile::tempdir().unwrap();
        let mark = folder.path().join("pid");
        let script = format!("sleep 60 & echo $! > {}; wait", mark.display());
        let failure = shell(&script, b"", Duration::from_millis(500)).unwrap_err();
        assert!(failure.to_string().contains("was not done within"), "{failure}");
        let pid: i32 = std::fs::read_to_string(mark).unwrap().trim().parse().unwrap();
        let gone_by = Instant::now() + Duration::from_secs(10);
        while crate::world::is_running(pid) {
            assert!(Instant::now() < gone_by, "the grandchild {pid} survived");
            thread::sleep(LOOK);
        }
    }

    #[test]
    fn what_is_left_behind_may_not_hold_the_output() {
        for (redirect, fine) in [("", false), ("</dev/null >/dev/null 2>&1", true)] {
            let folder = tempfile::tempdir().unwrap();
            let mark = folder.path().join("pid");
            let script = format!("sleep 60 {redirect} & echo $! > {}", mark.display());
            let done = shell(&script, b"", Duration::from_secs(20));
            let pid: i32 = std::fs::read_to_string(mark).unwrap().trim().parse().unwrap();
            rustix::process::kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
            assert_eq!(done.is_ok(), fine, "{redirect:?}: {done:?}");
        }
    }
}
