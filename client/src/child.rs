//! Running somebody else's program within a limit of time, with whatever it starts.
//! Which program, and what its words mean, stays out.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// More of what a program says on a stream is not read, in bytes.
const MAX_SAID: u64 = 4 << 20;
/// How long a program that has answered has to end by itself.
const LEAVE: Duration = Duration::from_secs(2);
/// Pause between two looks.
const LOOK: Duration = Duration::from_millis(5);

/// A program that has ended.
#[derive(Debug)]
pub(crate) struct Finished {
    /// Its exit code; none after a signal.
    pub(crate) code: Option<i32>,
    /// What it wrote.
    pub(crate) stdout: Vec<u8>,
    /// What it complained.
    pub(crate) stderr: Vec<u8>,
    /// How long it ran.
    pub(crate) took: Duration,
}

/// Why a program brought nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Trouble {
    /// The system said no.
    #[error("it could not be started: {0}")]
    NotStarted(#[from] io::Error),
    /// It was ended.
    #[error("it did not answer within {} s", .0.as_secs_f32())]
    Late(Duration),
    /// It ended before it said what was waited for.
    #[error("it ended without an answer")]
    Silent,
}

/// Runs a program to its end. One that takes longer than the limit is ended, with all of its process group.
///
/// # Errors
/// As [`Trouble`] says.
pub(crate) fn run(command: &mut Command, input: &[u8], limit: Duration) -> Result<Finished, Trouble> {
    let begun = Instant::now();
    let mut child = start(command)?;
    let (stdout, stderr) = (whole(child.stdout.take()), whole(child.stderr.take()));
    drop(give(child.stdin.take(), input));
    let Some(status) = wait(&mut child, begun + limit) else {
        end(&mut child);
        return Err(Trouble::Late(limit));
    };
    let took = begun.elapsed();
    // What it left behind may hold its streams open: that is not waited for beyond the limit.
    let said =
        |stream: &Receiver<Vec<u8>>| stream.recv_timeout((begun + limit).saturating_duration_since(Instant::now()));
    let (Ok(stdout), Ok(stderr)) = (said(&stdout), said(&stderr)) else {
        return Err(Trouble::Late(limit));
    };
    Ok(Finished {
        code: status.code(),
        stdout,
        stderr,
        took,
    })
}

/// Runs a program until it has said a line that `is_it`, then has it end. Its stdin stays open until then.
///
/// # Errors
/// As [`Trouble`] says.
pub(crate) fn ask(
    command: &mut Command,
    input: &[u8],
    limit: Duration,
    is_it: impl Fn(&str) -> bool,
) -> Result<String, Trouble> {
    let deadline = Instant::now() + limit;
    let mut child = start(command.stderr(Stdio::null()))?;
    let (sender, said) = mpsc::channel();
    if let Some(stdout) = child.stdout.take() {
        thread::spawn(move || {
            let lines = BufReader::new(stdout.take(MAX_SAID)).lines();
            // Nobody listens any more when the line was found.
            lines.map_while(Result::ok).all(|line| sender.send(line).is_ok())
        });
    }
    let held = give(child.stdin.take(), input);
    let answer = loop {
        match said.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(line) if is_it(&line) => break Ok(line),
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) => break Err(Trouble::Late(limit)),
            Err(RecvTimeoutError::Disconnected) => break Err(Trouble::Silent),
        }
    };
    // A program that may still write its own files is asked first: nobody speaks to it any more.
    drop(held);
    if answer.is_err() || wait(&mut child, Instant::now() + LEAVE).is_none() {
        end(&mut child);
    }
    answer
}

fn start(command: &mut Command) -> io::Result<Child> {
    command
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
}

/// Writes to a program beside whatever it does. One that does not read is no error; the answer holds its stdin open.
fn give(stdin: Option<ChildStdin>, input: &[u8]) -> Receiver<ChildStdin> {
    let (sender, held) = mpsc::sync_channel(1);
    let input = input.to_vec();
    if let Some(mut stdin) = stdin {
        thread::spawn(move || {
            let written = stdin.write_all(&input).and_then(|()| stdin.flush());
            written.is_ok() && sender.send(stdin).is_ok()
        });
    }
    held
}

fn whole(stream: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, said) = mpsc::channel();
    if let Some(stream) = stream {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = stream.take(MAX_SAID).read_to_end(&mut bytes);
            // Nobody listens any more when the time was over.
            read.is_ok() && sender.send(bytes).is_ok()
        });
    }
    said
}

fn wait(child: &mut Child, deadline: Instant) -> Option<ExitStatus> {
    while Instant::now() < deadline {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) => thread::sleep(LOOK),
            Err(_) => return None,
        }
    }
    None
}

/// Ends a program that did not end by itself, with whatever it started in its group.
fn end(child: &mut Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // It may have ended just now, which is all that is wanted.
        let _gone = kill_process_group(group, Signal::KILL);
    }
    let _reaped = child.wait();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_program_is_fed_and_heard_and_one_that_hangs_is_ended() {
        let long = Duration::from_secs(30);
        let done = run(&mut sh("cat; echo no >&2; exit 3"), b"in", long).unwrap();
        assert_eq!(
            (done.code, &*done.stdout, &*done.stderr),
            (Some(3), &b"in"[..], &b"no\n"[..])
        );
        // More than a pipe holds, to one that reads nothing.
        let done = run(&mut sh("exit 0"), &vec![b'x'; 1 << 20], long).unwrap();
        assert_eq!((done.code, done.stdout.len()), (Some(0), 0));
        let begun = Instant::now();
        for script in ["sleep 60", "sleep 60 & exit 0"] {
            let hung = run(&mut sh(script), b"", Duration::from_millis(300));
            assert!(matches!(hung, Err(Trouble::Late(_))), "{script}: {hung:?}");
        }
        assert!(begun.elapsed() < long);
        let absent = run(&mut Command::new("/no/such/program"), b"", long);
        assert!(matches!(absent, Err(Trouble::NotStarted(_))), "{absent:?}");
    }

    #[test]
    fn a_line_is_waited_for_with_stdin_open() {
        let long = Duration::from_secs(30);
        let script = "read line; echo first; echo \"$line\"; read more; echo closed";
        let said = ask(&mut sh(script), b"second\n", long, |line| line.starts_with("sec"));
        assert_eq!(said.unwrap(), "second");
        let said = ask(&mut sh(script), b"second\n", Duration::from_millis(300), |line| {
            line == "closed"
        });
        assert!(matches!(said, Err(Trouble::Late(_))), "{said:?}");
        let said = ask(&mut sh("echo x"), b"", long, |line| line == "y");
        assert!(matches!(said, Err(Trouble::Silent)), "{said:?}");
    }
}
