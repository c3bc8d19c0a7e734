//! Kills at random: who, how, and when, while everybody is at work.
//! What has to hold afterwards stays out.

use std::thread;
use std::time::Duration;

use rustix::process::Signal;

use super::dice::Dice;
use super::stage::{Role, Stage};
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

/// Kills so many times, then says that the round is over.
pub(crate) fn kill(stage: &Stage<'_>, kills: usize, mut dice: Dice) {
    for _ in 0..kills {
        thread::sleep(dice.millis(APART));
        let (name, kill) = chosen(&mut dice);
        let nth = dice.below(usize::MAX);
        let asleep = dice.millis(ASLEEP);
        let hit = process::until(PATIENCE, || strike(stage, kill, nth, asleep).then_some(()));
        // There may be no such victim just now; the owner is the one that counts.
        let (name, hit) = match hit {
            Some(()) => (name, true),
            None => (KILLS[0].1, strike(stage, KILLS[0].2, nth, asleep)),
        };
        if hit {
            stage.tally.killed(name);
        }
    }
    stage.over.store(true, std::sync::atomic::Ordering::Relaxed);
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

fn strike(stage: &Stage<'_>, kill: Kill, nth: usize, asleep: Duration) -> bool {
    match kill {
        Kill::Owner(signal) => stage.owner().is_some_and(|owner| stage.signal(owner, signal)),
        Kill::Sleep => {
            let Some(owner) = stage.owner().filter(|owner| stage.signal(*owner, Signal::STOP)) else {
                return false;
            };
            thread::sleep(asleep);
            stage.signal(owner, Signal::CONT);
            true
        }
        // One that is deaf takes some seconds of it: no more of that than needed.
        Kill::Stop => stage.owner().is_some() && matches!(stage.proofmark_slowly(&["stop"]), Ok(Some(_))),
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
    }
}
