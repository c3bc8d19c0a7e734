//! How long a pause holds in this process, whatever happens to the system's clock.
//! Which pauses there are is the ledger's.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use proofmark_protocol::query::Pause;

/// What tells a pause from others: its session, and its end by the system's clock.
type Name = (Option<String>, u64);

/// When the pauses end that were met: by the system's clock as they were first seen, measured on a clock that only goes
/// forward. None is beyond what that clock can count to.
#[derive(Default)]
pub(super) struct PauseEnds(Mutex<HashMap<Name, Option<Instant>>>);

impl PauseEnds {
    /// True while a pause holds. `now` is the system's clock in milliseconds since 1970, `at` the same moment on the other.
    pub(super) fn holds(&self, pause: &Pause, now: u64, at: Instant) -> bool {
        let left = Duration::from_millis(pause.until.saturating_sub(now));
        let mut ends = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Never taken out: a pause whose end was forgotten would begin anew after a jump back. A person makes few of them.
        let end = *ends
            .entry((pause.session.clone(), pause.until))
            .or_insert_with(|| at.checked_add(left));
        !left.is_zero() && end.is_none_or(|end| at < end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_not_made_longer_by_a_clock_that_jumps_back() {
        let (ends, start) = (PauseEnds::default(), Instant::now());
        let pause = |until| Pause { session: None, until };
        let after = |seconds| start + Duration::from_secs(seconds);
        assert!(ends.holds(&pause(60_000), 0, start));
        assert!(ends.holds(&pause(60_000), 59_000, after(59)));
        assert!(
            !ends.holds(&pause(60_000), 0, after(60)),
            "the clock jumped back by a minute"
        );
        assert!(!ends.holds(&pause(60_000), 60_000, after(1)), "the clock jumped on");
        assert!(ends.holds(&pause(120_000), 60_000, after(61)), "a new pause");
        assert!(ends.holds(&pause(u64::MAX), 0, start));
    }
}
