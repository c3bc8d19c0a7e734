//! What a reply says of checks: that they pass, or that one fails.
//! Whether the record agrees stays out.

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
pub fn pass_claims(_reply: &str) -> Vec<PassClaim> {
    Vec::new()
}

/// Whether a text says, in its own words, that a check fails or did fail. `names` are words that name the check, in
/// lower case (`pytest`, `test_core.py`, `clippy`); a sentence that names no check at all owns a failure when it is about
/// tests or checks as such.
pub fn owns_failure(text: &str, names: &[String]) -> bool {
    let text = text.to_lowercase();
    text.contains("fail") && names.iter().any(|name| text.contains(name))
}
