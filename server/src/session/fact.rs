//! Facts: what cannot be read again from a record. The ledger keeps them, the fold gives them meaning.
//! Storage stays out.

use proofmark_protocol::query::{ClaimState, SettledBy};
use proofmark_protocol::{Decision, Finding};
use serde::{Deserialize, Serialize};

use super::observed::Seen;
use super::scope::ScopeFact;

/// One fact of one session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// The helper agent it is about; none for the main agent.
    pub agent: Option<String>,
    /// The person's turn, counted from 1; 0 when no turn was on record.
    pub turn: u64,
    /// The row of the record that it hangs on: the prompt of the turn. A fork inherits facts whose row it copied.
    pub anchor: Option<String>,
    /// The same key twice in one session is the same fact.
    pub key: String,
    /// What is the case.
    pub body: FactBody,
}

/// What is the case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum FactBody {
    /// A reply tagged a claim.
    ClaimTagged {
        /// The claim's id.
        claim: String,
        /// The claim in the agent's words.
        text: String,
        /// Why it could not be verified.
        reason: String,
        /// The earlier claim that it rewords.
        rewords: Option<String>,
        /// The last call of the turn at that moment: it and those before it have not settled the claim.
        after_call: Option<String>,
    },
    /// A claim is no longer open.
    ClaimSettled {
        /// The claim's id.
        claim: String,
        /// How.
        state: ClaimState,
        /// The call that settled it.
        settled_by: Option<SettledBy>,
        /// False when that call shares no path, name or number with the claim.
        matched: Option<bool>,
        /// Why, in the person's words.
        why: Option<String>,
    },
    /// The person took back that a claim was retired.
    ClaimReopened {
        /// The claim's id.
        claim: String,
    },
    /// A finding sent the agent back.
    Refused {
        /// The check.
        code: String,
        /// What the finding is about, in the check's own identity for it.
        subject: String,
    },
    /// A finding passed though it would have been refused.
    LetGo {
        /// The check.
        code: String,
        /// What the finding is about.
        subject: String,
    },
    /// A check found something that is kept for itself: an editor shows it until it ends.
    Noted {
        /// The finding, with its id.
        finding: Finding,
    },
    /// A kept finding is over.
    FindingEnded {
        /// The finding's id.
        finding: String,
        /// How it ended.
        end: FindingEnd,
    },
    /// The person took back that a finding was dismissed.
    FindingReopened {
        /// The finding's id.
        finding: String,
    },
    /// The agent was told of a kept finding, with a prompt.
    Told {
        /// The finding's id.
        finding: String,
    },
    /// A hook event showed something that no record shows.
    Observed {
        /// What.
        seen: Seen,
        /// The harness's id of the turn in which it was.
        during: Option<String>,
        /// How much of the agent's record was read before, in bytes: what stood there was earlier.
        read: u64,
    },
    /// Something happened to the session's scope.
    Scope {
        /// What.
        scope: ScopeFact,
    },
    /// A turn of the person ended with claims open.
    TurnEnded,
    /// What an event was answered.
    Answered {
        /// The event's identity.
        event: String,
        /// The answer.
        decision: Decision,
    },
    /// The person is still to be told something: the answer that it belonged to had no channel to them.
    Owed {
        /// What.
        text: String,
    },
    /// Something that is said once in a session was said.
    Said {
        /// What.
        what: String,
    },
}

/// How a kept finding ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "kebab-case")]
pub enum FindingEnd {
    /// What it was about is right again.
    Recovered,
    /// A later reply said it.
    Owned,
    /// The person put it aside.
    Dismissed {
        /// True when they say that the finding was wrong.
        wrong: bool,
        /// Why, in their words.
        why: Option<String>,
    },
}

impl FactBody {
    /// The kind as it stands in the ledger.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::ClaimTagged { .. } => "claim-tagged",
            Self::ClaimSettled { .. } => "claim-settled",
            Self::ClaimReopened { .. } => "claim-reopened",
            Self::Refused { .. } => "refused",
            Self::LetGo { .. } => "let-go",
            Self::Noted { .. } => "noted",
            Self::FindingEnded { .. } => "finding-ended",
            Self::FindingReopened { .. } => "finding-reopened",
            Self::Told { .. } => "told",
            Self::Observed { .. } => "observed",
            Self::Scope { .. } => "scope",
            Self::TurnEnded => "turn-ended",
            Self::Answered { .. } => "answered",
            Self::Owed { .. } => "owed",
            Self::Said { .. } => "said",
        }
    }

    /// What it is about, for a person who looks into the ledger.
    pub fn subject(&self) -> &str {
        match self {
            Self::ClaimTagged { claim, .. } | Self::ClaimSettled { claim, .. } | Self::ClaimReopened { claim } => claim,
            Self::Refused { subject, .. } | Self::LetGo { subject, .. } => subject,
            Self::Noted { finding } => finding.id.as_deref().unwrap_or(&finding.subject),
            Self::FindingEnded { finding, .. } | Self::FindingReopened { finding } | Self::Told { finding } => finding,
            Self::Answered { event, .. } => event,
            Self::Owed { text: what } | Self::Said { what } => what,
            Self::Observed { seen, .. } => seen.subject(),
            Self::Scope { scope } => scope.name(),
            Self::TurnEnded => "",
        }
    }
}
