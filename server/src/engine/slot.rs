//! One session's place in the engine: its live part behind a lock, and what may be asked without waiting for that.
//! What the live part holds, and what is decided with it, stays out.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use proofmark_protocol::{Decision, Outcome};

use super::judge::{Asking, Running};
use super::live::Live;
use super::once::Recent;
use crate::session::Book;

/// A session that this process knows.
pub(super) struct Slot {
    pub(super) live: Mutex<Live>,
    pub(super) hold: Arc<Hold>,
    pub(super) recent: Recent,
    /// The stop that waits for the judge, and until when.
    pub(super) asking: tokio::sync::watch::Sender<Asking>,
    /// The question about the session's last reply.
    pub(super) judging: Mutex<Option<Running>>,
    late_said: AtomicBool,
    /// When it was used last, in milliseconds of the engine's own clock.
    pub(super) used: AtomicU64,
    /// About how many bytes its live part took when that was looked at last.
    pub(super) weight: AtomicUsize,
}

impl Default for Slot {
    fn default() -> Self {
        let live = Live::default();
        Self {
            hold: Arc::clone(&live.hold),
            live: Mutex::new(live),
            recent: Recent::default(),
            asking: tokio::sync::watch::Sender::default(),
            judging: Mutex::default(),
            late_said: AtomicBool::new(false),
            used: AtomicU64::new(0),
            weight: AtomicUsize::new(0),
        }
    }
}

impl Slot {
    /// The answer to an event that could not be decided; said once.
    pub(super) fn passed(&self, why: &str) -> Decision {
        if self.late_said.swap(true, Ordering::Relaxed) {
            return Decision::allow();
        }
        let text = format!("Proofmark let this event pass unchecked: {why}.");
        Decision {
            outcome: Outcome::Advise,
            to_person: Some(text),
            ..Decision::default()
        }
    }
}

/// Whether a session's scope holds calls up, as its book last said: every call of every tool asks this, and most of
/// them while the book is in use for something slow.
#[derive(Debug, Default)]
pub(super) struct Hold(AtomicU8);

impl Hold {
    const FREE: u8 = 1;
    const HELD: u8 = 2;

    /// Takes note of what a book says.
    pub(super) fn set(&self, book: &Book) {
        let now = if book.scope().holds() { Self::HELD } else { Self::FREE };
        self.0.store(now, Ordering::Release);
    }

    /// True when the book was read and holds nothing up.
    pub(super) fn is_free(&self) -> bool {
        self.0.load(Ordering::Acquire) == Self::FREE
    }
}
