//! From a transcript to the events that its harness raised while it grew.
//! What a line means is asked of the harness's own reader.

use anyhow::bail;
use proofmark_server::harness::{HARNESSES, HarnessSpec, Stream};
use proofmark_server::session::{Entry, Injection};

/// Lines that are looked at to tell the harness.
const TELLING: usize = 50;

/// One event of a recorded session, and how much of the transcript was written when it was raised.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) written: usize,
    pub(crate) turn: Option<String>,
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
}

/// A recorded session as events.
pub(crate) struct Script {
    pub(crate) spec: &'static HarnessSpec,
    pub(crate) session: Option<String>,
    pub(crate) events: Vec<Event>,
}

/// What is known of the turn that is being read.
#[derive(Default)]
struct Reading {
    last_text: Option<String>,
    turn: Option<String>,
    rewrite: bool,
    begun: bool,
}

impl Script {
    /// The events of a transcript. Fails when no harness knows its lines.
    pub(crate) fn of(transcript: &[u8]) -> anyhow::Result<Self> {
        let lines = || transcript.split(|byte| *byte == b'\n');
        let knows = |spec: &&HarnessSpec| lines().take(TELLING).any(|line| (spec.knows)(line));
        let Some(spec) = HARNESSES.iter().find(knows) else {
            bail!("no line of it is of a transcript that Proofmark can read");
        };
        let mut script = Self {
            spec,
            session: None,
            events: Vec::new(),
        };
        let mut reading = Reading::default();
        let mut entries = Vec::new();
        let mut written = 0;
        for line in lines() {
            (spec.entries)(line, Stream::Main, &|_| None, &mut entries);
            for entry in entries.drain(..) {
                script.take(&mut reading, written, entry);
            }
            written = (written + line.len() + 1).min(transcript.len());
        }
        script.end_turn(&mut reading, transcript.len());
        Ok(script)
    }

    fn take(&mut self, reading: &mut Reading, written: usize, entry: Entry) {
        match entry {
            Entry::Origin { session, .. } => self.session = self.session.take().or(session),
            Entry::Prompt { turn, text, .. } => {
                self.end_turn(reading, written);
                *reading = Reading {
                    turn: turn.clone(),
                    begun: true,
                    ..Reading::default()
                };
                self.events.push(Event {
                    written,
                    turn,
                    kind: Kind::Prompt(text),
                });
            }
            Entry::Text { text, .. } => reading.last_text = Some(text),
            Entry::Call { .. } => reading.last_text = None,
            Entry::Injected { injection, turn } => {
                if injection != Injection::Harness {
                    self.end_turn(reading, written);
                    reading.rewrite |= injection == Injection::HookFeedback;
                }
                reading.turn = turn.or_else(|| reading.turn.take());
            }
            Entry::Result { .. } | Entry::Unreadable => {}
        }
    }

    /// The agent had the last word, so its harness raised a stop.
    fn end_turn(&mut self, reading: &mut Reading, written: usize) {
        if let Some(reply) = reading.last_text.take().filter(|_| reading.begun) {
            let kind = Kind::Stop {
                reply,
                rewrite: reading.rewrite,
            };
            self.events.push(Event {
                written,
                turn: reading.turn.clone(),
                kind,
            });
        }
    }
}
