//! The shell around the core: loads a session, reads its record, lets the core decide, stores the facts.
//! Rules about claims and turns stay in the core; sockets and lines in `rpc/`.

mod deadline;
mod effects;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod gate;
mod heard;
mod judge;
mod later;
mod lineage;
mod live;
mod makeshift;
mod observed;
mod once;
mod pauses;
pub mod queries;
mod rest;
pub mod retention;
pub mod settings;
mod slot;
mod stop;
mod watch;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use dashmap::DashMap;
use proofmark_protocol::event::{PromptParams, SessionEndParams, SessionStartParams, SubagentStartParams};
use proofmark_protocol::settings::Mode;
use proofmark_protocol::{Decision, SessionRef};

use crate::checks::{PromptView, REGISTRY};
use crate::harness;
use crate::judge::Judge;
use crate::ledger::{Ledger, LedgerError};
use crate::session::decide;
use crate::session::{CallRecord, SessionKey};
use crate::text::redact;
use deadline::Deadline;
pub use judge::{judge_once, lists_in_use};
use makeshift::Makeshift;
use pauses::PauseEnds;
use settings::SettingsFiles;
use slot::Slot;
pub use stop::Patience;
use stop::Stop;
pub use watch::{Watch, WatchError};

/// Within this time a gate is decided, or it passes and that is said.
const GATE_DEADLINE: Duration = Duration::from_millis(110);
/// Within this time a stop is decided, or it passes and that is said.
const STOP_DEADLINE: Duration = Duration::from_millis(1_900);
/// How long a stop waits for lines that are on their way to the record.
const RECORD_WAIT: Duration = Duration::from_millis(1_000);
/// How often it looks meanwhile.
const RECORD_LOOK: Duration = Duration::from_millis(15);
/// An answer of a server that died counts this long for the same event, in milliseconds.
const ANSWER_OF_ANOTHER: u64 = 10_000;
/// How long each call to the ledger waits for another process: a gate makes a handful of them, and what can't be written
/// now is written later.
const LEDGER_WAIT: Duration = Duration::from_millis(15);

/// The live sessions of one state folder.
pub struct Engine {
    state_dir: PathBuf,
    ledger: RwLock<Arc<Ledger>>,
    /// What is wrong with the ledger, for each session to be told once: name and text.
    troubles: Mutex<Vec<(String, String)>>,
    settings: SettingsFiles,
    sessions: DashMap<SessionKey, Arc<Slot>>,
    pauses: PauseEnds,
    /// Events that are not on the ledger yet.
    counts: heard::Counts,
    started: Instant,
    /// When the last event came, in milliseconds since `started`: the system's clock may jump.
    last_event: AtomicU64,
    /// Told whenever this process has written facts.
    stirred: tokio::sync::watch::Sender<()>,
    /// How often a broken ledger was replaced by a new one.
    renewals: AtomicU64,
    judge: Judge,
    awake: rest::Awake,
    makeshift: Makeshift,
    later: later::Later,
    /// When old things were last looked for, on this engine's clock; 0 before the first time.
    tidied: AtomicU64,
}

/// An event on its way through the core.
struct Event<'a> {
    key: SessionKey,
    at: &'a SessionRef,
    id: String,
    is_stop: bool,
    now: u64,
}

impl Engine {
    /// Opens the ledger of a state folder, which exists. A ledger that can't be used costs memory of what was, not the work.
    pub fn open(state_dir: &Path) -> Result<Self, LedgerError> {
        let (ledger, notes, makeshift) = match Ledger::open(state_dir) {
            Ok(opened) => (opened.ledger, opened.notes, false),
            Err(error) => (
                Ledger::in_memory()?,
                vec![format!(
                    "Proofmark can't use its ledger ({error}), so this session's claims are kept in memory only."
                )],
                true,
            ),
        };
        ledger.wait_at_most(LEDGER_WAIT)?;
        let mut engine = Self::on(state_dir, ledger, notes);
        engine.makeshift = Makeshift::new(makeshift);
        Ok(engine)
    }

    /// Works on the ledger of a state folder that another process owns, in short writes beside that one's.
    pub fn beside(state_dir: &Path) -> Result<Self, LedgerError> {
        match Ledger::open_existing(state_dir)? {
            Some(ledger) => Ok(Self::on(state_dir, ledger, Vec::new())),
            None => Self::open(state_dir),
        }
    }

    fn on(state_dir: &Path, ledger: Ledger, notes: Vec<String>) -> Self {
        let troubles = notes
            .into_iter()
            .map(|note| (format!("ledger:{}", now()), note))
            .collect();
        Self {
            state_dir: state_dir.to_owned(),
            ledger: RwLock::new(Arc::new(ledger)),
            troubles: Mutex::new(troubles),
            settings: SettingsFiles::of_process(),
            sessions: DashMap::new(),
            pauses: PauseEnds::default(),
            counts: heard::Counts::default(),
            started: Instant::now(),
            last_event: AtomicU64::new(0),
            stirred: tokio::sync::watch::Sender::default(),
            renewals: AtomicU64::new(0),
            judge: Judge::default(),
            awake: rest::Awake::default(),
            makeshift: Makeshift::default(),
            later: later::Later::default(),
            tidied: AtomicU64::new(0),
        }
    }

    /// Time since the last event.
    pub fn idle(&self) -> Duration {
        self.started
            .elapsed()
            .saturating_sub(Duration::from_millis(self.last_event.load(Ordering::Relaxed)))
    }

    fn woken(&self) {
        self.last_event.store(self.clock(), Ordering::Relaxed);
    }

    /// Milliseconds since this engine was opened; the system's clock may jump.
    fn clock(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// How long the server stays without an event, by the person's settings; a minute at least, or it would be gone
    /// before whoever started it has connected.
    pub fn idle_limit(&self) -> Duration {
        Duration::from_secs(self.settings.read(None).settings.idle_minutes.max(1).saturating_mul(60))
    }

    /// `onSessionStart`.
    pub fn on_session_start(&self, params: &SessionStartParams) -> Decision {
        // A resumed or forked conversation still holds what was said at its start.
        let teach = !matches!(params.source.as_deref(), Some("resume" | "fork"));
        self.begin(&params.at, teach)
    }

    /// `onSubagentStart`.
    pub fn on_subagent_start(&self, params: &SubagentStartParams) -> Decision {
        self.begin(&params.at, true)
    }

    fn begin(&self, at: &SessionRef, teach: bool) -> Decision {
        let Some(event) = self.event(at, "start") else {
            return Decision::allow();
        };
        let slot = self.slot(&event.key);
        let mut live = slot.live.lock().unwrap_or_else(PoisonError::into_inner);
        let effective = self.settings.read(at.cwd.as_deref());
        self.refresh(&mut live, &event);
        let notes = self.notes(&effective);
        let outcomes = decide::start(&effective.settings, &live.book, REGISTRY, teach, notes);
        let turn = live.book.turn(at.agent.as_deref());
        self.commit(&mut live, &event, turn, None, outcomes)
    }

    /// `onPrompt`.
    pub async fn on_prompt(self: &Arc<Self>, mut params: PromptParams) -> Decision {
        let Some(key) = SessionKey::of(&params.at) else {
            return Decision::allow();
        };
        params.prompt = redact(&params.prompt).into_owned();
        let id = once::prompt_event(&params, observed::record_len(&key, &params.at));
        let slot = self.slot(&key);
        slot.forget_reply();
        let answer = slot.recent.answer(&id, Instant::now());
        let decide = async {
            let (at, id) = (params.at.clone(), format!("{id}:{}", now()));
            self.gate(&at, move |engine, deadline| {
                engine.decide_prompt(&params, &id, deadline)
            })
            .await
        };
        let decision = answer.get_or_init(|| decide).await.clone();
        slot.recent.answered(&id, Instant::now());
        decision
    }

    fn decide_prompt(&self, params: &PromptParams, id: &str, deadline: &Deadline) -> Decision {
        let Some(event) = self.event(&params.at, id) else {
            return Decision::allow();
        };
        let spec = harness::spec(event.key.harness);
        let is_persons = spec.is_none_or(|spec| (spec.is_persons)(&params.prompt));
        let is_observed = observed::is_observed(&event.key);
        if !is_persons && !is_observed {
            return Decision::allow();
        }
        let slot = self.slot(&event.key);
        let mut live = slot.live.lock().unwrap_or_else(PoisonError::into_inner);
        let effective = self.settings.read(params.at.cwd.as_deref());
        self.refresh(&mut live, &event);
        self.read_own(&mut live, &event, &effective, deadline);
        if !is_persons {
            self.observe_prompt(&mut live, &event, &params.prompt, true);
            return Decision::allow();
        }
        if effective.settings.scope_lock.mode != Mode::Off
            && live.stream(None).is_some_and(live::delegates)
            && let Some(transcript) = params.at.transcript.as_deref()
        {
            let ledger = self.ledger();
            live.read_helpers(
                &ledger,
                &event.key,
                None,
                Path::new(transcript),
                &effective.settings,
                deadline,
            );
        }
        if live.stream(None).is_some_and(|stream| stream.by_harness) {
            return Decision::allow();
        }
        if deadline.is_over() {
            if is_observed {
                self.observe_prompt(&mut live, &event, &params.prompt, false);
            }
            return Decision::allow();
        }
        let helper = |call: &CallRecord| live.helper_facts(call);
        let view = PromptView {
            key: &event.key,
            book: &live.book,
            stream: live.stream(None),
            helper: &helper,
            others: &live.others(None),
            prompt: &params.prompt,
            settings: &effective.settings,
        };
        let mut outcomes = decide::prompt(&view, REGISTRY, self.notes(&effective));
        let turn = live.book.turn(None);
        let anchor = live.stream(None).and_then(|stream| stream.turn.prompt.clone());
        if !is_observed {
            return self.commit(&mut live, &event, turn, anchor, outcomes);
        }
        live.held.take(&mut outcomes);
        // The prompt itself is written in any case: one that comes to nothing is one write, not two.
        let decision = if outcomes.keeps_nothing() {
            outcomes.decision
        } else {
            self.commit(&mut live, &event, turn, anchor, outcomes)
        };
        self.observe_prompt(&mut live, &event, &params.prompt, false);
        decision
    }

    /// `onSessionEnd`.
    pub fn on_session_end(self: &Arc<Self>, params: SessionEndParams) -> Decision {
        if observed::may_be_unstopped(&params) {
            // Nothing can be held up any more, so nobody is to wait for it.
            let engine = Arc::clone(self);
            tokio::spawn(async move {
                engine.judge_unstopped(&params).await;
                engine.leave(&params.at);
                engine.store_soon();
            });
        } else {
            self.leave(&params.at);
        }
        Decision::allow()
    }

    fn leave(&self, at: &SessionRef) {
        if let Some(event) = self.event(at, "end")
            && let Some(slot) = self.sessions.get(&event.key).map(|slot| Arc::clone(&slot))
        {
            self.store_folds(&event.key, &slot, true);
            slot.forget_reply();
            // What it was is on the ledger; a late event finds it there.
            self.sessions.remove(&event.key);
        }
    }

    fn event<'a>(&self, at: &'a SessionRef, id: &str) -> Option<Event<'a>> {
        let key = SessionKey::of(at)?;
        self.woken();
        Some(Event {
            key,
            at,
            id: id.to_owned(),
            is_stop: false,
            now: now(),
        })
    }

    fn slot(&self, key: &SessionKey) -> Arc<Slot> {
        let slot = self.sessions.get(key).map(|slot| Arc::clone(&slot));
        let slot = slot.unwrap_or_else(|| Arc::clone(&self.sessions.entry(key.clone()).or_default()));
        slot.used.store(self.clock(), Ordering::Relaxed);
        slot
    }

    /// The ledger in use.
    pub fn ledger(&self) -> Arc<Ledger> {
        Arc::clone(&self.ledger.read().unwrap_or_else(PoisonError::into_inner))
    }
}

/// How long a record is at this moment; 0 when there is none.
fn file_len(path: Option<&Path>) -> u64 {
    path.and_then(|path| std::fs::metadata(path).ok())
        .map_or(0, |file| file.len())
}

/// Milliseconds since 1970; 0 before.
pub fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
