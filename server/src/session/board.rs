//! The verdict board: what each check of one agent's record came to, run by run, and what was changed in between.
//! Which check a command runs and what came of it is read in `evidence/`; what follows for a reply stays out.

mod fold;
mod stored;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::entry::CallId;
use crate::evidence::call::Known;
use crate::evidence::check::{Relation, Run, relation};
use crate::evidence::verdict::{Counts, Verdict};

pub(super) use fold::{Begun, Ended, sentence};
use stored::{StoredChange, StoredRan, StoredRow};

/// Checks that are kept; of more the one that ran longest ago goes.
pub const MAX_CHECKS: usize = 200;
/// Runs of one check that are kept, the newest; the last pass before them is kept beside them.
pub const MAX_RUNS: usize = 16;
/// Changes that are kept, the newest.
pub const MAX_CHANGES: usize = 256;

/// Runs without an end that are kept, the newest.
const MAX_RUNNING: usize = 128;
/// Sentences of earlier replies that are kept, the newest.
const MAX_USED: usize = 32;

/// One run of a check that came to an end, or is known to have none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredRan", into = "StoredRan")]
pub struct Ran {
    /// Its place in the record: calls are counted from 1, over all turns.
    pub nth: u64,
    /// The person's turn in which it was started.
    pub turn: u64,
    /// The call.
    pub call: CallId,
    /// What it selects, where, and what hides its status. Its folder is a whole path where the record tells the one in
    /// which the agent worked.
    pub run: Run,
    /// The command as a short quote.
    pub command: String,
    /// What came of it.
    pub verdict: Verdict,
    /// Why, in one short sentence.
    pub because: String,
    /// The numbers of its summary.
    pub counts: Counts,
    /// Where failures are, as the runner names them: file and line; the first few.
    pub places: Vec<(String, Option<u32>)>,
}

/// A check: runs that select the same in the same folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredRow", into = "StoredRow")]
pub struct CheckRow {
    /// Its identity, as in [`Run::key`] with the working folder taken into account.
    pub key: String,
    /// Its newest runs in the order in which they were started, and before them the last pass that came before.
    pub runs: Vec<Ran>,
}

/// Something that was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredChange", into = "StoredChange")]
pub struct Change {
    /// Its place in the record: calls are counted from 1, over all turns.
    pub nth: u64,
    /// The person's turn.
    pub turn: u64,
    /// The call.
    pub call: CallId,
    /// The file as the call names it, in the folder where it was named: a whole path where the record tells that one.
    /// None when nobody can tell which.
    pub path: Option<String>,
    /// Whether it happened: `Unknown` for a call that may have changed something, and as long as none is known to have
    /// ended well; never `No`.
    pub happened: Known,
    /// What was called, as a short quote.
    pub input: String,
}

/// A sentence of an earlier reply by which the agent used a pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Used {
    /// The person's turn.
    pub turn: u64,
    /// How many calls stood before it.
    pub after: u64,
    /// The sentence, as a short quote.
    pub sentence: String,
}

/// The checks of one agent's record, and what was changed between their runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Board {
    /// Every check, in the order of its first run.
    pub checks: Vec<CheckRow>,
    /// What was changed, oldest first.
    pub changes: VecDeque<Change>,
    /// How many calls the record shows so far.
    pub calls: u64,
    /// Check runs without an end on record: they go on in the background, were cut off, or their result is missing.
    pub running: Vec<Ran>,
    /// What earlier replies said of a pass, oldest first.
    pub used: VecDeque<Used>,
    /// How many calls stood before, or were, the newest thing that could not be read: a line, or a shell command.
    pub gap: Option<u64>,
}

impl CheckRow {
    /// The newest run.
    pub fn latest(&self) -> Option<&Ran> {
        self.runs.last()
    }

    /// The newest pass before the run of that place in the record.
    pub fn pass_before(&self, nth: u64) -> Option<&Ran> {
        let before = |ran: &&Ran| ran.nth < nth && ran.verdict == Verdict::Pass;
        self.runs.iter().rev().find(before)
    }
}

/// A run with its texts, in bytes.
const RUN: usize = 700;
/// A change with its texts, in bytes.
const CHANGE: usize = 350;

impl Board {
    /// About how many bytes this takes.
    pub fn weight(&self) -> usize {
        let runs = self.checks.iter().map(|row| row.key.len() + row.runs.len() * RUN);
        runs.sum::<usize>() + self.running.len() * RUN + self.changes.len() * CHANGE + self.used.len() * CHANGE
    }

    /// The check of that identity.
    pub fn check(&self, key: &str) -> Option<&CheckRow> {
        self.checks.iter().find(|row| row.key == key)
    }

    /// Every run that ended, with its check, oldest first.
    pub fn ended(&self) -> Vec<(&CheckRow, &Ran)> {
        let mut ended: Vec<(&CheckRow, &Ran)> = self
            .checks
            .iter()
            .flat_map(|row| row.runs.iter().map(move |ran| (row, ran)))
            .collect();
        ended.sort_by_key(|(_, ran)| ran.nth);
        ended
    }

    /// Runs that lie within what `run` selects or hold it, itself included, with how they relate to it.
    pub fn related<'a>(&'a self, run: &'a Run) -> impl Iterator<Item = (&'a Ran, Relation)> {
        let runs = self.checks.iter().flat_map(|row| &row.runs);
        let relate = move |ran: &'a Ran| (ran, relation(&ran.run, run));
        runs.map(relate).filter(|(_, relation)| *relation != Relation::Other)
    }

    /// Whether something may be missing after the call of that place: a run, a change.
    pub fn may_lack_after(&self, nth: u64) -> bool {
        self.gap.is_some_and(|gap| gap >= nth)
    }

    /// What was changed after the call of that place.
    pub fn changed_after(&self, nth: u64) -> impl Iterator<Item = &Change> {
        self.changes.iter().filter(move |change| change.nth > nth)
    }
}
