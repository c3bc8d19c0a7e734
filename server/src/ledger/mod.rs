//! Facts in, facts out: SQLite behind one small port.
//! What a fact means to a check stays out.

mod error;
mod examine;
mod facts;
mod file;
mod heard;
mod lineage;
mod pauses;
mod published;
mod retention;
mod schema;
mod sessions;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use proofmark_protocol::paths;
use rusqlite::{Connection, Transaction, TransactionBehavior};

pub use error::LedgerError;
pub use examine::{Examined, examine};
pub use facts::{Durability, Facts, StoredFact};
pub use heard::Tally;
pub use retention::{Extent, Removal};
pub use sessions::{SessionRow, Told};

use file::Care;
use schema::Content;

/// The ledger of a state folder, or one that lives in memory. Every answer of a writing method means that the write is
/// committed: it survives a killed process, and after [`Ledger::sync`] or with [`Durability::Disk`] a power cut too.
///
/// Several processes may hold one: a write waits up to two seconds for the writes of others.
#[derive(Debug)]
pub struct Ledger {
    /// The ledger's own; locked for one statement or one transaction, never while a file is synced.
    connection: Mutex<Connection>,
    /// The file that commits go to first; none for a ledger in memory.
    wal: Option<PathBuf>,
}

/// A ledger that was opened by the owner of its state folder.
#[derive(Debug)]
pub struct Opened {
    /// The ledger.
    pub ledger: Ledger,
    /// What the person has to be told once, in plain words: what could not be read, and where it lies now.
    pub notes: Vec<String>,
}

impl Ledger {
    /// Opens the ledger of a state folder that exists, or starts one. For the owner of the folder alone.
    ///
    /// What stands in the ledger's place and is no ledger (rubbish, a file cut short, somebody else's tables) is moved
    /// aside within the folder, never deleted, and a new ledger is started; a note says so.
    ///
    /// # Errors
    /// [`LedgerError::Newer`] for the ledger of a later build, which is left as it is, byte for byte.
    /// The others as in [`LedgerError`]; [`LedgerError::Broken`] only when the new file is broken as well.
    pub fn open(state_dir: &Path) -> Result<Opened, LedgerError> {
        Self::open_with(state_dir, Care::Usual)
    }

    /// What to call after a [`LedgerError::Broken`], with the broken ledger dropped: as [`Ledger::open`], but the whole
    /// file is read first (time linear in its size), so that damage in the middle of it is found and it is moved aside.
    ///
    /// # Errors
    /// As [`Ledger::open`].
    pub fn reopen(state_dir: &Path) -> Result<Opened, LedgerError> {
        Self::open_with(state_dir, Care::ReadAll)
    }

    /// Opens a ledger that somebody else owns, for a command; none when there is none yet. Starts none and moves none
    /// aside. A ledger of an earlier build is brought up to this one.
    ///
    /// # Errors
    /// As [`LedgerError`] says; [`LedgerError::Broken`] when what is there is no ledger.
    pub fn open_existing(state_dir: &Path) -> Result<Option<Self>, LedgerError> {
        let path = paths::ledger(state_dir);
        if file::is_absent_or_empty(&path)? {
            return Ok(None);
        }
        let (mut connection, content) = file::look(&path)?;
        if content == Content::Nothing {
            return Ok(None);
        }
        file::settle(&mut connection, Care::Usual)?;
        Ok(Some(Self::on(connection, Some(file::wal(&path)))))
    }

    /// An empty ledger that ends with the process, so that work goes on when the file cannot be used.
    ///
    /// # Errors
    /// [`LedgerError::Other`] when SQLite itself cannot start.
    pub fn in_memory() -> Result<Self, LedgerError> {
        let mut connection = Connection::open_in_memory().map_err(LedgerError::sqlite)?;
        schema::migrate(&mut connection, schema::STEPS)?;
        Ok(Self::on(connection, None))
    }

    fn open_with(state_dir: &Path, care: Care) -> Result<Opened, LedgerError> {
        let path = paths::ledger(state_dir);
        let mut notes = Vec::new();
        notes.extend(file::set_aside_links(&path)?);
        notes.extend(file::set_aside_stray_wal(&path)?);
        let lost_writes = file::wal_is_foreign(&path)?;
        let connection = match Self::own(&path, care) {
            Err(LedgerError::Broken { what }) => {
                notes.push(file::set_aside(&path, &what)?);
                Self::own(&path, Care::Usual)?
            }
            connection => {
                notes.extend(lost_writes);
                connection?
            }
        };
        Ok(Opened {
            ledger: Self::on(connection, Some(file::wal(&path))),
            notes,
        })
    }

    fn own(path: &Path, care: Care) -> Result<Connection, LedgerError> {
        file::create(path)?;
        let (mut connection, _) = file::look(path)?;
        file::close_to_others(path)?;
        file::settle(&mut connection, care)?;
        Ok(connection)
    }

    fn on(connection: Connection, wal: Option<PathBuf>) -> Self {
        Self {
            connection: Mutex::new(connection),
            wal,
        }
    }

    /// How long each call from now on waits for another process that writes; two seconds where nobody says otherwise.
    ///
    /// # Errors
    /// As [`LedgerError`] says.
    pub fn wait_at_most(&self, limit: Duration) -> Result<(), LedgerError> {
        self.read(|connection| connection.busy_timeout(limit))
    }

    /// Changes whenever another connection, of this process or another one, has written; never by one's own writes.
    /// Only good for comparing with an earlier answer of the same `Ledger`.
    ///
    /// # Errors
    /// As [`LedgerError`] says.
    pub fn version(&self) -> Result<i64, LedgerError> {
        self.read(|connection| {
            connection
                .prepare_cached("PRAGMA data_version")?
                .query_row([], |row| row.get(0))
        })
    }

    /// Makes every commit so far safe on disk. It holds up neither readers nor writers of this ledger, so call it after
    /// the answer has left.
    ///
    /// # Errors
    /// [`LedgerError::Broken`] when the ledger's files were taken away while it was open: what was written since is lost
    /// with the process. Otherwise as [`LedgerError`] says.
    pub fn sync(&self) -> Result<(), LedgerError> {
        // Not `synchronous=FULL`: that syncs only a commit that wrote something, so a fact that an earlier, unsynced
        // commit had already stored would be acknowledged without being on disk; and it would hold the connection.
        match &self.wal {
            Some(wal) => file::sync(wal),
            None => Ok(()),
        }
    }

    fn read<T>(&self, ask: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, LedgerError> {
        ask(&self.locked()).map_err(LedgerError::sqlite)
    }

    /// One transaction that holds the write lock from its start: one that reads first could find at its first write that
    /// another process was faster, and no waiting would help it.
    fn write<T>(&self, change: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>) -> Result<T, LedgerError> {
        let mut connection = self.locked();
        let run = || {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let result = change(&transaction)?;
            transaction.commit()?;
            Ok(result)
        };
        run().map_err(LedgerError::sqlite)
    }

    fn locked(&self) -> MutexGuard<'_, Connection> {
        // A panic under the lock has rolled its transaction back, so the connection is as good as before.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A time or a count as SQLite holds it: signed, so what is beyond its range becomes its end.
fn to_sql(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// The way back; a negative number is none of ours and becomes 0.
fn from_sql(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}
