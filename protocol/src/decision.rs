//! What Proofmark answers: one decision for an event, with the findings behind it.
//! How a decision becomes a harness's own output is the hook adapters' business.

use serde::{Deserialize, Serialize};

use crate::findings::{CheckRef, Cited};

/// Stands before a text of ours that a harness passes on as if the person had written it: by this it is known when it
/// comes back.
pub const OWN_WORDS: &str = "[Proofmark] ";

/// What happens to the event.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It goes on, and nobody has to hear anything.
    #[default]
    Allow,
    /// It goes on, and somebody is told something.
    Advise,
    /// It does not go on; the agent is told why.
    Refuse,
}

/// The answer to one event.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct Decision {
    /// What happens to the event.
    pub outcome: Outcome,
    /// Every finding that was looked at for this answer, also those let go.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// Text for the agent: the refusal, or context that goes with a prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_agent: Option<String>,
    /// Text for the person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_person: Option<String>,
}

impl Decision {
    /// The silent answer.
    pub fn allow() -> Self {
        Self::default()
    }

    /// True when nobody has to hear anything.
    pub fn is_silent(&self) -> bool {
        self.outcome == Outcome::Allow && self.to_agent.is_none() && self.to_person.is_none()
    }
}

/// How much a finding matters to a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Something on record contradicts what was said.
    Error,
    /// Something is probably off.
    Warning,
    /// Something worth knowing.
    Information,
}

/// Where a finding stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FindingState {
    /// It sent the agent back.
    Refused,
    /// It was refused before in this turn, or the turn's refusals are used up: it passes, and stays visible.
    LetGo,
    /// It was said, and nothing was held up.
    Noted,
    /// The record could not be read, so nothing was decided.
    Unchecked,
}

/// A place in the record or in the workspace that a finding rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    /// What is there, in a few words.
    pub what: String,
    /// The person's turn, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u64>,
    /// The id of the tool call or of the row in the harness's record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The file that it is about; whether it exists was not looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Cited>,
}

/// One thing that a check has to say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// Its id, by which a person can dismiss it; none for a finding that is not kept for itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The check, as in settings and documentation (`untried-claim`).
    pub code: String,
    /// How much it matters.
    pub severity: Severity,
    /// What it is about: the claim, the check, the file.
    pub subject: String,
    /// One sentence for the person.
    pub message: String,
    /// What it rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
    /// Where an editor may show it, the best place first; whether these places exist was not looked at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<Cited>,
    /// The check run that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<CheckRef>,
    /// Where it stands.
    pub state: FindingState,
}
