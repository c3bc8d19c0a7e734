//! What the server knows about Cursor: its transcripts, its tools, what its events show, where its helpers write.
//! Payloads and answers of its hooks stay out: the hook's adapter has them.

mod event;
mod legacy;
mod limits;
mod lineage;
mod memory;
mod person;
mod record;
#[cfg(test)]
mod tests;
mod tools;

use proofmark_protocol::Harness;

use super::HarnessSpec;
pub(super) use limits::LIMITS;
pub(super) use memory::Memory;

/// Cursor's row.
pub(super) const SPEC: HarnessSpec = HarnessSpec {
    harness: Harness::Cursor,
    knows: record::knows,
    entries: record::entries,
    too_long: record::too_long,
    own_words: |reply| reply,
    announced: tools::announced,
    is_persons: person::is_persons,
    agent_transcript: lineage::agent_transcript,
    place: lineage::place,
    observed: Some(event::observed),
};
