//! How a run's result decides the exit status of the command that it is part of.
//! Which parts a command has stays out.

use super::{Masked, Run};

/// What is known of an exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    Zero,
    NonZero,
    /// It can be either.
    Either,
}

impl Status {
    fn or(self, other: Self) -> Self {
        if self == other { self } else { Self::Either }
    }

    fn not(self) -> Self {
        match self {
            Self::Zero => Self::NonZero,
            Self::NonZero => Self::Zero,
            Self::Either => Self::Either,
        }
    }
}

/// How a command comes to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct End {
    pub(super) status: Status,
    /// The shell itself ends with it: nothing runs behind.
    pub(super) exits: bool,
}

impl End {
    pub(super) const ZERO: Self = Self::of(Status::Zero);
    pub(super) const NON_ZERO: Self = Self::of(Status::NonZero);
    pub(super) const EITHER: Self = Self::of(Status::Either);

    const fn of(status: Status) -> Self {
        Self { status, exits: false }
    }

    /// One of the two.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            status: self.status.or(other.status),
            exits: self.exits && other.exits,
        }
    }
}

/// How two commands are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    /// `a ; b`, or on two lines.
    Then,
    /// `a && b`, and `a ; b` where a failure ends the shell.
    And,
    /// `a || b`.
    Or,
}

impl Link {
    /// The end of both, by the end of the first and that of the second.
    pub(super) fn both(self, first: End, second: End) -> End {
        match (self, first.status) {
            _ if first.exits => first,
            (Self::Then, _) | (Self::And, Status::Zero) | (Self::Or, Status::NonZero) => second,
            (Self::And, Status::NonZero) | (Self::Or, Status::Zero) => first,
            (Self::And, Status::Either) => second.or(End::NON_ZERO),
            (Self::Or, Status::Either) => second.or(End::ZERO),
        }
    }
}

/// A run and what its result makes of the command around it, as far as that was read.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) run: Run,
    passed: End,
    failed: End,
    hidden_by: String,
}

impl Found {
    /// A run whose status is its command's own.
    pub(super) fn new(run: Run) -> Self {
        Self {
            run,
            passed: End::ZERO,
            failed: End::NON_ZERO,
            hidden_by: String::new(),
        }
    }

    /// Puts something around the run that makes another end of each end; `by` names it where it hides the status.
    pub(super) fn around(&mut self, by: impl FnOnce() -> String, change: impl Fn(End) -> End) {
        let (passed, failed) = (change(self.passed), change(self.failed));
        let changed = passed.status != self.passed.status || failed.status != self.failed.status;
        if changed && self.hidden_by.is_empty() {
            self.hidden_by = by();
        }
        (self.passed, self.failed) = (passed, failed);
    }

    /// The status says nothing of the run.
    pub(super) fn hide(&mut self, by: &str) {
        self.around(|| by.to_owned(), |_| End::EITHER);
    }

    /// `! run`.
    pub(super) fn negate(&mut self) {
        self.around(|| "!".to_owned(), negated);
    }

    /// The shell around it goes on when it ends.
    pub(super) fn contain(&mut self) {
        self.passed.exits = false;
        self.failed.exits = false;
    }

    /// The run with what hides its status.
    pub(super) fn finish(self) -> Run {
        let masked = match (self.passed.status, self.failed.status) {
            (Status::Zero, Status::NonZero) => Masked::No,
            (Status::Either, Status::NonZero) => Masked::Failure(self.hidden_by),
            _ => Masked::By(self.hidden_by),
        };
        Run { masked, ..self.run }
    }
}

/// The end of `! a`.
pub(super) fn negated(end: End) -> End {
    End {
        status: if end.exits { end.status } else { end.status.not() },
        ..end
    }
}
