//! Pauses that the person asked for, of one session or of all.
//! What a pause holds back stays out.

use proofmark_protocol::query::Pause;

use super::{Ledger, LedgerError, from_sql, to_sql};

impl Ledger {
    /// Pauses a session, or all of them, until `until`; one that is not later than `now` ends the pause. Times are in
    /// milliseconds since 1970. It is safe on disk when this returns: the person asked for it.
    ///
    /// # Errors
    /// As [`LedgerError`] says.
    pub fn pause(&self, session: Option<&str>, until: u64, now: u64) -> Result<(), LedgerError> {
        self.write(|transaction| {
            // `IS` also finds the pause of all sessions, which names none.
            let mut delete = transaction.prepare_cached("DELETE FROM pause WHERE session IS ?1 OR until <= ?2")?;
            delete.execute((session, to_sql(now)))?;
            if until > now {
                let mut insert = transaction.prepare_cached("INSERT INTO pause (session, until) VALUES (?1, ?2)")?;
                insert.execute((session, to_sql(until)))?;
            }
            Ok(())
        })?;
        self.sync()
    }

    /// The pauses in force at `now`, in milliseconds since 1970: the one of all sessions first, then by session.
    ///
    /// # Errors
    /// As [`LedgerError`] says.
    pub fn pauses(&self, now: u64) -> Result<Vec<Pause>, LedgerError> {
        self.read(|connection| {
            let mut select =
                connection.prepare_cached("SELECT session, until FROM pause WHERE until > ?1 ORDER BY session")?;
            let pause = |row: &rusqlite::Row<'_>| {
                Ok(Pause {
                    session: row.get(0)?,
                    until: from_sql(row.get(1)?),
                })
            };
            select.query_map([to_sql(now)], pause)?.collect()
        })
    }
}
