//! Where a transcript's relatives are: helper agents' files, and what a fork shares with its origin.
//! Reading any of them stays out.
//!
//! A fork (`--resume X --fork-session`) is a new file with a new session id. The earlier rows are copied into it with
//! the same `uuid`s, but with the new session id and a new `promptId` (2.1.197, 2.1.332), and nothing names the origin.
//! So a fork is known by the `uuid` of its first prompt, never by a session or turn id. Resume and compaction stay in
//! the same file; `/clear` begins another one.

use std::path::{Path, PathBuf};

/// How the id of a compaction's record begins: a copy of the session's own, made to be summed up (2.1.38, 2.1.39).
const COMPACTION: &str = "acompact-";
/// The longest id that is taken, in bytes; 2.1.197 and 2.1.332 write 17.
const MAX_ID: usize = 128;

/// The record of helper `agent`: `<folder>/<session id>/subagents/agent-<id>.jsonl` beside the transcript
/// `<folder>/<session id>.jsonl` (2.1.197, 2.1.332). None for an id with anything but letters, digits, `_` and `-`, so
/// that no id leads elsewhere, for a transcript of another form, and for a compaction, which is no helper.
pub(super) fn agent_transcript(transcript: &Path, agent: &str) -> Option<PathBuf> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if agent.starts_with(COMPACTION)
        || agent.is_empty()
        || agent.len() > MAX_ID
        || !agent.bytes().all(plain)
        || transcript.extension()? != "jsonl"
    {
        return None;
    }
    Some(
        transcript
            .with_extension("")
            .join("subagents")
            .join(format!("agent-{agent}.jsonl")),
    )
}

/// `<folder>/<session id>.jsonl`, and its helpers' beside it.
pub(super) fn place(folder: &Path, session: &str, agent: Option<&str>) -> Option<PathBuf> {
    let transcript = folder.join(format!("{session}.jsonl"));
    match agent {
        None => Some(transcript),
        Some(agent) => agent_transcript(&transcript, agent),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_helpers_record_lies_below_its_sessions() {
        let found = agent_transcript(Path::new("/p/-home-x/3f-1.jsonl"), "a7_B-9");
        assert_eq!(
            found,
            Some(PathBuf::from("/p/-home-x/3f-1/subagents/agent-a7_B-9.jsonl"))
        );
    }

    #[test]
    fn no_id_and_no_transcript_leads_elsewhere() {
        let long = "a".repeat(129);
        for agent in [
            "",
            "..",
            "a/b",
            "../../x",
            "a.b",
            "a\0b",
            "é",
            "a b",
            "acompact-7",
            &long,
        ] {
            assert_eq!(agent_transcript(Path::new("/p/s.jsonl"), agent), None, "{agent:?}");
        }
        for transcript in ["", "/", "/p/s", "/p/s.txt", "..", "/p/.jsonl"] {
            assert_eq!(agent_transcript(Path::new(transcript), "a7"), None, "{transcript:?}");
        }
    }
}
