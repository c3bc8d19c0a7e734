//! What is stored after an answer has left: folds, counts of events, and that all of it is on the disk.
//! What is in a fold, and what an answer says, stays out.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::{Engine, Slot, now};
use crate::session::SessionKey;

/// So long after an answer it is stored, with whatever else is to be stored by then: an answer that is on its way, and an
/// event that comes right behind it, do not wait for the disk.
const SETTLE: Duration = Duration::from_millis(50);

#[derive(Default)]
pub(super) struct Later {
    /// Sessions whose folds are to be stored, and whether all of them are, or only those that have grown by much.
    waiting: Mutex<HashMap<SessionKey, (Arc<Slot>, bool)>>,
    /// True where something waits, and nobody was told to store it.
    unplanned: AtomicBool,
}

impl Engine {
    /// Notes that folds are to be stored and the ledger to be synced. With `all` also folds that have grown by little.
    /// Nobody is woken for it: that is for [`Engine::store_soon`], when the answer has left.
    pub(super) fn store_folds(&self, key: &SessionKey, slot: &Arc<Slot>, all: bool) {
        let mut waiting = self.later.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.is_empty() {
            self.later.unplanned.store(true, Ordering::Release);
        }
        waiting.entry(key.clone()).or_insert_with(|| (Arc::clone(slot), all)).1 |= all;
    }

    /// Has stored what waits for it, off the path of any answer.
    pub(crate) fn store_soon(self: &Arc<Self>) {
        if self.later.unplanned.swap(false, Ordering::AcqRel) {
            let engine = Arc::clone(self);
            tokio::spawn(async move {
                tokio::time::sleep(SETTLE).await;
                tokio::task::spawn_blocking(move || engine.store_what_waits());
            });
        }
    }

    /// Stores what waits for it, at once.
    pub(super) fn store_what_waits(&self) {
        let waiting = std::mem::take(&mut *self.later.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        if waiting.is_empty() {
            return;
        }
        let ledger = self.ledger();
        let mut stored = Ok(());
        let mut weights = Vec::new();
        for (key, (slot, all)) in waiting {
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
        let counted = self.keep_counts();
        if let Err(error) = stored.and(counted).and_then(|()| ledger.sync()) {
            self.ledger_failed(&error);
        }
        for (slot, weight) in weights {
            self.weigh(&slot, weight);
        }
    }
}

#[cfg(test)]
mod tests {
    use proofmark_protocol::Harness;

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
            engine
                .later
                .waiting
                .lock()
                .unwrap()
                .values()
                .map(|(_, all)| *all)
                .collect::<Vec<_>>()
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
}
