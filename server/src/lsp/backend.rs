//! What the editor asks: the standard requests, and every method of ours under its own name.
//! Each handler is a translation; what is found and kept is decided elsewhere.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use proofmark_protocol::findings::{Item, SessionFindings};
use proofmark_protocol::frame::{BUILD, DEADLINE};
use proofmark_protocol::method;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tower_lsp::jsonrpc::{Error, ErrorCode, Request, Result};
use tower_lsp::ls_types::{
    CodeActionKind, CodeActionOptions, CodeActionParams, CodeActionProviderCapability, CodeActionResponse, CodeLens,
    CodeLensOptions, CodeLensParams, DeleteFilesParams, DidChangeConfigurationParams, DidChangeWorkspaceFoldersParams,
    DidSaveTextDocumentParams, ExecuteCommandOptions, ExecuteCommandParams, FileOperationFilter, FileOperationPattern,
    FileOperationRegistrationOptions, Hover, HoverParams, HoverProviderCapability, InitializeParams, InitializeResult,
    LSPAny, OneOf, RenameFilesParams, SaveOptions, ServerCapabilities, ServerInfo, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions, Uri,
    WorkspaceFileOperationsServerCapabilities, WorkspaceFoldersServerCapabilities, WorkspaceServerCapabilities,
};
use tower_lsp::{ClientSocket, LanguageServer, LspService};

use super::actions::{self, Target};
use super::editor::{Editor, Setup, folder};
use super::link::{Link, LinkError};
use super::pages;
use super::publish::Ask;
use super::{ask, beside, diagnostics};
use crate::text::quote;

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
        let wanted = params.context.only.as_ref().is_none_or(|only| {
            only.iter()
                .any(|kind| kind.as_str().is_empty() || *kind == CodeActionKind::QUICKFIX)
        });
        if !wanted {
            return Vec::new();
        }
        actions::of(&self.editor, &params.text_document.uri, params.range)
    }

    async fn execute(&self, params: ExecuteCommandParams) -> Result<Option<LSPAny>> {
        let target = Target::of(params.arguments)?;
        let (name, params) = match params.command.as_str() {
            actions::RETIRE => (method::RETIRE_CLAIM, json!({ "id": target.id, "why": target.why })),
            actions::UNDO_RETIRE => (method::REOPEN_CLAIM, json!({ "id": target.id })),
            actions::DISMISS => {
                let params = json!({ "id": target.id, "wrong": target.wrong, "why": target.why });
                (method::DISMISS_FINDING, params)
            }
            actions::UNDO_DISMISS => (method::REOPEN_FINDING, json!({ "id": target.id })),
            actions::RELEASE_SCOPE => (method::RELEASE_SCOPE, json!({ "session": target.id })),
            actions::COPY => return self.copy(&target).map(Some),
            actions::CHECK => return self.check(&target).map(Some),
            actions::OPEN_DOCUMENT => return self.open_document(&target),
            actions::OPEN_TRANSCRIPT => return self.open_transcript(&target),
            other => {
                return Err(Error::invalid_params(format!(
                    "there is no command {}",
                    quote(other, 40)
                )));
            }
        };
        self.link
            .call(name, params)
            .await
            .map(Some)
            .map_err(|error| refused(&error))
    }

    fn shown(&self, target: &Target) -> Result<(Item, SessionFindings)> {
        let shown = self.editor.item(&target.id, target.session.as_deref());
        shown.ok_or_else(|| Error::invalid_params("nothing is shown under this id any more"))
    }

    /// A text for the agent. It is the answer, and a message too: most editors drop the answer of a command.
    fn copy(&self, target: &Target) -> Result<Value> {
        let (item, _) = self.shown(target)?;
        let text = if item.claim.is_some() {
            format!(
                "In turn {} you said “{}” and tagged it as unverified. Please try to verify it now, or take it back.",
                item.turn, item.subject
            )
        } else if item.finding.is_some() {
            let check =
                diagnostics::command(&item).map_or_else(String::new, |command| format!(" The check is: {command}"));
            format!(
                "Proofmark, {}: {} Please look at it again, and say what holds now.{check}",
                item.code, item.message
            )
        } else {
            format!(
                "In turn {} you said “{}”. Please say what it rests on.",
                item.turn, item.subject
            )
        };
        self.say(&text);
        Ok(Value::String(text))
    }

    /// The command of a finding's check, for the person to run: nothing is run here.
    fn check(&self, target: &Target) -> Result<Value> {
        let (item, session) = self.shown(target)?;
        let Some(command) = diagnostics::command(&item) else {
            return Err(Error::invalid_params(
                "no command that fits on a line is known for this finding's check",
            ));
        };
        self.say(&format!("The check's command: {command}"));
        Ok(json!({ "command": command, "cwd": session.cwd }))
    }

    fn say(&self, text: &str) {
        self.send(&json!({
            "jsonrpc": "2.0", "method": "window/showMessage", "params": { "type": 3, "message": text },
        }));
    }

    fn open_document(&self, target: &Target) -> Result<Option<LSPAny>> {
        let (item, session) = self.shown(target)?;
        let at = json!({ "line": item.line, "character": 0 });
        self.open(&session.document, Some(json!({ "start": at, "end": at })))
    }

    fn open_transcript(&self, target: &Target) -> Result<Option<LSPAny>> {
        let (_, session) = self.shown(target)?;
        let Some(transcript) = session.transcript else {
            return Err(Error::invalid_params("no transcript of this session is known"));
        };
        self.open(&transcript, None)
    }

    /// Has the editor open a file; the answer is its URI, for one that can't.
    fn open(&self, path: &str, selection: Option<Value>) -> Result<Option<LSPAny>> {
        let Some(uri) = Uri::from_file_path(path) else {
            return Err(Error::invalid_params("the file has no absolute path"));
        };
        if self.editor.setup().shows_documents {
            let mut params = json!({ "uri": uri, "takeFocus": true });
            if let (Some(selection), Some(members)) = (selection, params.as_object_mut()) {
                members.insert("selection".to_owned(), selection);
            }
            self.send(&ask::editor("window/showDocument", Some(params)));
        }
        Ok(Some(json!(uri)))
    }

    /// Sends something to the editor. Not waited for: a handler never waits for it.
    fn send(&self, message: &Value) {
        let _sent = self.out.try_send(message.to_string().into_bytes());
    }
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

    async fn did_rename_files(&self, _: RenameFilesParams) {
        self.again();
    }

    async fn did_delete_files(&self, _: DeleteFilesParams) {
        self.again();
    }

    async fn did_change_configuration(&self, params: DidChangeConfigurationParams) {
        if let Some(sent) = params.settings.get("proofmark") {
            self.editor.change_options(sent);
            self.again();
        }
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

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        let at = params.text_document_position_params;
        Ok(beside::hover(&self.editor, &at.text_document.uri, at.position))
    }

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        Ok(Some(beside::lenses(&self.editor, &params.text_document.uri)))
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<LSPAny>> {
        self.execute(params).await
    }
}

fn any_file() -> FileOperationRegistrationOptions {
    FileOperationRegistrationOptions {
        filters: vec![FileOperationFilter {
            scheme: Some("file".to_owned()),
            pattern: FileOperationPattern {
                glob: "**".to_owned(),
                matches: None,
                options: None,
            },
        }],
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
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        code_lens_provider: Some(CodeLensOptions {
            resolve_provider: Some(false),
        }),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: actions::ALL.map(str::to_owned).to_vec(),
            ..ExecuteCommandOptions::default()
        }),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(true)),
            }),
            file_operations: Some(WorkspaceFileOperationsServerCapabilities {
                did_rename: Some(any_file()),
                did_delete: Some(any_file()),
                ..WorkspaceFileOperationsServerCapabilities::default()
            }),
        }),
        ..ServerCapabilities::default()
    }
}
