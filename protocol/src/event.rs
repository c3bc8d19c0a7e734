//! What happened in a harness, in one vocabulary for all of them: the params of the `on…` methods.
//! Payload shapes of single harnesses stay in the hook's adapters.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The program that runs the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Harness {
    /// Anthropic's Claude Code.
    ClaudeCode,
    /// OpenAI's Codex.
    Codex,
    /// Cursor's editor or its command-line agent.
    Cursor,
}

impl Harness {
    /// Every harness there is, in the order in which lists show them.
    pub const ALL: [Self; 3] = [Self::ClaudeCode, Self::Codex, Self::Cursor];

    /// The name used on the command line, on the wire and in the ledger.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
        }
    }

    /// The harness of that name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|harness| harness.as_str() == name)
    }
}

impl fmt::Display for Harness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Where an event belongs; every `on…` method carries it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionRef {
    /// Who sent the event.
    pub harness: Harness,
    /// The harness's own session id; opaque. Without one the session is known by its transcript.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The helper agent that the event is about; none for the main agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Path of the session's transcript (the main agent's, also in events of helper agents).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<String>,
    /// Path of the helper agent's own transcript, where the harness names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_transcript: Option<String>,
    /// The folder in which the agent works at this moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The harness's own id of the running turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
}

/// What the session of a self-test is called at its start: no harness calls one of its own so.
pub const SELF_TEST: &str = "proofmark-self-test-";

impl SessionRef {
    /// True for an event that `proofmark doctor` has sent through a hook: it is answered, and nothing is kept of it.
    pub fn is_self_test(&self) -> bool {
        self.session
            .as_deref()
            .is_some_and(|session| session.starts_with(SELF_TEST))
    }
}

/// One tool call as the harness announced it; input and output pass through unread.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Call {
    /// The harness's id of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The tool's name as the harness spells it.
    pub tool: String,
    /// The tool's input, as JSON, untouched.
    #[cfg_attr(feature = "schema", schemars(with = "Option<serde_json::Value>"))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Box<RawValue>>,
}

/// `onSessionStart`: a session began, was resumed, forked, cleared or compacted.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionStartParams {
    /// The session.
    #[serde(flatten)]
    pub at: SessionRef,
    /// Why it started, in the harness's own word (`startup`, `resume`, `clear`, `compact`, `fork`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// `onPrompt`: a prompt was submitted.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PromptParams {
    /// The session.
    #[serde(flatten)]
    pub at: SessionRef,
    /// The prompt's text.
    pub prompt: String,
}

/// `onPreToolUse`: a tool is about to run.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PreToolUseParams {
    /// The session.
    #[serde(flatten)]
    pub at: SessionRef,
    /// The call.
    pub call: Call,
}

/// How a tool call ended, as far as the harness says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// It ran, and the harness reports no error.
    Succeeded,
    /// It ran, and the harness reports an error.
    Failed,
    /// It ran, and nothing says whether it failed.
    Ran,
    /// The harness, a hook or the person refused it: it never ran.
    Denied,
    /// It took too long and was cut off.
    TimedOut,
    /// The person cut it off.
    Interrupted,
}

/// `onPostToolUse`: a tool call ended. Sent for harnesses whose record holds no results.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PostToolUseParams {
    /// The session.
    #[serde(flatten)]
    pub at: SessionRef,
    /// The call. One without an id may be the same as one that another event tells with its id.
    pub call: Call,
    /// How it ended.
    pub ended: Ended,
    /// What it showed, as JSON, untouched; none where the event does not say.
    #[cfg_attr(feature = "schema", schemars(with = "Option<serde_json::Value>"))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Box<RawValue>>,
    /// How long it took, in milliseconds: part of what tells one call from another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration: Option<f64>,
}

/// `onReply`: the agent said something; the last before a stop is its reply. Sent for harnesses whose stop lacks it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReplyParams {
    /// The session.
    #[serde(flatten)]
    pub at: SessionRef,
    /// What it said.
    pub reply: String,
}

/// `onStop` and `onSubagentStop`: an agent wants to end its turn.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct StopParams {
    /// The session, and the helper agent in `onSubagentStop`.
    #[serde(flatten)]
    pub at: SessionRef,
    /// The reply's last text block; text before it is in the transcript only. None where `onReply` told it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<String>,
    /// True when some hook, ours or another's, already sent the agent back in this turn.
    #[serde(default)]
    pub rewrite: bool,
    /// How many of the agent's tasks still run in the background.
    #[serde(default)]
    pub background: u32,
}

/// `onSubagentStart`: a helper agent began.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SubagentStartParams {
    /// The session and the helper agent.
    #[serde(flatten)]
    pub at: SessionRef,
}

/// `onSessionEnd`: a session ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionEndParams {
    /// The session.
    #[serde(flatten)]
    pub at: SessionRef,
    /// Why it ended, in the harness's own word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
