//! The ledger's tables, their versions, and how to tell a ledger from any other file.
//! What is asked of the tables stays out: every question is with its answer's type.

use rusqlite::{Connection, ErrorCode, TransactionBehavior};

use super::LedgerError;

/// What makes a SQLite file a ledger: "Prmk". Without it, somebody else's file with a high `user_version` would pass for
/// the ledger of a later build and never be moved out of the way.
pub(super) const APPLICATION_ID: i64 = 0x5072_6d6b;

/// The steps from an empty file to the tables of this build. The version of a ledger (`user_version`) is how many of them
/// it has taken. A step that was released is never changed; a new one is put at the end.
pub(super) const STEPS: &[&str] = &[
    "
    PRAGMA application_id = 0x50726d6b;
    CREATE TABLE session (
        harness TEXT NOT NULL, session TEXT NOT NULL,
        first_seen INTEGER NOT NULL, last_seen INTEGER NOT NULL,
        transcript TEXT, cwd TEXT,
        PRIMARY KEY (harness, session)
    ) STRICT;
    CREATE TABLE fact (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        at INTEGER NOT NULL, harness TEXT NOT NULL, session TEXT NOT NULL, agent TEXT, turn INTEGER NOT NULL,
        kind TEXT NOT NULL, subject TEXT NOT NULL, anchor TEXT, key TEXT NOT NULL, body TEXT NOT NULL,
        UNIQUE (harness, session, key)
    ) STRICT;
    CREATE INDEX fact_by_session ON fact (harness, session, id);
    CREATE INDEX fact_by_kind ON fact (kind);
    CREATE TABLE snapshot (
        harness TEXT NOT NULL, session TEXT NOT NULL, stream TEXT NOT NULL, body TEXT NOT NULL, at INTEGER NOT NULL,
        PRIMARY KEY (harness, session, stream)
    ) STRICT;
    CREATE TABLE lineage (
        harness TEXT NOT NULL, first_row TEXT NOT NULL, session TEXT NOT NULL, at INTEGER NOT NULL,
        PRIMARY KEY (harness, first_row, session)
    ) STRICT;
    CREATE TABLE pause (session TEXT UNIQUE, until INTEGER NOT NULL) STRICT;
",
    "
    CREATE TABLE published (
        uri TEXT NOT NULL, process INTEGER NOT NULL, at INTEGER NOT NULL,
        PRIMARY KEY (uri, process)
    ) STRICT;
",
    "
    CREATE TABLE heard (
        harness TEXT NOT NULL, session TEXT NOT NULL, event TEXT NOT NULL,
        count INTEGER NOT NULL, last INTEGER NOT NULL, total INTEGER NOT NULL, worst INTEGER NOT NULL,
        spread TEXT NOT NULL,
        PRIMARY KEY (harness, session, event)
    ) STRICT;
    CREATE INDEX heard_by_last ON heard (last);
",
];

/// One row of every table with every column that this build uses: fails on tables that only share the name.
const PROBES: [&str; 7] = [
    "SELECT harness, session, first_seen, last_seen, transcript, cwd FROM session LIMIT 1",
    "SELECT id, at, harness, session, agent, turn, kind, subject, anchor, key, body FROM fact LIMIT 1",
    "SELECT harness, session, stream, body, at FROM snapshot LIMIT 1",
    "SELECT harness, first_row, session, at FROM lineage LIMIT 1",
    "SELECT session, until FROM pause LIMIT 1",
    "SELECT uri, process, at FROM published LIMIT 1",
    "SELECT harness, session, event, count, last, total, worst, spread FROM heard LIMIT 1",
];

/// What a SQLite file is to this build.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Nothing was ever stored in it.
    Nothing,
    /// A ledger that this build can read, perhaps after some steps.
    Ledger,
}

/// Tells what a file is, by reading alone.
pub(super) fn content(connection: &mut Connection, steps: &[&str]) -> Result<Content, LedgerError> {
    // One transaction, so that an owner who is just taking the first step is seen before it or after it.
    let (tables, application, version) = (|| {
        let at_one_time = connection.transaction()?;
        let tables: i64 = at_one_time.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        let application: i64 = at_one_time.pragma_query_value(None, "application_id", |row| row.get(0))?;
        Ok((tables, application, user_version(&at_one_time)?))
    })()
    .map_err(LedgerError::sqlite)?;
    let known = version_after(steps);
    match (application, version, tables) {
        (0, 0, 0) => Ok(Content::Nothing),
        (APPLICATION_ID, found, _) if found > known => Err(LedgerError::Newer { found, known }),
        (APPLICATION_ID, 1.., _) => Ok(Content::Ledger),
        _ => Err(LedgerError::Broken {
            what: "the file belongs to another program".to_owned(),
        }),
    }
}

/// Takes the steps that a ledger has not taken yet, each with its version in a transaction of its own: a process killed
/// in between leaves a ledger of an earlier version, never half of one.
pub(super) fn migrate(connection: &mut Connection, steps: &[&str]) -> Result<(), LedgerError> {
    while user_version(connection).map_err(LedgerError::sqlite)? < version_after(steps) {
        step(connection, steps).map_err(LedgerError::sqlite)?;
    }
    Ok(())
}

fn step(connection: &mut Connection, steps: &[&str]) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Asked again under the write lock: another process may have taken the step meanwhile.
    let version = user_version(&transaction)?;
    if let Some(sql) = usize::try_from(version).ok().and_then(|taken| steps.get(taken)) {
        transaction.execute_batch(sql)?;
        transaction.pragma_update(None, "user_version", version + 1)?;
    }
    transaction.commit()
}

/// Fails when a table or a column that this build uses is not there.
pub(super) fn probe(connection: &Connection) -> Result<(), LedgerError> {
    for sql in PROBES {
        let found = connection
            .prepare(sql)
            .and_then(|mut statement| statement.query([])?.next().map(|_| ()));
        found.map_err(|error| {
            // SQLite's plain "error", which comes in two shapes: a name that it does not find.
            let input = matches!(error, rusqlite::Error::SqlInputError { .. });
            if input || error.sqlite_error_code() == Some(ErrorCode::Unknown) {
                return LedgerError::Broken {
                    what: error.to_string(),
                };
            }
            LedgerError::sqlite(error)
        })?;
    }
    Ok(())
}

/// What is wrong with the pages and rows of a file, found by a look that leaves indexes uncompared; none where nothing is.
pub(super) fn fault(connection: &Connection) -> Result<Option<String>, LedgerError> {
    let report: String = connection
        .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
        .map_err(LedgerError::sqlite)?;
    Ok((report != "ok").then_some(report))
}

/// Whether a table is there: a ledger of an earlier build lacks the later ones.
pub(super) fn has(connection: &Connection, table: &str) -> Result<bool, LedgerError> {
    connection
        .query_row(
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?1",
            [table],
            |row| row.get::<_, i64>(0),
        )
        .map(|count| count > 0)
        .map_err(LedgerError::sqlite)
}

/// Reads the whole file and fails when a page, a row or an index entry is not as it should be.
pub(super) fn check_whole(connection: &Connection) -> Result<(), LedgerError> {
    let sql = "PRAGMA integrity_check(1)";
    let report: String = connection
        .query_row(sql, [], |row| row.get(0))
        .map_err(LedgerError::sqlite)?;
    if report == "ok" {
        Ok(())
    } else {
        Err(LedgerError::Broken { what: report })
    }
}

fn user_version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

fn version_after(steps: &[&str]) -> i64 {
    i64::try_from(steps.len()).unwrap_or(i64::MAX)
}
