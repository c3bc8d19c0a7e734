//! `proofmark serve --detach`: starts the owner in the background and returns when it takes connections.
//! What the owner then does is the server's.

use std::fs::OpenOptions;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::BorrowedFd;
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use proofmark_protocol::environment::is_passed_on;
use proofmark_protocol::frame::Speaker;
use proofmark_protocol::method;
use proofmark_protocol::paths;
use proofmark_protocol::query::Pong;
use proofmark_server::rpc::holder::Holder;
use proofmark_server::rpc::log;
use rustix::process::Signal;

use crate::output::say;
use crate::place::Place;
use crate::socket::call;
use crate::stop;

/// What a new owner says on stdout once clients can connect.
const READY: &str = "ready";
/// How long an owner has to say who it is. It needs no file and no other thread for that, so one that is only busy does.
const ASK: Duration = Duration::from_millis(500);
/// How long a new owner has until clients can connect: it may wait for one that is on its way out, and look through a long
/// ledger. Whoever starts one may hold the lock for starting, so it must not be waited for without an end.
const READY_WITHIN: Duration = Duration::from_secs(10);
/// Pause between two tries.
const RETRY: Duration = Duration::from_millis(20);

/// Starts the owner of a state folder, unless one of this version or a newer one runs. An owner that does not answer is
/// ended: with `replace` at once, else when a start has waited for it in vain.
pub(crate) fn run(place: &Place, idle_seconds: Option<u64>, replace: bool) -> anyhow::Result<ExitCode> {
    let startup = if replace { place.startup()? } else { None };
    if replace && startup.is_none() {
        say("Another process is starting a server.")?;
        return Ok(ExitCode::SUCCESS);
    }
    // An older or a deaf owner that is found in one round gives way to the next.
    for round in 0..3 {
        if let Some(holder) = place.owner()? {
            match answer(place, &holder) {
                Some(pong)
                    if Speaker::this().is_newer_than(&Speaker {
                        build: pong.build.clone(),
                        ..Speaker::this()
                    }) =>
                {
                    stop::stop(place)?;
                }
                Some(pong) => {
                    let place = place.state_dir.display();
                    say(&format!("Server {}, process {}, owns {place}.", pong.build, pong.pid))?;
                    return Ok(ExitCode::SUCCESS);
                }
                None if replace || round > 0 => {
                    stop::kill(place, &holder)?;
                }
                None => {}
            }
        }
        if start(place, idle_seconds)? {
            let pid = place.owner()?.map_or(0, |owner| owner.pid);
            say(&format!(
                "Server started, process {pid}, for {}.",
                place.state_dir.display()
            ))?;
            return Ok(ExitCode::SUCCESS);
        }
    }
    bail!(
        "another process holds {}, and does not answer; `proofmark stop` ends it",
        place.state_dir.display()
    )
}

/// What the holder of the lock says on its socket. One that is just starting, or whose socket was taken away, gets the
/// whole time to be found there.
fn answer(place: &Place, holder: &Holder) -> Option<Pong> {
    let deadline = Instant::now() + ASK;
    let mut told = false;
    loop {
        let left = deadline
            .checked_duration_since(Instant::now())
            .filter(|left| !left.is_zero())?;
        match call::<Pong>(&place.state_dir, method::PING, (), left) {
            Ok(Some(pong)) if pong.instance == holder.instance => return Some(pong),
            // Nobody is found there: the owner looks after its socket when it is told, and seldom while nothing happens.
            Ok(None) if !told => told = holder.signal(Signal::HUP).unwrap_or(true),
            _ => std::thread::sleep(RETRY.min(left)),
        }
    }
}

/// Starts a process that becomes the owner; false when another one is.
fn start(place: &Place, idle_seconds: Option<u64>) -> anyhow::Result<bool> {
    place.make()?;
    inherit_nothing().context("open handles can't be kept from the server")?;
    let program = std::env::current_exe().context("the path of this program can't be found")?;
    let mut command = Command::new(program);
    command
        .args(["serve", "--foreground", "--announce"])
        .env_clear()
        .envs(std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_passed_on)))
        .env("PROOFMARK_STATE_DIR", &place.state_dir)
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log::open(&place.state_dir).context("the server's log can't be opened")?);
    if let Some(seconds) = idle_seconds {
        command.args(["--idle-seconds", &seconds.to_string()]);
    }
    let mut child = command.spawn().context("the server can't be started")?;
    let said = child.stdout.take().context("the server has no stdout")?;
    match heard(said, READY_WITHIN)?.as_deref() {
        Some(READY) => return Ok(true),
        Some(_) => {}
        None => {
            // Not reaped yet, so the number is its own.
            child.kill().context("a server that does not start can't be ended")?;
            child.wait().context("the server can't be waited for")?;
            bail!(
                "the server took no connections within {} s and was ended; try again",
                READY_WITHIN.as_secs()
            );
        }
    }
    let status = child.wait().context("the server can't be waited for")?;
    if place.owner()?.is_some() {
        return Ok(false);
    }
    bail!(
        "the server ended with {status}; {} says why",
        paths::log(&place.state_dir).display()
    )
}

/// The first line that a new server says, empty where it ends without one; none when `limit` passes first.
fn heard(stdout: impl Read + Send + 'static, limit: Duration) -> anyhow::Result<Option<String>> {
    let (sender, line) = mpsc::channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        let read = BufReader::new(stdout).read_line(&mut line);
        // Whoever has stopped waiting does not listen any more.
        let _late = sender.send(read.map(|_| line.trim().to_owned()));
    });
    match line.recv_timeout(limit) {
        Ok(line) => line.map(Some).context("the server can't be heard"),
        Err(_) => Ok(None),
    }
}

/// What the new owner does once clients can connect: it says so, leaves the terminal, and lets go of the pipe.
pub(crate) fn announce() -> io::Result<()> {
    // Fails only where this process leads a group already, and then there is no terminal to leave.
    let _leader = rustix::process::setsid();
    let mut out = io::stdout();
    writeln!(out, "{READY}")?;
    out.flush()?;
    let null = OpenOptions::new().write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdout(&null)?;
    Ok(())
}

/// Keeps every handle but the standard three from programs that this process starts: a pipe of the harness that the
/// server held would keep the harness waiting.
fn inherit_nothing() -> anyhow::Result<()> {
    for entry in std::fs::read_dir("/dev/fd")? {
        let name = entry?.file_name();
        let Some(number) = name
            .to_str()
            .and_then(|name| name.parse::<i32>().ok())
            .filter(|number| *number > 2)
        else {
            continue;
        };
        #[expect(
            unsafe_code,
            reason = "only the flag of a number that was open a moment ago is set; if it is closed by now, the call says so"
        )]
        let handle = unsafe { BorrowedFd::borrow_raw(number) };
        match rustix::io::fcntl_setfd(handle, rustix::io::FdFlags::CLOEXEC) {
            Err(error) if error != rustix::io::Errno::BADF => return Err(error.into()),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_stands_still_before_it_is_ready_is_not_waited_for_without_an_end() {
        let (reader, writer) = io::pipe().unwrap();
        assert_eq!(heard(reader, Duration::from_millis(50)).unwrap(), None);
        drop(writer);
        let (reader, mut writer) = io::pipe().unwrap();
        writeln!(writer, "{READY}").unwrap();
        assert_eq!(heard(reader, READY_WITHIN).unwrap().as_deref(), Some(READY));
        let (reader, writer) = io::pipe().unwrap();
        drop(writer);
        assert_eq!(heard(reader, READY_WITHIN).unwrap().as_deref(), Some(""), "it ended");
    }
}
