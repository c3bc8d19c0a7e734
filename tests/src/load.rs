//! Many sessions and clients on one server: nothing is lost, nobody starves, and what an event takes beside nothing.
//! Kills at random instants are `crash`'s.

mod strangers;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail, ensure};
use proofmark_protocol::{Harness, paths};
use rustix::process::Signal;

use crate::bench::figures::Quantiles;
use crate::case;
use crate::crash::calm;
use crate::crash::crew::{all_ended, watched};
use crate::crash::listed;
use crate::crash::pulse::Pulse;
use crate::crash::stage::{Stage, lock};
use crate::crash::tally::Tally;
use crate::crash::turns::Lane;
use crate::crash::wishes::Wishes;
use crate::dice::Dice;
use crate::play::{Played, play};
use crate::process;
use crate::world::World;

use strangers::STRANGERS;

/// Clients at the same time, and the sessions that they share out.
const CLIENTS: usize = 16;
const SESSIONS: usize = 200;
/// Of the time, in hundredths, what is spent at ease and among strangers; the rest is for servers that are lost.
const AT_EASE: u32 = 45;
const AMONG_STRANGERS: u32 = 35;
/// What an event may take among strangers, as a multiple of what it takes without them; both beside an empty program.
const STARVED: f64 = 5.0;
/// How long a server may take to come back while everybody wants it.
const BACK: Duration = Duration::from_secs(10);
/// How often a case is tried on a machine that is too busy for its times.
const TRIES: usize = 3;

/// How long, by which chance, and what is nothing.
#[derive(Debug, Clone)]
pub struct Plan {
    /// How long clients are at work.
    pub time: Duration,
    /// What is done by whom.
    pub seed: u64,
    /// A program that does nothing.
    pub empty: PathBuf,
}

/// Every session, and what becomes of it.
struct Client<'a> {
    lanes: Vec<(Lane<'a>, bool)>,
    dice: Dice,
}

/// What was measured in one part of the run.
struct Part {
    name: &'static str,
    times: BTreeMap<&'static str, Vec<Duration>>,
    empty: Vec<Duration>,
    unchecked: u64,
}

/// Runs it, writes what it came to, and says whether everything held.
///
/// # Errors
/// The machine fails, not the product.
pub fn run(plan: &Plan, out: &mut impl Write) -> Result<bool> {
    let (tally, pulse) = (Tally::default(), Pulse::start());
    writeln!(out, "seed {}; {SESSIONS} sessions, {CLIENTS} clients", plan.seed)?;
    let stage = Stage::new(&tally, &pulse)?;
    let wishes = Mutex::new(Wishes::default());
    let mut clients: Vec<Client<'_>> = (0..CLIENTS).map(|nth| client(plan, &stage, &wishes, nth)).collect();
    let time = |share| plan.time * share / 100;
    let parts: [(&str, Meanwhile, Duration); 3] = [
        ("at ease", rested, time(AT_EASE)),
        ("among strangers", among_strangers, time(AMONG_STRANGERS)),
        ("servers lost", servers_lost, time(100 - AT_EASE - AMONG_STRANGERS)),
    ];
    let mut done = Vec::new();
    for (name, meanwhile, time) in parts {
        match part(plan, &stage, &mut clients, name, || meanwhile(&stage, time)) {
            Ok(part) => done.push(part),
            Err(failure) => {
                write!(out, "{tally}")?;
                return Err(failure.context(format!("--seed {}, {name}", plan.seed)));
            }
        }
    }
    let [at_ease, among, _] = &done[..] else {
        bail!("a part of the run is missing");
    };
    tally.hold(
        "clients among strangers are served nearly as before",
        among
            .ratio()
            .zip(at_ease.ratio())
            .is_some_and(|(now, before)| now <= STARVED * before),
        || {
            format!(
                "{:?} times the empty program, {:?} before",
                among.ratio(),
                at_ease.ratio()
            )
        },
    );
    let begun: usize = clients
        .iter()
        .flat_map(|client| &client.lanes)
        .filter(|(lane, _)| lane.sessions > 0)
        .count();
    tally.hold("every session was at work", begun == SESSIONS, || {
        format!("{begun} of {SESSIONS}")
    });
    drop(clients);
    calm::settled(&stage, &wishes)?;
    calm::end(&stage, &mut [])?;
    for part in &done {
        part.tell(out)?;
    }
    write!(out, "{tally}")?;
    let amiss = tally.amiss(&[&listed::AT_WORK, &listed::UNDER_LOAD]);
    for line in &amiss {
        writeln!(out, "{line}")?;
    }
    let (held, broken) = tally.verdict();
    writeln!(out, "{held} passed, {broken} failed")?;
    Ok(broken == 0 && (amiss.is_empty() || plan.time < listed::LONG_ENOUGH))
}

fn client<'a>(plan: &Plan, stage: &'a Stage<'a>, wishes: &'a Mutex<Wishes>, nth: usize) -> Client<'a> {
    let kinds = [
        Harness::ClaudeCode,
        Harness::Codex,
        Harness::ClaudeCode,
        Harness::Cursor,
    ];
    let lanes = (nth..SESSIONS).step_by(CLIENTS).map(|session| {
        let lane = Lane {
            stage,
            wishes,
            dice: Dice::new(plan.seed, &[session as u64]),
            harness: kinds
                .get(session / CLIENTS % kinds.len())
                .copied()
                .unwrap_or(Harness::ClaudeCode),
            name: format!("s{session}"),
            talk: None,
            sessions: 0,
            turns: 0,
        };
        (lane, false)
    });
    Client {
        lanes: lanes.collect(),
        dice: Dice::new(plan.seed, &[1_000, nth as u64]),
    }
}

impl Client<'_> {
    /// Sessions in turn, and between them the program that does nothing.
    fn work(&mut self, empty: &std::path::Path, times: &Mutex<Vec<Duration>>) -> Result<()> {
        let stage = self.lanes.first().context("no session")?.0.stage;
        loop {
            // First those that have not begun.
            let waiting = self.lanes.iter().position(|(_, begun)| !begun);
            let at = waiting.unwrap_or_else(|| self.dice.below(self.lanes.len()));
            let (lane, begun) = self.lanes.get_mut(at).context("no session")?;
            *begun = true;
            let begun = Instant::now();
            let nothing = Command::new(empty)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .status()?;
            ensure!(nothing.success(), "{} fails", empty.display());
            lock(times).push(begun.elapsed());
            let mut talk = match lane.talk.take() {
                Some(talk) => talk,
                None => lane.begin()?,
            };
            lane.talk = lane.turn_of(&mut talk)?.then_some(talk);
            // Whoever has not begun does so, however late.
            if stage.is_over() && self.lanes.iter().all(|(_, begun)| *begun) {
                return Ok(());
            }
        }
    }
}

/// What happens while everybody is at work; it takes as long as it is told, or as it needs.
type Meanwhile = fn(&Stage<'_>, Duration) -> Result<()>;

/// Everybody at work as long as something goes on beside them.
fn part(
    plan: &Plan,
    stage: &Stage<'_>,
    clients: &mut [Client<'_>],
    name: &'static str,
    meanwhile: impl FnOnce() -> Result<()>,
) -> Result<Part> {
    let empty = Mutex::new(Vec::new());
    stage.over.store(false, Ordering::Relaxed);
    stage.taken();
    thread::scope(|scope| -> Result<()> {
        let at_work = clients
            .iter_mut()
            .map(|client| scope.spawn(|| watched(&stage.over, || client.work(&plan.empty, &empty))))
            .collect();
        let met = watched(&stage.over, meanwhile);
        stage.over.store(true, Ordering::Relaxed);
        let ended = all_ended(at_work);
        met.and(ended)
    })?;
    let (taken, unchecked) = stage.taken();
    let mut times = BTreeMap::<_, Vec<_>>::new();
    for (event, took) in taken {
        times.entry(event).or_default().push(took);
    }
    let empty = std::mem::take(&mut *lock(&empty));
    Ok(Part {
        name,
        times,
        empty,
        unchecked,
    })
}

/// Nothing; less of it when somebody has failed.
fn rested(stage: &Stage<'_>, time: Duration) -> Result<()> {
    process::until(time, || stage.is_over().then_some(()));
    Ok(())
}

fn among_strangers(stage: &Stage<'_>, time: Duration) -> Result<()> {
    let (state, end, enough) = (stage.world.state(), Instant::now() + time, AtomicBool::new(false));
    thread::scope(|scope| -> Result<()> {
        let running: Vec<_> = STRANGERS
            .iter()
            .map(|(name, stranger)| (*name, scope.spawn(|| strangers::misbehave(&state, *stranger, &enough))))
            .collect();
        let delivered = watched(&stage.over, || twice_delivered(stage));
        rested(stage, end.saturating_duration_since(Instant::now()))?;
        enough.store(true, Ordering::Relaxed);
        for (name, stranger) in running {
            let connections = stranger.join().map_err(|_| anyhow!("a stranger panicked"))?;
            stage
                .tally
                .hold("strangers get through to the server", connections > 0, || {
                    name.to_owned()
                });
        }
        delivered
    })
}

/// The cases of an event that comes twice, each in a world of its own on the busy machine.
fn twice_delivered(stage: &Stage<'_>) -> Result<()> {
    let cases = case::load("pain")?;
    let twice: Vec<_> = cases.iter().filter(|case| case.id.starts_with("pain-30")).collect();
    ensure!(!twice.is_empty(), "there are no cases of an event that comes twice");
    for case in twice {
        for _ in 0..TRIES {
            if let Played::Judged(short) = play(case, &World::new()?)? {
                stage
                    .tally
                    .hold("the cases of an event that comes twice hold", short.is_empty(), || {
                        format!("{}: {}", case.id, short.join("; "))
                    });
                break;
            }
            stage.tally.event("cases for which the machine was too slow");
        }
    }
    Ok(())
}

/// Takes the owner away in some way; false where that was not possible.
type Lose = fn(&Stage<'_>, i32) -> bool;

/// A server that is there and can't be reached, one that was killed, and one that stands still: all of it while everybody
/// wants something.
fn servers_lost(stage: &Stage<'_>, time: Duration) -> Result<()> {
    let end = Instant::now() + time;
    let lost: [(&str, Lose); 3] = [
        ("its socket removed", |stage, _| {
            fs::remove_file(paths::socket(&stage.world.state())).is_ok()
        }),
        ("killed", |stage, owner| stage.signal(owner, Signal::KILL)),
        ("standing still", |stage, owner| stage.signal(owner, Signal::STOP)),
    ];
    for (how, lose) in lost {
        let lose = || stage.owner().filter(|owner| lose(stage, *owner));
        let taken = process::until(BACK, lose);
        stage
            .tally
            .hold("there is a server to lose", taken.is_some(), || how.to_owned());
        let Some(owner) = taken else { continue };
        stage.tally.killed(how);
        let may_stay = how == "its socket removed";
        let back = || {
            let new = stage.owner().filter(|new| may_stay || *new != owner)?;
            std::os::unix::net::UnixStream::connect(paths::socket(&stage.world.state())).ok()?;
            Some(new)
        };
        let back = process::until(BACK, back);
        stage
            .tally
            .hold("a server that is lost comes back under load", back.is_some(), || {
                how.to_owned()
            });
    }
    rested(stage, end.saturating_duration_since(Instant::now()))
}

impl Part {
    fn all(&self) -> Vec<Duration> {
        self.times.values().flatten().copied().collect()
    }

    /// The median of an event as a multiple of the empty program's; none where no event came, or nothing beside it.
    fn ratio(&self) -> Option<f64> {
        Some(millis(&self.all())?.median / millis(&self.empty)?.median)
    }

    fn tell(&self, out: &mut impl Write) -> Result<()> {
        let base = millis(&self.empty).with_context(|| format!("{}: the empty program never ran", self.name))?;
        writeln!(
            out,
            "{}: {} events, {} of them passed unchecked, which was said",
            self.name,
            self.all().len(),
            self.unchecked
        )?;
        writeln!(
            out,
            "  {:>22} {:>6} {:>10} {:>10} {:>7} {:>7}",
            "", "count", "median ms", "p99 ms", "median", "p99"
        )?;
        let rows = self.times.iter().map(|(name, times)| (*name, times.clone()));
        for (name, times) in [("empty program", self.empty.clone()), ("all events", self.all())]
            .into_iter()
            .chain(rows)
        {
            let found = millis(&times).with_context(|| format!("{}: nothing timed: {name}", self.name))?;
            writeln!(
                out,
                "  {name:>22} {:>6} {:>10.1} {:>10.1} {:>7.2} {:>7.2}",
                times.len(),
                found.median,
                found.p99,
                found.median / base.median,
                found.p99 / base.p99
            )?;
        }
        Ok(())
    }
}

/// The quantiles in milliseconds; none of nothing.
fn millis(times: &[Duration]) -> Option<Quantiles> {
    let times: Vec<f64> = times.iter().map(|time| time.as_secs_f64() * 1e3).collect();
    Quantiles::of(&times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_compared_beside_nothing() {
        let times: Vec<_> = (1..=200).map(Duration::from_millis).collect();
        let mut part = Part {
            name: "at ease",
            times: BTreeMap::from([("Stop", times)]),
            empty: vec![Duration::from_millis(50)],
            unchecked: 0,
        };
        assert_eq!(part.ratio(), Some(2.0));
        part.empty.clear();
        assert_eq!(part.ratio(), None, "compared with nothing");
        assert!(part.tell(&mut Vec::new()).is_err());
    }
}
