//! The judge in a session: what it is asked about a reply, how long a stop waits for it, where a late answer goes.
//! The question itself, and who answers it, is `crate::judge`'s business.

use std::path::Path;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use proofmark_protocol::judge::{JudgeReply, JudgeReplyParams, JudgeVerdict};
use proofmark_protocol::{Decision, SessionRef};
use tokio::sync::watch;
use tokio::task::AbortHandle;

use super::deadline::Deadline;
use super::live::Live;
use super::settings::{Effective, SettingsFiles};
use super::{Engine, Event, STOP_DEADLINE, Slot, now};
use crate::checks::plain_words::{self, Answer, Judged, said_first};
use crate::judge::list::WordList;
use crate::judge::{Inquiry, Opinion, Plan};
use crate::ledger::LedgerError;
use crate::session::decide::Outcomes;
use crate::session::{FactBody, SessionKey, Vocabulary};
use crate::text::{quoted, used_first};

/// Words of the person that a question names.
const MAX_USED: usize = 200;

/// What is known of a reply from the judge.
pub(super) enum Heard {
    Unasked,
    Answered(Answer),
    Nothing,
    Unchecked(String),
}

impl Heard {
    /// As a check sees it.
    pub(super) fn judged(&self) -> Judged<'_> {
        match self {
            Self::Unasked => Judged::Unasked,
            Self::Answered(answer) => Judged::Answered(answer),
            Self::Nothing => Judged::Nothing,
            Self::Unchecked(why) => Judged::Unchecked(why),
        }
    }
}

/// A reply that is to be judged, with all that its answer is held against.
pub(super) struct Asked {
    plan: Plan,
    inquiry: Inquiry,
    vocabulary: Vocabulary,
    key: SessionKey,
    at: SessionRef,
    turn: u64,
    anchor: Option<String>,
}

/// The stop that waits for the judge.
#[derive(Clone, Default)]
pub(super) struct Asking {
    event: String,
    until: Option<Instant>,
}

impl Asking {
    /// Until when that event's answer may take.
    pub(super) fn of(&self, event: &str) -> Option<Instant> {
        self.until.filter(|_| self.event == event)
    }
}

/// A question that is being answered, or was. Dropped, it ends the runner.
pub(super) struct Running {
    key: u64,
    opinion: watch::Receiver<Option<Arc<Opinion>>>,
    task: AbortHandle,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Slot {
    /// The session's last reply is not what is talked about any more: an answer about it comes too late.
    pub(super) fn forget_reply(&self) {
        self.judging.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// True while somebody is being asked about the session's last reply.
    pub(super) fn is_asking(&self) -> bool {
        let judging = self.judging.lock().unwrap_or_else(PoisonError::into_inner);
        judging.as_ref().is_some_and(|running| !running.task.is_finished())
    }

    fn is_judging(&self, key: u64) -> bool {
        let judging = self.judging.lock().unwrap_or_else(PoisonError::into_inner);
        judging.as_ref().is_some_and(|running| running.key == key)
    }
}

impl Engine {
    /// What is to be asked about a reply; what is known already where nothing can be asked.
    pub(super) fn inquire(
        &self,
        live: &Live,
        event: &Event<'_>,
        effective: Effective,
        reply: String,
        (turn, anchor): (u64, Option<String>),
    ) -> Result<Asked, Heard> {
        if self.is_paused(&event.key, event.now) {
            return Err(Heard::Nothing);
        }
        let plan = plan(effective, None).map_err(Heard::Unchecked)?;
        let stream = live.stream(None);
        let vocabulary = stream.map_or_else(Vocabulary::default, |stream| stream.vocabulary.clone());
        let prompt = stream.and_then(|stream| stream.turn.asked.clone());
        Ok(Asked {
            plan,
            inquiry: inquiry(reply, prompt, &vocabulary),
            vocabulary,
            key: event.key.clone(),
            at: event.at.clone(),
            turn,
            anchor,
        })
    }

    /// Puts a reply to the judge and waits for the answer as long as it may take. No lock is held meanwhile.
    pub(super) async fn ask_judge(self: &Arc<Self>, slot: &Arc<Slot>, event: &str, asked: Asked) -> Heard {
        let wait = asked.plan.wait;
        let asked = Arc::new(asked);
        let mut opinion = self.running(slot, &asked);
        slot.asking.send_replace(Asking {
            event: event.to_owned(),
            until: Some(Instant::now() + wait + STOP_DEADLINE),
        });
        let answered = tokio::time::timeout(wait, found(&mut opinion)).await;
        match answered {
            Ok(Some(opinion)) => self.made_of(&asked, &opinion),
            Ok(None) => Heard::Nothing,
            Err(_) => {
                self.wait_on(slot, asked, opinion);
                Heard::Unchecked(format!(
                    "no answer came within {} s; one that comes later is told at the next prompt",
                    wait.as_secs()
                ))
            }
        }
    }

    /// The question about this reply: the one that runs already, else a new one, which ends another reply's.
    fn running(self: &Arc<Self>, slot: &Slot, asked: &Arc<Asked>) -> watch::Receiver<Option<Arc<Opinion>>> {
        let key = asked.plan.key(&asked.inquiry.reply);
        let mut judging = slot.judging.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = judging.as_ref().filter(|running| running.key == key)
            && (!running.task.is_finished() || running.opinion.borrow().as_ref().is_some_and(|it| it.answer.is_ok()))
        {
            return running.opinion.clone();
        }
        let (sender, opinion) = watch::channel(None);
        let (engine, asked) = (Arc::clone(self), Arc::clone(asked));
        let task = tokio::spawn(async move {
            let opinion = engine.judge.ask(&asked.plan, &asked.inquiry).await;
            sender.send_replace(Some(Arc::new(opinion)));
        });
        let task = task.abort_handle();
        *judging = Some(Running {
            key,
            opinion: opinion.clone(),
            task,
        });
        opinion
    }

    /// What an opinion means for the check.
    fn made_of(&self, asked: &Asked, opinion: &Opinion) -> Heard {
        match &opinion.answer {
            Ok(answer) => {
                self.count_dropped(answer, &asked.inquiry.reply, &asked.vocabulary);
                Heard::Answered(answer.clone())
            }
            Err(missing) if missing.answered => Heard::Nothing,
            Err(missing) => Heard::Unchecked(missing.why.clone()),
        }
    }

    fn count_dropped(&self, answer: &Answer, reply: &str, vocabulary: &Vocabulary) {
        if answer.hit
            && let Err(why) = quoted(reply, &answer.closest, &said_first(vocabulary))
        {
            self.judge.drop_answer(why);
        }
    }

    /// Waits for an answer that nobody is held up for any more.
    fn wait_on(
        self: &Arc<Self>,
        slot: &Arc<Slot>,
        asked: Arc<Asked>,
        mut opinion: watch::Receiver<Option<Arc<Opinion>>>,
    ) {
        let (engine, slot) = (Arc::clone(self), Arc::clone(slot));
        tokio::spawn(async move {
            let Some(opinion) = found(&mut opinion).await else {
                return;
            };
            let Ok(answer) = &opinion.answer else { return };
            let answer = answer.clone();
            // Nobody is left to hear that this failed, and a late answer may be lost.
            let _told = tokio::task::spawn_blocking(move || engine.note_late(&slot, &asked, &answer)).await;
        });
    }

    /// Keeps a late answer, when it holds and the reply that it is about is still the last one.
    fn note_late(&self, slot: &Slot, asked: &Asked, answer: &Answer) {
        if !answer.hit {
            return;
        }
        let reply = &asked.inquiry.reply;
        let found = match quoted(reply, &answer.closest, &said_first(&asked.vocabulary)) {
            Ok(found) => found,
            Err(why) => return self.judge.drop_answer(why),
        };
        let event = Event {
            key: asked.key.clone(),
            at: &asked.at,
            id: format!("late:{:x}", asked.plan.key(reply)),
            is_stop: false,
            now: now(),
        };
        let mut live = slot.live.lock().unwrap_or_else(PoisonError::into_inner);
        if !slot.is_judging(asked.plan.key(reply)) {
            return;
        }
        self.refresh(&mut live, &event);
        let finding = plain_words::late(&asked.key, &found, answer.list.as_deref());
        let outcomes = Outcomes {
            decision: Decision::allow(),
            facts: vec![(None, FactBody::Noted { finding })],
        };
        self.commit(&mut live, &event, asked.turn, asked.anchor.clone(), outcomes);
    }

    /// `judgeReply`: a reply of whomever, put to the judge; waits as long as a stop would.
    pub async fn judge_reply(self: &Arc<Self>, params: JudgeReplyParams) -> JudgeReply {
        let engine = Arc::clone(self);
        let prepared = tokio::task::spawn_blocking(move || engine.prepare(&params)).await;
        let (plan, inquiry, vocabulary) = match prepared {
            Ok(Ok(prepared)) => prepared,
            Ok(Err(why)) => return unchecked(&why),
            Err(_) => return unchecked("the handler failed"),
        };
        match tokio::time::timeout(plan.wait, self.judge.ask(&plan, &inquiry)).await {
            Ok(opinion) => self.replied(opinion, &inquiry.reply, &vocabulary),
            Err(_) => unchecked(&format!("no answer came within {} s", plan.wait.as_secs())),
        }
    }

    fn prepare(&self, params: &JudgeReplyParams) -> Result<(Plan, Inquiry, Vocabulary), String> {
        if params.reply.trim().is_empty() {
            return Err("the reply is empty".to_owned());
        }
        let effective = self.settings.read(params.cwd.as_deref());
        if !effective.settings.judge.enabled {
            return Err("the judge is off; `judge.enabled` in your settings turns it on".to_owned());
        }
        let vocabulary = match params.session.as_deref() {
            Some(session) => self
                .vocabulary(session, &effective)
                .map_err(|error| error.to_string())?,
            None => Vocabulary::default(),
        };
        let plan = plan(effective, params.lists.as_deref())?;
        let inquiry = inquiry(params.reply.clone(), None, &vocabulary);
        Ok((plan, inquiry, vocabulary))
    }

    /// What the person has said in a session, as far as its record shows.
    fn vocabulary(&self, session: &str, effective: &Effective) -> Result<Vocabulary, LedgerError> {
        let row = self
            .ledger()
            .sessions()?
            .into_iter()
            .find(|row| row.key.session == session);
        let Some(row) = row else {
            return Ok(Vocabulary::default());
        };
        let at = SessionRef {
            harness: row.key.harness,
            session: Some(row.key.session.clone()),
            agent: None,
            transcript: row.transcript,
            agent_transcript: None,
            cwd: None,
            turn: None,
        };
        let slot = self.slot(&row.key);
        let mut live = slot.live.lock().unwrap_or_else(PoisonError::into_inner);
        let event = Event {
            key: row.key,
            at: &at,
            id: String::new(),
            is_stop: false,
            now: now(),
        };
        self.refresh(&mut live, &event);
        self.read_own(&mut live, &event, effective, &Deadline::never());
        Ok(live
            .stream(None)
            .map_or_else(Vocabulary::default, |stream| stream.vocabulary.clone()))
    }

    fn replied(&self, opinion: Opinion, reply: &str, vocabulary: &Vocabulary) -> JudgeReply {
        let Opinion { answer, runner, tries } = opinion;
        let answer = match answer {
            Ok(answer) => answer,
            Err(missing) => {
                return JudgeReply {
                    tries,
                    ..unchecked(&missing.why)
                };
            }
        };
        self.count_dropped(&answer, reply, vocabulary);
        let base = JudgeReply {
            verdict: JudgeVerdict::Clean,
            reason: "No wording of the lists was found.".to_owned(),
            list: None,
            quote: None,
            runner,
            tries,
        };
        if !answer.hit {
            return base;
        }
        match quoted(reply, &answer.closest, &said_first(vocabulary)) {
            Ok(found) => JudgeReply {
                verdict: JudgeVerdict::Hit,
                reason: format!(
                    "“{}” falls under {}.",
                    found.text,
                    answer.list.as_deref().unwrap_or("an unnamed list")
                ),
                list: answer.list,
                quote: Some(found.text),
                ..base
            },
            Err(why) => JudgeReply {
                verdict: JudgeVerdict::Unchecked,
                reason: format!("The answer is not used: {}.", why.why()),
                ..base
            },
        }
    }

    /// What is not as it should be with the judge, a sentence each.
    pub fn judge_notes(&self) -> Vec<String> {
        self.judge.told()
    }
}

/// Puts one reply to the judge in a process of its own, where no server runs. Interrupted, it ends the runner first.
pub fn judge_once(state_dir: &Path, params: JudgeReplyParams) -> Result<JudgeReply, JudgeError> {
    let engine = Arc::new(Engine::beside(state_dir)?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        tokio::select! {
            reply = engine.judge_reply(params) => Ok(reply),
            interrupted = tokio::signal::ctrl_c() => {
                interrupted?;
                Ok(unchecked("it was interrupted"))
            }
        }
    })
}

/// The word lists that a question asked in a folder would hold, whether or not the judge is on; and what is wrong with
/// those that are named in the settings.
pub fn lists_in_use(cwd: Option<&str>) -> (Vec<WordList>, Vec<String>) {
    SettingsFiles::of_process().lists(cwd)
}

/// Why a reply could not be put to the judge here.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    /// The ledger can't be opened.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The system does not let this process wait.
    #[error("this process can't wait for an answer ({0})")]
    Io(#[from] std::io::Error),
}

/// The lists and runners of a question; else why there can be none.
fn plan(effective: Effective, only: Option<&[String]>) -> Result<Plan, String> {
    let judge = effective.settings.judge;
    let mut lists = effective.lists;
    if let Some(only) = only {
        if let Some(strange) = only.iter().find(|name| !lists.iter().any(|list| list.name == **name)) {
            return Err(format!("there is no list {strange}"));
        }
        lists.retain(|list| only.contains(&list.name));
    }
    if lists.is_empty() {
        return Err("no word list is in use".to_owned());
    }
    if judge.runner.is_empty() {
        return Err("no runner is set under `[[judge.runner]]`".to_owned());
    }
    Ok(Plan {
        lists,
        runners: judge.runner,
        wait: Duration::from_secs(judge.wait_seconds),
    })
}

fn inquiry(reply: String, prompt: Option<String>, vocabulary: &Vocabulary) -> Inquiry {
    let used_first = used_first(&reply, &said_first(vocabulary), MAX_USED);
    Inquiry {
        reply,
        prompt,
        used_first,
    }
}

/// The opinion, once it is there; none when its question was given up.
async fn found(opinion: &mut watch::Receiver<Option<Arc<Opinion>>>) -> Option<Arc<Opinion>> {
    let found = opinion.wait_for(Option::is_some).await;
    found.ok().and_then(|found| found.clone())
}

fn unchecked(why: &str) -> JudgeReply {
    JudgeReply {
        verdict: JudgeVerdict::Unchecked,
        reason: format!("Nobody judged the reply: {why}."),
        list: None,
        quote: None,
        runner: None,
        tries: Vec::new(),
    }
}
