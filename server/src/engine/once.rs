//! One event, one effect: deliveries of the same event share one answer.
//! What the answer is stays out.

use std::collections::VecDeque;
use std::hash::Hasher;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use fnv::FnvHasher;
use proofmark_protocol::event::{PromptParams, StopParams};
use proofmark_protocol::{Decision, SessionRef, method};
use tokio::sync::OnceCell;

/// A second delivery this soon after the first was answered is the same event.
const WINDOW: Duration = Duration::from_millis(250);

/// The identity of a stop: agent, turn, event, flag, reply and position of the record.
/// The session itself is the caller's: identities of two sessions are never compared.
pub(super) fn stop_event(method: &str, params: &StopParams, record_len: u64) -> String {
    let flag = if params.rewrite { "rewrite" } else { "first" };
    identity(
        &params.at,
        record_len,
        &[Some(method), Some(flag), params.reply.as_deref()],
    )
}

/// The identity of a prompt: agent, turn, text and position of the record.
pub(super) fn prompt_event(params: &PromptParams, record_len: u64) -> String {
    identity(&params.at, record_len, &[Some(method::ON_PROMPT), Some(&params.prompt)])
}

fn identity(at: &SessionRef, record_len: u64, parts: &[Option<&str>]) -> String {
    let mut hasher = FnvHasher::default();
    for part in [at.agent.as_deref(), at.turn.as_deref()].iter().chain(parts) {
        hasher.write_u8(u8::from(part.is_some()));
        hasher.write(part.unwrap_or_default().as_bytes());
        hasher.write_u8(0);
    }
    format!("{:016x}-{record_len:x}", hasher.finish())
}

/// The events of one session that were answered just now, or are about to be.
#[derive(Default)]
pub(super) struct Recent {
    events: Mutex<VecDeque<Delivered>>,
}

struct Delivered {
    event: String,
    answer: Arc<OnceCell<Decision>>,
    answered: Option<Instant>,
}

impl Delivered {
    /// True while another delivery is the same event.
    fn is_open(&self, now: Instant) -> bool {
        self.answered.is_none_or(|at| now.duration_since(at) <= WINDOW)
    }
}

impl Recent {
    /// The place of an event's answer: the same one for each delivery within the window.
    pub(super) fn answer(&self, event: &str, now: Instant) -> Arc<OnceCell<Decision>> {
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        events.retain(|known| known.is_open(now));
        if let Some(known) = events.iter().find(|known| known.event == event) {
            return Arc::clone(&known.answer);
        }
        let answer = Arc::new(OnceCell::new());
        events.push_back(Delivered {
            event: event.to_owned(),
            answer: Arc::clone(&answer),
            answered: None,
        });
        answer
    }

    /// Forgets answers whose window is over; true when no event is left.
    pub(super) fn is_over(&self, now: Instant) -> bool {
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        events.retain(|known| known.is_open(now));
        events.shrink_to_fit();
        events.is_empty()
    }

    /// Starts the window: the event has its answer.
    pub(super) fn answered(&self, event: &str, now: Instant) {
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        for known in events.iter_mut().filter(|known| known.event == event) {
            known.answered.get_or_insert(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delivery_within_the_window_shares_the_answer_and_a_later_one_does_not() {
        let recent = Recent::default();
        let start = Instant::now();
        let first = recent.answer("e", start);
        assert!(
            Arc::ptr_eq(&first, &recent.answer("e", start + Duration::from_secs(60))),
            "unanswered: still the same"
        );
        recent.answered("e", start);
        assert!(Arc::ptr_eq(&first, &recent.answer("e", start + WINDOW)));
        assert!(!Arc::ptr_eq(&first, &recent.answer("e", start + WINDOW * 2)));
        assert!(!Arc::ptr_eq(&first, &recent.answer("f", start)));
    }
}
