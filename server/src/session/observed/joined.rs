//! Events joined with what the record shows: each prompt and each call counts once.
//! What is kept of an event stands beside this file.
//!
//! An event comes at once and knows how a call ended; the record comes later, knows every call, and no endings. So the
//! stream is made of the events in the order in which they came, and of those prompts and calls of the record that no
//! event has told. Such a call has no ending: nobody knows what came of it.

use std::collections::VecDeque;

use super::alike::Key;
use super::{Observation, Seen, SeenCall, prompt_id};
use crate::session::entry::{CallId, Entry, Injection};

/// Two events that tell of the same call come within this time, in milliseconds.
pub(super) const PAIR: u64 = 2_000;
/// Calls that a later event or row may still speak of; of more the oldest is forgotten.
const MAX_CALLS: usize = 512;
/// Prompts and turns that are remembered.
const MAX_TURNS: usize = 64;
/// Texts of the record since its last call that are kept.
const MAX_TEXTS: usize = 32;

/// A call that was told, and by whom.
#[derive(Debug)]
struct Held {
    id: CallId,
    key: Key,
    /// The turn of the person; none where no prompt that was seen has begun it.
    turn: Option<u64>,
    at: u64,
    /// An event with an id told it.
    by_id: bool,
    /// An event without one told it.
    bare: bool,
    /// The record told it, under this id.
    row: Option<CallId>,
    ended: bool,
    /// A prompt has come since: no event that comes now is of this call.
    over: bool,
}

/// An event without an id, until it is known whether another one tells the same call.
#[derive(Debug)]
struct Waiting {
    at: u64,
    turn: Option<u64>,
    place: u64,
    during: Option<String>,
    call: SeenCall,
}

impl Waiting {
    fn key(&self) -> Key {
        let call = &self.call;
        Key::of(&call.tool, &call.kind, &call.input, &call.changes)
    }
}

/// A prompt that an event told and the record has not shown.
#[derive(Debug)]
struct Unshown {
    text: String,
    turn: u64,
}

/// What was joined so far of one agent.
#[derive(Debug, Default)]
pub struct Joined {
    /// How many observations were taken.
    taken: u64,
    turn: u64,
    /// The turn to which the newest prompt of the record belongs.
    record_turn: u64,
    /// True when an event told the running turn's prompt: from there on all its calls were seen.
    covered: bool,
    /// The running turn's prompt, where the record told it and nothing has come since.
    fresh: Option<String>,
    turns: VecDeque<(String, u64)>,
    unshown: VecDeque<Unshown>,
    calls: VecDeque<Held>,
    waiting: VecDeque<Waiting>,
    /// Texts of ours that went back to the agent in the running turn: those that events told, and those of the record.
    sent_back: (u32, u32),
    /// What the record's agent has said since its last call in the running turn.
    tail: VecDeque<String>,
    stopped: bool,
    cwd: Option<String>,
}

impl Joined {
    /// How many observations were taken.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// True when an event told the running turn's prompt.
    pub fn covers(&self) -> bool {
        self.covered
    }

    /// True when a text of ours went back to the agent in the running turn.
    pub fn was_sent_back(&self) -> bool {
        self.sent_back != (0, 0)
    }

    /// Notes that the running turn was judged at its end: what was said by then is over.
    pub fn stop(&mut self) {
        self.stopped = true;
        self.tail.clear();
    }

    /// True when the running turn was judged at its end.
    pub fn has_stopped(&self) -> bool {
        self.stopped
    }

    /// What the agent has said since its last call by the record alone, taken out.
    pub fn take_tail(&mut self) -> impl Iterator<Item = Entry> {
        let text = |text| Entry::Text {
            row: String::new(),
            text,
        };
        std::mem::take(&mut self.tail).into_iter().map(text)
    }

    /// Takes the observation of that place, and adds what it shows.
    pub fn observe(&mut self, place: u64, observation: &Observation, out: &mut Vec<Entry>) {
        self.taken = place;
        self.release(|waiting| observation.at.abs_diff(waiting.at) > PAIR, out);
        let during = observation.during.as_ref();
        if matches!(observation.seen, Seen::Prompt { .. }) {
            self.release(|_| true, out);
            self.calls.iter_mut().for_each(|held| held.over = true);
        }
        match &observation.seen {
            Seen::Prompt { ours: true, .. } => {
                self.note_turn(during);
                self.tail.clear();
                self.stopped = false;
                self.sent_back.0 += 1;
                if self.sent_back.0 > self.sent_back.1 {
                    out.push(feedback(during.cloned()));
                }
            }
            Seen::Prompt { text, quote, .. } => self.prompt(text, quote, during, out),
            Seen::Call(call) => {
                self.fresh = None;
                let turn = during.and_then(|during| self.turn_of(during));
                let waiting = Waiting {
                    at: observation.at,
                    turn,
                    place,
                    during: during.cloned(),
                    call: call.clone(),
                };
                self.call(waiting, out);
            }
        }
    }

    fn prompt(&mut self, text: &str, quote: &str, during: Option<&String>, out: &mut Vec<Entry>) {
        // Delivered twice.
        if during.is_some_and(|during| self.covered && self.turn_of(during) == Some(self.turn)) {
            return;
        }
        let shown = self.fresh.take().is_some_and(|fresh| fresh == text);
        if !shown {
            self.begin_turn();
            remember(
                &mut self.unshown,
                Unshown {
                    text: text.to_owned(),
                    turn: self.turn,
                },
                MAX_TURNS,
            );
            out.push(Entry::Prompt {
                row: during.cloned().unwrap_or_else(|| format!("prompt-{}", self.turn)),
                turn: during.cloned(),
                text: quote.to_owned(),
                queued: false,
            });
        }
        self.covered = true;
        self.note_turn(during);
    }

    fn begin_turn(&mut self) {
        self.turn += 1;
        self.covered = false;
        self.fresh = None;
        self.sent_back = (0, 0);
        self.tail.clear();
        self.stopped = false;
    }

    fn note_turn(&mut self, during: Option<&String>) {
        if let Some(during) = during {
            remember(&mut self.turns, (during.clone(), self.turn), MAX_TURNS);
        }
    }

    fn turn_of(&self, during: &str) -> Option<u64> {
        let known = self.turns.iter().rev().find(|(name, _)| name == during);
        known.map(|(_, turn)| *turn)
    }

    fn call(&mut self, seen: Waiting, out: &mut Vec<Entry>) {
        let key = Key::of(&seen.call.tool, &seen.call.kind, &seen.call.input, &seen.call.changes);
        let Some(id) = seen.call.id.clone() else {
            let twin = |held: &&mut Held| {
                held.by_id && !held.bare && held.key.is_like(&key) && seen.at.abs_diff(held.at) <= PAIR
            };
            match self.calls.iter_mut().rev().find(twin) {
                Some(held) => held.bare = true,
                None => remember(&mut self.waiting, seen, MAX_CALLS),
            }
            return;
        };
        let is_it = |held: &Held| held.id == id || held.row.as_ref() == Some(&id);
        let known = self.calls.iter().position(is_it);
        if known.is_some_and(|at| self.calls[at].by_id) {
            return;
        }
        // The newest is its own; those before it are runs of their own, and came earlier.
        let bare = self.waiting.iter().rposition(|waiting| waiting.key().is_like(&key));
        let earlier = bare.and_then(|at| self.waiting.get(at)).map(|waiting| waiting.place);
        if known.is_none()
            && let Some(place) = earlier
        {
            self.waiting.retain(|waiting| waiting.place != place);
            self.release(|waiting| waiting.place < place && waiting.key().is_like(&key), out);
        }
        let alike = |held: &Held| {
            let told = if held.bare {
                seen.at.abs_diff(held.at) <= PAIR
            } else {
                !held.over
            };
            told && !held.by_id && held.key.is_like(&key) && same_turn(held.turn, seen.turn)
        };
        let at = known.or_else(|| self.calls.iter().position(alike).filter(|_| bare.is_none()));
        match at.and_then(|at| self.calls.get_mut(at)) {
            Some(held) => {
                held.by_id = true;
                held.at = seen.at;
                let id = held.id.clone();
                held.ended |= end(id, &seen, out);
            }
            None => self.begin(id, key, seen, bare.is_some(), out),
        }
    }

    /// A call that nobody has told so far.
    fn begin(&mut self, id: CallId, key: Key, seen: Waiting, bare: bool, out: &mut Vec<Entry>) {
        if seen.call.cwd.is_some() && seen.call.cwd != self.cwd {
            self.cwd.clone_from(&seen.call.cwd);
            out.push(Entry::Origin {
                session: None,
                client: false,
                cwd: seen.call.cwd.clone(),
                by_harness: false,
            });
        }
        out.push(Entry::Call {
            row: seen.during.clone().unwrap_or_default(),
            id: id.clone(),
            tool: seen.call.tool.clone(),
            kind: seen.call.kind.clone(),
            input: seen.call.input.clone(),
            changes: seen.call.changes.clone(),
        });
        let ended = end(id.clone(), &seen, out);
        let by_id = seen.call.id.is_some();
        let (turn, at) = (seen.turn, seen.at);
        let held = Held {
            id,
            key,
            turn,
            at,
            by_id,
            bare: bare || !by_id,
            row: None,
            ended,
            over: false,
        };
        remember(&mut self.calls, held, MAX_CALLS);
    }

    /// Takes the events for calls of their own that no other event has told by now.
    pub fn settle(&mut self, out: &mut Vec<Entry>) {
        self.release(|_| true, out);
    }

    fn release(&mut self, is_over: impl Fn(&Waiting) -> bool, out: &mut Vec<Entry>) {
        let (over, waits) = std::mem::take(&mut self.waiting).into_iter().partition(is_over);
        self.waiting = waits;
        let over: VecDeque<Waiting> = over;
        for seen in over {
            let key = seen.key();
            let unended = |held: &&mut Held| {
                !held.by_id && !held.bare && !held.over && held.key.is_like(&key) && same_turn(held.turn, seen.turn)
            };
            match self.calls.iter_mut().find(unended) {
                Some(held) => {
                    held.bare = true;
                    let id = held.id.clone();
                    held.ended |= end(id, &seen, out);
                }
                None => self.begin(format!("seen-{}", seen.place), key, seen, true, out),
            }
        }
    }

    /// Takes what the record's next line shows, and adds what no event has told.
    pub fn row(&mut self, entry: Entry, out: &mut Vec<Entry>) {
        let runs = self.record_turn == self.turn;
        if !matches!(entry, Entry::Prompt { .. } | Entry::Origin { .. }) {
            self.fresh = None;
        }
        match entry {
            Entry::Prompt { row, turn, text, .. } => self.prompt_row(row, turn, text, out),
            Entry::Text { text, .. } if runs => remember(&mut self.tail, text, MAX_TEXTS),
            Entry::Call {
                ref id,
                ref tool,
                ref kind,
                ref input,
                ref changes,
                ..
            } => {
                if runs {
                    self.tail.clear();
                }
                let (id, key) = (id.clone(), Key::of(tool, kind, input, changes));
                if self.call_row(id, key) {
                    out.push(entry);
                }
            }
            Entry::Result {
                id,
                ending,
                exit,
                output,
                helper,
                turn,
            } => {
                let is_it = |held: &&mut Held| held.row.as_ref() == Some(&id) && !held.ended;
                if let Some(held) = self.calls.iter_mut().rev().find(is_it) {
                    held.ended = true;
                    let id = held.id.clone();
                    out.push(Entry::Result {
                        id,
                        ending,
                        exit,
                        output,
                        helper,
                        turn,
                    });
                }
            }
            Entry::Injected {
                injection: Injection::HookFeedback,
                ..
            } if runs => {
                self.tail.clear();
                self.sent_back.1 += 1;
                if self.sent_back.1 > self.sent_back.0 {
                    out.push(entry);
                }
            }
            Entry::Injected { injection, .. } if runs => {
                if injection != Injection::Harness {
                    self.tail.clear();
                }
                out.push(entry);
            }
            Entry::Unreadable | Entry::Remark { .. } if runs => out.push(entry),
            Entry::Origin { .. } => out.push(entry),
            // Of a turn that is over.
            Entry::Text { .. } | Entry::Injected { .. } | Entry::Unreadable | Entry::Remark { .. } => {}
        }
    }

    /// A prompt of the record. Each that an event told has a row sooner or later, so that the first row after it is its
    /// own, also when the harness has changed its text.
    fn prompt_row(&mut self, row: String, turn: Option<String>, text: String, out: &mut Vec<Entry>) {
        let id = prompt_id(&text);
        let told = self.unshown.iter().position(|unshown| unshown.text == id);
        let told = told.or_else(|| (!self.unshown.is_empty()).then_some(0));
        if let Some(at) = told {
            if let Some(shown) = self.unshown.drain(..=at).next_back() {
                self.record_turn = shown.turn;
            }
            return;
        }
        self.release(|_| true, out);
        // Calls whose prompt no event told may be this one's: then they came before it, and are not over.
        let queued = self.calls.iter().any(|held| held.turn.is_none() && held.row.is_none());
        self.begin_turn();
        self.record_turn = self.turn;
        self.fresh = Some(id);
        out.push(Entry::Prompt {
            row,
            turn,
            text,
            queued,
        });
    }

    /// Whether a call of the record is one that no event has told.
    fn call_row(&mut self, id: CallId, key: Key) -> bool {
        let record_turn = Some(self.record_turn);
        let named = |held: &&mut Held| held.row.is_none() && held.id == id;
        let alike =
            |held: &&mut Held| held.row.is_none() && held.key.is_like(&key) && same_turn(held.turn, record_turn);
        let at = self.calls.iter_mut().position(|held| named(&&mut *held));
        let at = at.or_else(|| self.calls.iter_mut().position(|held| alike(&&mut *held)));
        if let Some(held) = at.and_then(|at| self.calls.get_mut(at)) {
            held.row = Some(id);
            return false;
        }
        let held = Held {
            id: id.clone(),
            key,
            turn: record_turn,
            at: 0,
            by_id: false,
            bare: false,
            row: Some(id),
            ended: false,
            over: false,
        };
        remember(&mut self.calls, held, MAX_CALLS);
        true
    }
}

/// Two turns that may be the same.
fn same_turn(one: Option<u64>, other: Option<u64>) -> bool {
    one.is_none() || other.is_none() || one == other
}

/// Adds how a call ended; says whether that is known.
fn end(id: CallId, seen: &Waiting, out: &mut Vec<Entry>) -> bool {
    let Some(ending) = seen.call.ending else { return false };
    out.push(Entry::Result {
        id,
        ending,
        exit: seen.call.exit,
        output: seen.call.quote.clone(),
        helper: None,
        turn: seen.during.clone(),
    });
    true
}

pub(super) fn feedback(turn: Option<String>) -> Entry {
    Entry::Injected {
        injection: Injection::HookFeedback,
        turn,
    }
}

/// Adds a thing; of too many the oldest is forgotten.
fn remember<T>(things: &mut VecDeque<T>, thing: T, most: usize) {
    if things.len() == most {
        things.pop_front();
    }
    things.push_back(thing);
}
