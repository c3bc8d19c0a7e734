//! What the server knows about Claude Code: its transcript, its tools, where its helpers write.
//! Payloads and answers of its hooks stay out: the hook's adapter has them.

mod assistant;
mod limits;
mod lineage;
mod memory;
mod notification;
mod person;
mod queued;
mod record;
mod result;
mod row;
mod task;
#[cfg(test)]
mod tests;
mod tools;

use proofmark_protocol::Harness;

use super::HarnessSpec;
pub(super) use limits::LIMITS;
pub(super) use memory::Memory;

/// Claude Code's row.
pub(super) const SPEC: HarnessSpec = HarnessSpec {
    harness: Harness::ClaudeCode,
    knows: record::knows,
    entries: record::entries,
    too_long: record::too_long,
    own_words: |reply| reply,
    announced: tools::announced,
    is_persons: person::is_persons,
    agent_transcript: lineage::agent_transcript,
    place: lineage::place,
    observed: None,
};
