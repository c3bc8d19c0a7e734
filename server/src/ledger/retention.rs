//! What is removed from a ledger again, in steps so small that nobody waits for them, and the space that it took.
//! Which sessions are to go, and the files beside the ledger, stay out.

use rusqlite::Connection;

use super::sessions::session;
use super::{Ledger, LedgerError, SessionRow, from_sql, to_sql};
use crate::session::SessionKey;

/// Facts that one step removes.
const FACTS: u32 = 256;
/// Folds that one step removes: each may be some hundred kilobytes.
const FOLDS: u32 = 8;
/// Free pages that one step gives back to the system.
const PAGES: i64 = 64;
/// How SQLite names a file that can give back pages one by one.
const INCREMENTAL: i64 = 2;

/// What one step of removing a session came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removal {
    /// There is more of it.
    More,
    /// Nothing of it is left.
    Done,
    /// It was heard of meanwhile, or somebody else has removed it.
    Kept,
}

/// How large a ledger is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extent {
    /// The file, in bytes; what is in its log and not yet in it included.
    pub bytes: u64,
    /// Of these, how many hold nothing.
    pub free: u64,
    /// True when free bytes can be given back one by one.
    pub shrinks: bool,
    /// Rows of each table, by its name.
    pub rows: Vec<(&'static str, u64)>,
    /// When the session was last heard of that was not heard of for longest, in milliseconds since 1970.
    pub oldest: Option<u64>,
}

const TABLES: [(&str, &str); 7] = [
    ("session", "SELECT count(*) FROM session"),
    ("fact", "SELECT count(*) FROM fact"),
    ("snapshot", "SELECT count(*) FROM snapshot"),
    ("lineage", "SELECT count(*) FROM lineage"),
    ("pause", "SELECT count(*) FROM pause"),
    ("published", "SELECT count(*) FROM published"),
    ("heard", "SELECT count(*) FROM heard"),
];

/// What holds of a session of which nothing was heard, and nothing said, since `?1`. What the person says of a claim makes
/// its session no younger, so the facts are asked too.
const SILENT: &str = "last_seen < ?1 AND NOT EXISTS (
     SELECT 1 FROM fact WHERE fact.harness = session.harness AND fact.session = session.session AND fact.at >= ?1)";

impl Ledger {
    /// The sessions of which nothing was heard, and nothing said, since `before` (milliseconds since 1970), the oldest
    /// first.
    ///
    /// # Errors
    /// As [`LedgerError`] says.
    pub fn silent_since(&self, before: u64) -> Result<Vec<SessionRow>, LedgerError> {
        self.read(|connection| {
            let mut select = connection.prepare_cached(&format!(
                "SELECT harness, session, first_seen, last_seen, transcript, cwd FROM session
                 WHERE {SILENT} ORDER BY last_seen, rowid"
            ))?;
            let rows = select.query_map([to_sql(before)], session)?;
            rows.filter_map(Result::transpose).collect()
        })
    }

    /// Removes a part of a session that was not heard of since `before`, its oldest facts first: what is left after a kill
    /// says less, and nothing that was not so. The session itself goes last.
    ///
    /// # Errors
    /// As [`LedgerError`] says.
    pub fn remove_some(&self, key: &SessionKey, before: u64) -> Result<Removal, LedgerError> {
        self.write(|transaction| {
            let (harness, session) = (key.harness.as_str(), &key.session);
            let still = transaction
                .prepare_cached(&format!(
                    "SELECT 1 FROM session WHERE harness = ?2 AND session = ?3 AND {SILENT}"
                ))?
                .exists((to_sql(before), harness, session))?;
            if !still {
                return Ok(Removal::Kept);
            }
            let facts = transaction
                .prepare_cached(
                    "DELETE FROM fact WHERE id IN (
                         SELECT id FROM fact WHERE harness = ?1 AND session = ?2 ORDER BY id LIMIT ?3)",
                )?
                .execute((harness, session, FACTS))?;
            if facts == FACTS as usize {
                return Ok(Removal::More);
            }
            for table in ["snapshot", "lineage", "heard", "session"] {
                let sql = format!("DELETE FROM {table} WHERE harness = ?1 AND session = ?2");
                transaction.prepare_cached(&sql)?.execute((harness, session))?;
            }
            Ok(Removal::Done)
        })
    }

    /// Removes some folds of sessions that were not heard of since `before`; how many. A session that comes again has its
    /// transcript read anew.
    ///
    /// # Errors
    /// As [`LedgerError`] says.
    pub fn forget_folds(&self, before: u64) -> Result<usize, LedgerError> {
        self.write(|transaction| {
            // By the session: the fold's own time stands behind its text, and all of that would be read.
            let sql = "DELETE FROM snapshot WHERE rowid IN (
                 SELECT snapshot.rowid FROM session JOIN snapshot USING (harness, session) WHERE last_seen < ?1 LIMIT ?2)";
            transaction.prepare_cached(sql)?.execute((to_sql(before), FOLDS))
        })
    }

    /// Removes the counts of events, the pauses and the published places that are from before `before` and belong to no
    /// session. `is_gone` says it of a process that published.
    ///
    /// # Errors
    /// As [`LedgerError`] says.
    pub fn forget_rest(&self, before: u64, is_gone: impl Fn(u32) -> bool) -> Result<(), LedgerError> {
        let processes = self.read(|connection| {
            let mut select = connection.prepare_cached("SELECT DISTINCT process FROM published WHERE at < ?1")?;
            select
                .query_map([to_sql(before)], |row| row.get(0))?
                .collect::<Result<Vec<u32>, _>>()
        })?;
        self.write(|transaction| {
            let run = |sql: &str| transaction.prepare_cached(sql)?.execute([to_sql(before)]);
            run(
                "DELETE FROM heard WHERE last < ?1 AND NOT EXISTS (
                     SELECT 1 FROM session WHERE session.harness = heard.harness AND session.session = heard.session)",
            )?;
            run("DELETE FROM pause WHERE until < ?1")?;
            for process in processes.into_iter().filter(|process| is_gone(*process)) {
                let sql = "DELETE FROM published WHERE at < ?1 AND process = ?2";
                transaction.prepare_cached(sql)?.execute((to_sql(before), process))?;
            }
            Ok(())
        })
    }

    /// Gives some free space back to the system; false when there is none left, or the file can't.
    ///
    /// # Errors
    /// As [`LedgerError`] says.
    pub fn give_back(&self) -> Result<bool, LedgerError> {
        self.read(|connection| {
            if pragma(connection, "auto_vacuum")? != INCREMENTAL || pragma(connection, "freelist_count")? == 0 {
                return Ok(false);
            }
            let mut statement = connection.prepare(&format!("PRAGMA incremental_vacuum({PAGES})"))?;
            let mut rows = statement.query([])?;
            while rows.next()?.is_some() {}
            Ok(pragma(connection, "freelist_count")? > 0)
        })
    }

    /// Writes the whole file anew, without its free space, so that from now on it shrinks by itself. Everybody else who
    /// writes waits meanwhile.
    ///
    /// # Errors
    /// As [`LedgerError`] says.
    pub fn rewrite(&self) -> Result<(), LedgerError> {
        self.read(|connection| connection.execute_batch("PRAGMA auto_vacuum = INCREMENTAL; VACUUM"))
    }

    /// Has what is in the log go to the file, as far as nobody reads it there; the file gets as short as it may be.
    ///
    /// # Errors
    /// As [`LedgerError`] says.
    pub fn settle_log(&self) -> Result<(), LedgerError> {
        self.read(|connection| connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())))
    }

    /// How large it is.
    ///
    /// # Errors
    /// As [`LedgerError`] says.
    pub fn extent(&self) -> Result<Extent, LedgerError> {
        self.read(|connection| {
            let page = from_sql(pragma(connection, "page_size")?);
            let count = |sql: &str| connection.query_row(sql, [], |row| row.get(0)).map(from_sql);
            let mut rows = Vec::new();
            for (table, sql) in TABLES {
                rows.push((table, count(sql)?));
            }
            let oldest = connection.query_row("SELECT min(last_seen) FROM session", [], |row| {
                row.get::<_, Option<i64>>(0)
            });
            Ok(Extent {
                bytes: from_sql(pragma(connection, "page_count")?) * page,
                free: from_sql(pragma(connection, "freelist_count")?) * page,
                shrinks: pragma(connection, "auto_vacuum")? == INCREMENTAL,
                rows,
                oldest: oldest?.map(from_sql),
            })
        })
    }
}

/// Has a file that nothing was ever stored in give back pages one by one: later it could not be changed but as a whole.
pub(super) fn shrink_by_itself(connection: &Connection) -> rusqlite::Result<()> {
    if pragma(connection, "page_count")? == 0 {
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    }
    Ok(())
}

fn pragma(connection: &Connection, name: &str) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, name, |row| row.get(0))
}
