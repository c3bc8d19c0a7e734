//! The paths, globs, file names and tools that a text limits the work to, and those it forbids.
//! Whether work kept to them stays out.

mod path;
mod reading;
mod sentence;
#[cfg(test)]
mod tests;

use reading::Reading;
use sentence::sentences;

use super::person::own_words;
use super::prose::Prose;

/// So many of each kind are kept; further ones are left out.
const MOST: usize = 64;

/// What a text names as wanted and unwanted ground.
///
/// An entry with neither `/`, `.` nor `*` was written as code and may be a tool's name or a symbol of the work; no file
/// is to be held against it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The work is limited to these.
    pub only: Vec<String>,
    /// These are to stay as they are, or unused.
    pub not: Vec<String>,
}

/// The ground that a contract of the agent's or a prompt of the person's marks out, in the text's order.
///
/// Only words that look like paths, file names or globs count, and code of one word, which may be a tool's name; "the
/// loader" names nothing. Code blocks, block quotes, pasted text, conditions, reports and questions are left out. What is
/// found may be taken for a hint, never for an order: a miss is meant to be likelier than a false find.
pub fn wanted_paths(text: &str) -> Wanted {
    let own = own_words(text);
    let mut wanted = Wanted::default();
    if !path::may_name(&own) {
        return wanted;
    }
    let prose = Prose::of(&own);
    for range in prose.paragraphs() {
        for sentence in sentences(&prose.text()[range.clone()]) {
            Reading::of(&sentence).read(&mut wanted);
        }
    }
    wanted
}
