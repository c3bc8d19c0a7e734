//! A stop on its way through the core: looks at the record, the judge's answer where one is asked for, one decision.
//! What is decided stays in the core; asking the judge in `judge`.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use proofmark_protocol::Decision;
use proofmark_protocol::event::StopParams;

use super::deadline::{self, Deadline, Missed};
use super::judge::{Asked, Heard};
use super::observed::{self, AtStop};
use super::{ANSWER_OF_ANOTHER, Engine, Event, RECORD_LOOK, RECORD_WAIT, STOP_DEADLINE, Slot};
use super::{live, now, once};
use crate::checks::{REGISTRY, Record, StopView};
use crate::harness;
use crate::session::decide::{self, Step};
use crate::session::observed::Joined;
use crate::session::{CallRecord, SessionKey};
use crate::text::redact;

/// Told how long the answer to a stop may take from now on, when that is longer than usual.
pub type Patience = Box<dyn Fn(Duration) + Send + Sync>;

/// An agent's wish to end its turn.
pub(super) struct Stop {
    pub(super) id: String,
    pub(super) params: StopParams,
    /// The agent's record.
    pub(super) path: Option<PathBuf>,
    /// False where nothing can be held up any more: what is found is noted.
    pub(super) refusable: bool,
}

/// What a look at the record came to.
enum Look {
    /// The judge should be asked; what is known of it already, where it can't be.
    Judge(Result<Box<Asked>, Heard>),
    /// This is the answer.
    Decided(Decision),
}

impl Engine {
    /// `onStop` and `onSubagentStop`: the method's name is part of the event's identity. `patience` is told when the
    /// judge is asked.
    pub async fn on_stop(
        self: &Arc<Self>,
        method: &'static str,
        mut params: StopParams,
        patience: Patience,
    ) -> Decision {
        let Some(key) = SessionKey::of(&params.at) else {
            return Decision::allow();
        };
        let own_words = harness::spec(key.harness).map_or((|reply| reply) as fn(&str) -> &str, |spec| spec.own_words);
        // As the record's texts are read, so that both are the same.
        params.reply = params.reply.map(|reply| redact(own_words(&reply)).into_owned());
        let path = live::record_path(harness::spec(key.harness), &params.at);
        let id = once::stop_event(method, &params, observed::record_len(&key, &params.at));
        let slot = self.slot(&key);
        let answer = slot.recent.answer(&id, Instant::now());
        let stop = Stop {
            id: id.clone(),
            params,
            path,
            refusable: true,
        };
        let decide = || self.decide_stop(&key, &slot, Arc::new(stop));
        let decision = {
            let decided = answer.get_or_init(decide);
            tokio::pin!(decided);
            // Every delivery of the event is told, also one that came while the judge was being asked.
            let mut asking = slot.asking.subscribe();
            loop {
                if let Some(until) = asking.borrow_and_update().of(&id) {
                    patience(until.saturating_duration_since(Instant::now()));
                }
                tokio::select! {
                    decision = &mut decided => break decision.clone(),
                    Ok(()) = asking.changed() => {}
                }
            }
        };
        slot.recent.answered(&id, Instant::now());
        decision
    }

    pub(super) async fn decide_stop(self: &Arc<Self>, key: &SessionKey, slot: &Arc<Slot>, stop: Arc<Stop>) -> Decision {
        self.woken();
        let mut heard = Arc::new(Heard::Unasked);
        let decision = loop {
            match self.looks(key, slot, &stop, &heard).await {
                Ok(Look::Decided(decision)) => break decision,
                Ok(Look::Judge(Ok(asked))) => heard = Arc::new(self.ask_judge(slot, &stop.id, *asked).await),
                Ok(Look::Judge(Err(known))) => heard = Arc::new(known),
                Err(missed) => break slot.passed(missed.why()),
            }
        };
        self.store_folds(key, slot, false);
        decision
    }

    /// Looks at the record until it is all there, or was waited for: the decision, or what has to be asked first.
    async fn looks(
        self: &Arc<Self>,
        key: &SessionKey,
        slot: &Arc<Slot>,
        stop: &Arc<Stop>,
        heard: &Arc<Heard>,
    ) -> Result<Look, Missed> {
        let (started, deadline) = (Instant::now(), Arc::new(Deadline::after(STOP_DEADLINE)));
        loop {
            let last_look = started.elapsed() >= RECORD_WAIT;
            let (engine, looked, key) = (Arc::clone(self), Arc::clone(slot), key.clone());
            let (stop, heard, until) = (Arc::clone(stop), Arc::clone(heard), Arc::clone(&deadline));
            let look = move || engine.look(&looked, &key, &stop, &heard, last_look, &until);
            match deadline::run(&slot.live, &deadline, look).await? {
                Some(look) => return Ok(look),
                None => tokio::time::sleep(RECORD_LOOK).await,
            }
        }
    }

    /// One look at the record: none when it should be read again.
    fn look(
        &self,
        slot: &Slot,
        key: &SessionKey,
        stop: &Stop,
        heard: &Heard,
        last_look: bool,
        deadline: &Deadline,
    ) -> Option<Look> {
        let params = &stop.params;
        let at = &params.at;
        let event = Event {
            key: key.clone(),
            at,
            id: stop.id.clone(),
            is_stop: true,
            now: now(),
        };
        let mut live = slot.live.lock().unwrap_or_else(PoisonError::into_inner);
        self.refresh(&mut live, &event);
        if let Some(decision) = live.answer_before(&stop.id, ANSWER_OF_ANOTHER) {
            return Some(Look::Decided(decision));
        }
        let effective = self.settings.read(at.cwd.as_deref());
        let agent = at.agent.as_deref();
        let ledger = self.ledger();
        let read = live.read(&ledger, key, agent, stop.path.as_deref(), &effective.settings, deadline);
        if live.stream(agent).is_some_and(live::delegates)
            && let Some(transcript) = at.transcript.as_deref()
        {
            live.read_helpers(
                &ledger,
                key,
                agent,
                Path::new(transcript),
                &effective.settings,
                deadline,
            );
        }
        let may_come = live.may_come(read.as_ref().err(), last_look);
        let unread = read.err().map(|error| error.to_string());
        if live.stream(agent).is_some_and(|stream| stream.by_harness) {
            return Some(Look::Decided(Decision::allow()));
        }
        // A record that was read in part does not tell all that was copied.
        if unread.is_none() && agent.is_none() && !deadline.is_over() {
            self.inherit(&mut live, &event);
        }
        let reply = match self.at_stop(&mut live, key, stop, last_look) {
            AtStop::Wait => return None,
            AtStop::Skip => return Some(Look::Decided(Decision::allow())),
            AtStop::Judge(reply) => reply,
        };
        let settings = if stop.refusable {
            effective.settings.clone()
        } else {
            effective.settings.advising()
        };
        let (step, turn, anchor, whole) = {
            let reading = live.reading(agent).filter(|_| unread.is_none());
            let helper = |call: &CallRecord| live.helper_facts(call);
            let turn = reading
                .as_ref()
                .map_or(0, |reading| reading.stream.turns)
                .max(live.book.turn(agent));
            let whole = reply.as_deref().map(|reply| match &reading {
                Some(reading) => reading.stream.whole_reply(reply),
                None => reply.to_owned(),
            });
            let record = match &reading {
                Some(reading) => Record::Read {
                    stream: reading.stream,
                    lag: reading.lag(params, reply.as_deref()),
                    helper: &helper,
                },
                None => Record::Unread {
                    why: unread.as_deref().unwrap_or("the transcript was not read"),
                    may_come,
                },
            };
            let anchor = reading.as_ref().and_then(|reading| reading.stream.turn.prompt.clone());
            let joined = reading.as_ref().and_then(|reading| reading.joined);
            let view = StopView {
                key,
                agent,
                turn,
                book: &live.book,
                record,
                others: &live.others(agent),
                rewrite: params.rewrite || joined.is_some_and(Joined::was_sent_back),
                reply: whole.as_deref(),
                settings: &settings,
                // Of what events have told nothing more comes.
                last_look: last_look || joined.is_some(),
                judged: heard.judged(),
            };
            let paused = || self.is_paused(key, event.now);
            (
                decide::stop(&view, REGISTRY, self.notes(&effective), paused),
                turn,
                anchor,
                whole,
            )
        };
        let mut outcomes = match step {
            Step::Decided(outcomes) => outcomes,
            Step::AwaitRecord => return None,
            // Where nothing can be held up, nobody waits for an answer either.
            Step::AskJudge if !stop.refusable => return Some(Look::Judge(Err(Heard::Nothing))),
            Step::AskJudge => {
                let reply = whole.unwrap_or_default();
                let asked = self.inquire(&live, &event, effective, reply, (turn, anchor));
                return Some(Look::Judge(asked.map(Box::new)));
            }
        };
        if deadline.is_over() {
            return Some(Look::Decided(Decision::allow()));
        }
        self.stopped(&mut live, agent, &mut outcomes);
        Some(Look::Decided(self.commit(&mut live, &event, turn, anchor, outcomes)))
    }
}
