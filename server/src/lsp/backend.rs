//! What the editor asks: the standard requests, and every method of ours under its own name.
//! Each handler is a translation; what is found and kept is decided elsewhere.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use proofmark_protocol::frame::{BUILD, DEADLINE};
use proofmark_protocol::method;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tower_lsp::jsonrpc::{Error, ErrorCode, Request, Result};
use tower_lsp::ls_types::{
    CodeAction, CodeActionKind, CodeActionOptions, CodeActionOrCommand, CodeActionParams, CodeActionProviderCapability,
    CodeActionResponse, Command, Diagnostic, DidChangeWorkspaceFoldersParams, DidSaveTextDocumentParams,
    ExecuteCommandOptions, ExecuteCommandParams, InitializeParams, InitializeResult, LSPAny, OneOf, SaveOptions,
    ServerCapabilities, ServerInfo, TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions,
    TextDocumentSyncSaveOptions, WorkspaceFoldersServerCapabilities, WorkspaceServerCapabilities,
};
use tower_lsp::{ClientSocket, LanguageServer, LspService};

use super::editor::{Editor, Setup, folder};
use super::link::{Link, LinkError};
use super::pages;
use super::publish::Ask;

/// Retires an open claim: its id, or an object with `id` and `why`.
const RETIRE: &str = "proofmark.retireClaim";
/// Takes that back: the claim's id.
const UNDO: &str = "proofmark.undoRetire";
/// Answers a text for the agent about a finding: its id.
const COPY: &str = "proofmark.copyAsPrompt";

/// Methods that stdio does not have: the editor's own `shutdown` has that name, and findings come as diagnostics.
const NOT_ON_STDIO: [&str; 3] = [
    method::SHUTDOWN,
    method::SUBSCRIBE_FINDINGS,
    method::UNSUBSCRIBE_FINDINGS,
];

/// The server as the editor sees it.
pub(super) struct Backend {
    editor: Arc<Editor>,
    link: Arc<Link>,
    asks: mpsc::Sender<Ask>,
    out: mpsc::Sender<Vec<u8>>,
    /// Our methods are answered one after the other, as on a connection to the socket: a stop must not overtake its prompt.
    order: Arc<tokio::sync::Mutex<()>>,
}

/// The service with its standard methods and ours.
pub(super) fn service(
    editor: Arc<Editor>,
    link: Arc<Link>,
    asks: mpsc::Sender<Ask>,
    out: mpsc::Sender<Vec<u8>>,
) -> (LspService<Backend>, ClientSocket) {
    let mut builder = LspService::build(|_| Backend {
        editor,
        link,
        asks,
        out,
        order: Arc::default(),
    });
    for name in ours() {
        builder = builder.custom_method(name, move |backend: &Backend, params: Value| {
            backend.forward(name, params)
        });
    }
    builder.finish()
}

fn ours() -> impl Iterator<Item = &'static str> {
    method::ALL.into_iter().filter(|name| !NOT_ON_STDIO.contains(name))
}

/// A request with params: the server wants some for every method of ours, and clients leave them out or send null.
pub(super) fn with_params(request: Request) -> Request {
    if request.params().is_some_and(|params| !params.is_null()) || !ours().any(|name| name == request.method()) {
        return request;
    }
    let (method, id, _) = request.into_parts();
    let built = Request::build(method).params(json!({}));
    match id {
        Some(id) => built.id(id).finish(),
        None => built.finish(),
    }
}

impl Backend {
    fn forward(&self, name: &'static str, params: Value) -> BoxFuture<'static, Result<Value>> {
        let (link, order) = (Arc::clone(&self.link), Arc::clone(&self.order));
        let answer = async move {
            let _turn = order.lock().await;
            link.call(name, params).await.map_err(|error| refused(&error))
        };
        answer.boxed()
    }

    /// Has the publisher look again. One that has such a request waiting already will.
    fn again(&self) {
        let _asked = self.asks.try_send(Ask::Again);
    }

    fn actions(&self, params: &CodeActionParams) -> CodeActionResponse {
        let literal = self.editor.setup().literal_actions;
        let wanted = params.context.only.as_ref().is_none_or(|only| {
            only.iter()
                .any(|kind| kind.as_str().is_empty() || *kind == CodeActionKind::QUICKFIX)
        });
        if !wanted {
            return Vec::new();
        }
        let uri = &params.text_document.uri;
        let mut actions = Vec::new();
        for diagnostic in self.editor.at(uri, params.range) {
            let named = |member: &str| diagnostic.data.as_ref()?.get(member)?.as_str().map(str::to_owned);
            if let Some(claim) = named("claim") {
                actions.push(action(literal, "Retire this claim", RETIRE, claim, Some(&diagnostic)));
            }
            if let Some(id) = named("id") {
                actions.push(action(literal, "Copy as prompt", COPY, id, Some(&diagnostic)));
            }
        }
        for claim in self.editor.retired_at(uri, params.range) {
            let title = format!("Undo: open “{}” again", claim.subject);
            actions.push(action(literal, &title, UNDO, claim.claim, None));
        }
        actions
    }

    async fn execute(&self, params: ExecuteCommandParams) -> Result<Option<LSPAny>> {
        let argument = params.arguments.into_iter().next().unwrap_or_default();
        let target = match &argument {
            Value::String(id) => Target {
                id: id.clone(),
                why: None,
            },
            other => Target::deserialize(other)
                .map_err(|_| Error::invalid_params("the command takes an id, or an object with an id"))?,
        };
        let (name, params) = match params.command.as_str() {
            RETIRE => (method::RETIRE_CLAIM, json!({ "id": target.id, "why": target.why })),
            UNDO => (method::REOPEN_CLAIM, json!({ "id": target.id })),
            COPY => return self.copy(&target.id).map(Some),
            other => {
                return Err(Error::invalid_params(format!(
                    "there is no command {}",
                    crate::text::quote(other, 40)
                )));
            }
        };
        self.link
            .call(name, params)
            .await
            .map(Some)
            .map_err(|error| refused(&error))
    }

    /// A text for the agent. It is the answer, and a message too: most editors drop the answer of a command.
    fn copy(&self, id: &str) -> Result<Value> {
        let Some(item) = self.editor.item(id) else {
            return Err(Error::invalid_params("nothing is shown under this id any more"));
        };
        let text = if item.claim.is_some() {
            format!(
                "In turn {} you said “{}” and tagged it as unverified. Please try to verify it now, or take it back.",
                item.turn, item.subject
            )
        } else {
            format!(
                "In turn {} you said “{}”. Please say what it rests on.",
                item.turn, item.subject
            )
        };
        let message = json!({
            "jsonrpc": "2.0", "method": "window/showMessage", "params": { "type": 3, "message": text },
        });
        // Not waited for: a handler never waits for the editor.
        let _sent = self.out.try_send(message.to_string().into_bytes());
        Ok(Value::String(text))
    }
}

/// What a command is about.
#[derive(Deserialize)]
struct Target {
    id: String,
    #[serde(default)]
    why: Option<String>,
}

/// A command with a title, as an action where the editor takes one.
fn action(
    literal: bool,
    title: &str,
    command: &str,
    argument: String,
    diagnostic: Option<&Diagnostic>,
) -> CodeActionOrCommand {
    let command = Command {
        title: title.to_owned(),
        command: command.to_owned(),
        arguments: Some(vec![Value::String(argument)]),
    };
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

/// An error of the owner's, as it came.
fn refused(error: &LinkError) -> Error {
    let code = match error {
        LinkError::Refused(refused) => ErrorCode::from(i64::from(refused.code)),
        LinkError::Late => ErrorCode::from(i64::from(DEADLINE)),
        LinkError::Io(_) | LinkError::Unreadable(_) => ErrorCode::InternalError,
    };
    Error {
        code,
        message: error.to_string().into(),
        data: None,
    }
}

impl LanguageServer for Backend {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        let setup = Setup::of(&params);
        let encoding = setup.encoding;
        self.editor.set_up(setup);
        // Without the pages an editor opens nothing for a code, and everything else works.
        let _laid = pages::lay(self.editor.state_dir());
        Ok(InitializeResult {
            capabilities: capabilities(encoding.kind()),
            server_info: Some(ServerInfo {
                name: "proofmark".to_owned(),
                version: Some(BUILD.to_owned()),
            }),
            ..InitializeResult::default()
        })
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }

    async fn did_save(&self, _: DidSaveTextDocumentParams) {
        self.again();
    }

    async fn did_change_workspace_folders(&self, params: DidChangeWorkspaceFoldersParams) {
        let paths = |folders: &[tower_lsp::ls_types::WorkspaceFolder]| -> Vec<_> {
            folders.iter().filter_map(|named| folder(&named.uri)).collect()
        };
        self.editor
            .change_folders(paths(&params.event.added), &paths(&params.event.removed));
        self.again();
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        Ok(Some(self.actions(&params)))
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<LSPAny>> {
        self.execute(params).await
    }
}

fn capabilities(encoding: tower_lsp::ls_types::PositionEncodingKind) -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(encoding),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::NONE),
            save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions {
                include_text: Some(false),
            })),
            ..TextDocumentSyncOptions::default()
        })),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
            ..CodeActionOptions::default()
        })),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: [RETIRE, UNDO, COPY].map(str::to_owned).to_vec(),
            ..ExecuteCommandOptions::default()
        }),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(true)),
            }),
            ..WorkspaceServerCapabilities::default()
        }),
        ..ServerCapabilities::default()
    }
}
