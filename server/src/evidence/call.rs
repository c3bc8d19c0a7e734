//! The three facts about one call, from what its tool is for and how it ended.
//! Reading a shell command is `shell`'s business.

use serde::{Deserialize, Serialize};

/// An answer that may be unknown; unknown is neither yes nor no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Known {
    /// It is so.
    Yes,
    /// It is not so.
    No,
    /// Nobody can tell.
    Unknown,
}

/// What one call did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallFacts {
    /// A look at something was started, or refused by harness or person: it excuses a tag.
    pub attempted: Known,
    /// It ran and could see something: it settles a claim.
    pub observed: Known,
    /// It ran and changed files that are no build output, or the outside world.
    pub mutated: Known,
}
