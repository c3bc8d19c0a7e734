//! What hook events alone show of an agent: what is kept of an event, and what a record that knows less has to be joined with.
//! What an event or a line means is its harness's business; files and the clock stay out.

use std::hash::Hasher;

use fnv::FnvHasher;
use serde::{Deserialize, Serialize};

use super::entry::{CallId, Ending, ToolKind};

mod alike;
mod joined;
#[cfg(test)]
mod tests;

pub use joined::Joined;

/// Something that a hook event showed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum Seen {
    /// A prompt was submitted.
    Prompt {
        /// Its identity, as in [`prompt_id`].
        text: String,
        /// Its beginning, as a short quote.
        quote: String,
        /// True for a text of ours that the harness submitted: no turn of the person begins.
        ours: bool,
    },
    /// A call ended.
    Call(SeenCall),
}

impl Seen {
    /// What it is about, for a person who looks into the ledger.
    pub fn subject(&self) -> &str {
        match self {
            Self::Prompt { .. } => "prompt",
            Self::Call(call) => &call.tool,
        }
    }
}

/// A call as an event told it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenCall {
    /// The harness's id; none where the event has none: it may be a call that another event tells with its id.
    pub id: Option<CallId>,
    /// The tool's name as the harness spells it.
    pub tool: String,
    /// What the tool is for.
    pub kind: ToolKind,
    /// What it was asked, in short.
    pub input: String,
    /// The files that it changed, as it names them.
    pub changes: Vec<String>,
    /// The folder in which it ran, where the event tells.
    pub cwd: Option<String>,
    /// How it ended; none where nobody can tell.
    pub ending: Option<Ending>,
    /// Its exit code, where the event tells one.
    pub exit: Option<i32>,
    /// Of a check's output the lines from which its verdict is read; of any other nothing.
    pub quote: String,
}

/// A [`Seen`], and when it was.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// When it came, in milliseconds since 1970.
    pub at: u64,
    /// The harness's id of the turn.
    pub during: Option<String>,
    /// How much of the record was read before, in bytes.
    pub read: u64,
    /// What was seen.
    pub seen: Seen,
}

/// What makes two texts the same prompt: a harness may fold white space.
pub fn prompt_id(text: &str) -> String {
    let mut hasher = FnvHasher::default();
    for word in text.split_whitespace() {
        hasher.write(word.as_bytes());
        hasher.write_u8(0);
    }
    format!("{:016x}", hasher.finish())
}
