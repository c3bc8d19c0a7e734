//! From a transcript to the events that its harness raised while it grew.
//! What a line means is asked of the harness's own reader.

use std::collections::{BTreeMap, HashMap};

use anyhow::{bail, ensure};
use proofmark_server::harness::{HARNESSES, HarnessSpec, Memory, Reader, Stream};
use proofmark_server::session::{CallId, Ending, Entry, Injection};

#[cfg(test)]
mod tests;

/// Lines that are looked at to tell the harness: older clients write many summaries before the first row.
const TELLING: usize = 1_000;

/// One event of a recorded session, and how much of the transcript was written when it was raised.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) written: usize,
    pub(crate) turn: Option<String>,
    /// The folder in which the agent worked, where the rows tell.
    pub(crate) cwd: Option<String>,
    pub(crate) kind: Kind,
}

/// What was raised.
#[derive(Debug)]
pub(crate) enum Kind {
    /// The person spoke.
    Prompt(String),
    /// The agent wanted to end its turn.
    Stop {
        /// The last block of its reply.
        reply: String,
        /// A hook had sent it back in this turn.
        rewrite: bool,
    },
    /// A helper agent wanted to end.
    HelperStop {
        /// The helper.
        agent: String,
        /// How much of its own record was written.
        record: usize,
        /// The last block of its reply.
        reply: String,
        /// A hook had sent it back before.
        rewrite: bool,
    },
}

/// The record of a helper agent; none when it can't be had.
pub(crate) type Helpers<'a> = dyn Fn(&HarnessSpec, &str) -> Option<Vec<u8>> + 'a;

/// A recorded session as events.
pub(crate) struct Script {
    pub(crate) spec: &'static HarnessSpec,
    /// The session's own id: rows that were copied into the transcript may carry another one.
    pub(crate) session: Option<String>,
    pub(crate) events: Vec<Event>,
    /// The records of the helper agents that ended.
    pub(crate) helpers: BTreeMap<String, Vec<u8>>,
}

/// What is known of the turn that is being read.
#[derive(Default)]
struct Reading {
    /// Whose record it is; none for the session's own.
    helper: Option<Helper>,
    last_text: Option<String>,
    turn: Option<String>,
    cwd: Option<String>,
    /// The folder that the newest row of a prompt names: the prompt is yet to come.
    next_cwd: Option<String>,
    rewrite: bool,
    begun: bool,
    /// Calls whose helper works in the background.
    delegated: HashMap<CallId, String>,
}

/// A helper agent whose record is being read, and how much of the transcript was written when it ended.
struct Helper {
    agent: String,
    written: usize,
}

impl Script {
    /// The events of a transcript. Fails when it is empty, and when no harness knows its lines.
    pub(crate) fn of(transcript: &[u8], helpers: &Helpers<'_>) -> anyhow::Result<Self> {
        ensure!(!transcript.trim_ascii().is_empty(), "it is empty");
        let mut lines = transcript.split(|byte| *byte == b'\n').take(TELLING);
        let Some(spec) = lines.find_map(|line| HARNESSES.iter().find(|spec| (spec.knows)(line))) else {
            bail!("no line of it is of a transcript that Proofmark can read");
        };
        let (session, events, known) = (None, Vec::new(), BTreeMap::new());
        let mut script = Self {
            spec,
            session,
            events,
            helpers: known,
        };
        script.read(transcript, Reading::default(), helpers);
        Ok(script)
    }

    fn read(&mut self, record: &[u8], mut reading: Reading, helpers: &Helpers<'_>) {
        let whose = if reading.helper.is_some() {
            Stream::Helper
        } else {
            Stream::Main
        };
        let mut entries = Vec::new();
        let mut written = 0;
        let mut memory = Memory::default();
        for line in record.split(|byte| *byte == b'\n') {
            let mut reader = Reader {
                stream: whose,
                tools: &|_| None,
                memory: &mut memory,
            };
            (self.spec.entries)(line, &mut reader, &mut entries);
            for entry in entries.drain(..) {
                self.take(&mut reading, written, entry, helpers);
            }
            written = (written + line.len() + 1).min(record.len());
        }
        self.end_turn(&mut reading, record.len());
    }

    fn take(&mut self, reading: &mut Reading, written: usize, entry: Entry, helpers: &Helpers<'_>) {
        match entry {
            Entry::Origin { session, cwd, .. } => {
                if reading.helper.is_none() {
                    self.session = session.or_else(|| self.session.take());
                }
                reading.next_cwd = cwd.or_else(|| reading.next_cwd.take());
            }
            Entry::Prompt { turn, text, queued, .. } => self.prompt(reading, written, turn, text, queued),
            Entry::Text { text, .. } => reading.last_text = Some(text),
            Entry::Call { .. } => reading.last_text = None,
            Entry::Injected { injection, turn } => {
                match injection {
                    Injection::HookFeedback => {
                        self.end_turn(reading, written);
                        reading.rewrite = true;
                    }
                    Injection::Notification | Injection::Command => {
                        if self.end_turn(reading, written) {
                            reading.rewrite = false;
                        }
                    }
                    Injection::Interruption => reading.last_text = None,
                    Injection::Harness => {}
                }
                reading.turn = turn.or_else(|| reading.turn.take());
            }
            Entry::Result { id, ending, helper, .. } => {
                let helper = helper.or_else(|| reading.delegated.remove(&id));
                match helper {
                    Some(helper) if ending == Ending::Background => _ = reading.delegated.insert(id, helper),
                    Some(helper) => self.end_helper(reading, written, helper, helpers),
                    None => {}
                }
            }
            Entry::Remark { .. } | Entry::Unreadable => {}
        }
    }

    fn prompt(&mut self, reading: &mut Reading, written: usize, turn: Option<String>, text: String, queued: bool) {
        if queued {
            // The run goes on, so nothing that was said so far ended it.
            reading.last_text = None;
            reading.cwd.clone_from(&reading.next_cwd);
        } else {
            self.end_turn(reading, written);
            let old = std::mem::take(reading);
            let (helper, delegated, next_cwd) = (old.helper, old.delegated, old.next_cwd);
            *reading = Reading {
                helper,
                delegated,
                cwd: next_cwd.clone(),
                next_cwd,
                turn,
                ..Reading::default()
            };
        }
        reading.begun = true;
        if reading.helper.is_none() {
            let (turn, cwd) = (reading.turn.clone(), reading.cwd.clone());
            self.events.push(Event {
                written,
                turn,
                cwd,
                kind: Kind::Prompt(text),
            });
        }
    }

    /// The agent had the last word, so its harness raised a stop: says whether it did.
    fn end_turn(&mut self, reading: &mut Reading, written: usize) -> bool {
        let Some(reply) = reading.last_text.take().filter(|_| reading.begun) else {
            return false;
        };
        let rewrite = reading.rewrite;
        let (written, kind) = match &reading.helper {
            None => (written, Kind::Stop { reply, rewrite }),
            Some(Helper {
                agent,
                written: session,
            }) => (
                *session,
                Kind::HelperStop {
                    agent: agent.clone(),
                    record: written,
                    reply,
                    rewrite,
                },
            ),
        };
        let (turn, cwd) = (reading.turn.clone(), reading.cwd.clone());
        self.events.push(Event {
            written,
            turn,
            cwd,
            kind,
        });
        true
    }

    /// A helper's call ended: the helper's own stops came before that. One that was resumed is read once.
    fn end_helper(&mut self, reading: &Reading, written: usize, agent: String, helpers: &Helpers<'_>) {
        if self.helpers.contains_key(&agent) {
            return;
        }
        let Some(record) = helpers(self.spec, &agent) else {
            return;
        };
        // Known before it is read: a helper whose record speaks of itself is not read again.
        self.helpers.insert(agent.clone(), Vec::new());
        let written = reading.helper.as_ref().map_or(written, |helper| helper.written);
        let helper = Some(Helper {
            agent: agent.clone(),
            written,
        });
        self.read(
            &record,
            Reading {
                helper,
                cwd: reading.cwd.clone(),
                ..Reading::default()
            },
            helpers,
        );
        self.helpers.insert(agent, record);
    }
}
