//! What a tool call did: attempted, observed, mutated; later also verdicts of test runners.
//! Formats of harnesses stay out, and so does everything that needs a file or a clock.

pub mod call;
pub mod check;
pub(crate) mod memo;
pub mod shell;
pub mod verdict;
