//! What a person can do about a finding in an editor: the actions on it, and what each command is about.
//! Carrying a command out stays out.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{CodeAction, CodeActionKind, CodeActionOrCommand, Command, Diagnostic, Range, Uri};

use super::editor::Editor;

/// Retires an open claim: its id, or an object with `id` and `why`.
pub(super) const RETIRE: &str = "proofmark.retireClaim";
/// Takes that back: the claim's id.
pub(super) const UNDO_RETIRE: &str = "proofmark.undoRetire";
/// Dismisses a kept finding: its id, or an object with `id`, `wrong` and `why`.
pub(super) const DISMISS: &str = "proofmark.dismissFinding";
/// Takes that back: the finding's id.
pub(super) const UNDO_DISMISS: &str = "proofmark.undoDismiss";
/// Lifts a session's scope lock, and its contract with it: the session.
pub(super) const RELEASE_SCOPE: &str = "proofmark.releaseScope";
/// Answers a text for the agent about a finding: its id.
pub(super) const COPY: &str = "proofmark.copyAsPrompt";
/// Answers the command of the check that a finding is about: its id. Nothing is run.
pub(super) const CHECK: &str = "proofmark.checkCommand";
/// Opens the session's document at a finding's line: its id.
pub(super) const OPEN_DOCUMENT: &str = "proofmark.openDocument";
/// Opens the session's transcript: a finding's id.
pub(super) const OPEN_TRANSCRIPT: &str = "proofmark.openTranscript";

/// Every command.
pub(super) const ALL: [&str; 9] = [
    RETIRE,
    UNDO_RETIRE,
    DISMISS,
    UNDO_DISMISS,
    RELEASE_SCOPE,
    COPY,
    CHECK,
    OPEN_DOCUMENT,
    OPEN_TRANSCRIPT,
];

/// What a command is about.
#[derive(Debug, PartialEq, Deserialize)]
pub(super) struct Target {
    pub(super) id: String,
    /// The session, where ids of several may be alike.
    #[serde(default)]
    pub(super) session: Option<String>,
    #[serde(default)]
    pub(super) wrong: bool,
    #[serde(default)]
    pub(super) why: Option<String>,
}

impl Target {
    /// Reads a command's arguments: an id, or an object with one.
    pub(super) fn of(arguments: Vec<Value>) -> Result<Self> {
        match arguments.into_iter().next().unwrap_or_default() {
            Value::String(id) => Ok(Self {
                id,
                session: None,
                wrong: false,
                why: None,
            }),
            other => Self::deserialize(other)
                .map_err(|_| Error::invalid_params("the command takes an id, or an object with an id")),
        }
    }
}

/// The actions on the lines of a range.
pub(super) fn of(editor: &Editor, uri: &Uri, range: Range) -> Vec<CodeActionOrCommand> {
    let setup = editor.setup();
    let mut actions = Vec::new();
    let mut locked = BTreeSet::new();
    for diagnostic in editor.at(uri, range) {
        let named = |member: &str| diagnostic.data.as_ref()?.get(member)?.as_str().map(str::to_owned);
        let mut add = |title: &str, command: &str, argument: Value| {
            actions.push(action(
                setup.literal_actions,
                title,
                command,
                argument,
                Some(&diagnostic),
            ));
        };
        if let Some(claim) = named("claim") {
            add("Retire this claim", RETIRE, Value::String(claim));
        }
        if let Some(finding) = named("finding") {
            add(
                "Dismiss: it was right",
                DISMISS,
                json!({ "id": finding, "wrong": false }),
            );
            add(
                "Dismiss: it was wrong",
                DISMISS,
                json!({ "id": finding, "wrong": true }),
            );
        }
        if let (Some(_), Some(session)) = (named("scope"), named("session"))
            && locked.insert(session.clone())
        {
            add("Lift the scope of this session", RELEASE_SCOPE, Value::String(session));
        }
        let Some(id) = named("id") else { continue };
        let target = json!({ "id": id, "session": named("session") });
        add("Copy as prompt", COPY, target.clone());
        if named("command").is_some() {
            add("Show the command that runs the check again", CHECK, target.clone());
        }
        if setup.shows_documents {
            add("Open the session's document", OPEN_DOCUMENT, target.clone());
            if named("transcript").is_some() {
                add("Open the transcript", OPEN_TRANSCRIPT, target);
            }
        }
    }
    for claim in editor.retired_at(uri, range) {
        let title = format!("Undo: open “{}” again", claim.subject);
        let claim = Value::String(claim.claim);
        actions.push(action(setup.literal_actions, &title, UNDO_RETIRE, claim, None));
    }
    for finding in editor.dismissed_at(uri, range) {
        let title = format!("Undo: show {} again, “{}”", finding.code, finding.message);
        let finding = Value::String(finding.finding);
        actions.push(action(setup.literal_actions, &title, UNDO_DISMISS, finding, None));
    }
    actions
}

/// A command with a title, as an action where the editor takes one.
fn action(
    literal: bool,
    title: &str,
    command: &str,
    argument: Value,
    diagnostic: Option<&Diagnostic>,
) -> CodeActionOrCommand {
    let command = with_title(title, command, argument);
    if !literal {
        return CodeActionOrCommand::Command(command);
    }
    CodeActionOrCommand::CodeAction(CodeAction {
        title: title.to_owned(),
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: diagnostic.map(|diagnostic| vec![diagnostic.clone()]),
        command: Some(command),
        ..CodeAction::default()
    })
}

/// A command with its title and one argument.
pub(super) fn with_title(title: &str, command: &str, argument: Value) -> Command {
    Command {
        title: title.to_owned(),
        command: command.to_owned(),
        arguments: Some(vec![argument]),
    }
}
