//! The methods as lines on a stream: one message in, one message out.
//! Who may connect, and for how long the server lives, is the owner's business.

use std::sync::Arc;

use jsonrpsee::Extensions;
use jsonrpsee::Methods;
use jsonrpsee::core::server::{ConnectionId, MethodCallback};
use jsonrpsee::types::{Id, Params};
use proofmark_protocol::frame::{
    ErrorObject, INVALID_REQUEST, IncomingRequest, MAX_FRAME, METHOD_NOT_FOUND, PARSE_ERROR, SUPERSEDED, Speaker,
};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};

use crate::rpc::owner::Control;

/// Serves a connection until its other side closes it, a message is too long, or the server gives way.
pub(super) async fn serve<S>(stream: S, methods: Methods, control: Arc<Control>) -> std::io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let (read, mut write) = tokio::io::split(stream);
    let mut read = BufReader::new(read);
    let mut line = Vec::new();
    loop {
        line.clear();
        let limit = MAX_FRAME as u64 + 1;
        if (&mut read).take(limit).read_until(b'\n', &mut line).await? == 0 {
            return Ok(());
        }
        if line.len() > MAX_FRAME {
            let why = format!("a message is longer than {MAX_FRAME} bytes");
            return write.write_all(&error(None, INVALID_REQUEST, &why)).await;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let _in_flight = control.begin();
        if let Some(answer) = answer(&line, &methods, &control).await {
            write.write_all(&answer).await?;
        }
    }
}

/// The answer to one message; none to a notification.
async fn answer(line: &[u8], methods: &Methods, control: &Control) -> Option<Vec<u8>> {
    // Only an object is a request: a list would be read as the members in their order.
    let request: IncomingRequest<'_> = match serde_json::from_slice(line) {
        Ok(request) if line.trim_ascii_start().starts_with(b"{") => request,
        _ => {
            let value: Option<Value> = serde_json::from_slice(line).ok();
            let id = value
                .as_ref()
                .and_then(|value| value.get("id"))
                .map(Value::to_string)
                .filter(|id| is_id(id));
            let (code, why) = if value.is_some() {
                (INVALID_REQUEST, "the message is no request")
            } else {
                (PARSE_ERROR, "the message is no JSON")
            };
            return Some(error(id.as_deref(), code, why));
        }
    };
    let id = request.id.map(serde_json::value::RawValue::get);
    if id.is_some_and(|id| !is_id(id)) {
        return Some(error(None, INVALID_REQUEST, "the id is neither a number nor a text"));
    }
    let this = Speaker::this();
    if request
        .proofmark
        .as_ref()
        .is_some_and(|speaker| speaker.is_newer_than(&this))
    {
        control.shut_down();
        let why = format!(
            "this server is {}, the client is newer: the server gives way",
            this.build
        );
        return id.map(|id| error(Some(id), SUPERSEDED, &why));
    }
    let params = Params::new(request.params.map(serde_json::value::RawValue::get)).into_owned();
    let response = match methods.method(&request.method) {
        Some(MethodCallback::Async(run)) => run(Id::Null, params, ConnectionId(0), usize::MAX, Extensions::new()).await,
        Some(MethodCallback::Sync(run)) => run(Id::Null, params, usize::MAX, Extensions::new()),
        _ => {
            let why = format!("there is no method {}", crate::text::quote(&request.method, 40));
            return id.map(|id| error(Some(id), METHOD_NOT_FOUND, &why));
        }
    };
    id.map(|id| spoken(&with_id(response.as_json().get(), id)))
}

/// True when a value, as it is written, can be an id.
fn is_id(value: &str) -> bool {
    value == "null" || value.starts_with(|first: char| first == '"' || first == '-' || first.is_ascii_digit())
}

/// A response whose id is null, with the id as the request wrote it: a number may be longer than any number type.
/// What stands before the id can't be taken for it, because within a text the quotes are escaped.
fn with_id(response: &str, id: &str) -> String {
    response.replacen("\"id\":null", &format!("\"id\":{id}"), 1)
}

/// An error response.
fn error(id: Option<&str>, code: i32, message: &str) -> Vec<u8> {
    let error = ErrorObject {
        code,
        message: message.to_owned(),
    };
    let body = serde_json::json!({ "jsonrpc": "2.0", "error": error, "id": null });
    spoken(&with_id(&body.to_string(), id.unwrap_or("null")))
}

/// A response as a line that says who speaks.
fn spoken(response: &str) -> Vec<u8> {
    let this = Speaker::this();
    let speaker = serde_json::json!({ "protocol": this.protocol, "build": this.build });
    let rest = response.strip_prefix('{').unwrap_or("}");
    format!("{{\"proofmark\":{speaker},{rest}\n").into_bytes()
}
