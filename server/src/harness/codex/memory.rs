//! What is remembered of a rollout's earlier lines: whose it is, its turn, and calls that later lines speak of.
//! What lines mean stays out. All of it is bounded: of too much the oldest is forgotten, which costs a join, no more.

use serde::{Deserialize, Serialize};

use super::code::Asked;
use super::fork::Copying;
use crate::harness::recent::Recent;

/// What is remembered of one rollout.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Memory {
    /// The first `session_meta` was met: later ones are those of resumes and of the session that was copied.
    pub(super) met: bool,
    /// The newer form, in which `item_completed` tells what was said and what ran (`history_mode`, first met in 0.171.0).
    pub(super) paginated: bool,
    /// The beginning of the file is a copy of the parent's.
    pub(super) copying: Option<Copying>,
    /// The copy is over, and what the helper was told to do has not been met.
    pub(super) untasked: bool,
    /// The folder in which the agent works.
    pub(super) cwd: Option<String>,
    /// The newest turn.
    pub(super) turn: Option<String>,
    /// Whether a turn is known to run.
    pub(super) run: Run,
    /// Prompts so far.
    pub(super) prompts: u64,
    /// What was shown last, when another line may say it again.
    pub(super) shown: Option<Shown>,
    /// Calls without a result, by id.
    pub(super) pending: Recent<Pending>,
    /// Calls that have ended, by id: whether an exit code was told.
    pub(super) ended: Recent<bool>,
    /// Commands that go on, by the number that `write_stdin` names them by: the call that started each.
    pub(super) processes: Recent<String>,
    /// Helper agents, by thread: the call that started each.
    pub(super) helpers: Recent<String>,
    /// Scripts that go on, by the number that `wait` names them by: their calls.
    pub(super) cells: Recent<String>,
    /// What scripts asked for and no line has shown to have ended, by the script's call.
    pub(super) scripts: Recent<Vec<Asked>>,
}

/// What is known of a turn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Run {
    /// Nothing: older files and pieces of files do not tell.
    #[default]
    Unknown,
    /// It has begun, and its prompt is to come.
    Begun,
    /// The agent works on its prompt.
    Works,
    /// It is over.
    Over,
}

/// What was shown last. A prompt and a text each stand two or three times in a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Shown {
    /// A prompt, by the message to the model: the event that tells it again comes next.
    PromptMessage,
    /// A text of the agent's, by the event: the message that holds it again comes next.
    TextEvent,
    /// A text of the agent's, by the message: its hash, as what the agent said is not stored.
    TextMessage(u64),
}

/// A call without a result, as far as its output has to be read in a way of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Pending {
    /// A shell command or a patch: the output tells an exit code.
    Command,
    /// A look at a running command, or words typed into it.
    Process(i64),
    /// A script of code mode.
    Script,
    /// A look at a running script.
    Cell(String),
    /// It starts a helper agent.
    Spawn,
    /// It waits for helper agents, or tells one more to do: those that it names.
    Helpers(Vec<String>),
    /// Any other.
    Other,
}
