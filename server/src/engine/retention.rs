//! What is kept no longer: old sessions on the ledger, and the files in the state folder that were theirs.
//! The steps on the ledger are its own; how long things are kept is a setting.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use proofmark_protocol::paths;
use proofmark_protocol::query::ScopePhase;

use super::{Engine, now, queries};
use crate::ledger::{Ledger, LedgerError, Removal, SessionRow};
use crate::state_folder;

/// A day, in milliseconds.
const DAY: u64 = 24 * 60 * 60 * 1_000;
/// Folds are kept for so many days after their session was heard of last: they only save reading a transcript twice.
const KEEP_FOLDS: u64 = 14;
/// Sessions that a server removes in one day. A clock that jumped far ahead costs no more than these.
const MOST: usize = 1_000;
/// So long without an event, and the server tidies up.
const QUIET: Duration = Duration::from_secs(60);
/// How long it waits between two of its steps, so that whoever writes has his turn.
const PAUSE: Duration = Duration::from_millis(5);
/// A server tidies up once in this time.
const EVERY: Duration = Duration::from_secs(24 * 60 * 60);
/// A document that belongs to no session is that of a session that is about to be noted, or it is older than this.
const NEW: Duration = Duration::from_secs(24 * 60 * 60);

/// What is to go, as times in milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Sessions that were not heard of since go.
    before: u64,
    /// Those with an open claim, a finding that stands, or a scope only when they were not heard of since.
    open_before: u64,
    /// Folds of sessions that were not heard of since.
    folds_before: u64,
    most: usize,
}

impl Retention {
    /// What a server removes by itself at `now`, by the setting `ledger.keep_days`; 0 keeps every session.
    pub fn by_setting(keep_days: u64, now: u64) -> Self {
        let before = age(keep_days, now);
        Self {
            before,
            open_before: before,
            folds_before: age(KEEP_FOLDS, now).max(before),
            most: MOST,
        }
    }

    /// What a person asks for at `now`: sessions older than `days`. Those with something open stay while they are younger
    /// than the setting says, unless these are asked for too.
    pub fn asked(days: u64, keep_days: u64, open_too: bool, now: u64) -> Self {
        let before = now.saturating_sub(days.saturating_mul(DAY));
        Self {
            before,
            open_before: if open_too {
                before
            } else {
                age(keep_days, now).min(before)
            },
            folds_before: before.max(age(KEEP_FOLDS, now)),
            most: usize::MAX,
        }
    }
}

/// The time so many days before `now`; the beginning of time for 0 days.
fn age(days: u64, now: u64) -> u64 {
    match days {
        0 => 0,
        days => now.saturating_sub(days.saturating_mul(DAY)),
    }
}

/// What was removed, or would be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pruned {
    /// Sessions.
    pub sessions: u64,
    /// Sessions that stay because something in them is open.
    pub open: u64,
    /// Files of the state folder.
    pub files: u64,
    /// Nothing is left to be removed: it was not asked to stop before.
    pub ended: bool,
}

/// How many sessions would be removed now.
///
/// # Errors
/// The ledger's.
pub fn would_prune(ledger: &Ledger, retention: &Retention) -> Result<Pruned, LedgerError> {
    let (rows, open) = due(ledger, retention, &|_| false)?;
    Ok(Pruned {
        sessions: rows.len() as u64,
        open,
        ..Pruned::default()
    })
}

/// Removes what is to go, in small steps; `go_on` is asked before each.
///
/// # Errors
/// The ledger's. What was removed by then stays removed; the next time goes on from there.
pub fn prune(
    state_dir: &Path,
    ledger: &Ledger,
    retention: &Retention,
    go_on: &dyn Fn() -> bool,
) -> Result<Pruned, LedgerError> {
    prune_but(state_dir, ledger, retention, &|_| false, go_on)
}

/// As [`prune`]; sessions that are in use stay.
fn prune_but(
    state_dir: &Path,
    ledger: &Ledger,
    retention: &Retention,
    in_use: &dyn Fn(&SessionRow) -> bool,
    go_on: &dyn Fn() -> bool,
) -> Result<Pruned, LedgerError> {
    let go_on = || {
        std::thread::sleep(PAUSE);
        go_on()
    };
    let (rows, open) = due(ledger, retention, in_use)?;
    let mut pruned = Pruned {
        open,
        ..Pruned::default()
    };
    for row in rows {
        loop {
            if !go_on() {
                return Ok(pruned);
            }
            match ledger.remove_some(&row.key, retention.before)? {
                Removal::More => {}
                Removal::Kept => break,
                Removal::Done => {
                    pruned.sessions += 1;
                    break;
                }
            }
        }
    }
    while go_on() {
        if ledger.forget_folds(retention.folds_before)? == 0 {
            ledger.forget_rest(retention.before, |process| !state_folder::is_running(process))?;
            pruned.files = sweep(state_dir, ledger, retention.before)?;
            pruned.ended = true;
            break;
        }
    }
    while pruned.ended && ledger.give_back()? {
        pruned.ended = go_on();
    }
    ledger.settle_log()?;
    Ok(pruned)
}

/// The sessions that are to go, and how many stay because something in them is open.
fn due(
    ledger: &Ledger,
    retention: &Retention,
    in_use: &dyn Fn(&SessionRow) -> bool,
) -> Result<(Vec<SessionRow>, u64), LedgerError> {
    let (mut rows, mut open) = (Vec::new(), 0);
    for row in ledger.silent_since(retention.before)? {
        if rows.len() >= retention.most || in_use(&row) {
            continue;
        }
        if row.last_seen >= retention.open_before && is_open(ledger, &row)? {
            open += 1;
        } else {
            rows.push(row);
        }
    }
    Ok((rows, open))
}

/// Whether a session has an open claim, a finding that stands, or a scope.
fn is_open(ledger: &Ledger, row: &SessionRow) -> Result<bool, LedgerError> {
    let book = queries::book(ledger, &row.key)?;
    let stands = book.noted().iter().any(|noted| noted.end.is_none());
    Ok(stands || book.open().next().is_some() || book.scope().phase() != ScopePhase::None)
}

/// Removes documents of sessions that the ledger does not know, and marks from before `before`. How many.
fn sweep(state_dir: &Path, ledger: &Ledger, before: u64) -> Result<u64, LedgerError> {
    let document = |row: SessionRow| paths::session_document(state_dir, row.key.harness.as_str(), &row.key.session);
    let known: HashSet<PathBuf> = ledger.sessions()?.into_iter().map(document).collect();
    let young = SystemTime::now().checked_sub(NEW).unwrap_or(UNIX_EPOCH);
    let before = UNIX_EPOCH + Duration::from_millis(before);
    let documents = paths::documents(state_dir);
    let marks = paths::marks(state_dir);
    // What can't be looked at or removed is met again the next time; it holds nothing up.
    let gone = remove_where(&documents, |path, at| at < young && !known.contains(path)).unwrap_or(0);
    Ok(gone + remove_where(&marks, |_, at| at < before).unwrap_or(0))
}

/// Removes the files of a folder for which `goes` says so, by path and time of the last change.
fn remove_where(folder: &Path, goes: impl Fn(&Path, SystemTime) -> bool) -> io::Result<u64> {
    let mut gone = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let found = entry.metadata()?;
        if found.is_file() && goes(&entry.path(), found.modified()?) {
            std::fs::remove_file(entry.path())?;
            gone += 1;
        }
    }
    Ok(gone)
}

impl Engine {
    /// Removes what is kept no longer, once a day, while nobody asks for anything; the first event ends it.
    pub fn tidy_up(&self) {
        let clock = self.clock();
        let last = self.tidied.load(std::sync::atomic::Ordering::Relaxed);
        let every = u64::try_from(EVERY.as_millis()).unwrap_or(u64::MAX);
        if self.idle() < QUIET || (last > 0 && clock < last.saturating_add(every)) {
            return;
        }
        let retention = Retention::by_setting(self.settings.read(None).settings.keep_days, now());
        let in_use = |row: &SessionRow| self.sessions.contains_key(&row.key);
        let quiet = || self.idle() >= QUIET;
        // Whatever is wrong with the ledger, the next event finds it and says so.
        let pruned = prune_but(&self.state_dir, &self.ledger(), &retention, &in_use, &quiet);
        // One that an event has ended goes on in the next quiet minute; a ledger that fails is left alone for a day.
        if pruned.map_or(true, |pruned| pruned.ended) {
            self.tidied.store(clock.max(1), std::sync::atomic::Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests;
