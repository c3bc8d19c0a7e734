//! The numbers of one summary, and how several make one.
//! What a line must look like stays out: each family of runners has its own file.

use super::{Counts, Verdict};

/// Which summaries of a runner that prints one per run count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Take {
    /// The last one: what comes before may be printed by the tests themselves.
    Last,
    /// All of them, for something that runs the runner more than once.
    All,
}

/// What a summary says beside its numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Mark {
    /// Nothing: the numbers speak.
    #[default]
    None,
    /// All is well.
    Good,
    /// Something is wrong.
    Bad,
    /// There was nothing to check.
    Empty,
}

/// One summary.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) counts: Counts,
    pub(super) mark: Mark,
}

impl Tally {
    /// A summary in numbers.
    pub(super) fn of(passed: u64, failed: u64, skipped: u64) -> Self {
        let counts = Counts {
            passed: Some(passed),
            failed: Some(failed),
            skipped: Some(skipped),
        };
        Self {
            counts,
            mark: Mark::None,
        }
    }

    /// A summary without numbers.
    pub(super) fn marked(mark: Mark) -> Self {
        Self {
            counts: Counts::default(),
            mark,
        }
    }

    /// A linter's summary: findings are failures, and none of them is a pass.
    pub(super) fn findings(found: u64) -> Self {
        let counts = Counts {
            failed: Some(found),
            ..Counts::default()
        };
        Self {
            counts,
            mark: if found == 0 { Mark::Good } else { Mark::Bad },
        }
    }

    /// The same numbers, and something wrong beside them.
    pub(super) fn bad_if(mut self, bad: bool) -> Self {
        if bad {
            self.mark = Mark::Bad;
        }
        self
    }

    /// What this summary alone shows.
    pub(super) fn verdict(&self) -> Verdict {
        let some = |count: Option<u64>| count.is_some_and(|count| count > 0);
        match self.mark {
            Mark::Bad => Verdict::Fail,
            _ if some(self.counts.failed) => Verdict::Fail,
            Mark::Empty => Verdict::NothingChecked,
            _ if some(self.counts.passed) => Verdict::Pass,
            Mark::Good if self.counts.passed.is_none() => Verdict::Pass,
            _ => Verdict::NothingChecked,
        }
    }

    /// Several summaries as one: any failure is one, and a pass needs one part that passed.
    pub(super) fn sum(all: &[Self]) -> Option<Self> {
        let add = |of: fn(&Counts) -> Option<u64>| {
            all.iter()
                .filter_map(|tally| of(&tally.counts))
                .reduce(u64::saturating_add)
        };
        let counts = Counts {
            passed: add(|counts| counts.passed),
            failed: add(|counts| counts.failed),
            skipped: add(|counts| counts.skipped),
        };
        let has = |verdict| all.iter().any(|tally| tally.verdict() == verdict);
        let mark = match () {
            () if all.is_empty() => return None,
            () if has(Verdict::Fail) => Mark::Bad,
            () if !has(Verdict::Pass) => Mark::Empty,
            () if counts.passed == Some(0) => {
                return Some(Self {
                    counts: Counts { passed: None, ..counts },
                    mark: Mark::Good,
                });
            }
            () => Mark::Good,
        };
        Some(Self { counts, mark })
    }
}
