//! Which sessions were heard of, and the folded state of each, so that a restart reads only what is new.
//! The content of a snapshot stays out: it is text to the ledger.

use proofmark_protocol::Harness;
use rusqlite::{Connection, OptionalExtension, Row};

use super::{Ledger, LedgerError, from_sql, to_sql};
use crate::session::SessionKey;

/// A session that was heard of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRow {
    /// Which.
    pub key: SessionKey,
    /// When it was first heard of, in milliseconds since 1970.
    pub first_seen: u64,
    /// When it was last heard of, in milliseconds since 1970.
    pub last_seen: u64,
    /// Its transcript, as last told.
    pub transcript: Option<String>,
    /// Its working folder, as last told.
    pub cwd: Option<String>,
}

/// What an event tells of its session, whatever it is about.
#[derive(Debug, Clone, Copy)]
pub struct Told<'a> {
    /// Its transcript, where it is known.
    pub transcript: Option<&'a str>,
    /// Its working folder, where it is known.
    pub cwd: Option<&'a str>,
    /// When the event came, in milliseconds since 1970.
    pub at: u64,
}

impl Ledger {
    /// Notes that a session was heard of at `at` (milliseconds since 1970). What is not told stays as it was.
    ///
    /// # Errors
    /// As [`LedgerError`] says.
    pub fn touch(
        &self,
        key: &SessionKey,
        transcript: Option<&str>,
        cwd: Option<&str>,
        at: u64,
    ) -> Result<(), LedgerError> {
        let told = Told { transcript, cwd, at };
        self.write(|transaction| touch(transaction, key, told))
    }

    /// Notes when sessions were heard of again, in one step. What was told else counts only for one that is not there: of
    /// one that is, the ledger may have been told something newer.
    ///
    /// # Errors
    /// As [`LedgerError`] says.
    pub fn touch_again<'a>(
        &self,
        sessions: impl IntoIterator<Item = (&'a SessionKey, Told<'a>)>,
    ) -> Result<(), LedgerError> {
        self.write(|transaction| {
            let mut upsert = transaction.prepare_cached(
                "INSERT INTO session (harness, session, first_seen, last_seen, transcript, cwd)
                 VALUES (?1, ?2, ?3, ?3, ?4, ?5)
                 ON CONFLICT (harness, session) DO UPDATE SET last_seen = max(last_seen, excluded.last_seen)",
            )?;
            sessions.into_iter().try_for_each(|(key, told)| {
                let Told { transcript, cwd, at } = told;
                let row = (key.harness.as_str(), &key.session, to_sql(at), transcript, cwd);
                upsert.execute(row).map(|_| ())
            })
        })
    }

    /// Every session that was heard of, the one heard of last first. Those of a harness that only a later build knows are
    /// left out.
    ///
    /// # Errors
    /// As [`LedgerError`] says.
    pub fn sessions(&self) -> Result<Vec<SessionRow>, LedgerError> {
        self.read(|connection| {
            let mut select = connection.prepare_cached(
                "SELECT harness, session, first_seen, last_seen, transcript, cwd FROM session
                 ORDER BY last_seen DESC, rowid DESC",
            )?;
            select.query_map([], session)?.filter_map(Result::transpose).collect()
        })
    }

    /// The sessions that were heard of since `since` (milliseconds since 1970), in no order, and the id of the newest fact:
    /// from there on [`Ledger::changed_since`] tells what is new.
    ///
    /// # Errors
    /// As [`LedgerError`] says.
    pub fn heard_of_since(&self, since: u64) -> Result<(Vec<SessionKey>, i64), LedgerError> {
        // The id first: what is written in between is looked at once more.
        let last = self.read(|connection| {
            let mut newest = connection.prepare_cached("SELECT ifnull(max(id), 0) FROM fact")?;
            newest.query_row([], |row| row.get(0))
        })?;
        let sessions = self.sessions()?.into_iter().filter(|row| row.last_seen >= since);
        Ok((sessions.map(|row| row.key).collect(), last))
    }

    /// One session that was heard of.
    ///
    /// # Errors
    /// As [`LedgerError`] says.
    pub fn session(&self, key: &SessionKey) -> Result<Option<SessionRow>, LedgerError> {
        self.read(|connection| {
            let mut select = connection.prepare_cached(
                "SELECT harness, session, first_seen, last_seen, transcript, cwd FROM session
                 WHERE harness = ?1 AND session = ?2",
            )?;
            select
                .query_row((key.harness.as_str(), &key.session), session)
                .optional()
                .map(Option::flatten)
        })
    }

    /// The last snapshot of a session's stream: `""` for the main agent, else the helper agent's id.
    ///
    /// # Errors
    /// As [`LedgerError`] says.
    pub fn snapshot(&self, key: &SessionKey, stream: &str) -> Result<Option<String>, LedgerError> {
        self.read(|connection| {
            let mut select = connection
                .prepare_cached("SELECT body FROM snapshot WHERE harness = ?1 AND session = ?2 AND stream = ?3")?;
            select
                .query_row((key.harness.as_str(), &key.session, stream), |row| row.get(0))
                .optional()
        })
    }

    /// Puts a snapshot in the place of the stream's last one; `at` in milliseconds since 1970.
    ///
    /// # Errors
    /// As [`LedgerError`] says.
    pub fn put_snapshot(&self, key: &SessionKey, stream: &str, body: &str, at: u64) -> Result<(), LedgerError> {
        self.write(|transaction| {
            let mut upsert = transaction.prepare_cached(
                "INSERT INTO snapshot (harness, session, stream, body, at) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (harness, session, stream) DO UPDATE SET body = excluded.body, at = excluded.at",
            )?;
            upsert
                .execute((key.harness.as_str(), &key.session, stream, body, to_sql(at)))
                .map(|_| ())
        })
    }
}

/// Notes within a transaction that a session was heard of.
pub(super) fn touch(connection: &Connection, key: &SessionKey, told: Told<'_>) -> rusqlite::Result<()> {
    let mut upsert = connection.prepare_cached(
        "INSERT INTO session (harness, session, first_seen, last_seen, transcript, cwd)
         VALUES (?1, ?2, ?3, ?3, ?4, ?5)
         ON CONFLICT (harness, session) DO UPDATE SET
             first_seen = min(first_seen, excluded.first_seen), last_seen = max(last_seen, excluded.last_seen),
             transcript = ifnull(excluded.transcript, transcript), cwd = ifnull(excluded.cwd, cwd)",
    )?;
    let Told { transcript, cwd, at } = told;
    upsert
        .execute((key.harness.as_str(), &key.session, to_sql(at), transcript, cwd))
        .map(|_| ())
}

pub(super) fn session(row: &Row<'_>) -> rusqlite::Result<Option<SessionRow>> {
    let Some(harness) = Harness::from_name(row.get_ref(0)?.as_str()?) else {
        return Ok(None);
    };
    Ok(Some(SessionRow {
        key: SessionKey {
            harness,
            session: row.get(1)?,
        },
        first_seen: from_sql(row.get(2)?),
        last_seen: from_sql(row.get(3)?),
        transcript: row.get(4)?,
        cwd: row.get(5)?,
    }))
}
