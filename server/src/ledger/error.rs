//! What can go wrong with the ledger, as far as a caller has to tell it apart.
//! What is done about it stays out: the caller decides, and work goes on.

use std::io;
use std::path::Path;

use rusqlite::{ErrorCode, ffi};

/// Why the ledger did not do what it was asked. A write that ended in an error has left nothing behind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LedgerError {
    /// A later build has written it, in a way that this one does not know.
    #[error("the ledger is of version {found}, written by a newer Proofmark; this one knows versions up to {known}")]
    Newer {
        /// The version of the file.
        found: i64,
        /// The latest version that this build knows.
        known: i64,
    },
    /// Another process held it for longer than a call waits.
    #[error("the ledger is in use by another process")]
    Busy,
    /// Nothing can be written: the disk is full, or the file or its file system is read-only.
    #[error("the ledger cannot be written: the disk is full or read-only")]
    Full,
    /// It is damaged, or no ledger at all. [`Ledger::reopen`](super::Ledger::reopen) starts a new one.
    #[error("the ledger is broken: {what}")]
    Broken {
        /// What was seen.
        what: String,
    },
    /// Anything else, such as a folder that may not be entered.
    #[error("the ledger cannot be used: {0}")]
    Other(String),
}

impl LedgerError {
    pub(super) fn sqlite(error: rusqlite::Error) -> Self {
        // Without room for the memory that readers and writers share, SQLite does not say that the disk is full.
        if error.sqlite_extended_error_code() == Some(ffi::SQLITE_IOERR_SHMSIZE) {
            return Self::Full;
        }
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            Some(ErrorCode::DiskFull | ErrorCode::ReadOnly) => Self::Full,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Broken {
                what: error.to_string(),
            },
            _ => Self::Other(error.to_string()),
        }
    }

    pub(super) fn io(path: &Path, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::ReadOnlyFilesystem => Self::Full,
            _ => Self::Other(format!("{}: {error}", path.display())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sqlites_codes_are_told_apart_as_far_as_a_caller_must() {
        let broken = |code| LedgerError::Broken {
            what: rusqlite::Error::SqliteFailure(ffi::Error::new(code), None).to_string(),
        };
        let cases = [
            (ffi::SQLITE_BUSY, LedgerError::Busy),
            (ffi::SQLITE_BUSY_SNAPSHOT, LedgerError::Busy),
            (ffi::SQLITE_LOCKED, LedgerError::Busy),
            (ffi::SQLITE_FULL, LedgerError::Full),
            (ffi::SQLITE_READONLY, LedgerError::Full),
            (ffi::SQLITE_READONLY_DIRECTORY, LedgerError::Full),
            (ffi::SQLITE_IOERR_SHMSIZE, LedgerError::Full),
            (ffi::SQLITE_CORRUPT, broken(ffi::SQLITE_CORRUPT)),
            (ffi::SQLITE_NOTADB, broken(ffi::SQLITE_NOTADB)),
        ];
        for (code, expected) in cases {
            let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            assert_eq!(LedgerError::sqlite(error), expected, "{code}");
        }
        // A file that cannot be read now may be a good ledger: it must not be taken for a broken one.
        for code in [
            ffi::SQLITE_IOERR,
            ffi::SQLITE_IOERR_READ,
            ffi::SQLITE_CANTOPEN,
            ffi::SQLITE_PERM,
            ffi::SQLITE_NOMEM,
        ] {
            let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            assert!(matches!(LedgerError::sqlite(error), LedgerError::Other(_)), "{code}");
        }
    }
}
