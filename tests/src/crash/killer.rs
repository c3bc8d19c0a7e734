//! Kills at random: who, how, and when, while everybody is at work.
//! What has to hold afterwards stays out.

use std::thread;
use std::time::Duration;

use anyhow::Result;
use rustix::process::Signal;

use super::stage::{Role, Stage};
use crate::dice::Dice;
use crate::process;

/// Between two kills, in milliseconds.
const APART: usize = 120;
/// How long a victim is waited for.
const PATIENCE: Duration = Duration::from_millis(300);
/// How long a machine that sleeps stands still, in milliseconds.
const ASLEEP: usize = 500;

/// Who is killed, how, and how often among a hundred kills.
#[derive(Debug, Clone, Copy)]
enum Kill {
    /// The owner, with this signal.
    Owner(Signal),
    /// The owner stands still, and goes on later, if it is still there.
    Sleep,
    /// `proofmark stop`.
    Stop,
    /// A hook at work.
    Hook,
    /// A command at work.
    Command,
    /// Whoever is about to start a server, or to replace one.
    Starter,
    /// An editor's front end.
    Front(Signal),
}

const KILLS: [(usize, &str, Kill); 10] = [
    (28, "owner, SIGKILL", Kill::Owner(Signal::KILL)),
    (14, "owner, SIGTERM", Kill::Owner(Signal::TERM)),
    (8, "owner, SIGSTOP", Kill::Owner(Signal::STOP)),
    (5, "owner, SIGSTOP and SIGCONT", Kill::Sleep),
    (2, "owner, proofmark stop", Kill::Stop),
    (19, "hook, SIGKILL", Kill::Hook),
    (5, "command, SIGKILL", Kill::Command),
    (9, "starter, SIGKILL", Kill::Starter),
    (6, "front end, SIGKILL", Kill::Front(Signal::KILL)),
    (4, "front end, SIGTERM", Kill::Front(Signal::TERM)),
];

/// Kills so many times, or until the round is over.
///
/// # Errors
/// The machine fails, not the product.
pub(crate) fn kill(stage: &Stage<'_>, kills: usize, mut dice: Dice) -> Result<()> {
    for _ in 0..kills {
        if stage.is_over() {
            break;
        }
        thread::sleep(dice.millis(APART));
        let (name, kill) = chosen(&mut dice);
        let nth = dice.below(usize::MAX);
        let asleep = dice.millis(ASLEEP);
        let strike = |kill| match strike(stage, kill, nth, asleep) {
            Ok(false) => None,
            other => Some(other.map(|_| ())),
        };
        // There may be no such victim just now; the owner is the one that counts.
        let hit = match process::until(PATIENCE, || strike(kill)) {
            Some(hit) => Some((name, hit)),
            None => strike(KILLS[0].2).map(|hit| (KILLS[0].1, hit)),
        };
        if let Some((name, hit)) = hit {
            hit?;
            stage.tally.killed(name);
        }
    }
    Ok(())
}

fn chosen(dice: &mut Dice) -> (&'static str, Kill) {
    let mut at = dice.below(KILLS.iter().map(|(weight, ..)| weight).sum());
    for (weight, name, kill) in KILLS {
        if at < weight {
            return (name, kill);
        }
        at -= weight;
    }
    (KILLS[0].1, KILLS[0].2)
}

fn strike(stage: &Stage<'_>, kill: Kill, nth: usize, asleep: Duration) -> Result<bool> {
    Ok(match kill {
        Kill::Owner(signal) => stage.owner().is_some_and(|owner| stage.signal(owner, signal)),
        Kill::Sleep => {
            let Some(owner) = stage.owner().filter(|owner| stage.signal(*owner, Signal::STOP)) else {
                return Ok(false);
            };
            thread::sleep(asleep);
            stage.signal(owner, Signal::CONT);
            true
        }
        // One that is deaf takes some seconds of it: no more of that than needed.
        Kill::Stop => stage.owner().is_some() && stage.proofmark_slowly(&["stop"])?.is_some(),
        Kill::Hook => stage.kill_running(Role::Hook, nth),
        Kill::Command => stage.kill_running(Role::Command, nth),
        Kill::Starter => {
            let mut others = stage.background();
            let owner = stage.owner();
            others.retain(|pid| Some(*pid) != owner);
            others
                .get(nth % others.len().max(1))
                .is_some_and(|pid| stage.signal(*pid, Signal::KILL))
        }
        Kill::Front(signal) => stage.kill_front(nth, signal),
    })
}
