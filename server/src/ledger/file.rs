//! The files of a ledger: made, opened, moved aside when they are none, synced.
//! What is in them stays out.

// The database file itself is never opened here once it exists, but by SQLite: closing any other handle of it would, on
// POSIX systems, release the locks that this process holds on it.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::LedgerError;
use super::retention;
use super::schema::{self, Content};

/// How long a call waits for another process.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(2);

/// Only its owner may read a ledger.
const MODE: u32 = 0o600;

/// What a write-ahead log starts with, up to its last bit, which tells the byte order of its checksums.
/// Source: SQLite's file format, section 4.1, "WAL File Format".
const WAL_MAGIC: u32 = 0x377f_0682;

/// The write-ahead log is cut back to this many bytes once its content is in the database file.
const WAL_KEPT: i64 = 4 << 20;

/// How much of the file is read before it is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Care {
    /// Its header, its schema and a row of each table.
    Usual,
    /// All of it.
    ReadAll,
}

/// The write-ahead log of a ledger.
pub(super) fn wal(path: &Path) -> PathBuf {
    beside(path, "-wal")
}

/// True when there is no ledger, or a file of no length in its place.
pub(super) fn is_absent_or_empty(path: &Path) -> Result<bool, LedgerError> {
    match fs::metadata(path) {
        Ok(found) => Ok(found.is_file() && found.len() == 0),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(true),
        Err(error) => Err(LedgerError::io(path, &error)),
    }
}

/// Makes an empty file that nobody else may read, unless something is there.
pub(super) fn create(path: &Path) -> Result<(), LedgerError> {
    match OpenOptions::new().write(true).create_new(true).mode(MODE).open(path) {
        Ok(_) => sync_folder_of(path),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(LedgerError::io(path, &error)),
    }
}

/// Opens a file without writing to it, and tells what it is. It has to be settled before it is used.
pub(super) fn look(path: &Path) -> Result<(Connection, Content), LedgerError> {
    must_be_file(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags).map_err(LedgerError::sqlite)?;
    // A connection that is closed moves what is in the log into the database file: not into a file that is not ours.
    checkpoint_at_close(&connection, false)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(LedgerError::sqlite)?;
    let content = schema::content(&mut connection, schema::STEPS)?;
    Ok((connection, content))
}

/// Fails for what is no file: a pipe would be waited for, a folder is an error without a reason, a symbolic link would have
/// us write somewhere else.
pub(super) fn must_be_file(path: &Path) -> Result<(), LedgerError> {
    let found = fs::symlink_metadata(path).map_err(|error| LedgerError::io(path, &error))?;
    if found.is_symlink() {
        // Not broken, and not to be moved: whoever laid it there may mean it.
        return Err(LedgerError::Other(format!(
            "{} is a symbolic link, which is not followed; link the folder instead, or move it away",
            path.display()
        )));
    }
    match found.is_file() {
        true => Ok(()),
        false => Err(LedgerError::Broken {
            what: "it is not a file".to_owned(),
        }),
    }
}

/// Makes a file that was looked at a ledger of this build, ready to be used.
pub(super) fn settle(connection: &mut Connection, care: Care) -> Result<(), LedgerError> {
    if connection.is_readonly("main").map_err(LedgerError::sqlite)? {
        return Err(LedgerError::Full);
    }
    if care == Care::ReadAll {
        schema::check_whole(connection)?;
    }
    configure(connection)?;
    schema::migrate(connection, schema::STEPS)?;
    schema::probe(connection)?;
    checkpoint_at_close(connection, true)
}

/// Whether a connection that is closed moves what is in the log into the database file.
pub(super) fn checkpoint_at_close(connection: &Connection, on: bool) -> Result<(), LedgerError> {
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !on)
        .map(|_| ())
        .map_err(LedgerError::sqlite)
}

fn configure(connection: &Connection) -> Result<(), LedgerError> {
    retention::shrink_by_itself(connection).map_err(LedgerError::sqlite)?;
    let mode = enter_wal_mode(connection)?;
    if mode != "wal" {
        return Err(LedgerError::Other(
            "its file system lacks the shared memory that several readers need".to_owned(),
        ));
    }
    connection
        .pragma_update(None, "synchronous", "NORMAL")
        .map_err(LedgerError::sqlite)?;
    let limit = connection.pragma_update_and_check(None, "journal_size_limit", WAL_KEPT, |_| Ok(()));
    limit.map_err(LedgerError::sqlite)
}

/// Asks for a write-ahead log, and answers with the mode that SQLite chose.
fn enter_wal_mode(connection: &Connection) -> Result<String, LedgerError> {
    let give_up = Instant::now() + BUSY_TIMEOUT;
    loop {
        let mode = connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0));
        match mode.map_err(LedgerError::sqlite) {
            // SQLite does not wait here: each of two who look into a new file at once would wait for the other.
            Err(LedgerError::Busy) if Instant::now() < give_up => thread::sleep(Duration::from_millis(5)),
            mode => return mode,
        }
    }
}

/// Takes a ledger's files away from everybody but their owner. What SQLite makes beside the database file has that file's
/// mode, also one from before it was put right.
pub(super) fn close_to_others(path: &Path) -> Result<(), LedgerError> {
    for suffix in ["", "-wal", "-shm"] {
        let file = beside(path, suffix);
        match fs::set_permissions(&file, Permissions::from_mode(MODE)) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(LedgerError::io(&file, &error)),
            _ => {}
        }
    }
    Ok(())
}

/// Moves what stands in the ledger's place aside, with the files that belong to it, and says so.
pub(super) fn set_aside(path: &Path, why: &str) -> Result<String, LedgerError> {
    let target = free_name(path)?;
    // The database file first: should the process end in between, a log without its database is found and kept, while a
    // database without its log would pass for whole.
    for suffix in ["", "-wal", "-shm", "-journal"] {
        rename_if_there(&beside(path, suffix), &beside(&target, suffix))?;
    }
    sync_folder_of(path)?;
    Ok(format!(
        "Proofmark's ledger could not be read ({why}) and a new one was started. Claims and decisions from before are \
         not known any more; the old file is kept as {}.",
        target.display()
    ))
}

/// Moves aside symbolic links that stand in the place of SQLite's own files: none is followed.
pub(super) fn set_aside_links(path: &Path) -> Result<Option<String>, LedgerError> {
    let mut moved = Vec::new();
    for suffix in ["-wal", "-shm", "-journal"] {
        let file = beside(path, suffix);
        if fs::symlink_metadata(&file).is_ok_and(|found| found.is_symlink()) {
            let target = beside(&free_name(path)?, suffix);
            rename_if_there(&file, &target)?;
            moved.push(target.display().to_string());
        }
    }
    let told = || {
        format!(
            "Symbolic links stood where Proofmark's ledger keeps its own files. They were not followed, and moved to {}: what was \
             written last may be missing.",
            moved.join(" and ")
        )
    };
    Ok((!moved.is_empty()).then(told))
}

/// Moves aside a log whose database is missing, which SQLite would delete.
pub(super) fn set_aside_stray_wal(path: &Path) -> Result<Option<String>, LedgerError> {
    if !is_absent_or_empty(path)? || is_absent_or_empty(&wal(path))? {
        return Ok(None);
    }
    let target = wal(&free_name(path)?);
    rename_if_there(&wal(path), &target)?;
    sync_folder_of(path)?;
    Ok(Some(format!(
        "Proofmark's ledger was missing, and only its log of recent writes was there, which cannot be read alone. A new \
         ledger was started; the log is kept as {}.",
        target.display()
    )))
}

/// What to say when the log beside a ledger is no log: SQLite takes it for an empty one and writes over it.
pub(super) fn wal_is_foreign(path: &Path) -> Result<Option<String>, LedgerError> {
    let wal = wal(path);
    let mut start = Vec::new();
    match File::open(&wal).and_then(|file| file.take(4).read_to_end(&mut start)) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(LedgerError::io(&wal, &error)),
    }
    let is_log = <[u8; 4]>::try_from(start.as_slice()).is_ok_and(|magic| u32::from_be_bytes(magic) & !1 == WAL_MAGIC);
    Ok((!start.is_empty() && !is_log).then(|| {
        "The log of the newest writes to Proofmark's ledger could not be read: what was written last before the server \
         ended may be missing."
            .to_owned()
    }))
}

/// Waits until a log's content is on the disk.
pub(super) fn sync(wal: &Path) -> Result<(), LedgerError> {
    // SQLite itself syncs the log's entry in its folder, together with its header.
    match File::open(wal).and_then(|file| file.sync_data()) {
        Err(error) if error.kind() == ErrorKind::NotFound => Err(LedgerError::Broken {
            what: format!("{} was taken away while it was in use", wal.display()),
        }),
        synced => synced.map_err(|error| LedgerError::io(wal, &error)),
    }
}

fn free_name(path: &Path) -> Result<PathBuf, LedgerError> {
    for number in 1_u64.. {
        let name = beside(path, &format!(".broken-{number}"));
        let mut taken = false;
        for suffix in ["", "-wal", "-shm", "-journal"] {
            let there = fs::symlink_metadata(beside(&name, suffix));
            taken |= !there.is_err_and(|error| error.kind() == ErrorKind::NotFound);
        }
        if !taken {
            return Ok(name);
        }
    }
    Err(LedgerError::Other(
        "no name is left to move a broken ledger to".to_owned(),
    ))
}

fn rename_if_there(from: &Path, to: &Path) -> Result<(), LedgerError> {
    match fs::rename(from, to) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(LedgerError::io(from, &error)),
        _ => Ok(()),
    }
}

fn sync_folder_of(path: &Path) -> Result<(), LedgerError> {
    let folder = path.parent().unwrap_or(path);
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(|error| LedgerError::io(folder, &error))
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}
