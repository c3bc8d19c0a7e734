//! What editors are shown, followed along the ledger: whole at first, then session by session as facts come in.
//! What a session looks like is `picture/`'s; who is told is the transports' business.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use proofmark_protocol::findings::{
    EditorOptions, FindingsChanged, SessionFindings, SessionReport, SessionReportParams,
};
use proofmark_protocol::paths;
use thiserror::Error;
use tokio::sync::watch;

use super::{Engine, now};
use crate::ledger::{Ledger, LedgerError};
use crate::picture::{Picture, Whereabouts, picture};
use crate::session::{Book, SessionKey};
use crate::state_folder;

/// How often the ledger is looked at for facts of other processes, while somebody watches.
const LOOK: Duration = Duration::from_millis(250);
/// A session that was not heard of for so long is not shown, in milliseconds.
const RECENT: u64 = EditorOptions::LONGEST_AGE_HOURS as u64 * 60 * 60 * 1_000;
/// How late it may be told that a session was heard of, when that alone is new.
const LATE: Duration = Duration::from_secs(60);
/// Books that are held to be folded on; of more, those that changed longest ago are read again when they change.
const MAX_BOOKS: usize = 64;

/// Why nothing more can be shown.
#[derive(Debug, Error)]
pub enum WatchError {
    /// The ledger can't be read.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A session's document can't be written.
    #[error("a session's document can't be written: {0}")]
    Document(io::Error),
    /// The server is on its way out.
    #[error("the server is shutting down")]
    Closing,
}

/// One watcher's place on the ledger. It holds what it last showed, so it takes as long as its reader does: changes that
/// come meanwhile are shown as one.
pub struct Watch {
    stirred: watch::Receiver<()>,
    tail: Option<Tail>,
}

struct Tail {
    engine: Arc<Engine>,
    ledger: Arc<Ledger>,
    last: i64,
    whole: bool,
    /// When every session was last looked at for having been heard of.
    heard: Instant,
    books: HashMap<SessionKey, (i64, Book)>,
    shown: HashMap<SessionKey, Picture>,
    /// Half-written documents may lie about.
    littered: bool,
}

impl Engine {
    /// Watches what editors are shown.
    pub fn watch(self: &Arc<Self>) -> Watch {
        let tail = Tail {
            engine: Arc::clone(self),
            ledger: self.ledger(),
            last: 0,
            whole: true,
            heard: Instant::now(),
            books: HashMap::new(),
            shown: HashMap::new(),
            littered: true,
        };
        Watch {
            stirred: self.stirred.subscribe(),
            tail: Some(tail),
        }
    }

    /// Has everybody who watches look at once: this process has just written facts.
    pub fn stir(&self) {
        self.stirred.send_replace(());
    }

    /// A session's document as it is now; none when the ledger has no such session.
    ///
    /// # Errors
    /// As [`LedgerError`] says.
    pub fn report(&self, params: &SessionReportParams) -> Result<Option<SessionReport>, LedgerError> {
        let ledger = self.ledger();
        let named = |row: &crate::ledger::SessionRow| {
            row.key.session == params.session && params.harness.is_none_or(|harness| harness == row.key.harness)
        };
        let Some(row) = ledger.sessions()?.into_iter().find(named) else {
            return Ok(None);
        };
        let read = ledger.facts(&row.key, 0)?;
        let book = Book::of(read.facts.iter().map(|stored| &stored.fact));
        let document = self.document(&row.key);
        let at = Whereabouts {
            cwd: row.cwd.as_deref(),
            transcript: row.transcript.as_deref(),
            last_seen: Some(row.last_seen),
            document: &document,
        };
        let text = picture(&book, &row.key, at).document;
        Ok(Some(SessionReport { document, text }))
    }

    fn document(&self, key: &SessionKey) -> String {
        paths::session_document(&self.state_dir, key.harness.as_str(), &key.session)
            .display()
            .to_string()
    }
}

impl Watch {
    /// What is shown, whole, at the first call; at each further one what has changed, once something has.
    ///
    /// # Errors
    /// As [`WatchError`] says; a new watch may do better.
    pub async fn next(&mut self) -> Result<FindingsChanged, WatchError> {
        loop {
            // Marked as seen before the look: what stirs during it is looked at next.
            self.stirred.borrow_and_update();
            let Some(mut tail) = self.tail.take() else {
                return Err(WatchError::Closing);
            };
            let look = tokio::task::spawn_blocking(move || (tail.look(), tail)).await;
            let (changed, tail) = look.map_err(|_| WatchError::Closing)?;
            self.tail = Some(tail);
            if let Some(changed) = changed? {
                return Ok(changed);
            }
            tokio::select! {
                stirred = self.stirred.changed() => stirred.map_err(|_| WatchError::Closing)?,
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    }
}

impl Tail {
    fn look(&mut self) -> Result<Option<FindingsChanged>, WatchError> {
        // A process that was killed just now counts as running for a moment, so this may take some looks.
        self.littered = self.littered && state_folder::sweep(&paths::documents(self.engine.state_dir()));
        let ledger = self.engine.ledger();
        if !Arc::ptr_eq(&ledger, &self.ledger) {
            // The ledger broke and was begun anew: nothing that was known of it holds.
            self.ledger = ledger;
            self.whole = true;
            self.books.clear();
            self.shown.clear();
        }
        let (changed, last) = match self.whole {
            true => self.ledger.heard_of_since(now().saturating_sub(RECENT))?,
            false => self.ledger.changed_since(self.last)?,
        };
        let mut sessions = Vec::new();
        for key in &changed {
            sessions.extend(self.session(key)?);
        }
        // That a session was heard of, or removed, is no fact, so the ids do not tell it.
        if self.heard.elapsed() >= LATE {
            self.heard = Instant::now();
            sessions.extend(self.look_over()?);
        }
        self.last = last;
        let whole = std::mem::take(&mut self.whole);
        Ok((whole || !sessions.is_empty()).then_some(FindingsChanged { whole, sessions }))
    }

    /// Of the sessions that are shown, those that were heard of since, and what is left to show of those that are not
    /// recent any more, or not on the ledger: nothing.
    fn look_over(&mut self) -> Result<Vec<SessionFindings>, WatchError> {
        let recent = now().saturating_sub(RECENT);
        let mut sessions = Vec::new();
        for key in self.shown.keys().cloned().collect::<Vec<_>>() {
            let last_seen = self.ledger.session(&key)?.map(|row| row.last_seen);
            let before = self.shown.get(&key).and_then(|shown| shown.findings.last_seen);
            // Without a row, one whose first facts came before it was noted is like one that was removed.
            if last_seen.is_none_or(|last_seen| last_seen < recent) {
                sessions.extend(self.forget(&key));
            } else if is_much_later(before, last_seen) {
                sessions.extend(self.session(&key)?);
            }
        }
        Ok(sessions)
    }

    /// Forgets a session that is shown: in its place, in the workspaces where it was, there is nothing.
    fn forget(&mut self, key: &SessionKey) -> Option<SessionFindings> {
        self.books.remove(key);
        let shown = self.shown.remove(key)?.findings;
        Some(SessionFindings {
            scope: None,
            items: Vec::new(),
            retired: Vec::new(),
            dismissed: Vec::new(),
            ..shown
        })
    }

    /// Forgets the books that changed longest ago, where there are too many.
    fn bound_books(&mut self) {
        if self.books.len() > MAX_BOOKS {
            let mut places: Vec<i64> = self.books.values().map(|(last, _)| *last).collect();
            places.sort_unstable();
            // Half of them at once, or each new one would have all of them looked over.
            let oldest = places[places.len() - MAX_BOOKS / 2];
            self.books.retain(|_, (last, _)| *last >= oldest);
        }
    }

    /// What a session that got new facts has to say, if that is something else than before.
    fn session(&mut self, key: &SessionKey) -> Result<Option<SessionFindings>, WatchError> {
        let row = self.ledger.session(key)?;
        // Facts that a fork inherits may come before the session itself is noted.
        if row
            .as_ref()
            .is_some_and(|row| row.last_seen.saturating_add(RECENT) < now())
        {
            return Ok(None);
        }
        let last_seen = row.as_ref().map(|row| row.last_seen);
        let (cwd, transcript) = row.map_or((None, None), |row| (row.cwd, row.transcript));
        self.bound_books();
        let (last, book) = self.books.entry(key.clone()).or_default();
        let new = self.ledger.facts(key, *last)?;
        for stored in &new.facts {
            book.fold(&stored.fact);
        }
        *last = new.last;
        let document = self.engine.document(key);
        let at = Whereabouts {
            cwd: cwd.as_deref(),
            transcript: transcript.as_deref(),
            last_seen,
            document: &document,
        };
        let new = picture(book, key, at);
        let old = self.shown.get(key);
        let SessionFindings {
            items,
            retired,
            dismissed,
            scope,
            ..
        } = &new.findings;
        let says_nothing = items.is_empty() && retired.is_empty() && dismissed.is_empty() && scope.is_none();
        if old.is_some_and(|old| says_the_same(old, &new)) || (old.is_none() && says_nothing) {
            return Ok(None);
        }
        state_folder::put(Path::new(&document), &new.document).map_err(WatchError::Document)?;
        let findings = new.findings.clone();
        self.shown.insert(key.clone(), new);
        Ok(Some(findings))
    }
}

/// True when there is nothing new to show, save that the session was heard of again not long after.
fn says_the_same(old: &Picture, new: &Picture) -> bool {
    if is_much_later(old.findings.last_seen, new.findings.last_seen) {
        return false;
    }
    let findings = SessionFindings {
        last_seen: new.findings.last_seen,
        ..old.findings.clone()
    };
    findings == new.findings && old.document == new.document
}

fn is_much_later(before: Option<u64>, after: Option<u64>) -> bool {
    after.unwrap_or_default().saturating_sub(before.unwrap_or_default()) >= LATE.as_millis() as u64
}

#[cfg(test)]
mod tests;
