//! Gates: events for whose answer the agent waits. Tool calls come here, and whatever else has to be decided at once.
//! What holds a call up is decided in the core.

use std::sync::{Arc, PoisonError};

use proofmark_protocol::event::PreToolUseParams;
use proofmark_protocol::{Decision, SessionRef};

use super::deadline::{self, Deadline};
use super::{Engine, GATE_DEADLINE};
use crate::checks::{REGISTRY, ToolView};
use crate::harness;
use crate::session::{SessionKey, decide};

impl Engine {
    /// Runs a gate's decision, which may wait for files until its time is up.
    pub(crate) async fn gate(
        self: &Arc<Self>,
        at: &SessionRef,
        decide: impl FnOnce(&Self, &Deadline) -> Decision + Send + 'static,
    ) -> Decision {
        let Some(key) = SessionKey::of(at) else {
            return Decision::allow();
        };
        let (slot, deadline) = (self.slot(&key), Arc::new(Deadline::after(GATE_DEADLINE)));
        let (engine, until) = (Arc::clone(self), Arc::clone(&deadline));
        let decided = deadline::run(&slot.live, &deadline, move || decide(&engine, &until)).await;
        decided.unwrap_or_else(|missed| slot.passed(missed.why()))
    }

    /// `onPreToolUse`. While nothing holds the session's calls up, nothing is read, written or waited for.
    pub async fn on_pre_tool_use(self: &Arc<Self>, params: PreToolUseParams) -> Decision {
        self.woken();
        let Some(key) = SessionKey::of(&params.at) else {
            return Decision::allow();
        };
        if self.slot(&key).hold.is_free() {
            return Decision::allow();
        }
        let at = params.at.clone();
        self.gate(&at, move |engine, _| engine.decide_tool(&params)).await
    }

    pub(super) fn decide_tool(&self, params: &PreToolUseParams) -> Decision {
        let Some(event) = self.event(&params.at, &format!("tool:{}", super::now())) else {
            return Decision::allow();
        };
        let Some(spec) = harness::spec(event.key.harness) else {
            return Decision::allow();
        };
        let slot = self.slot(&event.key);
        let mut live = slot.live.lock().unwrap_or_else(PoisonError::into_inner);
        let known = live.was_loaded();
        self.refresh(&mut live, &event);
        if known && !live.book.scope().holds() {
            return Decision::allow();
        }
        let effective = self.settings.read(params.at.cwd.as_deref());
        let settings = &effective.settings;
        let tools = |tool: &str| settings.tool_effect(tool);
        let call = (spec.announced)(&params.call.tool, params.call.input.as_deref(), &tools);
        let view = ToolView {
            key: &event.key,
            agent: params.at.agent.as_deref(),
            book: &live.book,
            stream: live.stream(None),
            tool: &params.call.tool,
            kind: &call.kind,
            input: &call.input,
            changes: &call.changes,
            settings,
        };
        let paused = || self.is_paused(&event.key, event.now);
        let outcomes = decide::tool(&view, REGISTRY, self.notes(&effective), paused);
        // What was denied costs nothing, and a call that nobody has to hear of is not worth a write.
        if outcomes.facts.is_empty() {
            return outcomes.decision;
        }
        let turn = live.book.turn(None);
        self.commit(&mut live, &event, turn, None, outcomes)
    }
}
