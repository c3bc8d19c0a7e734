//! One live session: its book, and the folded records of its agents, kept up to date with ledger and files.
//! What any of it means for a reply is decided in the core.

use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use proofmark_protocol::Harness;
use proofmark_protocol::event::StopParams;
use proofmark_protocol::settings::Settings;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::deadline::Deadline;
use super::observed;
use super::slot::Hold;
use crate::checks::Lag;
use crate::harness::{self, HarnessSpec, Memory, Reader, Stream as Whose};
use crate::ledger::{Ledger, LedgerError, Told};
use crate::record::{Follower, Line, RecordError};
use crate::session::observed::Joined;
use crate::session::stream::FOLD_VERSION;
use crate::session::{Book, Entry, Fact, FactBody, SessionKey, Stream};
pub(super) use helpers::delegates;
use rest::Resting;

/// New bytes of a record after which its fold is stored again.
const SNAPSHOT_EVERY: u64 = 256 * 1024;
/// So many facts that could not be written are kept for later; beyond that the oldest go.
const MAX_UNWRITTEN: usize = 4096;
/// Answered events beyond which those go that the book has forgotten.
const MAX_ANSWERED: usize = 64;
/// The ledger's name for the main agent's fold.
pub(super) const MAIN: &str = "";

/// What no ledger has for a version: SQLite counts up from 1.
const NEVER: i64 = -1;

/// One agent's record: the file, and what was folded of it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Following {
    fold_version: u32,
    pub(super) follower: Follower,
    pub(super) stream: Stream,
    memory: Memory,
    #[serde(skip)]
    torn: bool,
    /// What hook events have shown beside the record; none where the record shows everything.
    #[serde(skip)]
    pub(super) joined: Option<Joined>,
    /// Where the follower stood when the fold was last stored.
    #[serde(skip)]
    stored: u64,
}

impl Following {
    fn new(path: PathBuf, spec: &HarnessSpec) -> Self {
        Self {
            fold_version: FOLD_VERSION,
            follower: Follower::new(path),
            stream: Stream::default(),
            memory: Memory::default(),
            torn: false,
            joined: spec.observed.map(|_| Joined::default()),
            stored: 0,
        }
    }

    /// The record could not be read.
    pub(super) fn unread(&mut self) {
        self.torn = true;
    }
}

/// One session as this process knows it.
#[derive(Default)]
pub(super) struct Live {
    pub(super) book: Book,
    /// Whether the book holds calls up, for those who ask without waiting for it.
    pub(super) hold: Arc<Hold>,
    loaded: Option<i64>,
    /// What it keeps of its records while it rests.
    resting: Resting,
    last_fact: i64,
    /// Facts that this process wrote and took since it last read: another process's fact may have a lower id.
    taken: BTreeSet<i64>,
    /// How often the ledger was replaced when those two were noted.
    renewals: u64,
    /// True when the book holds more than the ledger, which was begun anew since.
    outlived: bool,
    /// When this process read the book first.
    loaded_at: Option<u64>,
    /// The events that this process has answered.
    answered: BTreeSet<String>,
    /// What the ledger was told last of where the session is: its transcript and its working folder.
    told: Option<(Option<String>, Option<String>)>,
    /// Facts that were taken and could not be written, oldest first: they go with the next ones.
    pub(super) unwritten: Vec<Fact>,
    pub(super) records: HashMap<String, Following>,
    pub(super) lineage_known: bool,
    /// The transcript was waited for, and did not come.
    never_came: bool,
    /// Advice for the agent that its harness has no way for, until it is sent back for something.
    pub(super) held: observed::Held,
    /// A reply was waited for that no event had told by the stop, and did not come.
    pub(super) reply_never_came: bool,
}

/// Why a record was not read.
#[derive(Debug, Error)]
pub(super) enum Unread {
    /// Nobody taught us this harness's records.
    #[error("the transcript can't be read (records of {0} are not known to it yet)")]
    NoReader(Harness),
    /// There is nothing to read.
    #[error("the harness named no transcript")]
    NoTranscript,
    /// The file gives trouble.
    #[error("the transcript can't be read ({0})")]
    Record(#[from] RecordError),
}

/// How reading a record went.
pub(super) struct Reading<'a> {
    pub(super) stream: &'a Stream,
    pub(super) torn: bool,
    pub(super) joined: Option<&'a Joined>,
}

impl Reading<'_> {
    /// How far the record is behind a stop with this reply. Claude Code 2.1.197 writes its lines some time after the event they belong to.
    pub(super) fn lag(&self, params: &StopParams, reply: Option<&str>) -> Lag {
        let stream = self.stream;
        let shown = reply.is_some_and(|reply| stream.shows_reply(reply));
        if let Some(joined) = self.joined {
            // Events come before the stop, or not at all; without them only a record that has reached the reply counts.
            return if joined.covers() || shown { Lag::None } else { Lag::Tail };
        }
        let reached = match (&params.at.turn, &stream.newest_turn) {
            // A helper's rows carry the turn in which it was started, the event that of its end.
            (Some(event), Some(record)) => params.at.agent.is_some() || event == record,
            (Some(_), None) => !stream.by_client,
            _ => true,
        };
        // Without its prompt nothing of the turn is on record yet: an empty file is no proof that nothing was tried.
        let begun = stream.turn.prompt.is_some();
        match (begun && reached, shown || (!self.torn && !stream.by_client)) {
            (false, _) => Lag::Turn,
            (true, true) => Lag::None,
            (true, false) => Lag::Tail,
        }
    }
}

impl Live {
    /// Brings the book up to date: with the whole ledger at first, later only when another process wrote to it.
    pub(super) fn refresh(&mut self, ledger: &Ledger, key: &SessionKey, now: u64) -> Result<(), LedgerError> {
        self.wake(ledger, key);
        let version = ledger.version()?;
        if self.loaded == Some(version) {
            return Ok(());
        }
        self.loaded_at.get_or_insert(now);
        let new = ledger.facts(key, self.last_fact)?;
        for stored in new.facts.iter().filter(|stored| !self.taken.contains(&stored.id)) {
            self.book.fold(&stored.fact);
        }
        self.taken.clear();
        self.last_fact = new.last;
        self.loaded = Some(version);
        self.hold.set(&self.book);
        Ok(())
    }

    /// True when this process has read the book from the ledger, whether or not it still holds it.
    pub(super) fn was_loaded(&self) -> bool {
        self.loaded_at.is_some()
    }

    /// Has the next refresh read the ledger: this process wrote facts of the session past this book.
    pub(super) fn outdate(&mut self) {
        // Not none: that would make answers of this process look like those of one before it.
        self.loaded = self.loaded.map(|_| NEVER);
    }

    /// Names the ledger in use by how often it was replaced. In a new one, places of facts in the old one say nothing.
    pub(super) fn on_ledger(&mut self, renewals: u64) {
        if self.renewals != renewals {
            self.renewals = renewals;
            self.told = None;
            self.outlived = self.loaded.is_some();
            self.last_fact = 0;
            self.taken.clear();
            self.outdate();
        }
    }

    /// Takes facts into the book that this process itself has just written.
    pub(super) fn take<'a>(&mut self, facts: impl IntoIterator<Item = (&'a Fact, Option<i64>)>) {
        for (fact, id) in facts {
            self.book.fold(fact);
            self.taken.extend(id);
            if let FactBody::Answered { event, .. } = &fact.body {
                self.answered.insert(event.clone());
            }
        }
        if self.answered.len() > MAX_ANSWERED {
            // Only those are asked for that the book still has.
            self.answered.retain(|event| self.book.answer(event).is_some());
        }
        self.hold.set(&self.book);
    }

    /// True when the ledger knows the session, and nothing of this is new to it but the time.
    pub(super) fn is_told(&self, told: Told<'_>) -> bool {
        let is_known = |told: Option<&str>, known: &Option<String>| told.is_none() || told == known.as_deref();
        let known = self.told.as_ref();
        known.is_some_and(|(transcript, cwd)| is_known(told.transcript, transcript) && is_known(told.cwd, cwd))
    }

    /// Notes what the ledger was told of the session.
    pub(super) fn was_told(&mut self, told: Told<'_>) {
        let (transcript, cwd) = self.told.take().unwrap_or_default();
        let newest = |told: Option<&str>, known| told.map(str::to_owned).or(known);
        self.told = Some((newest(told.transcript, transcript), newest(told.cwd, cwd)));
    }

    /// Notes under which ids facts were written that had been taken before.
    pub(super) fn written(&mut self, ids: &[Option<i64>]) {
        self.taken.extend(ids.iter().flatten());
    }

    /// Keeps facts that could not be written.
    pub(super) fn hold_back(&mut self, mut facts: Vec<Fact>) {
        facts.drain(..facts.len().saturating_sub(MAX_UNWRITTEN));
        self.unwritten = facts;
    }

    /// The answer that a server before this one gave to the same event just now. It is given once: told by the clock
    /// alone, this server's own answers would pass for another's after a jump, and a refusal could repeat for ever.
    pub(super) fn answer_before(&mut self, event: &str, within: u64) -> Option<proofmark_protocol::Decision> {
        let (at, decision) = self.book.answer(event)?;
        let by_another = at.abs_diff(self.loaded_at?) <= within && self.answered.insert(event.to_owned());
        by_another.then(|| decision.clone())
    }

    /// Reads what is new in an agent's record, and what events have shown beside it. `agent` none is the main agent.
    /// Stops when its time is up.
    pub(super) fn read(
        &mut self,
        ledger: &Ledger,
        key: &SessionKey,
        agent: Option<&str>,
        path: Option<&Path>,
        settings: &Settings,
        deadline: &Deadline,
    ) -> Result<(), Unread> {
        let Some(spec) = harness::spec(key.harness) else {
            return Err(Unread::NoReader(key.harness));
        };
        let name = agent.unwrap_or(MAIN);
        let known = self.records.get_mut(name);
        let path = match (path, &known, spec.observed) {
            (Some(path), ..) => path.to_owned(),
            (None, Some(known), Some(_)) => known.follower.path().to_owned(),
            (None, None, Some(_)) => PathBuf::new(),
            (None, _, None) => return Err(Unread::NoTranscript),
        };
        match known {
            Some(known) if known.follower.path() == path => {}
            // Events came before the transcript was named.
            Some(known) if known.joined.is_some() && known.follower.path().as_os_str().is_empty() => {
                known.follower = Follower::new(path);
            }
            _ => {
                let stored = || stored(ledger, key, name, &path);
                let following = if spec.observed.is_some() { None } else { stored() };
                let following = following.unwrap_or_else(|| Following::new(path.clone(), spec));
                self.records.insert(name.to_owned(), following);
            }
        }
        let Some(following) = self.records.get_mut(name) else {
            return Err(Unread::NoReader(key.harness));
        };
        let whose = if agent.is_some() { Whose::Helper } else { Whose::Main };
        if following.joined.is_some() {
            observed::catch_up(&self.book, agent, following, &|following, until| {
                follow(spec, whose, following, settings, until, deadline)
            });
            return Ok(());
        }
        follow(spec, whose, following, settings, u64::MAX, deadline)
    }

    /// Whether a record that could not be read may be there in a moment; a session is waited for once.
    pub(super) fn may_come(&mut self, error: Option<&Unread>, last_look: bool) -> bool {
        let missing = matches!(error, Some(Unread::Record(RecordError::Missing(_))));
        let first = missing && !self.never_came;
        self.never_came = missing && (self.never_came || last_look);
        first
    }

    /// An agent's stream, when its record was read.
    pub(super) fn stream(&self, agent: Option<&str>) -> Option<&Stream> {
        self.records
            .get(agent.unwrap_or(MAIN))
            .map(|following| &following.stream)
    }

    /// An agent's record, and what events have shown beside it.
    pub(super) fn following(&mut self, agent: Option<&str>) -> Option<&mut Following> {
        self.records.get_mut(agent.unwrap_or(MAIN))
    }

    /// As [`Live::stream`], to be folded on.
    pub(super) fn stream_mut(&mut self, agent: Option<&str>) -> Option<&mut Stream> {
        self.following(agent).map(|following| &mut following.stream)
    }

    /// The streams of the session's other agents whose records were read, by agent.
    pub(super) fn others(&self, agent: Option<&str>) -> Vec<(Option<&str>, &Stream)> {
        let own = agent.unwrap_or(MAIN);
        let others = self.records.iter().filter(|(name, _)| *name != own);
        others
            .map(|(name, following)| ((name != MAIN).then_some(name.as_str()), &following.stream))
            .collect()
    }

    /// An agent's stream and whether bytes stand after its last line.
    pub(super) fn reading(&self, agent: Option<&str>) -> Option<Reading<'_>> {
        let following = self.records.get(agent.unwrap_or(MAIN))?;
        Some(Reading {
            stream: &following.stream,
            torn: following.torn,
            joined: following.joined.as_ref(),
        })
    }

    /// The folds that have moved on enough to be stored again: name and body.
    pub(super) fn snapshots(&mut self, all: bool) -> Vec<(String, String)> {
        let mut bodies = Vec::new();
        for (name, following) in &mut self.records {
            // Made anew from events and record: a fold of half of it would go on in another way.
            if following.joined.is_some() {
                continue;
            }
            let new = following.follower.offset().saturating_sub(following.stored);
            if new >= SNAPSHOT_EVERY || (all && new > 0) {
                // A fold that can't be written down costs only a longer read after a restart.
                if let Ok(body) = serde_json::to_string(&*following) {
                    bodies.push((name.clone(), body));
                }
                following.stored = following.follower.offset();
            }
        }
        bodies
    }
}

/// A stored fold of the same file, if this version of the fold wrote it.
fn stored(ledger: &Ledger, key: &SessionKey, name: &str, path: &Path) -> Option<Following> {
    let body = ledger.snapshot(key, name).ok()??;
    let mut following: Following = serde_json::from_str(&body).ok()?;
    following.stored = following.follower.offset();
    (following.fold_version == FOLD_VERSION && following.follower.path() == path).then_some(following)
}

fn follow(
    spec: &HarnessSpec,
    whose: Whose,
    following: &mut Following,
    settings: &Settings,
    until: u64,
    deadline: &Deadline,
) -> Result<(), Unread> {
    let Following {
        follower,
        stream,
        memory,
        torn,
        joined,
        ..
    } = following;
    let settle = |stream: &mut Stream| {
        // Only a main agent's record is ever asked what it was forked from.
        if whose == Whose::Helper {
            stream.lineage.settle();
        }
    };
    settle(stream);
    let mut told = follower.offset();
    let tools = |tool: &str| settings.tool_effect(tool);
    let mut entries = Vec::new();
    let progress = follower.read_new(&|| !deadline.is_over(), &mut |line| {
        match line {
            Line::Restarted => {
                (*stream, *memory, told) = (Stream::default(), Memory::default(), 0);
                settle(stream);
                *joined = joined.take().map(|_| Joined::default());
            }
            Line::Complete(bytes) => {
                told += bytes.len() as u64 + 1;
                let mut reader = Reader {
                    stream: whose,
                    tools: &tools,
                    memory,
                };
                (spec.entries)(bytes, &mut reader, &mut entries);
            }
            Line::TooLong { head, len } => {
                told += len + 1;
                (spec.too_long)(head, &mut entries);
            }
        }
        for entry in entries.drain(..).map(Entry::redacted) {
            match joined {
                Some(joined) => observed::take_row(joined, stream, entry),
                None => stream.fold(entry),
            }
        }
        if !deadline.was_over() && told < until {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    *torn = progress?.torn;
    Ok(())
}

/// The path of an agent's record, from what an event says of it.
pub(super) fn record_path(spec: Option<&HarnessSpec>, at: &proofmark_protocol::SessionRef) -> Option<PathBuf> {
    let named = |path: &Option<String>| path.as_deref().filter(|path| !path.is_empty()).map(PathBuf::from);
    match &at.agent {
        None => named(&at.transcript),
        Some(agent) => named(&at.agent_transcript).or_else(|| {
            let transcript = named(&at.transcript)?;
            (spec?.agent_transcript)(&transcript, agent)
        }),
    }
}

mod helpers;
mod rest;
#[cfg(test)]
mod tests;
