//! What harnesses tell by events alone: calls that ended, replies, prompts. Kept as facts, folded beside the record.
//! How events and record are joined is the core's business.

use std::hash::Hasher;
use std::sync::Arc;
use std::sync::PoisonError;

use fnv::FnvHasher;
use proofmark_protocol::event::{PostToolUseParams, ReplyParams, SessionEndParams, StopParams};
use proofmark_protocol::{Decision, Outcome, SessionRef, method};

use super::deadline::Deadline;
use super::live::{self, Following, Live, Unread};
use super::{Engine, Event, Stop, file_len, once};
use crate::harness::{self, Shown};
use crate::ledger::Durability;
use crate::session::decide::Outcomes;
use crate::session::observed::{Joined, Seen, prompt_id};
use crate::session::{Book, Entry, Fact, FactBody, SessionKey, Stream};
use crate::text::{quote, redact};

#[cfg(test)]
mod tests;

/// What is kept of a prompt, in characters.
const MAX_QUOTE: usize = 80;

/// How a stop goes on, as far as events decide it.
pub(super) enum AtStop {
    /// The reply is on its way.
    Wait,
    /// There is nothing to judge.
    Skip,
    /// This is the reply, where one is known.
    Judge(Option<String>),
}

/// Advice for the agent that waits until the agent is told something anyway: its harness has no other way to it. The
/// newest counts, as it names all that is open.
#[derive(Default)]
pub(super) struct Held {
    advice: Option<String>,
    facts: Vec<(Option<String>, FactBody)>,
}

impl Held {
    /// Takes the advice out of what a prompt comes to, with the facts that say it was told.
    pub(super) fn take(&mut self, outcomes: &mut Outcomes) {
        self.advice = outcomes.decision.to_agent.take();
        let is_told = |(_, body): &(_, FactBody)| matches!(body, FactBody::Told { .. });
        let (told, others) = std::mem::take(&mut outcomes.facts).into_iter().partition(is_told);
        (self.facts, outcomes.facts) = (told, others);
    }

    /// Adds the advice to a refusal.
    fn give(&mut self, outcomes: &mut Outcomes) {
        if outcomes.decision.outcome != Outcome::Refuse {
            return;
        }
        let to_agent = outcomes.decision.to_agent.take();
        let texts: Vec<String> = to_agent.into_iter().chain(self.advice.take()).collect();
        outcomes.decision.to_agent = Some(texts.join("\n\n"));
        outcomes.facts.append(&mut self.facts);
    }
}

/// True for a harness whose events show what its record does not.
pub(super) fn is_observed(key: &SessionKey) -> bool {
    harness::spec(key.harness).is_some_and(|spec| spec.observed.is_some())
}

/// True for the end of a session whose last turn may have come to its end without a stop.
pub(super) fn may_be_unstopped(params: &SessionEndParams) -> bool {
    let completed = params.reason.as_deref() == Some("completed");
    completed && SessionKey::of(&params.at).as_ref().is_some_and(is_observed)
}

/// How much of a record belongs to an event's identity: nothing where each event names a turn that it shares with no
/// other, as the record of such a harness grows while the same event is delivered twice.
pub(super) fn record_len(key: &SessionKey, at: &SessionRef) -> u64 {
    if is_observed(key) && at.turn.is_some() {
        return 0;
    }
    file_len(live::record_path(harness::spec(key.harness), at).as_deref())
}

/// Folds the observations that are new, each after what stood in the record before it, then the rest of the record.
/// A record that can't be read keeps its own calls to itself; those that events told count all the same.
pub(super) fn catch_up(
    book: &Book,
    agent: Option<&str>,
    following: &mut Following,
    follow: &dyn Fn(&mut Following, u64) -> Result<(), Unread>,
) {
    let mut readable = true;
    loop {
        let taken = following.joined.as_ref().map_or(0, Joined::taken);
        let Some((_, observation)) = book.observed_after(agent, taken) else {
            break;
        };
        if readable && following.follower.offset() < observation.read {
            // As it was when it was read first.
            fold(following, Joined::settle);
            readable = follow(following, observation.read).is_ok();
        }
        take_next(book, agent, following);
    }
    fold(following, Joined::settle);
    if readable && follow(following, u64::MAX).is_err() {
        following.unread();
    }
}

/// Folds the next observation; false when there is none.
fn take_next(book: &Book, agent: Option<&str>, following: &mut Following) -> bool {
    let taken = following.joined.as_ref().map_or(0, Joined::taken);
    let next = book.observed_after(agent, taken);
    if let Some((place, observation)) = next {
        fold(following, |joined, out| joined.observe(place, observation, out));
    }
    next.is_some()
}

fn fold(following: &mut Following, show: impl FnOnce(&mut Joined, &mut Vec<Entry>)) {
    let mut entries = Vec::new();
    if let Some(joined) = &mut following.joined {
        show(joined, &mut entries);
    }
    for entry in entries {
        following.stream.fold(entry);
    }
}

/// Folds what the record's next line shows.
pub(super) fn take_row(joined: &mut Joined, stream: &mut Stream, entry: Entry) {
    let mut entries = Vec::new();
    joined.row(entry, &mut entries);
    for entry in entries {
        stream.fold(entry);
    }
}

impl Engine {
    /// `onPostToolUse`: what the call showed is kept. Nothing is held up by it.
    pub fn on_post_tool_use(&self, params: &PostToolUseParams) -> Decision {
        let spec = harness::spec(params.at.harness);
        let (Some(event), Some(observed)) = (self.event(&params.at, "seen"), spec.and_then(|spec| spec.observed))
        else {
            return Decision::allow();
        };
        let settings = self.settings.read(params.at.cwd.as_deref()).settings;
        let Shown { call, output } = observed(params, &|tool| settings.tool_effect(tool));
        let key = match &call.id {
            Some(id) => format!("seen:{id}"),
            None => format!("seen:{}", digest(params)),
        };
        let id = call.id.clone();
        let slot = self.slot(&event.key);
        let mut live = slot.live.lock().unwrap_or_else(PoisonError::into_inner);
        self.observe(&mut live, &event, key, Seen::Call(call));
        if let Some(stream) = live.stream_mut(event.at.agent.as_deref())
            && let Some(told) = stream
                .turn
                .calls
                .iter_mut()
                .rev()
                .find(|told| Some(&told.id) == id.as_ref())
        {
            told.output = output;
        }
        Decision::allow()
    }

    /// `onReply`: the reply is kept for the stop, while this process runs.
    pub fn on_reply(&self, params: &ReplyParams) -> Decision {
        let Some(event) = self.event(&params.at, "reply").filter(|event| is_observed(&event.key)) else {
            return Decision::allow();
        };
        let slot = self.slot(&event.key);
        let mut live = slot.live.lock().unwrap_or_else(PoisonError::into_inner);
        self.know(&mut live, &event);
        let Some(following) = live.following(event.at.agent.as_deref()) else {
            return Decision::allow();
        };
        // Calls that wait for another word of theirs came before it.
        fold(following, Joined::settle);
        let reply = redact(&params.reply);
        let told = following.stream.turn.texts.last().is_some_and(|text| *text == reply);
        if !told && !reply.trim().is_empty() {
            following.stream.fold(Entry::Text {
                row: String::new(),
                text: reply.into_owned(),
            });
        }
        Decision::allow()
    }

    /// Keeps that a prompt was submitted: the person's, or a text of ours.
    pub(super) fn observe_prompt(&self, live: &mut Live, event: &Event<'_>, prompt: &str, ours: bool) {
        let seen = Seen::Prompt {
            text: prompt_id(prompt),
            quote: quote(prompt, MAX_QUOTE),
            ours,
        };
        self.observe(live, event, format!("{}:prompt", event.id), seen);
        if !ours && let Some(stream) = live.stream_mut(event.at.agent.as_deref()) {
            stream.heard(prompt);
        }
    }

    fn observe(&self, live: &mut Live, event: &Event<'_>, key: String, seen: Seen) {
        self.know(live, event);
        let agent = event.at.agent.as_deref();
        let Some(following) = live.following(agent) else { return };
        let fact = Fact {
            at: event.now,
            agent: event.at.agent.clone(),
            turn: following.stream.turns,
            anchor: following.stream.turn.prompt.clone(),
            key,
            body: FactBody::Observed {
                seen,
                during: event.at.turn.clone(),
                read: following.follower.offset(),
            },
        };
        self.write(live, event, &[fact], Durability::Process);
        live.take_observations(agent);
    }

    /// Makes the agent's stream from ledger and record, where this process has none yet.
    fn know(&self, live: &mut Live, event: &Event<'_>) {
        self.refresh(live, event);
        if live.following(event.at.agent.as_deref()).is_none() {
            let effective = self.settings.read(event.at.cwd.as_deref());
            self.read_own(live, event, &effective, &Deadline::never());
        }
    }

    /// What events say of a stop: its reply, and whether it is to be judged.
    pub(super) fn at_stop(&self, live: &mut Live, key: &SessionKey, stop: &Stop, last_look: bool) -> AtStop {
        let told = stop.params.reply.clone();
        let Some(following) = live.following(stop.params.at.agent.as_deref()) else {
            return AtStop::Judge(told);
        };
        let Some(joined) = following.joined.as_mut().filter(|_| is_observed(key)) else {
            return AtStop::Judge(told);
        };
        if !stop.refusable && (joined.covers() || joined.has_stopped()) {
            return AtStop::Skip;
        }
        if following.stream.turn.texts.is_empty() {
            for entry in joined.take_tail() {
                following.stream.fold(entry);
            }
        }
        let reply = told.or_else(|| following.stream.turn.texts.last().cloned());
        if reply.is_none() && !last_look && !live.reply_never_came {
            return AtStop::Wait;
        }
        // A session is waited for once: its replies may never be told.
        live.reply_never_came = reply.is_none();
        AtStop::Judge(reply)
    }

    /// Has the turn end for what events show of it, and adds to a refusal what waited for one.
    pub(super) fn stopped(&self, live: &mut Live, agent: Option<&str>, outcomes: &mut Outcomes) {
        live.held.give(outcomes);
        if let Some(following) = live.following(agent)
            && let Some(joined) = &mut following.joined
        {
            joined.stop();
            following.stream.turn.texts.clear();
        }
    }

    /// Judges a session that ends and had no stop, as Cursor's `-p` has none (2026.08 and 2026.09): nothing can be held up.
    pub(super) async fn judge_unstopped(self: &Arc<Self>, params: &SessionEndParams) {
        let Some(key) = SessionKey::of(&params.at) else { return };
        let slot = self.slot(&key);
        let params = StopParams {
            at: params.at.clone(),
            reply: None,
            rewrite: false,
            background: 0,
        };
        let path = live::record_path(harness::spec(key.harness), &params.at);
        let id = once::stop_event(method::ON_SESSION_END, &params, file_len(path.as_deref()));
        let stop = Stop {
            id,
            params,
            path,
            refusable: false,
        };
        self.decide_stop(&key, &slot, Arc::new(stop)).await;
    }
}

impl Live {
    /// Folds the observations that this process has just written.
    fn take_observations(&mut self, agent: Option<&str>) {
        let Some(following) = self.records.get_mut(agent.unwrap_or(live::MAIN)) else {
            return;
        };
        while take_next(&self.book, agent, following) {}
    }
}

/// What tells an event without an id from others: all that it says. Deliveries of one event say the same.
fn digest(params: &PostToolUseParams) -> String {
    let mut hasher = FnvHasher::default();
    let mut part = |text: &str| {
        hasher.write(text.as_bytes());
        hasher.write_u8(0);
    };
    part(params.at.turn.as_deref().unwrap_or_default());
    part(&params.call.tool);
    part(params.call.input.as_deref().map_or("", |input| input.get()));
    part(params.output.as_deref().map_or("", |output| output.get()));
    part(
        &params
            .duration
            .map_or_else(String::new, |duration| duration.to_string()),
    );
    format!("{:016x}", hasher.finish())
}
