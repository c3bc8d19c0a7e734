//! Rows of the board as they are stored: as lists without the names of their members, for a session holds hundreds.
//! What they mean stays out.

use serde::{Deserialize, Serialize};

use super::fold::input_of;
use super::{Change, CheckRow, Ran};
use crate::evidence::call::Known;
use crate::evidence::check::{Masked, Purpose, Run};
use crate::evidence::verdict::{Counts, Verdict};

/// A run's identity: runner, folder, selection, purpose, and what hides its status.
#[derive(Serialize, Deserialize)]
struct StoredRun(String, String, Vec<String>, Purpose, Masked);

/// [`Ran`], its members in their order; the numbers of the summary are passed, failed and skipped.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredRan(
    u64,
    u64,
    String,
    StoredRun,
    String,
    Verdict,
    String,
    [Option<u64>; 3],
    Vec<(String, Option<u32>)>,
);

/// [`Change`], its members in their order; the quote is left out where it is that of the file.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredChange(u64, u64, String, Option<String>, Known, Option<String>);

/// [`CheckRow`]: its runs name it.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredRow(Vec<Ran>);

impl From<CheckRow> for StoredRow {
    fn from(row: CheckRow) -> Self {
        Self(row.runs)
    }
}

impl From<StoredRow> for CheckRow {
    fn from(StoredRow(runs): StoredRow) -> Self {
        Self {
            key: runs.first().map(|ran| ran.run.key()).unwrap_or_default(),
            runs,
        }
    }
}

impl From<Ran> for StoredRan {
    fn from(ran: Ran) -> Self {
        let Run {
            runner,
            folder,
            selection,
            purpose,
            masked,
        } = ran.run;
        let Counts {
            passed,
            failed,
            skipped,
        } = ran.counts;
        Self(
            ran.nth,
            ran.turn,
            ran.call,
            StoredRun(runner, folder, selection, purpose, masked),
            ran.command,
            ran.verdict,
            ran.because,
            [passed, failed, skipped],
            ran.places,
        )
    }
}

impl From<StoredRan> for Ran {
    fn from(stored: StoredRan) -> Self {
        let StoredRan(nth, turn, call, run, command, verdict, because, [passed, failed, skipped], places) = stored;
        let StoredRun(runner, folder, selection, purpose, masked) = run;
        Self {
            nth,
            turn,
            call,
            run: Run {
                runner,
                folder,
                selection,
                purpose,
                masked,
            },
            command,
            verdict,
            because,
            counts: Counts {
                passed,
                failed,
                skipped,
            },
            places,
        }
    }
}

impl From<Change> for StoredChange {
    fn from(change: Change) -> Self {
        let Change {
            nth,
            turn,
            call,
            path,
            happened,
            input,
        } = change;
        let told = path.as_deref().map(input_of).as_ref() == Some(&input);
        Self(nth, turn, call, path, happened, (!told).then_some(input))
    }
}

impl From<StoredChange> for Change {
    fn from(StoredChange(nth, turn, call, path, happened, input): StoredChange) -> Self {
        Self {
            nth,
            turn,
            call,
            input: input.or_else(|| path.as_deref().map(input_of)).unwrap_or_default(),
            path,
            happened,
        }
    }
}
