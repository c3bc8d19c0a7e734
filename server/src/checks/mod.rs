//! The checks: one file each, one line in the registry.
//! A check looks at a session and a reply; it does no I/O and knows no other check.

pub mod claimed_pass;
mod fixers;
mod kept;
mod kin;
mod malformed_tag;
pub mod plain_words;
mod reply_length;
mod scope_drift;
mod scope_lock;
pub mod stale_verdict;
mod standing;
#[cfg(test)]
mod tests;
mod unproven_claim;
pub mod untried_claim;

use proofmark_protocol::findings::{CheckRef, Cited};
use proofmark_protocol::settings::{Mode, Settings};
use proofmark_protocol::{Evidence, Finding, Severity};

use crate::evidence::call::{CallFacts, Known};
use crate::session::{Book, CallRecord, ClaimRow, FactBody, SessionKey, Stream, ToolKind};

/// Every check, in the order in which their complaints are put to the agent.
pub const REGISTRY: &[&dyn Check] = &[
    &untried_claim::UntriedClaim,
    &stale_verdict::StaleVerdict,
    &claimed_pass::ClaimedPass,
    &scope_lock::ScopeLock,
    &scope_drift::ScopeDrift,
    &plain_words::PlainWords,
    &unproven_claim::UnprovenClaim,
    &malformed_tag::MalformedTag,
    &reply_length::ReplyLength,
];

/// Things of one kind that a message names; of more it gives the number.
const MAX_NAMED: usize = 5;

/// One check.
pub trait Check: Sync {
    /// Its name in settings, findings and documentation.
    fn code(&self) -> &'static str;

    /// What it may do.
    fn mode(&self, settings: &Settings) -> Mode;

    /// What it has to say about a reply that ends a turn.
    fn on_stop(&self, _: &StopView<'_>) -> Verdict {
        Verdict::default()
    }

    /// The request to the agent for those of its complaints that are refused: at most 60 words beside the quotes.
    fn refusal(&self, _: &StopView<'_>, refused: &[&Complaint]) -> String {
        let messages: Vec<&str> = refused.iter().map(|complaint| complaint.message.as_str()).collect();
        messages.join(" ")
    }

    /// What it has to say when the person has spoken.
    fn on_prompt(&self, _: &PromptView<'_>) -> PromptVerdict {
        PromptVerdict::default()
    }

    /// What it has to say about a call that is about to run.
    fn on_tool(&self, _: &ToolView<'_>) -> ToolVerdict {
        ToolVerdict::default()
    }

    /// What an agent has to know of it from the start, in at most 60 words.
    fn teach(&self, _: &Settings) -> Option<String> {
        None
    }
}

/// What the record shows of the turn.
pub enum Record<'a> {
    /// It was read.
    Read {
        /// The agent's own stream.
        stream: &'a Stream,
        /// What may not be on record yet.
        lag: Lag,
        /// The facts of a call that delegates, from its helper's record.
        helper: &'a dyn Fn(&CallRecord) -> CallFacts,
    },
    /// It was not.
    Unread {
        /// Why, for the person.
        why: &'a str,
        /// True when it may be there in a moment: a session's first turn can end before its file is written.
        may_come: bool,
    },
}

/// How far a record is behind the event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lag {
    /// It shows all that came before the reply.
    None,
    /// It has reached the turn, and may lack its last lines.
    Tail,
    /// It has not reached the turn: what it shows as the running one is an earlier one.
    Turn,
}

/// What a check sees when an agent wants to end its turn.
pub struct StopView<'a> {
    /// The session.
    pub key: &'a SessionKey,
    /// The helper agent; none for the main agent.
    pub agent: Option<&'a str>,
    /// The person's turn.
    pub turn: u64,
    /// The session's facts so far.
    pub book: &'a Book,
    /// The record of the turn.
    pub record: Record<'a>,
    /// The records of the session's other agents that were read so far, by agent; the main agent has none.
    pub others: &'a [(Option<&'a str>, &'a Stream)],
    /// True when some hook already sent the agent back in this turn.
    pub rewrite: bool,
    /// The reply; none when the event did not bring it.
    pub reply: Option<&'a str>,
    /// The settings in force.
    pub settings: &'a Settings,
    /// True when the record was waited for: it will not be read again for this event.
    pub last_look: bool,
    /// What the judge has to say of the reply.
    pub judged: plain_words::Judged<'a>,
}

/// What a check sees when the person has spoken.
pub struct PromptView<'a> {
    /// The session.
    pub key: &'a SessionKey,
    /// The session's facts so far.
    pub book: &'a Book,
    /// The main agent's record, where it was read. It may hold the row of this prompt already, or not yet.
    pub stream: Option<&'a Stream>,
    /// The facts of a call that delegates, from its helper's record.
    pub helper: &'a dyn Fn(&CallRecord) -> CallFacts,
    /// The records of the session's helper agents that were read so far, by agent.
    pub others: &'a [(Option<&'a str>, &'a Stream)],
    /// What the person wrote.
    pub prompt: &'a str,
    /// The settings in force.
    pub settings: &'a Settings,
}

/// What a check sees when a call is about to run.
pub struct ToolView<'a> {
    /// The session.
    pub key: &'a SessionKey,
    /// The helper agent that calls; none for the main agent.
    pub agent: Option<&'a str>,
    /// The session's facts so far.
    pub book: &'a Book,
    /// The main agent's record, where it was read.
    pub stream: Option<&'a Stream>,
    /// The tool's name as the harness spells it.
    pub tool: &'a str,
    /// What the tool is for.
    pub kind: &'a ToolKind,
    /// What it is asked, as a short text.
    pub input: &'a str,
    /// The files that it is to change, as it names them.
    pub changes: &'a [String],
    /// The settings in force.
    pub settings: &'a Settings,
}

/// Something that a check would send the agent back for.
pub struct Complaint {
    /// What it is about, in the check's own identity for it.
    pub subject: String,
    /// An earlier identity: refused under that one is refused.
    pub formerly: Option<String>,
    /// What it is about, in words that can be quoted.
    pub quote: String,
    /// True when a rewrite is not let go for it: the turn's budget alone ends it.
    pub insists: bool,
    /// One sentence for the person.
    pub message: String,
    /// How much it matters.
    pub severity: Severity,
    /// What it rests on.
    pub evidence: Vec<Evidence>,
    /// Where an editor may show it, the best place first.
    pub places: Vec<Cited>,
    /// The check run that it is about, by which an editor finds where that check is defined.
    pub check: Option<CheckRef>,
    /// True when it is kept as a finding of its own; false when another fact, such as a claim, holds what it is about.
    pub kept: bool,
}

impl Complaint {
    /// A complaint about wording: there is nothing beside the reply that it rests on, and nothing is kept of it.
    fn about_words(subject: String, quote: String, message: String) -> Self {
        Self {
            subject,
            formerly: None,
            quote,
            insists: false,
            message,
            severity: Severity::Information,
            check: None,
            evidence: Vec::new(),
            places: Vec::new(),
            kept: false,
        }
    }
}

/// Something that the person is told.
pub struct Note {
    /// The text.
    pub text: String,
    /// The name under which it is said once in a session; none to say it each time.
    pub once: Option<String>,
}

/// What a check has to say about a reply.
#[derive(Default)]
pub struct Verdict {
    /// True when the record should be waited for before anything of this counts.
    pub await_record: bool,
    /// True when the judge should be asked before anything of this counts.
    pub ask_judge: bool,
    /// What the agent is to be sent back for.
    pub complaints: Vec<Complaint>,
    /// What is noted without holding anything up.
    pub findings: Vec<Finding>,
    /// New facts.
    pub facts: Vec<FactBody>,
    /// What the person is told.
    pub notes: Vec<Note>,
    /// What counts only when no check sends the agent back: the person can read the reply then.
    pub when_ended: WhenEnded,
}

/// What follows from a reply once it ends the turn.
#[derive(Default)]
pub struct WhenEnded {
    /// New facts.
    pub facts: Vec<FactBody>,
    /// What the person is told.
    pub notes: Vec<Note>,
}

/// What a check has to say about a call that is about to run.
#[derive(Default)]
pub struct ToolVerdict {
    /// Why it may not run, for the agent: the fact, and the way out, in at most 60 words.
    pub denied: Option<String>,
    /// New facts.
    pub facts: Vec<FactBody>,
    /// What the person is told.
    pub notes: Vec<Note>,
}

/// What a check has to say about a prompt.
#[derive(Default)]
pub struct PromptVerdict {
    /// New facts, each with the agent that it is about.
    pub facts: Vec<(Option<String>, FactBody)>,
    /// What is noted about the work before the prompt.
    pub findings: Vec<Finding>,
    /// Context that goes to the agent with the prompt.
    pub to_agent: Option<String>,
    /// What the person is told.
    pub notes: Vec<Note>,
}

/// Whether a helper agent changed something, by its own record; unknown where that was not read.
fn helper_changed(others: &[(Option<&str>, &Stream)], helper: &str) -> Known {
    let own = others.iter().find(|(agent, _)| *agent == Some(helper));
    own.map_or(Known::Unknown, |(_, stream)| stream.past.whole())
}

/// The first few quotes, and how many more there are.
fn named<'a>(quotes: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = quotes.len().saturating_sub(MAX_NAMED);
    let mut named: Vec<String> = quotes.take(MAX_NAMED).map(|quote| format!("“{quote}”")).collect();
    if more > 0 {
        named.push(format!("{more} more"));
    }
    named.join("; ")
}

/// True when a claim belongs to an agent's own stream.
fn is_of(row: &ClaimRow, agent: Option<&str>) -> bool {
    row.agent.as_deref() == agent
}
