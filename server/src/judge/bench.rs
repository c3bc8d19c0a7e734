//! Runners that failed: set aside for a while, so that a broken one does not hold up every reply.
//! What counts as failing is said by whoever runs them.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a runner that failed is not tried again, unless its command changes.
const ASIDE: Duration = Duration::from_secs(600);
/// Commands that are remembered; settings hold a handful.
const MAX_KNOWN: usize = 64;

/// What is set aside, by command.
#[derive(Default)]
pub(super) struct Bench {
    aside: Mutex<HashMap<Vec<String>, Aside>>,
}

struct Aside {
    name: String,
    why: String,
    until: Instant,
}

impl Bench {
    /// Why a command is not tried now; none when it may be.
    pub(super) fn why(&self, command: &[String], now: Instant) -> Option<String> {
        let mut aside = self.aside.lock().unwrap_or_else(PoisonError::into_inner);
        aside.retain(|_, aside| aside.until > now);
        let known = aside.get(command)?;
        Some(format!("set aside for {} more: {}", left(known.until - now), known.why))
    }

    /// Sets a command aside.
    pub(super) fn put(&self, name: &str, command: &[String], why: &str, now: Instant) {
        let mut aside = self.aside.lock().unwrap_or_else(PoisonError::into_inner);
        if aside.len() >= MAX_KNOWN {
            aside.clear();
        }
        let until = now + ASIDE;
        let (name, why) = (name.to_owned(), why.to_owned());
        aside.insert(command.to_vec(), Aside { name, why, until });
    }

    /// What is set aside now, one sentence each.
    pub(super) fn told(&self, now: Instant) -> Vec<String> {
        let aside = self.aside.lock().unwrap_or_else(PoisonError::into_inner);
        let mut told: Vec<String> = aside
            .values()
            .filter(|aside| aside.until > now)
            .map(|aside| {
                format!(
                    "The judge's runner {} is set aside for {} more: {}.",
                    aside.name,
                    left(aside.until - now),
                    aside.why
                )
            })
            .collect();
        told.sort();
        told
    }
}

fn left(left: Duration) -> String {
    match left.as_secs() {
        seconds @ 0..=90 => format!("{seconds} s"),
        seconds => format!("{} min", seconds.div_ceil(60)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_runner_that_failed_is_set_aside_for_a_while_unless_its_command_changes() {
        let bench = Bench::default();
        let now = Instant::now();
        let command = ["model".to_owned(), "-p".to_owned()];
        bench.put("m", &command, "exit 1", now);
        let why = bench.why(&command, now + Duration::from_secs(30)).unwrap();
        assert_eq!(why, "set aside for 10 min more: exit 1");
        assert_eq!(bench.told(now).len(), 1);
        assert_eq!(bench.why(&command[..1], now), None);
        assert_eq!(bench.why(&command, now + ASIDE), None);
        assert!(bench.told(now + ASIDE).is_empty());
    }
}
