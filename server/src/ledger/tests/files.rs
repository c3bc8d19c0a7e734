//! Files that are no ledger, ledgers that are damaged, ledgers of later builds.
//! What is in a good ledger stays out.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::thread;

use rusqlite::Connection;
use tempfile::TempDir;

use super::{append, keys, open, session};
use crate::ledger::{Durability, Ledger, LedgerError, Opened, file, schema};
use crate::session::{Fact, FactBody};

const MAIN: &str = "ledger.sqlite";

/// A folder with a ledger of some pages that nobody has open.
fn closed_ledger() -> TempDir {
    let folder = TempDir::new().unwrap();
    let ledger = open(&folder);
    let facts: Vec<_> = (0..400)
        .map(|number| Fact {
            body: FactBody::Said { what: "x".repeat(900) },
            ..super::said(&number.to_string())
        })
        .collect();
    ledger.append(&session("s"), &facts, Durability::Process).unwrap();
    folder
}

/// A folder as a killed owner leaves it: the newest fact is in the log alone.
fn abandoned_ledger() -> TempDir {
    let (folder, copy) = (closed_ledger(), TempDir::new().unwrap());
    let ledger = open(&folder);
    append(&ledger, &session("s"), &["newest"]);
    for name in names(folder.path()) {
        fs::copy(folder.path().join(&name), copy.path().join(&name)).unwrap();
    }
    copy
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Opens a folder whose ledger must be moved aside, and proves that the new one works.
fn open_anew(folder: &TempDir) -> String {
    let guest = Ledger::open_existing(folder.path());
    assert!(matches!(guest, Err(LedgerError::Broken { .. })), "{guest:?}");
    let before = names(folder.path());
    let Opened { ledger, notes } = Ledger::open(folder.path()).unwrap();
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(
        notes[0].contains("was started") && notes[0].contains(&*folder.path().to_string_lossy()),
        "{notes:?}"
    );
    append(&ledger, &session("s"), &["new"]);
    drop(ledger);
    assert_eq!(keys(&open(folder), &session("s")), ["new"], "and it is told once");
    let after = names(folder.path());
    for name in &before {
        let moved = name.replace(MAIN, "ledger.sqlite.broken-1");
        assert!(after.contains(&moved) || name.ends_with("-shm"), "{name} in {after:?}");
    }
    notes.concat()
}

#[test]
fn what_is_no_ledger_is_moved_aside() {
    let foreign = |folder: &Path, sql: &str| Connection::open(folder.join(MAIN)).unwrap().execute_batch(sql).unwrap();
    let cut = |folder: &Path, length: u64| {
        fs::copy(closed_ledger().path().join(MAIN), folder.join(MAIN)).unwrap();
        fs::OpenOptions::new()
            .write(true)
            .open(folder.join(MAIN))
            .unwrap()
            .set_len(length)
            .unwrap();
    };
    type Make<'a> = Box<dyn Fn(&Path) + 'a>;
    let cases: Vec<(&str, Make<'_>)> = vec![
        (
            "rubbish",
            Box::new(|folder| fs::write(folder.join(MAIN), "{bad").unwrap()),
        ),
        (
            "long rubbish",
            Box::new(|folder| fs::write(folder.join(MAIN), vec![0xab; 100_000]).unwrap()),
        ),
        ("cut in the header", Box::new(|folder| cut(folder, 50))),
        ("cut after the header", Box::new(|folder| cut(folder, 100))),
        ("cut in a page", Box::new(|folder| cut(folder, 9_000))),
        ("cut between pages", Box::new(|folder| cut(folder, 4_096 * 8))),
        (
            "somebody's tables",
            Box::new(|folder| foreign(folder, "CREATE TABLE a (b); PRAGMA user_version = 1")),
        ),
        (
            "a table is missing",
            Box::new(|folder| {
                fs::copy(closed_ledger().path().join(MAIN), folder.join(MAIN)).unwrap();
                foreign(folder, "DROP TABLE pause");
            }),
        ),
        (
            "a column is missing",
            Box::new(|folder| {
                fs::copy(closed_ledger().path().join(MAIN), folder.join(MAIN)).unwrap();
                foreign(folder, "ALTER TABLE lineage DROP COLUMN at");
            }),
        ),
        (
            "a folder",
            Box::new(|folder| fs::create_dir(folder.join(MAIN)).unwrap()),
        ),
        (
            "everything is rubbish",
            Box::new(|folder| {
                for name in names(abandoned_ledger().path()) {
                    fs::write(folder.join(name), "{bad").unwrap();
                }
            }),
        ),
    ];
    for (what, make) in cases {
        let folder = TempDir::new().unwrap();
        make(folder.path());
        println!("{what}: {}", open_anew(&folder));
    }
}

#[test]
fn what_was_moved_aside_stays_when_it_happens_again() {
    let folder = TempDir::new().unwrap();
    for rubbish in ["first", "second", "third"] {
        fs::write(folder.path().join(MAIN), rubbish).unwrap();
        assert_eq!(Ledger::open(folder.path()).unwrap().notes.len(), 1);
    }
    for (number, rubbish) in [(1, "first"), (2, "second"), (3, "third")] {
        assert_eq!(
            fs::read_to_string(folder.path().join(format!("{MAIN}.broken-{number}"))).unwrap(),
            rubbish
        );
    }
}

#[test]
fn an_empty_file_is_a_new_ledger() {
    let folder = TempDir::new().unwrap();
    assert!(Ledger::open_existing(folder.path()).unwrap().is_none());
    assert_eq!(names(folder.path()), Vec::<String>::new(), "a command starts none");
    fs::write(folder.path().join(MAIN), "").unwrap();
    assert!(Ledger::open_existing(folder.path()).unwrap().is_none());
    Connection::open(folder.path().join(MAIN))
        .unwrap()
        .execute_batch("PRAGMA journal_mode = WAL")
        .unwrap();
    assert_ne!(fs::metadata(folder.path().join(MAIN)).unwrap().len(), 0);
    assert!(
        Ledger::open_existing(folder.path()).unwrap().is_none(),
        "an owner was killed before its first step"
    );
    append(&open(&folder), &session("s"), &["a"]);
    assert_eq!(
        keys(&Ledger::open_existing(folder.path()).unwrap().unwrap(), &session("s")),
        ["a"]
    );
}

#[test]
fn rubbish_beside_a_good_file_does_no_harm() {
    for (name, notes) in [
        ("ledger.sqlite-wal", 1),
        ("ledger.sqlite-shm", 0),
        ("ledger.sqlite-journal", 0),
    ] {
        for rubbish in ["{bad".to_owned(), "{bad".repeat(20_000)] {
            let folder = closed_ledger();
            fs::write(folder.path().join(name), &rubbish).unwrap();
            let opened = Ledger::open(folder.path()).unwrap();
            assert_eq!(opened.notes.len(), notes, "{name}: {:?}", opened.notes);
            append(&opened.ledger, &session("s"), &["new"]);
            drop(opened);
            assert_eq!(keys(&open(&folder), &session("s")).len(), 401, "{name}");
        }
    }
}

#[test]
fn a_log_without_its_ledger_is_kept() {
    for empty_file in [false, true] {
        let folder = abandoned_ledger();
        let log = fs::read(folder.path().join("ledger.sqlite-wal")).unwrap();
        fs::remove_file(folder.path().join(MAIN)).unwrap();
        if empty_file {
            fs::write(folder.path().join(MAIN), "").unwrap();
        }
        assert!(Ledger::open_existing(folder.path()).unwrap().is_none());
        let opened = Ledger::open(folder.path()).unwrap();
        assert_eq!(opened.notes.len(), 1, "{:?}", opened.notes);
        append(&opened.ledger, &session("s"), &["new"]);
        drop(opened);
        assert_eq!(keys(&open(&folder), &session("s")), ["new"]);
        assert_eq!(fs::read(folder.path().join("ledger.sqlite.broken-1-wal")).unwrap(), log);
    }
}

#[test]
fn the_log_of_a_killed_owner_is_read() {
    let folder = abandoned_ledger();
    assert_eq!(keys(&open(&folder), &session("s")).last().unwrap(), "newest");
}

#[test]
fn a_newer_ledger_is_left_byte_for_byte() {
    let set_version = "PRAGMA user_version = 99";
    let execute = |folder: &TempDir, sql: &str| {
        Connection::open(folder.path().join(MAIN))
            .unwrap()
            .execute_batch(sql)
            .unwrap()
    };
    let rollback = closed_ledger();
    execute(&rollback, &format!("PRAGMA journal_mode = DELETE; {set_version}"));
    let in_the_file = closed_ledger();
    execute(&in_the_file, set_version);
    let in_the_log = TempDir::new().unwrap();
    {
        let source = closed_ledger();
        let connection = Connection::open(source.path().join(MAIN)).unwrap();
        connection.execute_batch(set_version).unwrap();
        for name in names(source.path()) {
            fs::copy(source.path().join(&name), in_the_log.path().join(&name)).unwrap();
        }
    }
    for folder in [rollback, in_the_file, in_the_log] {
        fs::set_permissions(folder.path().join(MAIN), fs::Permissions::from_mode(0o640)).unwrap();
        let state = || {
            let bytes = |name: &str| fs::read(folder.path().join(name)).unwrap_or_default();
            let about = fs::metadata(folder.path().join(MAIN)).unwrap();
            (
                bytes(MAIN),
                bytes("ledger.sqlite-wal"),
                about.permissions().mode(),
                about.modified().unwrap(),
            )
        };
        let before = state();
        let newer = LedgerError::Newer {
            found: 99,
            known: i64::try_from(schema::STEPS.len()).unwrap(),
        };
        assert_eq!(Ledger::open(folder.path()).unwrap_err(), newer);
        assert_eq!(Ledger::reopen(folder.path()).unwrap_err(), newer);
        assert_eq!(Ledger::open_existing(folder.path()).unwrap_err(), newer);
        assert!(state() == before);
    }
}

/// Overwrites the second half of a ledger, where only facts are.
fn damage(folder: &TempDir) {
    let mut bytes = fs::read(folder.path().join(MAIN)).unwrap();
    let half = bytes.len() / 2;
    bytes[half..].fill(0xab);
    fs::write(folder.path().join(MAIN), bytes).unwrap();
}

#[test]
fn damage_that_is_found_later_is_moved_aside_by_reopening() {
    let folder = closed_ledger();
    damage(&folder);
    let ledger = open(&folder);
    let found = ledger.facts(&session("s"), 0);
    assert!(matches!(found, Err(LedgerError::Broken { .. })), "{found:?}");
    // The broken ledger is still open, as in a server whose other threads have not noticed yet.
    let opened = Ledger::reopen(folder.path()).unwrap();
    assert_eq!(opened.notes.len(), 1);
    append(&opened.ledger, &session("s"), &["a"]);
    drop(ledger);
    append(&opened.ledger, &session("s"), &["b"]);
    assert_eq!(
        opened.ledger.sync(),
        Ok(()),
        "closing the broken one took no file of the new one"
    );
    assert_eq!(
        keys(&Ledger::open_existing(folder.path()).unwrap().unwrap(), &session("s")),
        ["a", "b"]
    );
}

#[test]
fn reopening_a_good_ledger_keeps_it() {
    let folder = abandoned_ledger();
    let opened = Ledger::reopen(folder.path()).unwrap();
    assert_eq!(opened.notes, Vec::<String>::new());
    assert_eq!(keys(&opened.ledger, &session("s")).len(), 401);
}

#[test]
fn nobody_else_may_read_a_ledger() {
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let new = TempDir::new().unwrap();
    file::create(&new.path().join(MAIN)).unwrap();
    assert_eq!(mode(&new.path().join(MAIN)), 0o600, "from its first moment");
    let folder = closed_ledger();
    fs::set_permissions(folder.path().join(MAIN), fs::Permissions::from_mode(0o644)).unwrap();
    let ledger = open(&folder);
    append(&ledger, &session("s"), &["a"]);
    assert_eq!(names(folder.path()), [MAIN, "ledger.sqlite-shm", "ledger.sqlite-wal"]);
    for name in names(folder.path()) {
        assert_eq!(mode(&folder.path().join(&name)), 0o600, "{name}");
    }
}

#[test]
fn a_ledger_that_cannot_be_reached_is_not_replaced() {
    let folder = TempDir::new().unwrap();
    std::os::unix::fs::symlink(folder.path().join("unmounted/ledger"), folder.path().join(MAIN)).unwrap();
    assert!(matches!(Ledger::open(folder.path()), Err(LedgerError::Other(_))));
    assert_eq!(names(folder.path()), [MAIN]);
    assert!(matches!(
        Ledger::open(&folder.path().join("no/folder")),
        Err(LedgerError::Other(_))
    ));
    assert!(
        Ledger::open_existing(&folder.path().join("no/folder"))
            .unwrap()
            .is_none()
    );
}

#[test]
fn several_may_start_a_ledger_at_once() {
    for _ in 0..10 {
        let folder = TempDir::new().unwrap();
        thread::scope(|scope| {
            for number in 0..4 {
                let folder = &folder;
                scope.spawn(move || append(&open(folder), &session("s"), &[&number.to_string()]));
            }
        });
        assert_eq!(keys(&open(&folder), &session("s")).len(), 4);
    }
}

#[test]
fn the_log_is_synced_before_it_is_written_over() {
    let folder = TempDir::new().unwrap();
    let ledger = open(&folder);
    let pragma = |name: &str| ledger.read(|connection| connection.pragma_query_value(None, name, |row| row.get(0)));
    assert_eq!(
        pragma("synchronous"),
        Ok(1),
        "NORMAL: with OFF, what was synced could be overwritten too early"
    );
}
