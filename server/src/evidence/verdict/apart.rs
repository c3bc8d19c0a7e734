//! What each of several checks of one command came to; one alone has the command's own verdict.
//! A failure that nobody can lay at one check's door is laid at none.

use super::super::check::Run;
use super::join::{Exit, Outcome, Seen, judge};
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
/// passed, and one whose status the command ends with has that. Of the rest nobody can tell.
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
    let several = runs.iter().filter(|run| seen.ended_badly(run)).nth(1).is_some();
    let came = |run: &Run| {
        let summary = seen
            .summary(run)
            .filter(|summary| is_own(summary, run, runs))
            .unwrap_or(&nothing);
        // A status that may be that of several is known of none.
        let exit = if several && seen.ended_badly(run) {
            Exit::Unknown
        } else {
            seen.exit
        };
        let (verdict, because) = judge(run, exit, summary, &seen.page);
        Came {
            verdict,
            because,
            counts: summary.counts,
            places: summary.places.clone(),
        }
    };
    runs.iter().map(came).collect()
}

/// Whether a summary that fits a run's runner can only be the run's. Two runs of a runner print the same lines; what
/// runs others prints theirs; and commands of one program share the lines of its compiler.
fn is_own(summary: &Summary, run: &Run, runs: &[Run]) -> bool {
    let fails = summary.verdict == Verdict::Fail;
    let others = || runs.iter().filter(|other| !std::ptr::eq(*other, run));
    let program = |run: &Run| run.runner.split('-').next().unwrap_or_default().to_owned();
    let related = others().any(|other| program(other) == program(run));
    let numbered = summary.counts.failed.is_some_and(|failed| failed > 0);
    if runs.len() == 1 {
        return true;
    }
    if readers::is_wrapper(&run.runner)
        || others().any(|other| other.runner == run.runner || (fails && may_test(other)))
    {
        return false;
    }
    !related || (readers::is_told_by(&run.runner) && (!fails || numbered || !readers::tells_of_builds(&run.runner)))
}

/// Whether a run may run any tests inside: a script or a task whose name does not say that it does something else.
fn may_test(run: &Run) -> bool {
    const OTHER: [&str; 6] = ["build", "compile", "fmt", "format", "lint", "type"];
    let other = |part: &String| OTHER.iter().any(|word| part.contains(word));
    readers::is_wrapper(&run.runner) && !run.selection.iter().any(other)
}
