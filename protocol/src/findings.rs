//! What an editor is shown: of each session its open claims, kept findings and refused turns, and where each may be put.
//! Turning them into an editor's own diagnostics is the language server's part.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::decision::{Evidence, Severity};
use crate::event::Harness;
use crate::query::Scope;

/// `findingsChanged`: sent once when a subscription begins, then whenever a session has something else to say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FindingsChanged {
    /// True when this is everything: a session that is not listed has nothing to say.
    pub whole: bool,
    /// Whole sessions; one without items has nothing left.
    pub sessions: Vec<SessionFindings>,
}

/// What one session has to say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionFindings {
    /// The harness that runs it.
    pub harness: Harness,
    /// Its key: its id, or its transcript's path where it has none.
    pub session: String,
    /// Its working folder, as last told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Path of its transcript, as last told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<String>,
    /// When it was last heard of, in milliseconds since 1970; up to a minute late. None while only its facts are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_seen: Option<u64>,
    /// Path of its document, which is written before this is sent.
    pub document: String,
    /// Its scope, where a lock or a contract is in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// What is to be shown.
    pub items: Vec<Item>,
    /// Claims that the person retired, newest first: what can be undone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub retired: Vec<RetiredClaim>,
    /// Findings that the person dismissed, newest first: what can be undone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dismissed: Vec<DismissedFinding>,
}

/// One thing to show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Item {
    /// The same as long as it is about the same thing.
    pub id: String,
    /// The check, or `refused-turn`.
    pub code: String,
    /// How much it matters.
    pub severity: Severity,
    /// A fact in one sentence, then quotes.
    pub message: String,
    /// What it is about, as a short quote.
    pub subject: String,
    /// The id of the claim that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
    /// The id of the kept finding that it shows, by which the person can dismiss it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finding: Option<String>,
    /// The helper agent that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The person's turn, counted from 1; 0 when no turn was on record.
    pub turn: u64,
    /// Its line in the session's document, counted from 0.
    pub line: u32,
    /// Places that its text names; whether they exist was not looked at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cited: Vec<Cited>,
    /// The check run that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<CheckRef>,
    /// What it rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
}

/// A file that a text names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Cited {
    /// The path as it is written.
    pub path: String,
    /// The line, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// A check that the agent ran: what it is, and how it was called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CheckRef {
    /// The runner, as `proofmark classify` names it (`pytest`, `cargo-test`, `npm-script`).
    pub runner: String,
    /// What it selects: packages, paths, test ids, targets, the name of a script; empty for everything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub selection: Vec<String>,
    /// The folder it runs in, relative to the session's working folder; empty for that one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub folder: String,
    /// The command as it was last run, for a person to run again; nobody else runs it.
    pub command: String,
}

/// A finding that the person dismissed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DismissedFinding {
    /// Its id.
    pub finding: String,
    /// The check that found it.
    pub code: String,
    /// What it said, as a short quote.
    pub message: String,
    /// Its line in the session's document, counted from 0.
    pub line: u32,
}

/// A claim that the person retired.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RetiredClaim {
    /// Its id.
    pub claim: String,
    /// Its text, as a short quote.
    pub subject: String,
    /// Its line in the session's document, counted from 0.
    pub line: u32,
}

/// `sessionReport`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionReportParams {
    /// The session's key.
    pub session: String,
    /// Its harness, should two harnesses have a session of that key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub harness: Option<Harness>,
}

/// The answer to `sessionReport`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionReport {
    /// Where the document lies, once an editor was shown the session.
    pub document: String,
    /// Its text, in Markdown.
    pub text: String,
}

/// `publishedUris`: which places an editor may hold something of ours for.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct PublishedUrisParams {
    /// The process that publishes; what it has filled is its own until it ends.
    pub process: u32,
    /// Places that it is about to fill.
    pub add: Vec<String>,
    /// Places that it has emptied.
    pub remove: Vec<String>,
}

/// What an editor may ask for in LSP's `initializationOptions`, and under `settings.proofmark` of
/// `workspace/didChangeConfiguration`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct EditorOptions {
    /// Lenses over stale verdicts are wanted.
    pub code_lens: bool,
    /// The notification `findingsChanged` is wanted.
    pub sessions: bool,
    /// How the findings of a check are shown, by its code.
    pub severity: BTreeMap<String, Severity>,
    /// A session that was not heard of for longer is not shown, in hours.
    pub max_age_hours: f64,
}

impl EditorOptions {
    /// A session that was not heard of for longer is never shown, in hours: seven days.
    pub const LONGEST_AGE_HOURS: u32 = 7 * 24;
}

impl Default for EditorOptions {
    fn default() -> Self {
        Self {
            code_lens: true,
            sessions: false,
            severity: BTreeMap::new(),
            max_age_hours: f64::from(Self::LONGEST_AGE_HOURS),
        }
    }
}
