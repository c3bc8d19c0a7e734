//! Kills at random instants while several sessions of all harnesses are at work, and what has to hold after each round.
//! How much one server carries is `load`'s.

pub(crate) mod calm;
pub(crate) mod crew;
mod killer;
pub(crate) mod legal;
pub(crate) mod listed;
pub(crate) mod people;
pub(crate) mod pulse;
pub(crate) mod stage;
pub(crate) mod talks;
pub(crate) mod tally;
pub(crate) mod turns;
pub(crate) mod wishes;

use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use proofmark_protocol::Harness;

use crate::dice::Dice;
use crew::{all_ended, watched};
use people::Desk;
use pulse::Pulse;
use stage::Stage;
use tally::Tally;
use turns::Lane;
use wishes::Wishes;

/// The agents at work.
const LANES: [(Harness, &str); 4] = [
    (Harness::ClaudeCode, "anna"),
    (Harness::ClaudeCode, "bert"),
    (Harness::Codex, "carl"),
    (Harness::Cursor, "dora"),
];
/// The editors that are attached.
const DESKS: usize = 2;
/// Rounds in one world: its ledger is then as long as one of some days.
const ROUNDS: usize = 15;
/// Kills of a round.
const KILLS: std::ops::Range<usize> = 3..9;

/// How long, and by which chance.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// No new round begins after so long.
    pub time: Duration,
    /// What is done to whom, and after which pauses. The machine's own timing is not in it.
    pub seed: u64,
}

/// Runs it, writes what it came to, and says whether everything held.
///
/// # Errors
/// The machine fails, not the product.
pub fn run(plan: Plan, out: &mut impl Write) -> Result<bool> {
    let (tally, pulse, begun) = (Tally::default(), Pulse::start(), Instant::now());
    writeln!(out, "seed {}", plan.seed)?;
    let mut worlds = 0;
    while begun.elapsed() < plan.time {
        worlds += 1;
        if let Err(failure) = world(plan, worlds, begun + plan.time, &tally, &pulse) {
            write!(out, "{tally}")?;
            return Err(failure.context(format!("--seed {}, world {worlds}", plan.seed)));
        }
        let (held, broken) = tally.verdict();
        writeln!(
            out,
            "{:4} s: {worlds} worlds, {} kills, {} events, {held} invariants held, {broken} broken",
            begun.elapsed().as_secs(),
            tally.kills(),
            tally.events()
        )?;
        out.flush()?;
    }
    let (held, broken) = tally.verdict();
    write!(out, "{tally}")?;
    writeln!(
        out,
        "{} kills, {} events, {worlds} worlds in {} s; again with --seed {}",
        tally.kills(),
        tally.events(),
        begun.elapsed().as_secs(),
        plan.seed
    )?;
    let amiss = tally.amiss(&[&listed::AT_WORK, &listed::AMONG_KILLS]);
    for line in &amiss {
        writeln!(out, "{line}")?;
    }
    writeln!(out, "{held} passed, {broken} failed")?;
    Ok(broken == 0 && (amiss.is_empty() || plan.time < listed::LONG_ENOUGH))
}

fn world(plan: Plan, number: u64, end: Instant, tally: &Tally, pulse: &Pulse) -> Result<()> {
    let stage = Stage::new(tally, pulse)?;
    let wishes = Mutex::new(Wishes::default());
    let mut desks: Vec<Desk> = (0..DESKS).map(|_| Desk::default()).collect();
    let mut talks: Vec<_> = LANES.iter().map(|_| (None, 0, 0)).collect();
    for round in 0..ROUNDS {
        let dice = |who: usize| Dice::new(plan.seed, &[number, round as u64, who as u64]);
        stage.over.store(false, Ordering::Relaxed);
        let played = thread::scope(|scope| -> Result<()> {
            let over = &stage.over;
            let mut at_work = Vec::new();
            for (who, ((harness, name), state)) in LANES.into_iter().zip(talks.iter_mut()).enumerate() {
                let mut lane = Lane {
                    stage: &stage,
                    wishes: &wishes,
                    dice: dice(who),
                    harness,
                    name: name.to_owned(),
                    talk: state.0.take(),
                    sessions: state.1,
                    turns: state.2,
                };
                let play = move || {
                    lane.play().with_context(|| format!("the lane of {name}"))?;
                    *state = (lane.talk.take(), lane.sessions, lane.turns);
                    Ok(())
                };
                at_work.push(scope.spawn(move || watched(over, play)));
            }
            for (who, desk) in desks.iter_mut().enumerate() {
                let (stage, wishes, mut dice) = (&stage, &wishes, dice(20 + who));
                let work = move || {
                    desk.work(stage, wishes, &mut dice);
                    Ok(())
                };
                at_work.push(scope.spawn(move || watched(over, work)));
            }
            let (stage, wishes, mut terminal) = (&stage, &wishes, dice(30));
            let look = move || people::at_a_terminal(stage, wishes, &mut terminal).context("the person at a terminal");
            at_work.push(scope.spawn(move || watched(over, look)));
            let mut killers = dice(40);
            let kills = KILLS.start + killers.below(KILLS.len());
            let killed = watched(over, || killer::kill(stage, kills, killers).context("the killer"));
            over.store(true, Ordering::Relaxed);
            let ended = all_ended(at_work);
            killed.and(ended)
        });
        played
            .and_then(|()| calm::look(&stage, &wishes, &mut desks, &mut dice(50), round))
            .with_context(|| format!("round {round}"))?;
        if Instant::now() >= end {
            break;
        }
    }
    calm::end(&stage, &mut desks)
}
