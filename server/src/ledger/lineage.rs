//! Which sessions start with the same row of a record: a resumed or forked session copies its parent's.
//! What is inherited by whom stays out.

use proofmark_protocol::Harness;

use super::{Ledger, LedgerError, to_sql};
use crate::session::SessionKey;

impl Ledger {
    /// The sessions seen with this first row of the person, the oldest first; the asking one too, when it was put.
    ///
    /// # Errors
    /// As [`LedgerError`] says.
    pub fn lineage(&self, harness: Harness, first_row: &str) -> Result<Vec<String>, LedgerError> {
        self.read(|connection| {
            let mut select = connection.prepare_cached(
                "SELECT session FROM lineage WHERE harness = ?1 AND first_row = ?2 ORDER BY at, rowid",
            )?;
            select
                .query_map((harness.as_str(), first_row), |row| row.get(0))?
                .collect()
        })
    }

    /// Notes a session's first row of the person; `at`, in milliseconds since 1970, counts only the first time.
    ///
    /// # Errors
    /// As [`LedgerError`] says.
    pub fn put_lineage(&self, key: &SessionKey, first_row: &str, at: u64) -> Result<(), LedgerError> {
        self.write(|transaction| {
            let mut insert = transaction.prepare_cached(
                "INSERT INTO lineage (harness, first_row, session, at) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (harness, first_row, session) DO NOTHING",
            )?;
            insert
                .execute((key.harness.as_str(), first_row, &key.session, to_sql(at)))
                .map(|_| ())
        })
    }
}
