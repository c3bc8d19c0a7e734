//! How often each kind of event was heard of a session, when last, and what it took: in numbers that stay small.
//! Who counts, and what an event was about, stays out.

use std::collections::BTreeMap;

use proofmark_protocol::Harness;
use proofmark_protocol::query::Heard;
use rusqlite::{Connection, OptionalExtension};

use super::{Ledger, LedgerError, from_sql, to_sql};
use crate::session::SessionKey;

/// Rows that are kept, those heard of last.
const KEPT: i64 = 4_096;
/// Rows above that which may gather before the oldest go.
const SLACK: i64 = 256;

/// Events of one kind, counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    count: u64,
    last: u64,
    total: u64,
    worst: u64,
    /// How many took how long, in classes of which four fill each doubling.
    spread: BTreeMap<u16, u64>,
}

impl Tally {
    /// One event: when it came, in milliseconds since 1970, and what it took, in microseconds.
    pub fn of(at: u64, took: u64) -> Self {
        Self {
            count: 1,
            last: at,
            total: took,
            worst: took,
            spread: BTreeMap::from([(class(took), 1)]),
        }
    }

    /// Takes in what another one has counted.
    pub fn add(&mut self, other: &Self) {
        self.count = self.count.saturating_add(other.count);
        self.last = self.last.max(other.last);
        self.total = self.total.saturating_add(other.total);
        self.worst = self.worst.max(other.worst);
        for (class, count) in &other.spread {
            let sum = self.spread.entry(*class).or_default();
            *sum = sum.saturating_add(*count);
        }
    }

    /// When the last event came, in milliseconds since 1970.
    pub fn last(&self) -> u64 {
        self.last
    }

    /// What it says, for people.
    pub fn told(&self, key: &SessionKey, event: &str) -> Heard {
        Heard {
            harness: key.harness,
            session: key.session.clone(),
            event: event.to_owned(),
            count: self.count,
            last: self.last,
            median: self.median(),
            worst: self.worst,
            total: self.total,
        }
    }

    /// The upper end of the class in which the middle one lies; never more than the worst.
    fn median(&self) -> u64 {
        let half = self.spread.values().sum::<u64>().div_ceil(2);
        let mut passed = 0;
        let middle = self.spread.iter().find(|(_, count)| {
            passed += **count;
            passed >= half
        });
        middle.map_or(0, |(class, _)| end(*class).min(self.worst))
    }
}

/// The class of a time: its highest bit, and the two bits after that.
fn class(took: u64) -> u16 {
    match took {
        0..4 => took as u16,
        _ => {
            let high = took.ilog2() as u16;
            high * 4 + (took >> (high - 2) & 3) as u16
        }
    }
}

/// The longest time of a class.
fn end(class: u16) -> u64 {
    match class {
        0..4 => u64::from(class),
        _ => {
            let high = u32::from(class / 4).clamp(2, 63);
            let step = 1_u64 << (high - 2);
            (1_u64 << high) + (step * u64::from(class % 4)) + (step - 1)
        }
    }
}

impl Ledger {
    /// Adds what was counted of each session and kind of event, and lets go of what is oldest.
    ///
    /// # Errors
    /// As [`LedgerError`] says; then nothing was added.
    pub fn add_heard<'a>(
        &self,
        counted: impl Iterator<Item = (&'a SessionKey, &'a str, &'a Tally)>,
    ) -> Result<(), LedgerError> {
        self.write(|transaction| {
            let mut select = transaction.prepare_cached(
                "SELECT count, last, total, worst, spread FROM heard WHERE harness = ?1 AND session = ?2 AND event = ?3",
            )?;
            let mut put = transaction.prepare_cached(
                "INSERT OR REPLACE INTO heard (harness, session, event, count, last, total, worst, spread)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?;
            for (key, event, counted) in counted {
                let harness = key.harness.as_str();
                let known = select
                    .query_row((harness, &key.session, event), |row| tally(row, 0))
                    .optional()?;
                let mut sum = known.unwrap_or_default();
                sum.add(counted);
                let spread = serde_json::to_string(&sum.spread)
                    .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
                put.execute((
                    harness,
                    &key.session,
                    event,
                    to_sql(sum.count),
                    to_sql(sum.last),
                    to_sql(sum.total),
                    to_sql(sum.worst),
                    spread,
                ))?;
            }
            let rows: i64 = transaction.query_row("SELECT count(*) FROM heard", [], |row| row.get(0))?;
            if rows > KEPT + SLACK {
                transaction.execute(
                    "DELETE FROM heard WHERE rowid IN (SELECT rowid FROM heard ORDER BY last LIMIT ?1)",
                    [rows - KEPT],
                )?;
            }
            Ok(())
        })
    }

    /// What was heard of each session, the newest first. That of a harness which only a later build knows is left out.
    ///
    /// # Errors
    /// As [`LedgerError`] says.
    pub fn heard(&self) -> Result<Vec<Heard>, LedgerError> {
        self.read(all)
    }

    /// As [`Ledger::heard`], to be added to another ledger.
    ///
    /// # Errors
    /// As [`LedgerError`] says.
    pub fn tallies(&self) -> Result<Vec<(SessionKey, String, Tally)>, LedgerError> {
        self.read(tallies)
    }
}

/// Every row there is.
pub(super) fn all(connection: &Connection) -> rusqlite::Result<Vec<Heard>> {
    let rows = tallies(connection)?.into_iter();
    Ok(rows.map(|(key, event, tally)| tally.told(&key, &event)).collect())
}

fn tallies(connection: &Connection) -> rusqlite::Result<Vec<(SessionKey, String, Tally)>> {
    let mut select = connection.prepare(
        "SELECT harness, session, event, count, last, total, worst, spread FROM heard
         ORDER BY last DESC, harness, session, event",
    )?;
    let rows = select.query_map([], |row| {
        let Some(harness) = Harness::from_name(row.get_ref(0)?.as_str()?) else {
            return Ok(None);
        };
        let key = SessionKey {
            harness,
            session: row.get(1)?,
        };
        Ok(Some((key, row.get(2)?, tally(row, 3)?)))
    })?;
    rows.filter_map(Result::transpose).collect()
}

fn tally(row: &rusqlite::Row<'_>, first: usize) -> rusqlite::Result<Tally> {
    let spread: String = row.get(first + 4)?;
    Ok(Tally {
        count: from_sql(row.get(first)?),
        last: from_sql(row.get(first + 1)?),
        total: from_sql(row.get(first + 2)?),
        worst: from_sql(row.get(first + 3)?),
        // What can't be read costs the median alone.
        spread: serde_json::from_str(&spread).unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key(session: &str) -> SessionKey {
        SessionKey {
            harness: Harness::Codex,
            session: session.to_owned(),
        }
    }

    proptest! {
        #[test]
        fn a_class_holds_its_time_and_is_narrow(took in any::<u64>()) {
            let last = end(class(took));
            prop_assert!(last >= took);
            prop_assert!(last - took <= took / 4);
        }

        #[test]
        fn counting_in_parts_is_counting_at_once(times in prop::collection::vec((0..1_000_u64, 0..10_000_000_u64), 1..40), at in 0..40_usize) {
            let sum = |part: &[(u64, u64)]| part.iter().fold(Tally::default(), |mut sum, (at, took)| {
                sum.add(&Tally::of(*at, *took));
                sum
            });
            let at = at.min(times.len());
            let mut parts = sum(&times[..at]);
            parts.add(&sum(&times[at..]));
            let told = parts.told(&key("s"), "onStop");
            prop_assert_eq!(&told, &sum(&times).told(&key("s"), "onStop"));
            let mut took: Vec<u64> = times.iter().map(|(_, took)| *took).collect();
            took.sort_unstable();
            let median = took[(took.len() - 1) / 2];
            prop_assert!(told.median >= median && told.median - median <= median / 4, "{} for {median}", told.median);
            prop_assert_eq!(told.worst, took[took.len() - 1]);
            prop_assert_eq!(told.total, took.iter().sum::<u64>());
        }
    }

    #[test]
    fn what_is_heard_adds_up_and_the_oldest_goes() {
        let ledger = Ledger::in_memory().unwrap();
        let add = |session: &str, event: &str, at, took| {
            ledger
                .add_heard([(&key(session), event, &Tally::of(at, took))].into_iter())
                .unwrap();
        };
        add("a", "onStop", 5, 100);
        add("b", "onStop", 7, 1);
        add("a", "onStop", 6, 300);
        add("a", "onPrompt", 4, 9);
        let heard = ledger.heard().unwrap();
        let told: Vec<_> = heard
            .iter()
            .map(|heard| {
                (
                    &*heard.session,
                    &*heard.event,
                    heard.count,
                    heard.last,
                    heard.worst,
                    heard.total,
                )
            })
            .collect();
        assert_eq!(
            told,
            [
                ("b", "onStop", 1, 7, 1, 1),
                ("a", "onStop", 2, 6, 300, 400),
                ("a", "onPrompt", 1, 4, 9, 9)
            ]
        );

        let many: Vec<(SessionKey, Tally)> = (0..=KEPT + SLACK)
            .map(|nth| (key(&format!("many-{nth}")), Tally::of(1_000 + nth as u64, 1)))
            .collect();
        ledger
            .add_heard(many.iter().map(|(key, tally)| (key, "onStop", tally)))
            .unwrap();
        let heard = ledger.heard().unwrap();
        assert_eq!(heard.len(), KEPT as usize);
        assert!(heard.iter().all(|heard| heard.session.starts_with("many-")));
    }
}
