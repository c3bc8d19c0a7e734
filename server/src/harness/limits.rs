//! What each harness makes possible, and where it leaves Proofmark blind: as data, for whoever tells people.
//! How an answer is put to a harness is the hook's business.

use proofmark_protocol::Harness;
use serde::Serialize;

use super::{claude_code, codex, cursor};

/// How far something goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reach {
    /// Always.
    Full,
    /// With the exceptions that are named.
    Part,
    /// Never.
    Nothing,
}

impl Reach {
    /// One word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Full => "yes",
            Self::Part => "partly",
            Self::Nothing => "no",
        }
    }
}

/// What one might want of a harness, in the order in which it is told.
pub const WANTED: [&str; 11] = [
    "hold up the end of a turn",
    "refuse a tool call before it runs",
    "tell the agent something with a prompt",
    "tell the agent something at the end of a turn without holding it up",
    "tell the person something at once",
    "see what tool calls came to",
    "see the last reply of a turn",
    "see what helper agents do",
    "work without a terminal",
    "judge a turn that was broken off",
    "be heard when the hooks are switched off",
];

/// What one harness makes possible.
#[derive(Debug)]
pub struct Limits {
    /// Which one.
    pub harness: Harness,
    /// The versions that this was seen in, or is told of.
    pub seen_in: &'static str,
    /// For each of [`WANTED`], how far it goes and in what way.
    pub reach: [(Reach, &'static str); WANTED.len()],
}

impl Limits {
    /// Everything that was wanted, with how far it goes and in what way.
    pub fn rows(&self) -> impl Iterator<Item = (&'static str, Reach, &'static str)> {
        WANTED
            .into_iter()
            .zip(self.reach)
            .map(|(wanted, (reach, how))| (wanted, reach, how))
    }

    /// The rows as a table in Markdown.
    pub fn table(&self) -> String {
        let mut table = format!("| can Proofmark … ({}) | | |\n|---|---|---|\n", self.seen_in);
        for (wanted, reach, how) in self.rows() {
            table.push_str(&format!("| {wanted} | {} | {how} |\n", reach.word()));
        }
        table
    }
}

static LIMITS: [&Limits; 3] = [&claude_code::LIMITS, &codex::LIMITS, &cursor::LIMITS];

/// What a harness makes possible; every harness has its row.
pub fn limits(harness: Harness) -> Option<&'static Limits> {
    LIMITS.into_iter().find(|limits| limits.harness == harness)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_harness_says_how_far_everything_goes() {
        for harness in Harness::ALL {
            let limits = limits(harness).unwrap();
            assert!(
                limits
                    .rows()
                    .all(|(_, _, how)| how.ends_with('.') && !how.contains(['|', '\n']))
            );
            assert_eq!(limits.table().lines().count(), WANTED.len() + 2, "{harness}");
            assert!(limits.rows().any(|(_, reach, _)| reach == Reach::Nothing), "{harness}");
        }
    }
}
