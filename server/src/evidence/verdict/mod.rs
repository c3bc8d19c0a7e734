//! What came of a run, from its exit status and its runner's own summary in the output; never from loose words.
//! Which check it was is `check`'s business.

use serde::{Deserialize, Serialize};

/// What a run, or its output alone, shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It checked something, and found nothing wrong.
    Pass,
    /// It found something wrong, or could not load what it was to check.
    Fail,
    /// It checked nothing.
    NothingChecked,
    /// Something hides the exit status, and the output does not say.
    Masked,
    /// Nobody can tell.
    Unknown,
}

/// The numbers of a runner's summary; none where it does not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Passed.
    pub passed: Option<u64>,
    /// Failed, errors included.
    pub failed: Option<u64>,
    /// Skipped, ignored, to do.
    pub skipped: Option<u64>,
}

/// What a runner's output says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// `Pass`, `Fail` or `NothingChecked`; `Unknown` where there is no summary, or it was cut off.
    pub verdict: Verdict,
    /// Its numbers.
    pub counts: Counts,
    /// Where failures are: file, and line where it is named; the first few.
    pub places: Vec<(String, Option<u32>)>,
}
