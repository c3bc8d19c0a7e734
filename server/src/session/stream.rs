//! The fold of one agent's record: turns of the person, the calls of the running turn, what the agent said last.
//! Where entries come from, and what follows from them for a claim, stays out.

use serde::{Deserialize, Serialize};

use super::board::{Begun, Board, Ended};
use super::entry::{CallId, Ending, Entry, Injection, RowId, ToolKind};
use super::past::{Past, Spoken};
use super::vocabulary::{Shown, Vocabulary};
use crate::evidence::call::{self, CallFacts, Known};
use crate::text::{AskedLength, pass_claims};

mod lineage;
mod said;
#[cfg(test)]
mod tests;
mod unstored;
mod weight;

pub use lineage::Lineage;
pub use unstored::Unstored;

/// Raised when a stored fold can no longer be read as this one.
pub const FOLD_VERSION: u32 = 11;
/// Calls of the running turn that are kept with their texts; of older ones only whether any was, or may have been, an attempt.
const MAX_CALLS: usize = 256;
/// Texts since the last call that are kept.
const MAX_TEXTS: usize = 32;
/// So much of a prompt is kept while its turn runs, in bytes.
const MAX_ASKED: usize = 4_096;

/// So much of what a call showed is kept, in characters.
const MAX_OUTPUT: usize = 500;

/// One call of the running turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallRecord {
    /// The harness's id.
    pub id: CallId,
    /// The tool's name.
    pub tool: String,
    /// What the tool is for.
    pub kind: ToolKind,
    /// What it was asked.
    pub input: String,
    /// The beginning of what it showed. Not stored: what tools print stays in the harness's record.
    #[serde(skip)]
    pub output: String,
    /// How it ended; none while it runs.
    pub ending: Option<Ending>,
    /// Its exit code, where the record tells one.
    pub exit: Option<i32>,
    /// The helper agent that it started.
    pub helper: Option<String>,
    /// What it did. Calls that delegate stay unknown here: their helper's record tells.
    pub facts: CallFacts,
}

/// The running turn of the person.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// The row of the prompt that began it.
    pub prompt: Option<RowId>,
    /// The newest calls, in the order of the record. A prompt that was typed while the agent worked keeps those that
    /// the same run made before it: the agent cannot be held to have tried nothing.
    pub calls: Vec<CallRecord>,
    /// True when an older call, no longer kept, was an attempt.
    pub older_attempt: bool,
    /// True when of an older call, no longer kept, nobody can tell whether it was an attempt.
    pub older_unknown: bool,
    /// What the agent said since its last call, a block each. Not stored: a fold is stored after a reply was judged.
    #[serde(skip)]
    pub texts: Vec<String>,
    /// Lines of this turn that could not be read: they may hold a call.
    pub unreadable: u64,
    /// The beginning of the newest prompt. Not stored, so it may be missing.
    #[serde(skip)]
    pub asked: Option<String>,
    /// How long an answer the person asked for, in any prompt that this run answers; none before the first one.
    #[serde(default)]
    pub asked_length: Option<AskedLength>,
    /// Sentences of this turn by which the agent may have owned that a check failed, mid-turn texts included, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trouble: Vec<String>,
    /// Sentences of the texts since the last call that say that a check passes: they are said to the person once the
    /// turn ends with them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passes: Vec<String>,
}

/// One agent's record, folded.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stream {
    /// Turns of the person so far.
    pub turns: u64,
    /// Which prompts the record holds: a fork copies a beginning of them.
    pub lineage: Lineage,
    /// The running turn.
    pub turn: Turn,
    /// What its checks came to.
    pub board: Board,
    /// The folder in which the agent works, as the newest row that tells it has it.
    pub cwd: Option<String>,
    /// What the agent did between the person's words.
    pub past: Past,
    /// What the person has said so far.
    pub vocabulary: Vocabulary,
    /// What the calls have shown so far.
    pub shown: Shown,
    /// The session id that the rows carry.
    pub session: Option<String>,
    /// True when a client's version stands on the rows: it writes every reply to the record, sooner or later.
    pub by_client: bool,
    /// True when the harness itself holds the session.
    pub by_harness: bool,
    /// The harness's id of the newest turn on record, the harness's own turns included.
    pub newest_turn: Option<String>,
    /// True when the record may not be all that the agent rests on: the harness told it something, or a prompt speaks of
    /// another record or says itself that a check passes.
    #[serde(default)]
    pub retold: bool,
}

impl Stream {
    /// Folds one entry.
    pub fn fold(&mut self, entry: Entry) {
        match entry {
            Entry::Origin {
                session,
                client,
                cwd,
                by_harness,
            } => {
                self.cwd = cwd.or_else(|| self.cwd.take());
                self.session = session.or_else(|| self.session.take());
                self.by_client |= client;
                self.by_harness |= by_harness;
            }
            Entry::Prompt {
                row,
                turn,
                text,
                queued,
            } => {
                self.retold |= tells_more(&text);
                let run = if queued {
                    std::mem::take(&mut self.turn)
                } else {
                    self.use_passes();
                    Turn::default()
                };
                self.turns += 1;
                self.note_turn(turn);
                self.lineage.add(&row);
                let spoken = if queued { Spoken::Queued } else { Spoken::Prompt };
                self.past
                    .spoke(row.clone(), self.turns, spoken, &text, self.board.calls);
                self.turn = Turn {
                    prompt: Some(row),
                    texts: Vec::new(),
                    passes: Vec::new(),
                    ..run
                };
                self.heard(&text);
            }
            Entry::Remark { row, text } => {
                self.vocabulary.hear(&text);
                self.past
                    .spoke(row, self.turns, Spoken::Remark, &text, self.board.calls);
            }
            Entry::Text { row: _, text } => {
                said::take(&mut self.turn, &self.board, &text);
                self.past.wrote(&text);
                push_bounded(&mut self.turn.texts, text);
            }
            Entry::Call {
                row: _,
                id,
                tool,
                kind,
                input,
                changes,
            } => {
                self.shown.asked(&input);
                self.begin_call((id, tool, kind, input), &changes);
            }
            Entry::Result {
                id,
                ending,
                exit,
                output,
                helper,
                turn,
            } => {
                self.note_turn(turn);
                self.shown.printed(&output);
                self.end_call(&id, (ending, exit), &output, helper);
            }
            Entry::Injected { injection, turn } => {
                self.note_turn(turn);
                // A report or a command comes after a reply that stands; a hook's words or a cut take its place.
                if matches!(injection, Injection::Notification | Injection::Command) {
                    self.use_passes();
                }
                self.retold |= injection == Injection::Harness;
                // Only what the harness itself adds goes on with the same reply: all others come after it, or cut it off.
                if injection != Injection::Harness {
                    self.turn.texts.clear();
                    self.turn.passes.clear();
                }
            }
            Entry::Unreadable => {
                self.turn.unreadable += 1;
                self.board.miss();
                self.past.unreadable();
            }
        }
    }

    /// Takes in a prompt's words; more of them than its entry held, where an event brings them whole.
    pub fn heard(&mut self, prompt: &str) {
        self.vocabulary.hear(prompt);
        self.turn.asked = Some(prompt[..prompt.floor_char_boundary(MAX_ASKED)].to_owned());
        let before = self.turn.asked_length.unwrap_or_default();
        self.turn.asked_length = Some(AskedLength::of(prompt).and(before));
    }

    fn note_turn(&mut self, turn: Option<String>) {
        if turn.is_some() {
            self.newest_turn = turn;
        }
    }

    /// The person was left with what was said since the last call.
    fn use_passes(&mut self) {
        for sentence in std::mem::take(&mut self.turn.passes) {
            self.board.use_pass(self.turns, sentence);
        }
    }

    fn begin_call(&mut self, (id, tool, kind, input): (CallId, String, ToolKind, String), changes: &[String]) {
        self.turn.texts.clear();
        self.turn.passes.clear();
        self.past.called(&id);
        if self.turn.calls.len() == MAX_CALLS {
            let oldest = self.turn.calls.remove(0);
            self.turn.older_attempt |= oldest.facts.attempted == Known::Yes;
            self.turn.older_unknown |= oldest.facts.attempted == Known::Unknown;
        }
        let (turn, cwd) = (self.turns, self.cwd.as_deref());
        let facts = self.board.begin(&Begun {
            id: &id,
            turn,
            cwd,
            kind: &kind,
            input: &input,
            changes,
        });
        let output = String::new();
        self.turn.calls.push(CallRecord {
            id,
            tool,
            kind,
            input,
            output,
            ending: None,
            exit: None,
            helper: None,
            facts,
        });
    }

    fn end_call(&mut self, id: &str, (ending, exit): (Ending, Option<i32>), output: &str, helper: Option<String>) {
        let call = self.turn.calls.iter_mut().rev().find(|call| call.id == id);
        let has_ended = |call: &CallRecord| !matches!(call.ending, None | Some(Ending::Background));
        self.board.end(&Ended {
            id,
            kind: call.as_ref().map(|call| &call.kind),
            ending,
            exit,
            output,
            again: call.as_ref().is_none_or(|call| has_ended(call)),
        });
        let Some(call) = call else { return };
        // A skill may run in a helper agent of its own, a message may wake one, and only the result says so.
        if helper.is_some() && call.kind == ToolKind::Neither {
            call.kind = ToolKind::Delegates;
        }
        call.facts = call::facts_at_end(call.facts, &call.kind, ending);
        call.ending = Some(ending);
        call.exit = exit;
        let end = output.char_indices().nth(MAX_OUTPUT).map_or(output.len(), |(at, _)| at);
        output[..end].clone_into(&mut call.output);
        // What tells the end of a call in the background does not name its helper again.
        call.helper = helper.or_else(|| call.helper.take());
        self.past.ended(call);
    }

    /// True when the record shows the reply: all that came before it is then on record too.
    pub fn shows_reply(&self, reply: &str) -> bool {
        let reply = reply.trim();
        self.turn.texts.iter().any(|text| text.trim() == reply)
    }

    /// The reply with the blocks that stand before its last one: `last` alone where the record does not show it.
    pub fn whole_reply(&self, last: &str) -> String {
        if self.shows_reply(last) {
            self.turn.texts.join("\n\n")
        } else {
            last.to_owned()
        }
    }

    /// Whether anything in the running turn tried to look. `helper` answers for calls that delegate.
    pub fn attempted(&self, helper: &dyn Fn(&CallRecord) -> CallFacts) -> Known {
        if self.turn.older_attempt {
            return Known::Yes;
        }
        let mut unknown = self.turn.unreadable > 0 || self.turn.older_unknown;
        for call in &self.turn.calls {
            match effective(call, helper).attempted {
                Known::Yes => return Known::Yes,
                Known::Unknown => unknown = true,
                Known::No => {}
            }
        }
        if unknown { Known::Unknown } else { Known::No }
    }

    /// The calls of the running turn that saw something, oldest first; only those after the call `after`, where one is named.
    pub fn observed<'a>(
        &'a self,
        after: Option<&str>,
        helper: &'a dyn Fn(&CallRecord) -> CallFacts,
    ) -> impl DoubleEndedIterator<Item = &'a CallRecord> {
        let start = after
            .and_then(|id| self.turn.calls.iter().position(|call| call.id == id))
            .map_or(0, |at| at + 1);
        self.turn
            .calls
            .iter()
            .skip(start)
            .filter(|call| effective(call, helper).observed == Known::Yes)
    }
}

/// Whether a prompt brings evidence that the record does not show.
fn tells_more(prompt: &str) -> bool {
    prompt.contains(".jsonl") || prompt.contains("transcript") || !pass_claims(prompt).is_empty()
}

/// Adds a text; the oldest one goes when there are too many.
fn push_bounded(texts: &mut Vec<String>, text: String) {
    if texts.len() == MAX_TEXTS {
        texts.remove(0);
    }
    texts.push(text);
}

/// A call's facts, a delegated call's taken from its helper's record.
fn effective(call: &CallRecord, helper: &dyn Fn(&CallRecord) -> CallFacts) -> CallFacts {
    if call.kind == ToolKind::Delegates && call.ending != Some(Ending::Denied) {
        helper(call)
    } else {
        call.facts
    }
}
