//! Counting the events of each session: how many of each kind, when the last came, what they took.
//! What an event was about, and what was decided, stays out.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use proofmark_protocol::query::Heard;

use super::{Engine, now};
use crate::ledger::{LedgerError, Tally};
use crate::session::SessionKey;

/// Sessions and kinds of event that are counted before the counts go to the ledger; those of a ledger that can't be
/// written are kept up to this many, and later ones not counted.
const HELD: usize = 1_024;

/// What was counted since it was last written down.
#[derive(Default)]
pub(super) struct Counts(Mutex<HashMap<(SessionKey, &'static str), Tally>>);

impl Counts {
    fn add(&self, key: SessionKey, event: &'static str, tally: &Tally) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = (key, event);
        if counts.len() < HELD || counts.contains_key(&known) {
            counts.entry(known).or_default().add(tally);
        }
    }

    fn take(&self) -> HashMap<(SessionKey, &'static str), Tally> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Engine {
    /// Counts an event of a session, by the method it called and by what that took.
    pub fn count(&self, key: SessionKey, event: &'static str, took: Duration) {
        let took = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.counts.add(key, event, &Tally::of(now(), took));
    }

    /// Writes down what was counted. What could not be written is counted on.
    ///
    /// # Errors
    /// The ledger's.
    pub(super) fn keep_counts(&self) -> Result<(), LedgerError> {
        let counts = self.counts.take();
        if counts.is_empty() {
            return Ok(());
        }
        let rows = counts.iter().map(|((key, event), tally)| (key, *event, tally));
        let kept = self.ledger().add_heard(rows);
        if kept.is_err() {
            for ((key, event), tally) in counts {
                self.counts.add(key, event, &tally);
            }
        }
        kept
    }

    /// What was heard of each session, the newest first.
    ///
    /// # Errors
    /// The ledger's.
    pub fn heard(&self) -> Result<Vec<Heard>, LedgerError> {
        self.keep_counts()?;
        self.ledger().heard()
    }
}

#[cfg(test)]
mod tests {
    use proofmark_protocol::Harness;

    use super::*;

    fn key(nth: usize) -> SessionKey {
        SessionKey {
            harness: Harness::Cursor,
            session: format!("s{nth}"),
        }
    }

    #[test]
    fn counts_reach_the_ledger_once_and_the_next_server_goes_on_with_them() {
        let folder = tempfile::tempdir().unwrap();
        for round in 1..=2_u64 {
            let engine = Engine::open(folder.path()).unwrap();
            engine.count(key(0), "onStop", Duration::from_millis(3));
            engine.count(key(0), "onStop", Duration::from_millis(5));
            let heard = engine.heard().unwrap();
            assert_eq!(engine.heard().unwrap(), heard, "a question counts nothing");
            assert_eq!((heard.len(), heard[0].count), (1, 2 * round));
            assert_eq!((heard[0].worst, heard[0].total), (5_000, 8_000 * round));
            assert!(heard[0].last.abs_diff(now()) < 60_000);
        }
        let engine = Engine::open(folder.path()).unwrap();
        engine.count(key(1), "onPrompt", Duration::ZERO);
        engine.close();
        drop(engine);
        assert_eq!(Engine::open(folder.path()).unwrap().heard().unwrap().len(), 2);
    }

    #[test]
    fn what_a_closed_engine_has_written_is_in_the_file_and_not_only_in_the_log() {
        let folder = tempfile::tempdir().unwrap();
        let engine = Engine::open(folder.path()).unwrap();
        engine.count(key(0), "onStop", Duration::ZERO);
        engine.close();
        // Its connection is open, so the end of the last one has moved nothing.
        let copy = folder.path().join("copy.sqlite");
        std::fs::copy(proofmark_protocol::paths::ledger(folder.path()), &copy).unwrap();
        let copy = rusqlite::Connection::open(copy).unwrap();
        let count = copy.query_row("SELECT count(*) FROM heard", [], |row| row.get::<_, i64>(0));
        assert_eq!(count.unwrap(), 1);
        drop(engine);
    }

    #[test]
    fn what_is_held_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let engine = Engine::open(folder.path()).unwrap();
        for nth in 0..2 * HELD {
            engine.count(key(nth), "onStop", Duration::ZERO);
        }
        engine.count(key(0), "onStop", Duration::ZERO);
        let heard = engine.heard().unwrap();
        assert_eq!(heard.len(), HELD);
        assert!(heard.iter().any(|heard| heard.count == 2));
    }
}
