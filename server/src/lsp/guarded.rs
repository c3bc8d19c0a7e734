//! A handler that panics gets its caller an error, and the server goes on.
//! What the handlers do stays out; without this the library would stop answering for good.

use std::panic::AssertUnwindSafe;
use std::task::{Context, Poll};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tower_lsp::jsonrpc::{Error, Request, Response};
use tower_service::Service;

/// A service whose handlers may panic.
pub(super) struct Guarded<S>(pub(super) S);

impl<S> Service<Request> for Guarded<S>
where
    S: Service<Request, Response = Option<Response>>,
    S::Future: Send + 'static,
{
    type Response = Option<Response>;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<Option<Response>, S::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let id = request.id().cloned();
        let handled = AssertUnwindSafe(self.0.call(request)).catch_unwind();
        let failed = move || id.map(|id| Response::from_error(id, Error::internal_error()));
        handled.map(|answer| answer.unwrap_or_else(|_| Ok(failed()))).boxed()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tower_lsp::jsonrpc::Result;
    use tower_lsp::ls_types::{DidSaveTextDocumentParams, InitializeParams, InitializeResult};
    use tower_lsp::{LanguageServer, LspService};

    use super::*;

    struct Panics;

    impl LanguageServer for Panics {
        async fn initialize(&self, _: InitializeParams) -> Result<InitializeResult> {
            Ok(InitializeResult::default())
        }

        async fn shutdown(&self) -> Result<()> {
            Ok(())
        }

        async fn did_save(&self, _: DidSaveTextDocumentParams) {
            panic!("on purpose");
        }
    }

    #[tokio::test]
    async fn a_request_gets_an_error_and_a_notification_nothing() {
        let build = LspService::build(|_| Panics).custom_method("panics", |_: &Panics| async {
            if std::env::args().count() > 0 {
                panic!("on purpose");
            }
            Ok(())
        });
        let mut service = Guarded(build.finish().0);
        let document = json!({"textDocument": {"uri": "file:///a"}});
        for (id, method, params, expected) in [
            (Some(1), "initialize", json!({"capabilities": {}}), None),
            (Some(2), "panics", json!(null), Some(-32603)),
            (None, "textDocument/didSave", document, None),
            (Some(3), "shutdown", json!(null), None),
        ] {
            let request = Request::build(method).params(params);
            let request = if let Some(id) = id { request.id(id) } else { request }.finish();
            let answer = service.call(request).await.unwrap();
            assert_eq!(answer.is_some(), id.is_some(), "{method}");
            let code = answer.and_then(|answer| answer.error().map(|error| error.code.code()));
            assert_eq!(code, expected, "{method}");
        }
    }
}
