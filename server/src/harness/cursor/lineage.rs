//! Where Cursor's transcripts lie: a sub-agent's in `subagents` beside the one that it works for.
//! Their names are never made of a project's folder: Cursor cuts long ones and cannot be followed in that.

use std::path::{Path, PathBuf};

/// See [`HarnessSpec::agent_transcript`](crate::harness::HarnessSpec::agent_transcript); as the 2026 builds lay them.
pub(super) fn agent_transcript(transcript: &Path, agent: &str) -> Option<PathBuf> {
    let file = file(agent)?;
    Some(transcript.parent()?.join("subagents").join(file))
}

/// See [`HarnessSpec::place`](crate::harness::HarnessSpec::place).
pub(super) fn place(folder: &Path, session: &str, agent: Option<&str>) -> Option<PathBuf> {
    let transcript = folder.join(file(session)?);
    match agent {
        None => Some(transcript),
        Some(agent) => agent_transcript(&transcript, agent),
    }
}

/// The file of an id that is one: ids are uuids, and no id may lead out of its folder.
fn file(id: &str) -> Option<String> {
    let harmless = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    (!id.is_empty() && id.chars().all(harmless)).then(|| format!("{id}.jsonl"))
}
