//! How slow the machine is at the moment: what a program that does nothing takes, again and again.
//! Who is given how much patience for it is the callers' business.

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::stage::lock;

/// What any machine may add to a limit: a process is started, scheduled and reaped.
const SLACK: Duration = Duration::from_millis(400);
/// A hook starts others, so a slow machine delays it as often.
const STARTS: u32 = 4;
/// On a machine at rest a beat takes one or two milliseconds. With a longer one nobody keeps a limit of a second, and a
/// shorter limit in proportion: so many hundredths of it.
const SLOW: Duration = Duration::from_millis(30);
const SLOW_PARTS: u32 = 3;
/// Between two beats.
const BEAT: Duration = Duration::from_millis(100);
/// Beats that are kept: more than any limit is long.
const KEPT: usize = 600;

/// The machine's pulse; it ends with this.
#[derive(Debug)]
pub(crate) struct Pulse {
    beats: Arc<Mutex<Vec<(Instant, Duration)>>>,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Pulse {
    pub(crate) fn start() -> Self {
        let (beats, over) = (Arc::<Mutex<Vec<_>>>::default(), Arc::new(AtomicBool::new(false)));
        let (kept, stop) = (Arc::clone(&beats), Arc::clone(&over));
        let thread = thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                let took = beat();
                let mut kept = lock(&kept);
                kept.push((Instant::now(), took));
                let surplus = kept.len().saturating_sub(KEPT);
                kept.drain(..surplus);
                drop(kept);
                thread::sleep(BEAT);
            }
        });
        Self {
            beats,
            over,
            thread: Some(thread),
        }
    }

    /// What the machine may have added to something that has begun then: the slowest beat since counts.
    pub(crate) fn slack_since(&self, begun: Instant) -> Duration {
        SLACK + self.slowest_since(begun) * STARTS
    }

    /// True when a program that does nothing took so long since then that several of ours can't keep a limit.
    pub(crate) fn is_slow_since(&self, begun: Instant, limit: Duration) -> bool {
        self.slowest_since(begun) > SLOW.min(limit * SLOW_PARTS / 100)
    }

    fn slowest_since(&self, begun: Instant) -> Duration {
        let beats = lock(&self.beats);
        let mut since = beats.iter().rev();
        // The last one before it may have ended while the machine was already busy.
        let inside = since
            .by_ref()
            .take_while(|(at, _)| *at >= begun)
            .map(|(_, took)| *took)
            .max();
        let before = beats.iter().rev().find(|(at, _)| *at < begun).map(|(_, took)| *took);
        inside.max(before).unwrap_or_default()
    }
}

impl Drop for Pulse {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

/// How long `true` takes.
fn beat() -> Duration {
    let begun = Instant::now();
    let mut program = Command::new("true");
    let ended = program
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    drop(ended);
    begun.elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_beat_since_counts() {
        let begun = Instant::now();
        let beats = [(0, 7), (10, 1), (20, 5), (30, 2)];
        let beats = beats.map(|(at, took)| (begun + Duration::from_millis(at), Duration::from_millis(took)));
        let pulse = Pulse {
            beats: Arc::new(Mutex::new(beats.to_vec())),
            over: Arc::default(),
            thread: None,
        };
        for (since, slowest) in [(5, 7), (15, 5), (25, 5), (35, 2)] {
            let since = begun + Duration::from_millis(since);
            assert_eq!(
                pulse.slack_since(since),
                SLACK + STARTS * Duration::from_millis(slowest)
            );
        }
        let slow = |limit| pulse.is_slow_since(begun + Duration::from_millis(15), Duration::from_millis(limit));
        assert!(slow(130) && !slow(200) && !slow(5_000));
    }
}
