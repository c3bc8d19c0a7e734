//! All server-side knowledge of single harnesses, one folder each, one row each in the table.
//! Checks and sockets stay out.

use std::path::{Path, PathBuf};

use proofmark_protocol::Harness;
use proofmark_protocol::settings::ToolEffect;

use crate::session::Entry;

mod claude_code;
mod json;
mod skim;
mod tools;

/// Whose record is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// The session's own: what helper agents left in it is not the main agent's.
    Main,
    /// A helper agent's: the agent that started it speaks in the person's place.
    Helper,
}

/// What the person's settings say about a tool, by its name.
pub type ToolSettings<'a> = dyn Fn(&str) -> Option<ToolEffect> + 'a;

/// How one harness's record is read.
#[derive(Debug, Clone, Copy)]
pub struct HarnessSpec {
    /// The harness.
    pub harness: Harness,
    /// Whether a line can only be of this harness's record.
    pub knows: fn(line: &[u8]) -> bool,
    /// Adds what one complete line shows. A line that is no entry adds nothing; one that cannot be read adds
    /// [`Entry::Unreadable`]. Each line stands for itself.
    pub entries: fn(line: &[u8], stream: Stream, tools: &ToolSettings<'_>, out: &mut Vec<Entry>),
    /// Adds what a line that is too long to be kept shows, from its beginning.
    pub too_long: fn(head: &[u8], out: &mut Vec<Entry>),
    /// Whether a submitted prompt is the person's, and not a report or an envelope of the harness.
    pub is_persons: fn(prompt: &str) -> bool,
    /// Where a helper agent's record lies, from the session's transcript and the helper's id; none when one of the two
    /// is not of the harness's form.
    pub agent_transcript: fn(transcript: &Path, agent: &str) -> Option<PathBuf>,
}

/// The harnesses whose record can be read.
pub static HARNESSES: [HarnessSpec; 1] = [claude_code::SPEC];

/// How a harness's record is read; none when nobody taught us: what it did is unknown then.
pub fn spec(harness: Harness) -> Option<&'static HarnessSpec> {
    HARNESSES.iter().find(|spec| spec.harness == harness)
}
