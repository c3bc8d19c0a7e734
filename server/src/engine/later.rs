//! What is stored after an answer has left: folds, counts of events, and that all of it is on the disk.
//! What is in a fold, and what an answer says, stays out.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::{Engine, Slot, now};
use crate::ledger::{Ledger, LedgerError, Told};
use crate::session::SessionKey;

/// So long after an answer it is stored, with whatever else is to be stored by then: an answer that is on its way, and an
/// event that comes right behind it, do not wait for the disk.
const SETTLE: Duration = Duration::from_millis(50);

#[derive(Default)]
pub(super) struct Later(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    /// Sessions whose folds are to be stored, and whether all of them are, or only those that have grown by much.
    folds: HashMap<SessionKey, (Arc<Slot>, bool)>,
    /// Sessions that were heard of again, with what was told of them.
    heard_of: HashMap<SessionKey, HeardOf>,
    /// Somebody is to store it.
    is_planned: bool,
}

impl Later {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What an event has told of its session, of which nothing else is to be kept.
struct HeardOf {
    transcript: Option<String>,
    cwd: Option<String>,
    at: u64,
}

impl Engine {
    /// Notes that folds are to be stored and the ledger to be synced. With `all` also folds that have grown by little.
    /// Nobody is woken for it: that is for [`Engine::store_soon`], when the answer has left.
    pub(super) fn store_folds(&self, key: &SessionKey, slot: &Arc<Slot>, all: bool) {
        let mut waiting = self.later.waiting();
        let (_, wants_all) = waiting
            .folds
            .entry(key.clone())
            .or_insert_with(|| (Arc::clone(slot), all));
        *wants_all |= all;
    }

    /// Notes that a session was heard of, and nothing else is to be kept.
    pub(super) fn store_later(&self, key: &SessionKey, told: Told<'_>) {
        let heard_of = HeardOf {
            transcript: told.transcript.map(str::to_owned),
            cwd: told.cwd.map(str::to_owned),
            at: told.at,
        };
        self.later.waiting().heard_of.insert(key.clone(), heard_of);
    }

    /// Has stored what waits for it, off the path of any answer.
    pub(crate) fn store_soon(self: &Arc<Self>) {
        let mut waiting = self.later.waiting();
        let is_empty = waiting.folds.is_empty() && waiting.heard_of.is_empty();
        if !is_empty && !std::mem::replace(&mut waiting.is_planned, true) {
            let engine = Arc::clone(self);
            tokio::spawn(async move {
                tokio::time::sleep(SETTLE).await;
                tokio::task::spawn_blocking(move || engine.store_what_waits());
            });
        }
    }

    /// Stores what waits for it, at once.
    pub(super) fn store_what_waits(&self) {
        let Waiting { folds, heard_of, .. } = std::mem::take(&mut *self.later.waiting());
        self.store_heard_of(heard_of);
        if folds.is_empty() {
            return;
        }
        let ledger = self.ledger();
        let mut stored = Ok(());
        let mut weights = Vec::new();
        for (key, (slot, all)) in folds {
            let (bodies, weight) = {
                let mut live = slot.live.lock().unwrap_or_else(PoisonError::into_inner);
                self.write_held(&mut live, &key);
                (live.snapshots(all), live.weight())
            };
            let put = bodies
                .iter()
                .try_for_each(|(name, body)| ledger.put_snapshot(&key, name, body, now()));
            stored = stored.and(put);
            weights.push((slot, weight));
        }
        let kept = stored.and(self.keep_counts());
        match kept.and(ledger.sync()) {
            // Somebody else is writing: counts go with the next ones, and a fold that is not stored costs a longer reading.
            Ok(()) | Err(LedgerError::Busy) => {}
            Err(error) => self.ledger_failed(&error),
        }
        for (slot, weight) in weights {
            self.weigh(&slot, weight);
        }
    }

    fn store_heard_of(&self, heard_of: HashMap<SessionKey, HeardOf>) {
        if heard_of.is_empty() {
            return;
        }
        let touch = |ledger: &Ledger| {
            ledger.touch_again(heard_of.iter().map(|(key, heard_of)| {
                let told = Told {
                    transcript: heard_of.transcript.as_deref(),
                    cwd: heard_of.cwd.as_deref(),
                    at: heard_of.at,
                };
                (key, told)
            }))
        };
        let mut touched = touch(&self.ledger());
        if let Err(LedgerError::Broken { .. }) = touched {
            touched = self.reopen().and_then(|()| touch(&self.ledger()));
        }
        match touched {
            Ok(()) => self.stir(),
            Err(LedgerError::Busy) => {
                // The next answer has it stored; what was heard since is newer.
                let mut waiting = self.later.waiting();
                for (key, before) in heard_of {
                    waiting.heard_of.entry(key).or_insert(before);
                }
            }
            Err(error) => self.ledger_failed(&error),
        }
    }
}

#[cfg(test)]
mod tests {
    use proofmark_protocol::Harness;
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn what_waits_is_stored_in_one_go_and_at_the_latest_when_the_server_ends() {
        let folder = tempfile::tempdir().unwrap();
        let key = SessionKey {
            harness: Harness::ClaudeCode,
            session: "s".to_owned(),
        };
        let engine = Arc::new(Engine::open(folder.path()).unwrap());
        let slot = engine.slot(&key);
        let waiting = |engine: &Engine| {
            let waiting = engine.later.waiting();
            waiting.folds.values().map(|(_, all)| *all).collect::<Vec<_>>()
        };
        for all in [false, true, false] {
            engine.store_folds(&key, &slot, all);
            engine.store_soon();
        }
        assert_eq!(waiting(&engine), [true]);
        engine.close();
        assert!(waiting(&engine).is_empty());
        engine.store_folds(&key, &slot, false);
        engine.store_soon();
        let stored = async {
            while !waiting(&engine).is_empty() {
                tokio::time::sleep(SETTLE).await;
            }
        };
        tokio::time::timeout(100 * SETTLE, stored).await.unwrap();
    }

    #[tokio::test]
    async fn an_event_that_tells_nothing_new_is_written_after_its_answer() {
        let folder = tempfile::tempdir().unwrap();
        let engine = Arc::new(Engine::open(folder.path()).unwrap());
        let start = |cwd: &str| {
            let params = json!({"harness": "codex", "session": "s", "cwd": cwd, "source": "resume"});
            engine.on_session_start(&serde_json::from_value(params).unwrap());
        };
        // As another process sees it.
        let ledger = Ledger::open_existing(folder.path()).unwrap().unwrap();
        let row = || ledger.sessions().unwrap().pop();
        assert_eq!(row(), None);
        start("/w");
        let (first, version) = (row().unwrap(), ledger.version().unwrap());
        while now() == first.last_seen {
            std::hint::spin_loop();
        }
        start("/w");
        assert_eq!(ledger.version().unwrap(), version, "nothing is written");
        engine.store_soon();
        let stored = async {
            while row().unwrap().last_seen == first.last_seen {
                tokio::time::sleep(SETTLE).await;
            }
        };
        tokio::time::timeout(100 * SETTLE, stored).await.unwrap();
        start("/elsewhere");
        assert_eq!(row().unwrap().cwd.as_deref(), Some("/elsewhere"), "at once");
        let before = row().unwrap().last_seen;
        while now() == before {
            std::hint::spin_loop();
        }
        start("/elsewhere");
        let other = rusqlite::Connection::open(proofmark_protocol::paths::ledger(folder.path())).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        engine.store_what_waits();
        other.execute_batch("ROLLBACK").unwrap();
        assert!(engine.troubles.lock().unwrap().is_empty(), "nobody is told of a moment");
        assert_eq!(row().unwrap().last_seen, before);
        engine.store_what_waits();
        assert!(row().unwrap().last_seen > before);
    }
}
