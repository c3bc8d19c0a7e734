//! What the doctor says of one thing: whether it is as it should be, and the way to mend it.
//! What is looked at stays out.

use serde::Serialize;

/// Whether a thing is as it should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum State {
    /// It is.
    Pass,
    /// It is not.
    Fail,
    /// That could not be told.
    Unchecked,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Check {
    /// Its short name, for programs.
    pub(crate) check: &'static str,
    /// Whether it is as it should be.
    pub(crate) state: State,
    /// What was seen, as a sentence.
    pub(crate) what: String,
    /// What a person can do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mend: Option<String>,
}

impl Check {
    /// All is well.
    pub(crate) fn pass(check: &'static str, what: impl Into<String>) -> Self {
        Self {
            check,
            state: State::Pass,
            what: what.into(),
            mend: None,
        }
    }

    /// Something is wrong.
    pub(crate) fn fail(check: &'static str, what: impl Into<String>, mend: impl Into<String>) -> Self {
        Self {
            state: State::Fail,
            mend: Some(mend.into()),
            ..Self::pass(check, what)
        }
    }

    /// It could not be told.
    pub(crate) fn unchecked(check: &'static str, what: impl Into<String>, mend: impl Into<String>) -> Self {
        Self {
            state: State::Unchecked,
            ..Self::fail(check, what, mend)
        }
    }
}

/// What the checks come to, as an exit code: 0, all pass; 1, one fails; 2, none fails and one is unchecked.
pub(crate) fn exit_code<'a>(checks: impl Iterator<Item = &'a Check> + Clone) -> u8 {
    let any = |state| checks.clone().any(|check| check.state == state);
    if any(State::Fail) {
        1
    } else if any(State::Unchecked) {
        2
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_outweighs_what_is_unchecked() {
        let pass = || Check::pass("a", "x");
        let fail = || Check::fail("a", "x", "y");
        let unchecked = || Check::unchecked("a", "x", "y");
        for (checks, code) in [
            (vec![], 0),
            (vec![pass(), pass()], 0),
            (vec![pass(), unchecked()], 2),
            (vec![unchecked(), fail(), pass()], 1),
        ] {
            assert_eq!(exit_code(checks.iter()), code, "{checks:?}");
        }
    }
}
