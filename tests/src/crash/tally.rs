//! What a run came to: kills, events and invariants by name, and whatever was found broken.
//! What an invariant is stays out.

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// So many broken ones are told in full: the first ones say the most.
const TOLD: usize = 20;

/// The counts of a run; every thread of it may add to them.
#[derive(Debug, Default)]
pub(crate) struct Tally(Mutex<Counts>);

#[derive(Debug, Default)]
struct Counts {
    kills: BTreeMap<&'static str, u64>,
    events: BTreeMap<&'static str, u64>,
    /// Held and broken.
    invariants: BTreeMap<&'static str, (u64, u64)>,
    broken: Vec<String>,
}

impl Tally {
    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A process was killed.
    pub(crate) fn killed(&self, kind: &'static str) {
        *self.counts().kills.entry(kind).or_default() += 1;
    }

    /// Something was asked.
    pub(crate) fn event(&self, kind: &'static str) {
        *self.counts().events.entry(kind).or_default() += 1;
    }

    /// An invariant was looked at. `why` tells what was found in place of it.
    pub(crate) fn hold(&self, invariant: &'static str, holds: bool, why: impl FnOnce() -> String) {
        let mut counts = self.counts();
        let seen = counts.invariants.entry(invariant).or_default();
        if holds {
            seen.0 += 1;
        } else {
            seen.1 += 1;
            counts.broken.push(format!("{invariant}: {}", why()));
        }
    }

    /// As [`Tally::hold`], where something that went wrong says so itself. What went well is given back.
    pub(crate) fn well<T, E: Display>(&self, invariant: &'static str, what: Result<T, E>) -> Option<T> {
        let failure = what.as_ref().err().map(|why| format!("{why:#}"));
        self.hold(invariant, failure.is_none(), || failure.unwrap_or_default());
        what.ok()
    }

    /// Which of these invariants nobody has looked at, and which others were: those are missing on the list.
    pub(crate) fn amiss(&self, listed: &[&[&'static str]]) -> Vec<String> {
        let (counts, listed) = (self.counts(), listed.concat());
        let unseen = listed.iter().filter(|name| !counts.invariants.contains_key(*name));
        let unlisted = counts.invariants.keys().filter(|name| !listed.contains(name));
        unseen
            .map(|name| format!("not judged: {name}"))
            .chain(unlisted.map(|name| format!("not on the list of invariants: {name}")))
            .collect()
    }

    /// All kills so far.
    pub(crate) fn kills(&self) -> u64 {
        self.counts().kills.values().sum()
    }

    /// All events so far.
    pub(crate) fn events(&self) -> u64 {
        self.counts().events.values().sum()
    }

    /// All invariants that held, and all that did not.
    pub(crate) fn verdict(&self) -> (u64, u64) {
        let counts = self.counts();
        let all = counts.invariants.values();
        all.fold((0, 0), |sum, seen| (sum.0 + seen.0, sum.1 + seen.1))
    }
}

impl Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.counts();
        for (title, rows) in [("kills", &counts.kills), ("events", &counts.events)] {
            writeln!(f, "{title}")?;
            for (name, count) in rows {
                writeln!(f, "  {count:>7}  {name}")?;
            }
        }
        writeln!(f, "invariants{:>10} {:>7}", "held", "broken")?;
        for (name, (held, broken)) in &counts.invariants {
            writeln!(f, "  {held:>18} {broken:>7}  {name}")?;
        }
        for broken in counts.broken.iter().take(TOLD) {
            writeln!(f, "broken: {broken}")?;
        }
        match counts.broken.len().saturating_sub(TOLD) {
            0 => Ok(()),
            more => writeln!(f, "and {more} more that are broken"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_broken_is_counted_and_told() {
        let tally = Tally::default();
        tally.killed("owner");
        tally.event("Stop");
        tally.hold("one owner", true, String::new);
        tally.hold("one owner", false, || "two".to_owned());
        assert_eq!(tally.well::<_, String>("in time", Ok(7)), Some(7));
        assert_eq!(tally.well::<(), _>("in time", Err("late")), None);
        assert_eq!((tally.kills(), tally.events(), tally.verdict()), (1, 1, (2, 2)));
        assert_eq!(
            tally.amiss(&[&["one owner"], &["no file is left over"]]),
            [
                "not judged: no file is left over",
                "not on the list of invariants: in time"
            ]
        );
        assert!(tally.amiss(&[&["one owner", "in time"]]).is_empty());
        let text = tally.to_string();
        assert!(
            text.contains("broken: one owner: two") && text.contains("broken: in time: late"),
            "{text}"
        );
    }
}
