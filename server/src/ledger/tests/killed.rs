//! A writer that is killed: what it was told is stored is there, and nothing is there by half.
//! Power cuts stay out: no test can make one.

use std::env;
use std::path::Path;
use std::process::{Command, abort};

use tempfile::TempDir;

use super::{append, keys, open, session};
use crate::ledger::Ledger;

const FOLDER: &str = "PROOFMARK_TEST_KILLED_WRITER";

/// Runs this very test again as a process that writes and dies, then looks at what it left in the folder.
fn after_death(test: &str, write_and_die: impl FnOnce(&Ledger)) -> Option<Vec<String>> {
    if let Some(folder) = env::var_os(FOLDER) {
        write_and_die(&Ledger::open(Path::new(&folder)).unwrap().ledger);
        return None;
    }
    let folder = TempDir::new().unwrap();
    append(&open(&folder), &session("s"), &["before"]);
    let writer = Command::new(env::current_exe().unwrap())
        .args(["--exact", &format!("ledger::tests::killed::{test}")])
        .env(FOLDER, folder.path())
        .output()
        .unwrap();
    assert_eq!(
        writer.status.code(),
        None,
        "killed by a signal: {}",
        String::from_utf8_lossy(&writer.stdout)
    );
    let ledger = open(&folder);
    let left = keys(&ledger, &session("s"));
    append(&ledger, &session("s"), &["later"]);
    assert_eq!(keys(&ledger, &session("s")).len(), left.len() + 1);
    Some(left)
}

#[test]
fn what_was_acknowledged_is_there() {
    let left = after_death("what_was_acknowledged_is_there", |ledger| {
        append(ledger, &session("s"), &["one", "two"]);
        append(ledger, &session("s"), &["one", "three"]);
        abort();
    });
    assert_eq!(left.unwrap(), ["before", "one", "two", "three"]);
}

#[test]
fn what_was_not_committed_is_not_there() {
    let left = after_death("what_was_not_committed_is_not_there", |ledger| {
        let result = ledger.write(|transaction| -> rusqlite::Result<()> {
            // More than the page cache holds, so that pages of the unfinished transaction are in the log.
            for number in 0..40 {
                transaction.execute(
                    "INSERT INTO fact (harness, session, at, turn, kind, subject, key, body)
                     VALUES ('claude-code', 's', 1, 1, 'said', '', ?1, '{\"kind\":\"said\",\"what\":\"' || hex(zeroblob(100000)) || '\"}')",
                    [format!("half-{number}")],
                )?;
            }
            abort()
        });
        unreachable!("{result:?}");
    });
    assert_eq!(left.unwrap(), ["before"]);
}
