//! What each of several checks of one command came to; one alone has the command's own verdict.
//! A failure that nobody can lay at one check's door is laid at none.

use super::super::check::Run;
use super::join::{Outcome, Seen, judge};
use super::{Counts, Summary, Verdict, readers, text};

/// What one check of a command came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Came {
    /// The verdict.
    pub verdict: Verdict,
    /// Why, in one short sentence.
    pub because: String,
    /// The numbers of its summary.
    pub counts: Counts,
    /// Where failures are, as the runner names them: file and line; the first few.
    pub places: Vec<(String, Option<u32>)>,
}

/// What each of the checks `runs` of one command came to, in their order.
///
/// Where the command ended badly, one whose own summary tells of failures failed, one whose summary tells of a pass
/// passed, and the last one has the command's verdict where all others passed by their summaries. Of the rest nobody
/// can tell.
#[must_use]
pub fn each(runs: &[Run], outcome: &Outcome, output: &str) -> Vec<Came> {
    let text = text::clean(output);
    let mut seen = Seen::of(runs, outcome, &text);
    if runs.len() > 1 {
        // Which of them could not begin the line does not say.
        seen.page.absent = None;
    }
    let nothing = Summary {
        verdict: Verdict::Unknown,
        counts: Counts::default(),
        places: Vec::new(),
    };
    let own: Vec<&Summary> = runs
        .iter()
        .map(|run| seen.summary(run).filter(|_| is_own(run, runs)).unwrap_or(&nothing))
        .collect();
    let passed = |at: usize| own[at].verdict == Verdict::Pass;
    runs.iter()
        .enumerate()
        .map(|(at, run)| {
            let summary = own[at];
            let alone = runs.len() == 1 || (at + 1 == runs.len() && (0..at).all(passed));
            let (verdict, because) = match summary.verdict {
                Verdict::Pass if seen.ended_badly(run) && !alone => {
                    (Verdict::Pass, format!("{} reports a pass.", run.runner))
                }
                Verdict::Unknown | Verdict::Masked if seen.ended_badly(run) && !alone => (
                    Verdict::Unknown,
                    format!("The command ended badly, and nothing says whether {} did.", run.runner),
                ),
                _ => judge(run, seen.exit, summary, &seen.page),
            };
            Came {
                verdict,
                because,
                counts: summary.counts,
                places: summary.places.clone(),
            }
        })
        .collect()
}

/// Whether a summary that fits a run's runner can only be the run's: what runs others prints their summaries, two runs
/// of a runner print the same lines, and so do the commands of one program (`cargo build`, `cargo test`).
fn is_own(run: &Run, runs: &[Run]) -> bool {
    let program = |run: &Run| run.runner.split('-').next().unwrap_or_default().to_owned();
    let same = runs.iter().filter(|other| program(other) == program(run)).count();
    runs.len() == 1 || (same == 1 && !readers::is_wrapper(&run.runner))
}
