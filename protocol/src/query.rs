//! What people and editors ask for: claims, sessions, status, pauses, with the JSON that others rely on.
//! The ledger answers these; how they are shown is the client's business.

use serde::{Deserialize, Serialize};

use crate::decision::{Evidence, Severity};
use crate::event::Harness;
use crate::findings::{CheckRef, Cited};

/// Where a claim stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ClaimState {
    /// Tagged, and not settled.
    Open,
    /// No longer tagged, in a turn whose tool calls observed something.
    Checked,
    /// Refused, and left out of the rewrite without a check.
    Dropped,
    /// Retired by the person.
    Retired,
}

/// The tool call that settled a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SettledBy {
    /// The harness's id of the call.
    pub call: String,
    /// The tool's name.
    pub tool: String,
    /// What it was asked, cut to a short quote.
    pub input: String,
}

/// A claim on the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Claim {
    /// Short id, unique on this machine's ledger.
    pub id: String,
    /// The harness that ran the session.
    pub harness: Harness,
    /// The session's key: its id, or its transcript's path where it has none.
    pub session: String,
    /// The helper agent that made the claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The claim in the agent's words.
    pub claim: String,
    /// Why it could not be verified, in the agent's words.
    pub reason: String,
    /// Where it stands.
    pub state: ClaimState,
    /// The person's turns since it was (last) opened.
    pub turns: u64,
    /// The person's turn in which it was (last) opened, counted from 1.
    pub turn: u64,
    /// When it was first tagged, in milliseconds since 1970.
    pub first_seen: u64,
    /// When its state last changed, in milliseconds since 1970.
    pub changed: u64,
    /// How often it was refused.
    pub refusals: u32,
    /// The call that settled it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled_by: Option<SettledBy>,
    /// False when the settling call shares no path, name or number with the claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matched: Option<bool>,
    /// Why the person retired it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The claim that this one rewords.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rewords: Option<String>,
}

/// `listClaims`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ListClaimsParams {
    /// Only this session's.
    pub session: Option<String>,
}

/// `retireClaim`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RetireClaimParams {
    /// The claim.
    pub id: String,
    /// Why, in the person's words.
    #[serde(default)]
    pub why: Option<String>,
}

/// `reopenClaim`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReopenClaimParams {
    /// The claim, which the person had retired.
    pub id: String,
}

/// Where a kept finding stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum KeptState {
    /// It stands.
    Open,
    /// What it was about is right again.
    Recovered,
    /// A later reply said it.
    Owned,
    /// The person put it aside.
    Dismissed,
}

/// A finding that the ledger keeps for itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KeptFinding {
    /// Short id, unique on this machine's ledger.
    pub id: String,
    /// The harness that ran the session.
    pub harness: Harness,
    /// The session's key: its id, or its transcript's path where it has none.
    pub session: String,
    /// The helper agent that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The check that found it.
    pub code: String,
    /// How much it matters.
    pub severity: Severity,
    /// What it is about, in the check's own identity for it.
    pub subject: String,
    /// One sentence for the person.
    pub message: String,
    /// Where it stands.
    pub state: KeptState,
    /// The person's turn in which it was first noted, counted from 1.
    pub turn: u64,
    /// When it was first noted, in milliseconds since 1970.
    pub first_seen: u64,
    /// When its state last changed, in milliseconds since 1970.
    pub changed: u64,
    /// Of a dismissed one: whether the person says that it was wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrong: Option<bool>,
    /// Why the person dismissed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Places that it points to, the best first; whether they exist was not looked at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<Cited>,
    /// The check run that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<CheckRef>,
    /// What it rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
}

/// `listFindings`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ListFindingsParams {
    /// Only this session's.
    pub session: Option<String>,
}

/// `dismissFinding`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DismissFindingParams {
    /// The finding.
    pub id: String,
    /// True when it was wrong; false when it was right, and need not be shown any more.
    #[serde(default)]
    pub wrong: bool,
    /// Why, in the person's words.
    #[serde(default)]
    pub why: Option<String>,
}

/// `reopenFinding`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReopenFindingParams {
    /// The finding, which the person had dismissed.
    pub id: String,
}

/// `pause`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PauseParams {
    /// Only this session; every session without it.
    #[serde(default)]
    pub session: Option<String>,
    /// How long, in seconds; 0 ends the pause.
    pub seconds: u64,
}

/// A pause that is in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Pause {
    /// The session; every session without it.
    pub session: Option<String>,
    /// When it ends, in milliseconds since 1970.
    pub until: u64,
}

/// Where a session's scope lock stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ScopePhase {
    /// There is no lock.
    #[default]
    None,
    /// The person has corrected the direction: the agent may look, and has to state what it will do.
    ContractRequired,
    /// The agent stated it, or the person did: nothing is held up, and what is changed is compared with it.
    Locked,
    /// The person has corrected the same thing again: no tool runs.
    HardStop,
    /// The person has lifted that by both of its words.
    ReflectionAcknowledged,
}

/// The scope of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Scope {
    /// Where the lock stands; `none` when there is no lock.
    pub phase: ScopePhase,
    /// The contract in force.
    pub contract: Option<String>,
    /// When it came to stand so, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
    /// The person's words that began the lock, as a short quote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correction: Option<String>,
}

/// `releaseScope`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReleaseScopeParams {
    /// The session.
    pub session: String,
}

/// `setScope`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SetScopeParams {
    /// The session.
    pub session: String,
    /// What the agent is to do, and what not, in the person's words; one line of 3 to 500 characters.
    pub contract: String,
}

/// A session on the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionStatus {
    /// The harness that runs it.
    pub harness: Harness,
    /// Its key: its id, or its transcript's path where it has none.
    pub session: String,
    /// Claims that are open.
    pub open_claims: u64,
    /// Turns that were refused.
    pub refusals: u64,
    /// When it was last heard of, in milliseconds since 1970.
    pub last_seen: u64,
    /// Its scope.
    pub scope: Scope,
    /// When its pause ends, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused_until: Option<u64>,
}

/// The server of a state folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ServerStatus {
    /// True when a process holds the state folder.
    pub running: bool,
    /// Its process id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// Its build version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
    /// The state folder.
    pub state_dir: String,
}

/// The answer to `ping`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Pong {
    /// The server's process id.
    pub pid: u32,
    /// Its build version.
    pub build: String,
    /// The word that it wrote into the owner's lock: another one in the lock means that another process holds it.
    pub instance: String,
}

/// The answer to `status`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Status {
    /// The server.
    pub server: ServerStatus,
    /// The sessions, the one heard of last first.
    pub sessions: Vec<SessionStatus>,
    /// The pause of all sessions, when there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused_until: Option<u64>,
    /// What is not as it should be, in plain words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The events of one kind that were heard of one session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Heard {
    /// The harness that runs the session.
    pub harness: Harness,
    /// The session's key: its id, or its transcript's path where it has none.
    pub session: String,
    /// The method that the events called.
    pub event: String,
    /// How many there were.
    pub count: u64,
    /// When the last one came, in milliseconds since 1970.
    pub last: u64,
    /// What one took in the server, in microseconds: half of them took no longer than this. A quarter too high at most.
    pub median: u64,
    /// What the slowest took in the server, in microseconds.
    pub worst: u64,
    /// What all of them took in the server together, in microseconds.
    pub total: u64,
}

/// The answer to `diagnose`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Diagnosis {
    /// The server.
    pub server: ServerStatus,
    /// What was heard, the newest first. Of sessions of long ago nothing is kept.
    pub heard: Vec<Heard>,
}
