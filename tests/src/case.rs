//! A conformance case as it stands in `fixtures/cases/`: the steps of a story, and what must come of them.
//! Playing the steps, and holding the outcome against the expectation, stays out.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result};
use proofmark_protocol::query::{ClaimState, ScopePhase};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::fake_judge::FakeJudge;
use crate::scenario::fixtures;

/// The session of a step that names none, and the transcript of a step that names none.
pub const SESSION: &str = "s1";

/// One case. A member that is not known here is an error: what cannot be checked must not look as if it were.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Its name, unique in its file.
    pub id: String,
    /// The check that it is about, and that alone is on.
    pub system: String,
    /// The judged step, with the steps before it.
    pub given: Step,
    /// What must come of the judged step, and hold at the end.
    pub expect: Expect,
    /// Why that is right.
    pub why: String,
    /// What earlier tools of this kind did; for readers.
    #[serde(default)]
    pub legacy: Value,
    /// For readers.
    #[serde(default)]
    pub tags: Vec<String>,
    /// The weaknesses that the case is about, U1 to U20.
    #[serde(default)]
    pub u: Vec<String>,
}

/// What a step does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Act {
    /// The main agent wants to end its turn.
    Stop,
    /// A helper agent wants to end.
    SubagentStop,
    /// The person submits a prompt.
    Prompt,
    /// A tool is about to run.
    PreTool,
    /// The person runs `proofmark`.
    Command,
}

/// One step: what is added to a transcript, and then one hook event or command.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// What happens.
    pub event: Act,
    /// The steps before this one; only of the judged step.
    #[serde(default)]
    pub before: Vec<Step>,
    /// What is added to the transcript first.
    #[serde(default, alias = "transcript")]
    pub append: Vec<Value>,
    /// What stands behind the transcript's last line, without a line feed; gone again at the next step.
    #[serde(default)]
    pub torn: String,
    /// What is added while the hook waits for its answer.
    #[serde(default)]
    pub late: Option<Late>,
    /// Names the transcript; its rows carry this session id, its file is called so.
    #[serde(default = "session")]
    pub record: String,
    /// The agent's last message.
    #[serde(default)]
    pub reply: String,
    /// True when the payload has no `last_assistant_message`.
    #[serde(default)]
    pub no_reply: bool,
    /// What the person submits.
    #[serde(default)]
    pub prompt: String,
    /// The tool that is about to run.
    #[serde(default)]
    pub tool: String,
    /// What the tool is asked.
    #[serde(default)]
    pub tool_input: Value,
    /// Arguments of `proofmark`; `{text}` is the id of the claim of that text.
    #[serde(default)]
    pub command: Vec<String>,
    /// The helper agent of the event.
    #[serde(default)]
    pub agent: Option<String>,
    /// The helper agent's own record, written anew.
    #[serde(default)]
    pub agent_transcript: Option<Vec<Value>>,
    /// Records of helper agents by id, written anew where the harness puts them.
    #[serde(default)]
    pub helpers: BTreeMap<String, Vec<Value>>,
    /// More members of the payload.
    #[serde(default)]
    pub payload: Map<String, Value>,
    /// The payload's session id; left out when empty.
    #[serde(default = "session")]
    pub session: String,
    /// The name under which the payload carries the session id.
    #[serde(default = "session_key")]
    pub session_key: String,
    /// True when the payload tells neither session, folder nor transcript.
    #[serde(default)]
    pub no_identity: bool,
    /// True when the payload names no transcript.
    #[serde(default)]
    pub no_transcript: bool,
    /// True when the transcript that the payload names is not there.
    #[serde(default)]
    pub missing_transcript: bool,
    /// True when the payload names a copy of the transcript, made for this step.
    #[serde(default)]
    pub fresh_transcript_copy: bool,
    /// What the hook reads in place of a payload.
    #[serde(default)]
    pub stdin: Option<String>,
    /// True when the server is stopped first and every file of the state folder overwritten.
    #[serde(default)]
    pub corrupt_state: bool,
    /// How the settings file is written.
    #[serde(default)]
    pub env: Wanted,
    /// The settings file's text, in place of the one that `env` asks for.
    #[serde(default)]
    pub settings: Option<String>,
    /// The text of the project's own settings file; without it there is none.
    #[serde(default)]
    pub project: Option<String>,
    /// One delivery of the event each, so many milliseconds after the first; all must get the same answer.
    #[serde(default)]
    pub deliveries: Vec<u64>,
    /// For readers: the tool of this kind that the case was first told to.
    #[serde(default)]
    pub oracle: Option<String>,
    /// What the judge's runner does, where it is asked.
    #[serde(default)]
    pub judge: FakeJudge,
    /// What must come of a step that is not the judged one.
    #[serde(default)]
    pub expect: Option<Expect>,
}

fn session() -> String {
    SESSION.to_owned()
}

fn session_key() -> String {
    "session_id".to_owned()
}

/// Transcript events that come later than the hook is started.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Late {
    /// So many milliseconds later.
    pub after_ms: u64,
    /// The events.
    pub append: Vec<Value>,
}

/// How the check is set.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wanted {
    /// The reminder: `off`, `stale`, `all`; `do_not_emit` for strict; anything else is written as it is.
    #[serde(default)]
    pub mode: Option<String>,
    /// `0` switches the check off.
    #[serde(default)]
    pub enforcement: Option<String>,
    /// How long a turn waits for the judge, in seconds.
    #[serde(default)]
    pub wait: Option<u64>,
    /// The value of the variable by which a judge's own agent is known.
    #[serde(default)]
    pub child: Option<String>,
}

/// What a step must come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Wish {
    /// Not held up.
    Allow,
    /// Sent back.
    Block,
    /// Not held up, and something is said.
    Advise,
    /// Sent back or not, and something is said.
    Speak,
    /// A command that ends with another exit code than 0.
    Fail,
}

/// What a step must come to, and what must hold after it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// The decision.
    pub decision: Wish,
    /// True when nothing may be said.
    #[serde(default)]
    pub silent: bool,
    /// What is said holds each of these; letter case does not matter.
    #[serde(default)]
    pub mentions: Vec<String>,
    /// What is said holds none of these.
    #[serde(default)]
    pub not_mentions: Vec<String>,
    /// The longest time that the step may take, in seconds.
    #[serde(default)]
    pub max_seconds: Option<f64>,
    /// What the ledger holds.
    #[serde(default)]
    pub state: State,
    /// Every claim on the ledger, in any order.
    #[serde(default)]
    pub claims: Option<Vec<ClaimWish>>,
    /// How often agents were sent back, all sessions together.
    #[serde(default)]
    pub refusals: Option<u64>,
    /// Beginnings of names of files that the state folder holds.
    #[serde(default)]
    pub files: Vec<String>,
    /// How often the judge's runner was asked so far.
    #[serde(default)]
    pub model_calls: Option<usize>,
    /// What its questions hold.
    #[serde(default)]
    pub judge_prompt_has: Vec<String>,
    /// What they do not.
    #[serde(default)]
    pub judge_prompt_lacks: Vec<String>,
}

/// What `proofmark claims --json` and `proofmark status --json` tell, in short.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// The open claims, in any order.
    #[serde(default)]
    pub open: Option<Vec<String>>,
    /// How many claims are open.
    #[serde(default)]
    pub open_count: Option<usize>,
    /// The turns that claims are open.
    #[serde(default)]
    pub turns: BTreeMap<String, u64>,
    /// The states of claims.
    #[serde(default)]
    pub outcome: BTreeMap<String, ClaimState>,
    /// Where the scope lock of the session heard of last stands; null is the same as `none`.
    #[serde(default, deserialize_with = "phase")]
    pub phase: Option<ScopePhase>,
    /// What its contract holds.
    #[serde(default)]
    pub contract_has: Option<String>,
}

/// A phase, where the member is there.
fn phase<'de, D: serde::Deserializer<'de>>(member: D) -> Result<Option<ScopePhase>, D::Error> {
    let phase = Option::<ScopePhase>::deserialize(member)?;
    Ok(Some(phase.unwrap_or_default()))
}

/// One claim on the ledger; what is not named may be anything.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimWish {
    /// Its text.
    pub claim: String,
    /// Where it stands.
    pub state: ClaimState,
    /// Its session.
    #[serde(default)]
    pub session: Option<String>,
    /// Its helper agent.
    #[serde(default)]
    pub agent: Option<String>,
    /// The tool of the call that settled it; empty when none did.
    #[serde(default)]
    pub tool: Option<String>,
    /// The id of the call that settled it.
    #[serde(default)]
    pub call: Option<String>,
    /// Whether that call shares a subject with it.
    #[serde(default)]
    pub matched: Option<bool>,
    /// The person's turns since it was opened.
    #[serde(default)]
    pub turns: Option<u64>,
    /// How often it was refused.
    #[serde(default)]
    pub refusals: Option<u32>,
    /// The text of the claim that it rewords; empty when it rewords none.
    #[serde(default)]
    pub rewords: Option<String>,
    /// What the person said when they retired it is told, and holds this.
    #[serde(default)]
    pub why: Option<String>,
}

/// The cases of a file in `fixtures/cases/`.
///
/// # Errors
/// The file cannot be read, or holds something else.
pub fn load(name: &str) -> Result<Vec<Case>> {
    let path = fixtures().join("cases").join(format!("{name}.json"));
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} holds no cases", path.display()))
}
