//! A session at rest: its facts and folds are read from the ledger again when it is asked next, and what the ledger does not
//! have stays in memory. Which sessions rest, and when, stays out.

use std::collections::HashMap;
use std::path::PathBuf;

use super::{Following, Live};
use crate::ledger::{Ledger, LedgerError};
use crate::session::observed::Joined;
use crate::session::stream::{FOLD_VERSION, Unstored};
use crate::session::{Book, SessionKey};

/// A session of which nothing is known, in bytes.
const EMPTY: usize = 1_024;

/// What is kept in memory of one agent's record.
struct Kept {
    path: PathBuf,
    /// Where the fold stood: one on the ledger that stands elsewhere was put there by another process.
    offset: u64,
    torn: bool,
    unstored: Unstored,
    /// The fold and what it was joined with, where the ledger never has a fold: as text, which is a fraction as large.
    joined: Option<(Joined, String)>,
}

/// What a session keeps of its records while it rests, by agent.
#[derive(Default)]
pub(super) struct Resting(HashMap<String, Kept>);

impl Live {
    /// About how many bytes the session takes that would be given back if it was at rest.
    pub(in crate::engine) fn weight(&self) -> usize {
        let records = self.records.values().map(|following| following.stream.weight());
        match self.loaded {
            Some(_) => EMPTY + self.book.weight() + records.sum::<usize>(),
            None => 0,
        }
    }

    /// How many bytes it keeps at rest that no ledger has.
    pub(in crate::engine) fn kept(&self) -> usize {
        let joined = self.resting.0.values().filter_map(|kept| kept.joined.as_ref());
        joined.map(|(_, body)| body.len()).sum()
    }

    /// Puts the session to rest, its folds on the ledger first. False, and nothing is changed, where the ledger does not
    /// have all that this process knows.
    ///
    /// # Errors
    /// The ledger's; the session is awake then.
    pub(in crate::engine) fn rest(&mut self, ledger: &Ledger, key: &SessionKey, now: u64) -> Result<bool, LedgerError> {
        if self.loaded.is_none() || self.outlived || !self.unwritten.is_empty() {
            return Ok(false);
        }
        let mut joined = HashMap::new();
        for (name, following) in &mut self.records {
            let offset = following.follower.offset();
            if following.joined.is_none() && following.stored == offset {
                continue;
            }
            let body = serde_json::to_string(&*following).map_err(|error| LedgerError::Other(error.to_string()))?;
            if following.joined.is_some() {
                joined.insert(name.clone(), body);
            } else {
                ledger.put_snapshot(key, name, &body, now)?;
                following.stored = offset;
            }
        }
        let kept = std::mem::take(&mut self.records)
            .into_iter()
            .map(|(name, mut following)| {
                let joined = following.joined.take().zip(joined.remove(&name));
                let kept = Kept {
                    path: following.follower.path().to_owned(),
                    offset: following.follower.offset(),
                    torn: following.torn,
                    unstored: following.stream.take_unstored(),
                    joined,
                };
                (name, kept)
            });
        self.resting = Resting(kept.collect());
        self.book = Book::default();
        self.loaded = None;
        self.last_fact = 0;
        self.taken.clear();
        Ok(true)
    }

    /// Takes the folds of a session up again that has rested. One that is not on the ledger any more is made anew when its
    /// record is read.
    pub(super) fn wake(&mut self, ledger: &Ledger, key: &SessionKey) {
        for (name, kept) in std::mem::take(&mut self.resting.0) {
            if let Some(following) = kept.following(ledger, key, &name) {
                self.records.insert(name, following);
            }
        }
    }
}

impl Kept {
    fn following(self, ledger: &Ledger, key: &SessionKey, name: &str) -> Option<Following> {
        let (joined, body) = match self.joined {
            Some((joined, body)) => (Some(joined), body),
            None => (None, ledger.snapshot(key, name).ok()??),
        };
        let mut following: Following = serde_json::from_str(&body).ok()?;
        let offset = following.follower.offset();
        if following.fold_version != FOLD_VERSION || following.follower.path() != self.path || offset != self.offset {
            return None;
        }
        following.stream.give_back(self.unstored);
        following.stored = offset;
        following.torn = self.torn;
        following.joined = joined;
        Some(following)
    }
}
