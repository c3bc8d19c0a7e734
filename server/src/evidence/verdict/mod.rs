//! What came of a run, from its exit status and its runner's own summary in the output; never from loose words.
//! Which check it was is `check`'s business.

mod absent;
mod apart;
mod excerpt;
mod go;
mod javascript;
mod join;
mod jvm;
mod lint;
mod mask;
mod native;
mod place;
mod python;
mod readers;
mod ruby_php;
mod rust;
mod script;
mod tally;
mod tap;
#[cfg(test)]
mod tests;
mod text;
mod wrapper;

use serde::{Deserialize, Serialize};

pub use apart::{Came, each};
pub use excerpt::excerpt;
pub use join::{Outcome, verdict};

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

/// What an output of a runner, one of [`RUNNERS`](super::check::RUNNERS), says of itself, in its own line shapes.
///
/// Where an output holds several summaries of a runner that prints one per run, the last one counts: the earlier ones
/// may be what the tests print. At most the first and the last 256 KiB are looked at. A runner unknown here is read as
/// a script that may run any other.
#[must_use]
pub fn summary(runner: &str, output: &str) -> Summary {
    let text = text::clean(output);
    readers::read(runner, &text::lines(&text), tally::Take::Last)
}
