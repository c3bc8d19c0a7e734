//! Facts as rows: written once for each key, read back in the order in which they were committed.
//! What a fact means stays out.

use proofmark_protocol::Harness;
use rusqlite::{Row, named_params};

use super::sessions::touch;
use super::{Ledger, LedgerError, Told, to_sql};
use crate::session::{Fact, FactBody, SessionKey};

/// What a written fact has to survive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// The end of the process, however it ends.
    Process,
    /// The end of the system too, by a power cut say. Costs a disk sync.
    Disk,
}

/// A fact with its place on the ledger.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredFact {
    /// Its place: later facts have a greater one.
    pub id: i64,
    /// The fact.
    pub fact: Fact,
}

/// Facts of one session.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Facts {
    /// The facts, in the order of their ids.
    pub facts: Vec<StoredFact>,
    /// Rows that are no facts to this build: of a kind that a later build added, or damaged. They stay where they are.
    pub skipped: u64,
    /// Where to go on reading: the id of the last row, skipped or not; what was asked for when there was no row.
    pub last: i64,
}

/// Told not to use the index by session, which has the groups in order: all of it would be read for a few new rows.
pub(super) const CHANGED: &str =
    "SELECT harness, session, max(id) FROM fact NOT INDEXED WHERE id > ?1 GROUP BY harness, session";

impl Ledger {
    /// Writes facts of one session, all or none. The answer holds their ids in the order given; none for a fact whose key
    /// the session had already, which stays as it was.
    ///
    /// # Errors
    /// As [`LedgerError`] says. With [`Durability::Disk`] an error may also mean that the facts are written but not safe
    /// on disk; to write them again does no harm.
    pub fn append(
        &self,
        key: &SessionKey,
        facts: &[Fact],
        durability: Durability,
    ) -> Result<Vec<Option<i64>>, LedgerError> {
        self.put(key, None, facts, durability)
    }

    /// As [`Ledger::append`], and notes in the same step that the session was heard of.
    ///
    /// # Errors
    /// As there.
    pub fn record(
        &self,
        key: &SessionKey,
        told: Told<'_>,
        facts: &[Fact],
        durability: Durability,
    ) -> Result<Vec<Option<i64>>, LedgerError> {
        self.put(key, Some(told), facts, durability)
    }

    fn put(
        &self,
        key: &SessionKey,
        told: Option<Told<'_>>,
        facts: &[Fact],
        durability: Durability,
    ) -> Result<Vec<Option<i64>>, LedgerError> {
        let bodies = facts
            .iter()
            .map(|fact| serde_json::to_string(&fact.body))
            .collect::<Result<Vec<_>, _>>();
        let bodies = bodies.map_err(|error| LedgerError::Other(error.to_string()))?;
        let ids = self.write(|transaction| {
            if let Some(told) = told {
                touch(transaction, key, told)?;
            }
            // Asked first, instead of letting the insert run into the key: that one would move the counter of ids on, and
            // with it write to the log and wake every other process for nothing.
            let mut known =
                transaction.prepare_cached("SELECT 1 FROM fact WHERE harness = ?1 AND session = ?2 AND key = ?3")?;
            let mut insert = transaction.prepare_cached(
                "INSERT INTO fact (at, harness, session, agent, turn, kind, subject, anchor, key, body)
                 VALUES (:at, :harness, :session, :agent, :turn, :kind, :subject, :anchor, :key, :body)",
            )?;
            let rows = facts.iter().zip(&bodies).map(|(fact, body)| {
                if known.exists((key.harness.as_str(), &key.session, &fact.key))? {
                    return Ok(None);
                }
                insert
                    .insert(named_params! {
                        ":at": to_sql(fact.at), ":harness": key.harness.as_str(), ":session": key.session,
                        ":agent": fact.agent, ":turn": to_sql(fact.turn), ":kind": fact.body.kind(),
                        ":subject": fact.body.subject(), ":anchor": fact.anchor, ":key": fact.key, ":body": body,
                    })
                    .map(Some)
            });
            rows.collect()
        })?;
        if durability == Durability::Disk {
            self.sync()?;
        }
        Ok(ids)
    }

    /// The sessions that got facts with an id above `after`, and where to go on looking.
    ///
    /// # Errors
    /// As [`LedgerError`] says.
    pub fn changed_since(&self, after: i64) -> Result<(Vec<SessionKey>, i64), LedgerError> {
        self.read(|connection| {
            let mut select = connection.prepare_cached(CHANGED)?;
            let mut rows = select.query([after])?;
            let (mut keys, mut last) = (Vec::new(), after);
            while let Some(row) = rows.next()? {
                last = last.max(row.get(2)?);
                // A harness that only a later build knows has nobody here to speak for it.
                if let Some(harness) = Harness::from_name(row.get_ref(0)?.as_str()?) {
                    keys.push(SessionKey {
                        harness,
                        session: row.get(1)?,
                    });
                }
            }
            Ok((keys, last))
        })
    }

    /// The facts of one session with an id above `after`; 0 for all of them.
    ///
    /// # Errors
    /// As [`LedgerError`] says. A row that cannot be understood is no error: it is skipped and counted.
    pub fn facts(&self, key: &SessionKey, after: i64) -> Result<Facts, LedgerError> {
        self.read(|connection| {
            let mut select = connection.prepare_cached(
                "SELECT id, at, agent, turn, anchor, key, body FROM fact
                 WHERE harness = ?1 AND session = ?2 AND id > ?3 ORDER BY id",
            )?;
            let mut rows = select.query((key.harness.as_str(), &key.session, after))?;
            let mut read = Facts {
                last: after,
                ..Facts::default()
            };
            while let Some(row) = rows.next()? {
                read.last = row.get(0)?;
                match fact(row) {
                    Some(fact) => read.facts.push(StoredFact { id: read.last, fact }),
                    None => read.skipped += 1,
                }
            }
            Ok(read)
        })
    }
}

fn fact(row: &Row<'_>) -> Option<Fact> {
    let body: FactBody = serde_json::from_str(row.get_ref("body").ok()?.as_str().ok()?).ok()?;
    Some(Fact {
        at: u64::try_from(row.get::<_, i64>("at").ok()?).ok()?,
        agent: row.get("agent").ok()?,
        turn: u64::try_from(row.get::<_, i64>("turn").ok()?).ok()?,
        anchor: row.get("anchor").ok()?,
        key: row.get("key").ok()?,
        body,
    })
}
