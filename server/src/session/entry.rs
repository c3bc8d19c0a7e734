//! One thing that a harness's record shows, in file order, with no trace of the harness's own format.
//! What a call did is decided in `evidence/`; what follows from it in the fold.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::text::redact;

/// The harness's id of a row of its record.
pub type RowId = String;
/// The harness's id of a tool call.
pub type CallId = String;

/// What a tool is for, as its harness's table or the person's settings say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToolKind {
    /// It runs a shell command; what that does is read from the command.
    Shell {
        /// The command as the agent wrote it, without what looks like a secret.
        command: String,
    },
    /// It looks at something: reads, searches, fetches.
    Observes,
    /// It changes files or the outside world.
    Mutates,
    /// It starts a helper agent; what that did is read from the helper's own record.
    Delegates,
    /// It asks the person.
    Asks,
    /// It does none of these: to-do lists, plans.
    Neither,
    /// Nobody said what it does.
    Unknown,
}

impl ToolKind {
    /// A tool that runs this command; of the command everything but what looks like a secret is kept.
    pub fn shell(command: &str) -> Self {
        Self::Shell {
            command: redact(command).into_owned(),
        }
    }
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ending {
    /// The harness reports no error.
    Succeeded,
    /// It ran, and reports an error.
    Failed,
    /// It ran and is over; the record does not say whether well.
    Untold,
    /// The harness, a hook or the person refused it: it never ran.
    Denied,
    /// It was cut off.
    Interrupted,
    /// It goes on in the background; its result is not on record yet.
    Background,
}

/// Why a harness put text before the agent that is not the person's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Injection {
    /// What a hook said, ours included.
    HookFeedback,
    /// A task in the background reports.
    Notification,
    /// The agent was cut off, by the person or by an error of its model: what it said last ends no turn, and no stop
    /// was raised for it.
    Interruption,
    /// The person gave the harness a command, or ran one beside the agent: a turn that ended stays ended.
    Command,
    /// A summary of an earlier part, or anything else that the harness wrote.
    Harness,
}

/// One thing that the record shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Entry {
    /// The person spoke: a turn of the person begins.
    Prompt {
        /// The row.
        row: RowId,
        /// The harness's id of the turn, where the row has one.
        turn: Option<String>,
        /// What they wrote.
        text: String,
        /// True when they wrote it while the agent worked: the agent's run goes on, and what it did in it is not over.
        queued: bool,
    },
    /// The person spoke, in refusing a call: the agent goes on in the same turn.
    Remark {
        /// The row.
        row: RowId,
        /// What they wrote.
        text: String,
    },
    /// The agent's prose, as the person can read it.
    Text {
        /// The row.
        row: RowId,
        /// What it wrote.
        text: String,
    },
    /// The agent called a tool.
    Call {
        /// The row.
        row: RowId,
        /// The call.
        id: CallId,
        /// The tool's name as the harness spells it.
        tool: String,
        /// What the tool is for.
        kind: ToolKind,
        /// What it was asked, as a short text: command, path, pattern or address.
        input: String,
        /// The files that it is to change, as it names them; empty where it names none, and for a shell command, which
        /// is read for itself.
        changes: Vec<String>,
    },
    /// A call ended.
    Result {
        /// The call.
        id: CallId,
        /// How.
        ending: Ending,
        /// The exit code of the command, where the record tells one.
        exit: Option<i32>,
        /// What it showed: all of it, or its beginning and its end.
        output: String,
        /// The helper agent that it started.
        helper: Option<String>,
        /// The harness's id of the turn, where the row has one.
        turn: Option<String>,
    },
    /// The harness put text before the agent that is not the person's.
    Injected {
        /// Why.
        injection: Injection,
        /// The harness's id of the turn, where the row has one.
        turn: Option<String>,
    },
    /// The row says who wrote the record and for which session.
    Origin {
        /// The session id that the record's rows carry.
        session: Option<String>,
        /// True when a client's version stands on the rows: such a client writes every reply to the record.
        client: bool,
        /// The folder in which the agent works; what comes next is done there.
        cwd: Option<String>,
        /// True when the harness itself holds the session, in order to judge another one: nobody is to be held to
        /// what is said in it.
        by_harness: bool,
    },
    /// A complete line that is no entry: broken JSON, or too long to read.
    Unreadable,
}

impl Entry {
    /// The entry without what looks like a secret in what was said: nothing that is kept of a record holds more. Calls
    /// are free of secrets as they are made ([`ToolKind::shell`]); what they printed is not kept.
    #[must_use]
    pub fn redacted(mut self) -> Self {
        if let Self::Prompt { text, .. } | Self::Remark { text, .. } | Self::Text { text, .. } = &mut self
            && let Cow::Owned(clean) = redact(text)
        {
            *text = clean;
        }
        self
    }
}
