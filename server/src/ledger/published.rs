//! The places that editors may hold something of ours for, so that a crash leaves none of them filled for ever.
//! What is published there, and which processes still run, stays out.

use super::{Ledger, LedgerError, to_sql};

/// Places that are kept at most; the oldest are forgotten.
const MAX_PLACES: i64 = 10_000;

impl Ledger {
    /// Notes places that a process is about to fill, at `at` (milliseconds since 1970).
    ///
    /// # Errors
    /// As [`LedgerError`] says.
    pub fn note_published(&self, process: u32, uris: &[String], at: u64) -> Result<(), LedgerError> {
        self.write(|transaction| {
            let mut insert = transaction.prepare_cached(
                "INSERT INTO published (uri, process, at) VALUES (?1, ?2, ?3)
                 ON CONFLICT (uri, process) DO UPDATE SET at = excluded.at",
            )?;
            for uri in uris {
                insert.execute((uri, process, to_sql(at)))?;
            }
            let mut forget = transaction.prepare_cached(
                "DELETE FROM published WHERE rowid IN (SELECT rowid FROM published ORDER BY at DESC LIMIT -1 OFFSET ?1)",
            )?;
            forget.execute([MAX_PLACES]).map(|_| ())
        })
    }

    /// Forgets places that were emptied, each with the process that had filled it.
    ///
    /// # Errors
    /// As [`LedgerError`] says.
    pub fn forget_published(&self, places: &[(String, u32)]) -> Result<(), LedgerError> {
        self.write(|transaction| {
            let mut delete = transaction.prepare_cached("DELETE FROM published WHERE uri = ?1 AND process = ?2")?;
            places
                .iter()
                .try_for_each(|place| delete.execute((&place.0, place.1)).map(|_| ()))
        })
    }

    /// The places that were filled and not emptied since, by name, each with the process that filled it.
    ///
    /// # Errors
    /// As [`LedgerError`] says.
    pub fn published(&self) -> Result<Vec<(String, u32)>, LedgerError> {
        self.read(|connection| {
            let mut select = connection.prepare_cached("SELECT uri, process FROM published ORDER BY uri, process")?;
            select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        })
    }
}
