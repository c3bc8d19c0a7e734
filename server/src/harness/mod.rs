//! All server-side knowledge of single harnesses, one folder each, one row each in the table.
//! Checks and sockets stay out.

use std::path::{Path, PathBuf};

use proofmark_protocol::Harness;
use proofmark_protocol::event::PostToolUseParams;
use proofmark_protocol::settings::ToolEffect;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::session::observed::SeenCall;
use crate::session::{Entry, ToolKind};

mod claude_code;
mod codex;
mod cursor;
mod json;
pub mod limits;
mod recent;
mod skim;
#[cfg(test)]
mod testing;
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

/// What has to be remembered of a record's earlier lines to read the next one. It is stored with what was folded of
/// them, so that reading goes on where it stopped.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    claude_code: claude_code::Memory,
    codex: codex::Memory,
    #[serde(default)]
    cursor: cursor::Memory,
}

/// What a line is read with.
pub struct Reader<'a> {
    /// Whose record it is.
    pub stream: Stream,
    /// What the person's settings say about tools.
    pub tools: &'a ToolSettings<'a>,
    /// What was remembered of the lines before.
    pub memory: &'a mut Memory,
}

/// What a call is that a hook event announces, before it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Announced {
    /// What the tool is for.
    pub kind: ToolKind,
    /// What it is asked, as a short text.
    pub input: String,
    /// The files that it is to change, as it names them; empty where it names none.
    pub changes: Vec<String>,
}

/// How one harness's record is read.
#[derive(Debug, Clone, Copy)]
pub struct HarnessSpec {
    /// The harness.
    pub harness: Harness,
    /// Whether a line can only be of this harness's record.
    pub knows: fn(line: &[u8]) -> bool,
    /// Adds what one complete line shows. A line that is no entry adds nothing; one that cannot be read adds
    /// [`Entry::Unreadable`]. Lines are given in their order, each with what was remembered of those before it.
    pub entries: fn(line: &[u8], context: &mut Reader<'_>, out: &mut Vec<Entry>),
    /// Adds what a line that is too long to be kept shows, from its beginning.
    pub too_long: fn(head: &[u8], out: &mut Vec<Entry>),
    /// A reply, as the event brings it, without what the harness reads in it for itself: an entry's text lacks that too.
    pub own_words: fn(reply: &str) -> &str,
    /// What a call is that an event announces: by the tool's name as the harness's hooks spell it, and its input, untouched.
    pub announced: fn(tool: &str, input: Option<&RawValue>, tools: &ToolSettings<'_>) -> Announced,
    /// Whether a submitted prompt is the person's, and not a report or an envelope of the harness.
    pub is_persons: fn(prompt: &str) -> bool,
    /// Where a helper agent's record lies, from the session's transcript and the helper's id; none when one of the two
    /// is not of the harness's form.
    pub agent_transcript: fn(transcript: &Path, agent: &str) -> Option<PathBuf>,
    /// Where the record of a session, or of a helper agent of it, lies below a folder that holds nothing else: as the
    /// harness names its files, so that [`HarnessSpec::agent_transcript`] finds the helper's. None as there.
    pub place: fn(folder: &Path, session: &str, agent: Option<&str>) -> Option<PathBuf>,
    /// What the event of an ended call shows, where the record holds no results; none where it does.
    pub observed: Option<fn(&PostToolUseParams, &ToolSettings<'_>) -> Shown>,
}

/// What the event of an ended call shows.
#[derive(Debug, Clone)]
pub struct Shown {
    /// The call.
    pub call: SeenCall,
    /// The beginning of what it showed: not to be stored.
    pub output: String,
}

/// The harnesses whose record can be read.
pub static HARNESSES: [HarnessSpec; 3] = [claude_code::SPEC, codex::SPEC, cursor::SPEC];

/// How a harness's record is read; none when nobody taught us: what it did is unknown then.
pub fn spec(harness: Harness) -> Option<&'static HarnessSpec> {
    HARNESSES.iter().find(|spec| spec.harness == harness)
}
