//! A look at a ledger that changes nothing: whether it is whole, and what was heard.
//! Whoever works with a ledger opens it elsewhere.

use std::fmt::Write;
use std::path::Path;

use proofmark_protocol::paths;
use proofmark_protocol::query::Heard;
use rusqlite::{Connection, OpenFlags};

use super::schema::{self, Content};
use super::{LedgerError, file, heard};

/// What was seen of a ledger.
#[derive(Debug, PartialEq, Eq)]
pub struct Examined {
    /// What is wrong with its pages or rows, in SQLite's words.
    pub fault: Option<String>,
    /// What was heard of each session, the newest first.
    pub heard: Vec<Heard>,
}

/// Looks at the ledger of a state folder; none when there is none yet. No byte of it is changed, and none of the files
/// beside it is made where the ledger was closed as it should be.
///
/// # Errors
/// As [`LedgerError`] says; [`LedgerError::Broken`] also for what is no ledger at all.
pub fn examine(state_dir: &Path) -> Result<Option<Examined>, LedgerError> {
    let path = paths::ledger(state_dir);
    if file::is_absent_or_empty(&path)? {
        return Ok(None);
    }
    let (connection, content) = open(&path)?;
    if content == Content::Nothing {
        return Ok(None);
    }
    let fault = schema::fault(&connection)?;
    let heard = match fault.is_none() && schema::has(&connection, "heard")? {
        true => heard::all(&connection).map_err(LedgerError::sqlite)?,
        false => Vec::new(),
    };
    Ok(Some(Examined { fault, heard }))
}

fn open(path: &Path) -> Result<(Connection, Content), LedgerError> {
    file::must_be_file(path)?;
    // Without a log nobody has it open; SQLite would make log and shared memory anew just to read.
    let is_closed = file::is_absent_or_empty(&file::wal(path))?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let uri = format!("file:{}{}", encoded(path), if is_closed { "?immutable=1" } else { "" });
    let mut connection = Connection::open_with_flags(uri, flags).map_err(LedgerError::sqlite)?;
    connection
        .busy_timeout(file::BUSY_TIMEOUT)
        .map_err(LedgerError::sqlite)?;
    // A reader that ends may not move the log of others into the file.
    file::checkpoint_at_close(&connection, false)?;
    let content = schema::content(&mut connection, schema::STEPS)?;
    Ok((connection, content))
}

/// A path as a URI takes it.
fn encoded(path: &Path) -> String {
    let mut uri = String::new();
    for byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/._-".contains(byte) {
            uri.push(char::from(*byte));
        } else {
            // Writing into a text can't fail.
            let _written = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use proofmark_protocol::Harness;

    use super::*;
    use crate::ledger::{Ledger, Tally};
    use crate::session::SessionKey;

    fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
        let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
        let file = |entry: fs::DirEntry| {
            (
                entry.file_name().into_string().unwrap(),
                fs::read(entry.path()).unwrap(),
            )
        };
        entries.map(file).collect()
    }

    fn filled(folder: &Path) -> Ledger {
        let ledger = Ledger::open(folder).unwrap().ledger;
        let key = SessionKey {
            harness: Harness::Codex,
            session: "s".to_owned(),
        };
        ledger
            .add_heard([(&key, "onStop", &Tally::of(1, 2))].into_iter())
            .unwrap();
        ledger
    }

    #[test]
    fn a_look_reads_what_is_there_and_changes_no_byte() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("a ?#%ä");
        fs::create_dir(&folder).unwrap();
        assert_eq!(examine(&folder), Ok(None));
        assert!(files(&folder).is_empty());

        let ledger = filled(&folder);
        let open = examine(&folder).unwrap().unwrap();
        assert_eq!(
            (open.fault, open.heard.len()),
            (None, 1),
            "a ledger that is in use, its row still in the log"
        );
        drop(ledger);
        let before = files(&folder);
        assert_eq!(before.keys().collect::<Vec<_>>(), ["ledger.sqlite"]);
        let closed = examine(&folder).unwrap().unwrap();
        assert_eq!((closed.fault, closed.heard.len()), (None, 1));
        assert!(files(&folder) == before, "the look has left something");
    }

    #[test]
    fn what_is_wrong_is_told() {
        let folder = tempfile::tempdir().unwrap();
        drop(filled(folder.path()));
        let path = paths::ledger(folder.path());
        let whole = fs::read(&path).unwrap();

        let connection = Connection::open(&path).unwrap();
        connection.pragma_update(None, "user_version", 1_000).unwrap();
        drop(connection);
        let newer = examine(folder.path()).unwrap_err();
        assert!(matches!(newer, LedgerError::Newer { found: 1_000, .. }), "{newer}");

        // An earlier build's: without what this one counts.
        fs::write(&path, &whole).unwrap();
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch("DROP TABLE heard").unwrap();
        connection.pragma_update(None, "user_version", 2).unwrap();
        drop(connection);
        let before = files(folder.path());
        let earlier = examine(folder.path()).unwrap().unwrap();
        assert_eq!((earlier.fault, earlier.heard.len()), (None, 0));
        assert!(files(folder.path()) == before, "the look has changed an earlier ledger");

        fs::write(&path, "no ledger at all, but long enough to be looked at as one").unwrap();
        assert!(matches!(examine(folder.path()), Err(LedgerError::Broken { .. })));
        let mut damaged = whole.clone();
        let middle = damaged.len() / 4096 / 2 * 4096;
        damaged[middle..middle + 2_000].fill(0xa5);
        fs::write(&path, &damaged).unwrap();
        match examine(folder.path()) {
            Ok(Some(Examined { fault: Some(_), .. })) | Err(LedgerError::Broken { .. }) => {}
            other => panic!("{other:?}"),
        }
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(matches!(examine(folder.path()), Err(LedgerError::Broken { .. })));
    }
}
