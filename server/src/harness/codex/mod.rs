//! What the server knows about Codex: its rollout files, its tools, where its helpers write.
//! Payloads and answers of its hooks stay out: the hook's adapter has them.

mod call;
mod code;
mod ending;
mod event;
mod fork;
mod item;
mod limits;
mod lineage;
mod memory;
mod output;
mod person;
mod reading;
mod record;
mod reply;
#[cfg(test)]
mod tests;
mod tools;

use proofmark_protocol::Harness;

use super::HarnessSpec;
pub(super) use limits::LIMITS;
pub(super) use memory::Memory;

/// Codex's row.
pub(super) const SPEC: HarnessSpec = HarnessSpec {
    harness: Harness::Codex,
    knows: record::knows,
    entries: record::entries,
    too_long: record::too_long,
    own_words: reply::own_words,
    announced: tools::announced,
    is_persons: person::is_persons,
    agent_transcript: lineage::agent_transcript,
    place: lineage::place,
    observed: None,
};
