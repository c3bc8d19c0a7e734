//! How many sessions are held whole: those used longest ago are put to rest, and of those at rest the oldest are forgotten.
//! What a session keeps at rest is `live/rest`'s.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use super::{Engine, Slot, now};
use crate::session::SessionKey;

/// Bytes that the sessions take together, as far as they are held whole; above it some are put to rest.
const MAX_AWAKE: usize = 12 * 1024 * 1024;
/// A session that was not used for so long rests, however many there are.
const REST_AFTER: Duration = Duration::from_secs(10 * 60);
/// Sessions that are known, at rest or not. One that is forgotten is read from the ledger, as by a new server.
const MAX_KNOWN: usize = 4_096;

/// Bytes that sessions at rest keep together, because no ledger has them; above it the oldest are forgotten.
const MAX_KEPT: usize = 4 * 1024 * 1024;

/// Bytes that the sessions take together, as last counted: a stop adds its own, and only then somebody looks at all.
#[derive(Default)]
pub(super) struct Awake(AtomicUsize);

impl Engine {
    /// Notes what a session takes after an event, and puts others to rest where all together take too much.
    pub(super) fn weigh(&self, slot: &Slot, weight: usize) {
        let before = slot.weight.swap(weight, Ordering::Relaxed);
        let total = &self.awake.0;
        if weight > before {
            total.fetch_add(weight - before, Ordering::Relaxed);
        }
        if total.load(Ordering::Relaxed) > MAX_AWAKE || self.sessions.len() > MAX_KNOWN {
            self.rest_idle();
        }
    }

    /// Puts sessions to rest that were not used for a while, and those used longest ago while all take too much.
    pub fn rest_idle(&self) {
        self.rest(REST_AFTER, MAX_AWAKE, MAX_KEPT);
    }

    /// As [`Engine::rest_idle`], with other bounds. A session that is in use, or whose reply is being judged, is left.
    pub(super) fn rest(&self, after: Duration, most: usize, most_kept: usize) {
        let mut slots: Vec<(u64, SessionKey, Arc<Slot>)> = self
            .sessions
            .iter()
            .map(|slot| (slot.used.load(Ordering::Relaxed), slot.key().clone(), Arc::clone(&slot)))
            .collect();
        slots.sort_unstable_by_key(|(used, ..)| *used);
        let (mut total, mut kept) = (0, 0);
        for (_, _, slot) in &slots {
            if let Ok(live) = slot.live.try_lock() {
                slot.weight.store(live.weight(), Ordering::Relaxed);
                kept += live.kept();
            }
            total += slot.weight.load(Ordering::Relaxed);
        }
        // A quarter more than is too much, or the next stop would look at all of them again.
        let most = if total > most { most - most / 4 } else { most };
        let clock = self.clock();
        let after = u64::try_from(after.as_millis()).unwrap_or(u64::MAX);
        let too_many = slots.len().saturating_sub(MAX_KNOWN);
        for (nth, (used, key, slot)) in slots.into_iter().enumerate() {
            let weight = slot.weight.load(Ordering::Relaxed);
            let is_due = used.saturating_add(after) <= clock || total > most;
            if weight > 0 && is_due && self.put_to_rest(&key, &slot) {
                total -= weight;
            }
            let own = slot.live.try_lock().map_or(0, |live| live.kept());
            let is_too_much = nth < too_many || (own > 0 && kept > most_kept);
            if is_too_much && slot.weight.load(Ordering::Relaxed) == 0 {
                drop(slot);
                // Nobody else holds it, and what it was is on the ledger.
                let gone = self.sessions.remove_if(&key, |_, slot| Arc::strong_count(slot) == 1);
                kept -= gone.map_or(0, |_| own.min(kept));
            }
        }
        self.awake.0.store(total, Ordering::Relaxed);
    }

    /// False where the session is in use, or the ledger would not have all of it.
    fn put_to_rest(&self, key: &SessionKey, slot: &Arc<Slot>) -> bool {
        // Two hold every session: the map, and the list of whoever asks.
        if Arc::strong_count(slot) > 2 || slot.is_asking() || !slot.recent.is_over(Instant::now()) {
            return false;
        }
        let mut live = match slot.live.try_lock() {
            Ok(live) => live,
            Err(TryLockError::Poisoned(poisoned)) => PoisonError::into_inner(poisoned),
            Err(TryLockError::WouldBlock) => return false,
        };
        match live.rest(&self.ledger(), key, now()) {
            Ok(rests) => {
                if rests {
                    slot.weight.store(0, Ordering::Relaxed);
                }
                rests
            }
            Err(error) => {
                self.ledger_failed(&error);
                false
            }
        }
    }
}

#[cfg(test)]
mod tests;
