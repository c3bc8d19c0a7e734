//! The steps between versions.
//! The questions asked of the tables stay out.

use std::thread;

use rusqlite::Connection;
use tempfile::TempDir;

use super::{append, keys, open, session};
use crate::ledger::facts::CHANGED;
use crate::ledger::schema::{APPLICATION_ID, Content, STEPS, content, migrate};
use crate::ledger::{Ledger, LedgerError};

/// This build's steps and some of a later one.
fn later(steps: [&'static str; 2]) -> Vec<&'static str> {
    STEPS.iter().copied().chain(steps).collect()
}

/// The version of this build's ledgers.
fn known() -> i64 {
    i64::try_from(STEPS.len()).unwrap()
}

fn number(connection: &Connection, sql: &str) -> i64 {
    connection.query_row(sql, [], |row| row.get(0)).unwrap()
}

#[test]
fn a_ledger_takes_the_steps_that_it_lacks() {
    let ledger = Ledger::in_memory().unwrap();
    append(&ledger, &session("s"), &["a"]);
    let steps = later([
        "ALTER TABLE session ADD COLUMN branch TEXT",
        "CREATE TABLE note (text TEXT); INSERT INTO note VALUES ('n')",
    ]);
    {
        let mut connection = ledger.locked();
        migrate(&mut connection, &steps[..steps.len() - 1]).unwrap();
        assert_eq!(number(&connection, "PRAGMA user_version"), known() + 1);
        migrate(&mut connection, &steps).unwrap();
        migrate(&mut connection, &steps).unwrap();
        assert_eq!(number(&connection, "PRAGMA user_version"), known() + 2);
        assert_eq!(
            number(&connection, "SELECT count(*) FROM note"),
            1,
            "a step is taken once"
        );
        assert_eq!(number(&connection, "SELECT count(branch) FROM session"), 0);
        assert_eq!(content(&mut connection, &steps), Ok(Content::Ledger));
        assert_eq!(
            content(&mut connection, &steps[..1]),
            Err(LedgerError::Newer {
                found: known() + 2,
                known: 1
            })
        );
    }
    assert_eq!(keys(&ledger, &session("s")), ["a"]);
}

#[test]
fn a_step_that_fails_is_not_taken_by_half() {
    let mut connection = Connection::open_in_memory().unwrap();
    let steps = [
        STEPS[0],
        "CREATE TABLE half (a)",
        "CREATE TABLE more (a); CREATE TABLE half (a)",
    ];
    assert!(migrate(&mut connection, &steps).is_err());
    assert_eq!(number(&connection, "PRAGMA user_version"), 2);
    assert_eq!(
        number(&connection, "SELECT count(*) FROM sqlite_schema WHERE name = 'more'"),
        0
    );
}

#[test]
fn several_processes_take_a_step_once() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("ledger.sqlite");
    drop(open(&folder));
    let steps = later(["CREATE TABLE note (text TEXT)", "INSERT INTO note VALUES ('n')"]);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| migrate(&mut Connection::open(&path).unwrap(), &steps).unwrap());
        }
    });
    assert_eq!(
        number(&Connection::open(&path).unwrap(), "SELECT count(*) FROM note"),
        1
    );
}

#[test]
fn a_file_is_told_by_what_is_in_it() {
    let ours = format!("PRAGMA application_id = {APPLICATION_ID};");
    let foreign = || {
        Err(LedgerError::Broken {
            what: "the file belongs to another program".to_owned(),
        })
    };
    let cases = [
        (String::new(), Ok(Content::Nothing)),
        (STEPS[0].to_owned() + "PRAGMA user_version = 1", Ok(Content::Ledger)),
        (
            STEPS[0].to_owned() + "PRAGMA user_version = 9",
            Err(LedgerError::Newer {
                found: 9,
                known: known(),
            }),
        ),
        (
            ours.clone() + "PRAGMA user_version = 9",
            Err(LedgerError::Newer {
                found: 9,
                known: known(),
            }),
        ),
        (ours, foreign()),
        ("CREATE TABLE fact (id)".to_owned(), foreign()),
        ("CREATE TABLE fact (id); PRAGMA user_version = 1".to_owned(), foreign()),
        ("CREATE TABLE fact (id); PRAGMA user_version = 9".to_owned(), foreign()),
        (
            "PRAGMA application_id = 7; PRAGMA user_version = 1".to_owned(),
            foreign(),
        ),
    ];
    for (sql, expected) in cases {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(&sql).unwrap();
        assert_eq!(content(&mut connection, STEPS), expected, "{sql}");
    }
}

#[test]
fn facts_of_a_session_are_found_by_the_index_that_has_them_in_order() {
    let ledger = Ledger::in_memory().unwrap();
    let sql = "EXPLAIN QUERY PLAN SELECT id, at, agent, turn, anchor, key, body FROM fact
               WHERE harness = ?1 AND session = ?2 AND id > ?3 ORDER BY id";
    let plan: String = ledger
        .read(|connection| connection.query_row(sql, ("h", "s", 1), |row| row.get(3)))
        .unwrap();
    assert!(
        plan.contains("fact_by_session (harness=? AND session=? AND id>?)"),
        "{plan}"
    );
}

#[test]
fn new_facts_are_found_without_reading_the_old_ones() {
    let ledger = Ledger::in_memory().unwrap();
    let sql = format!("EXPLAIN QUERY PLAN {CHANGED}");
    let plan: String = ledger
        .read(|connection| connection.query_row(&sql, [1], |row| row.get(3)))
        .unwrap();
    assert!(plan.contains("USING INTEGER PRIMARY KEY (rowid>?)"), "{plan}");
}
