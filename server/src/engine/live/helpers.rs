//! The helper agents that an agent delegated to: their records are read, and what a call that delegates did is told by them.
//! How a record is read, and what is made of it, stays out.

use std::collections::BTreeSet;
use std::path::Path;

use proofmark_protocol::settings::Settings;

use super::Live;
use crate::engine::deadline::Deadline;
use crate::evidence::call::{CallFacts, Known};
use crate::harness;
use crate::ledger::Ledger;
use crate::session::{CallRecord, Ending, SessionKey, Stream, ToolKind};

impl Live {
    /// Reads the records of the helper agents that an agent delegated to in its running turn and in its last runs.
    pub(in crate::engine) fn read_helpers(
        &mut self,
        ledger: &Ledger,
        key: &SessionKey,
        agent: Option<&str>,
        transcript: &Path,
        settings: &Settings,
        deadline: &Deadline,
    ) {
        let Some(spec) = harness::spec(key.harness) else { return };
        let helpers: BTreeSet<String> = self.stream(agent).map_or_else(BTreeSet::new, |stream| {
            let running = stream.turn.calls.iter().filter_map(|call| call.helper.as_ref());
            running.chain(stream.past.recent_helpers()).cloned().collect()
        });
        for helper in helpers {
            if let Some(path) = (spec.agent_transcript)(transcript, &helper) {
                // A helper's record that can't be read leaves its call unknown: `helper_facts` says so.
                let read = self.read(ledger, key, Some(&helper), Some(&path), settings, deadline);
                if read.is_err() {
                    self.records.remove(&helper);
                }
            }
        }
    }

    /// What a call that delegates did, by its helper's own record.
    pub(in crate::engine) fn helper_facts(&self, call: &CallRecord) -> CallFacts {
        let unknown = CallFacts {
            attempted: Known::Unknown,
            observed: Known::Unknown,
            mutated: Known::Unknown,
        };
        let Some(stream) = call.helper.as_ref().and_then(|helper| self.stream(Some(helper))) else {
            return unknown;
        };
        let nested = |_: &CallRecord| unknown;
        let attempted = stream.attempted(&nested);
        if call.ending == Some(Ending::Background) {
            // It still works: what it has not tried so far it may be trying now.
            let certain = |known| if known == Known::Yes { known } else { Known::Unknown };
            return CallFacts {
                attempted: certain(attempted),
                mutated: certain(stream.past.whole()),
                ..unknown
            };
        }
        // An attempt is no look: one that was denied saw nothing.
        let observed = match (stream.observed(None, &nested).next(), attempted) {
            (Some(_), _) => Known::Yes,
            (None, Known::Unknown) => Known::Unknown,
            (None, Known::Yes | Known::No) => Known::No,
        };
        CallFacts {
            attempted,
            observed,
            mutated: stream.past.whole(),
        }
    }
}

/// True when a call of the running turn delegates, or one of the last runs did.
pub(in crate::engine) fn delegates(stream: &Stream) -> bool {
    let running = stream.turn.calls.iter().any(|call| call.kind == ToolKind::Delegates);
    running || stream.past.recent_helpers().next().is_some()
}
