//! `proofmark stop`: the owner finishes and goes; the command returns when the process is gone.
//! How the owner finishes is its own business.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{bail, ensure};
use proofmark_protocol::method;
use proofmark_server::rpc::holder::Holder;
use rustix::process::Signal;

use crate::output::say;
use crate::place::Place;
use crate::socket::call;

/// How long an owner that was asked has to go.
const ASKED: Duration = Duration::from_secs(5);
/// How long one that was sent a signal has.
const SIGNALLED: Duration = Duration::from_secs(3);
/// Pause between two looks.
const LOOK: Duration = Duration::from_millis(5);

/// Runs the command.
pub(crate) fn run(place: &Place) -> anyhow::Result<ExitCode> {
    say(if stop(place)? {
        "The server has stopped."
    } else {
        "No server is running."
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Stops the owner of a state folder; false when there is none. One that doesn't hear is ended by force:
/// what it acknowledged is on the ledger.
pub(crate) fn stop(place: &Place) -> anyhow::Result<bool> {
    let Some(owner) = place.owner()? else { return Ok(false) };
    // An owner that can't be asked is signalled below.
    let asked = call::<()>(&place.state_dir, method::SHUTDOWN, (), Duration::from_secs(1));
    if asked.is_ok() && gone(place, ASKED)? {
        return Ok(true);
    }
    for signal in [Signal::TERM, Signal::KILL] {
        // Whoever holds the lock now is the one to signal, not whoever held it before.
        if let Some(holder) = place.owner()? {
            holder.signal(signal)?;
        }
        if gone(place, SIGNALLED)? {
            return Ok(true);
        }
    }
    bail!("process {} still holds {}", owner.pid, place.state_dir.display())
}

/// Ends an owner that does not answer, if it is still the one that holds the lock.
///
/// # Errors
/// It stays, or it can't be told from a stranger that has its process id by now.
pub(crate) fn kill(place: &Place, deaf: &Holder) -> anyhow::Result<()> {
    let holds = || anyhow::Ok(place.owner()?.as_ref() == Some(deaf));
    // A stopped process takes no other signal, and what it acknowledged is on the ledger.
    if holds()? && !deaf.signal(Signal::KILL)? && holds()? {
        bail!(
            "{} is held by a process that its lock does not name; nothing was ended",
            place.state_dir.display()
        );
    }
    ensure!(
        gone(place, SIGNALLED)?,
        "process {} still holds {}",
        deaf.pid,
        place.state_dir.display()
    );
    Ok(())
}

fn gone(place: &Place, within: Duration) -> anyhow::Result<bool> {
    let deadline = Instant::now() + within;
    loop {
        if place.owner()?.is_none() {
            return Ok(true);
        }
        if Instant::now() >= deadline {
            return Ok(false);
        }
        std::thread::sleep(LOOK);
    }
}
