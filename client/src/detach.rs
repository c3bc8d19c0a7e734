//! `proofmark serve --detach`: starts the owner in the background and returns when it takes connections.
//! What the owner then does is the server's.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use proofmark_protocol::environment::is_passed_on;
use proofmark_protocol::frame::Speaker;
use proofmark_protocol::method;
use proofmark_protocol::query::Pong;
use proofmark_server::rpc::holder::Holder;
use proofmark_server::state_folder;

use crate::output::say;
use crate::place::Place;
use crate::socket::call;
use crate::stop;

/// What a new owner says on stdout once clients can connect.
const READY: &str = "ready";
/// A log that is longer begins anew, in bytes.
const MAX_LOG: u64 = 1024 * 1024;
/// How long an owner has to say who it is. It needs no file and no other thread for that, so one that is only busy does.
const ASK: Duration = Duration::from_millis(500);
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
    loop {
        let left = deadline
            .checked_duration_since(Instant::now())
            .filter(|left| !left.is_zero())?;
        match call::<Pong>(&place.state_dir, method::PING, (), left) {
            Ok(Some(pong)) if pong.instance == holder.instance => return Some(pong),
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
        .stderr(log(&place.state_dir)?);
    if let Some(seconds) = idle_seconds {
        command.args(["--idle-seconds", &seconds.to_string()]);
    }
    let mut child = command.spawn().context("the server can't be started")?;
    if said_ready(&mut child)? {
        return Ok(true);
    }
    let status = child.wait().context("the server can't be waited for")?;
    if place.owner()?.is_some() {
        return Ok(false);
    }
    bail!(
        "the server ended with {status}; {} says why",
        log_path(&place.state_dir).display()
    )
}

fn said_ready(child: &mut Child) -> anyhow::Result<bool> {
    let Some(stdout) = child.stdout.take() else {
        bail!("the server has no stdout")
    };
    let mut line = String::new();
    BufReader::new(stdout)
        .read_line(&mut line)
        .context("the server can't be heard")?;
    Ok(line.trim() == READY)
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

fn log_path(state_dir: &Path) -> std::path::PathBuf {
    state_dir.join("server.log")
}

/// Where the owner's last words go, in case it ends unwell. A long log begins anew.
fn log(state_dir: &Path) -> anyhow::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    let log = state_folder::open(&mut options, &log_path(state_dir)).context("the server's log can't be opened")?;
    if log.metadata()?.len() > MAX_LOG {
        log.set_len(0).context("the server's log can't be cut")?;
    }
    Ok(log)
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
