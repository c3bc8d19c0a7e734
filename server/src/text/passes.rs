//! What a reply says of checks: that they pass, or that one fails.
//! Whether the record agrees stays out.

mod blocks;
mod claims;
mod clauses;
mod guards;
mod lexicon;
mod names;
mod owns;
mod phrase;
mod state;
#[cfg(test)]
mod tests;
mod tokens;

pub use names::check_names;

/// What a sentence says passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// Tests of some kind: "all tests pass", "42 passed", "pytest is green".
    Tests,
    /// A build or a compiler's look: "it builds", "cargo check is clean".
    Build,
    /// A linter or formatter: "clippy is clean", "no lint errors".
    Lint,
    /// Checks as a whole: "everything is green", "all checks pass".
    Everything,
}

/// A plain statement of the reply, in its own words and at its own time, that a check passes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassClaim {
    /// The sentence, without Markdown.
    pub sentence: String,
    /// What it says passes.
    pub about: About,
    /// True when it says so of all there is ("all tests", "the whole suite").
    pub all: bool,
    /// Words of the sentence that may name a check: runners, commands, files, packages, in lower case.
    pub names: Vec<String>,
    /// How many it says passed, and of how many, where it gives numbers.
    pub passed: Option<u64>,
    /// How many it says failed; 0 for "no failures".
    pub failed: Option<u64>,
}

/// The statements of a reply that checks pass. Quotes, code, conditions, plans, requests, reports of other people's
/// words or of an earlier time, and sentences that also own a failure are none.
pub fn pass_claims(reply: &str) -> Vec<PassClaim> {
    claims::claims(&without_tags(reply))
}

/// The text without its tags: what a tag claims is said to be unverified.
fn without_tags(text: &str) -> String {
    let mut rest = String::with_capacity(text.len());
    let mut from = 0;
    for tag in super::tag::tags(text) {
        rest.push_str(&text[from..tag.span.start]);
        rest.push(' ');
        from = tag.span.end;
    }
    rest.push_str(&text[from..]);
    rest
}

/// Whether a text says, in its own words, that a check fails or did fail, or that an earlier pass no longer counts.
///
/// `names` are words that name the check, in lower case (`pytest`, `test_core.py`, `clippy`), as [`check_names`] gives
/// them. The check, or tests or checks as such where no other kind of check is named, has to be named together with the
/// failing: in one sentence, in the sentence before, or in the heading or the line that introduces a list. With no names
/// at all only sentences about tests, builds, lints or checks as such count.
pub fn owns_failure(text: &str, names: &[String]) -> bool {
    owns::owning(text, names).is_some()
}

/// Whether [`owns_failure`] holds of any of several checks, each given by its names.
pub fn owns_any_failure(text: &str, checks: &[&[String]]) -> bool {
    owns::owning_of(text, checks).is_some()
}
