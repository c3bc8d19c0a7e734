//! The guard between an editor and the server: only messages that the server can read reach it.
//! What they ask for stays out; the server's own framing ends at the first message that it can't read.

use std::sync::{Mutex, PoisonError};

use proofmark_protocol::frame::{INVALID_REQUEST, MAX_FRAME, PARSE_ERROR};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, BufReader, DuplexStream};
use tokio::sync::{mpsc, watch};
use tower_lsp::jsonrpc::{Id, Request};

use super::frames::{self, Frame};
use super::{FINISH, backend};

/// How the input ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// With `exit`.
    Exit {
        /// True when `shutdown` came before it.
        after_shutdown: bool,
    },
    /// Without a word.
    Closed,
}

impl End {
    /// True when the client may still listen.
    pub(super) fn is_quiet(self) -> bool {
        self == Self::Closed
    }
}

/// What is under way between editor and server.
#[derive(Default)]
pub(super) struct Traffic {
    unanswered: watch::Sender<usize>,
    initialize: Mutex<Option<Id>>,
    ready: watch::Sender<bool>,
}

impl Traffic {
    /// Turns true once the editor has its answer to `initialize`: nothing may be sent before.
    pub(super) fn ready(&self) -> watch::Receiver<bool> {
        self.ready.subscribe()
    }

    /// Waits until every request has its answer.
    pub(super) async fn settled(&self) {
        // The sender is ours, so waiting can't fail.
        let mut unanswered = self.unanswered.subscribe();
        let _settled = unanswered.wait_for(|open| *open == 0).await;
    }

    fn asked(&self, request: &Request) {
        if request.method() == "initialize" {
            *self.initialize.lock().unwrap_or_else(PoisonError::into_inner) = request.id().cloned();
        }
        // LSP lets a server be silent about requests of this kind that it does not know, and ours is.
        if request.id().is_some() && !request.method().starts_with("$/") {
            self.unanswered.send_modify(|open| *open += 1);
        }
    }

    fn answered(&self, id: &Id) {
        self.unanswered.send_modify(|open| *open = open.saturating_sub(1));
        if self.initialize.lock().unwrap_or_else(PoisonError::into_inner).as_ref() == Some(id) {
            self.ready.send_replace(true);
        }
    }
}

/// The parts of a message that tell what it is.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(default)]
    method: Option<serde::de::IgnoredAny>,
}

/// Passes messages on until `exit` or the end of the input; gives back the way to the server, which ends when that is
/// dropped. What can't be passed on is answered here, with its id where one can be read.
pub(super) async fn guard(
    input: impl AsyncRead + Unpin,
    mut server: DuplexStream,
    out: &mpsc::Sender<Vec<u8>>,
    traffic: &Traffic,
) -> (End, DuplexStream) {
    let mut input = BufReader::new(input);
    let mut after_shutdown = false;
    loop {
        let too_long = format!("a message is longer than {MAX_FRAME} bytes");
        // An input that can't be read has ended.
        let messages = match frames::read(&mut input).await.unwrap_or(Frame::End) {
            Frame::End => return (End::Closed, server),
            Frame::TooLong(_) => vec![Err(refusal(None, INVALID_REQUEST, &too_long))],
            Frame::Rubbish => vec![Err(refusal(None, PARSE_ERROR, "this is no header"))],
            Frame::Message(body) => read(&body),
        };
        for message in messages {
            let request = match message {
                Ok(Some(request)) => request,
                Ok(None) => continue,
                Err(refusal) => {
                    // Nobody reads any more: the input will end too.
                    let _sent = out.send(refusal).await;
                    continue;
                }
            };
            traffic.asked(&request);
            let Ok(body) = serde_json::to_vec(&request) else {
                continue;
            };
            let passed = frames::write(&mut server, &body).await;
            match request.method() {
                "exit" => return (End::Exit { after_shutdown }, server),
                "shutdown" => after_shutdown = true,
                // Whoever pipes a session in does not wait for this answer, and the server takes nothing before it.
                "initialize" => {
                    let _in_time = tokio::time::timeout(FINISH, traffic.settled()).await;
                }
                _ => {}
            }
            if passed.is_err() {
                return (End::Closed, server);
            }
        }
    }
}

/// The requests in a message: one, those of a batch, or none. A response is none: this server asks nothing.
pub(super) fn read(body: &[u8]) -> Vec<Result<Option<Request>, Vec<u8>>> {
    if body.trim_ascii_start().first() != Some(&b'[') {
        return vec![read_one(body)];
    }
    match serde_json::from_slice::<Vec<&RawValue>>(body) {
        Ok(batch) if !batch.is_empty() => batch.into_iter().map(|one| read_one(one.get().as_bytes())).collect(),
        Ok(_) => vec![Err(refusal(None, INVALID_REQUEST, "the batch is empty"))],
        Err(_) => vec![Err(refusal(None, PARSE_ERROR, "the message is no JSON"))],
    }
}

fn read_one(body: &[u8]) -> Result<Option<Request>, Vec<u8>> {
    let head = serde_json::from_slice::<Head<'_>>(body);
    let id = head.as_ref().ok().and_then(|head| head.id).map(RawValue::get);
    if head
        .as_ref()
        .is_ok_and(|head| head.method.is_none() && head.id.is_some())
    {
        return Ok(None);
    }
    // Read as the server will read it, so that it can't fail there.
    match serde_json::from_slice::<Request>(body) {
        Ok(request) if request.method().is_empty() => Err(refusal(id, INVALID_REQUEST, "the message names no method")),
        Ok(request) => Ok(Some(backend::with_params(request))),
        Err(error) if error.is_data() => Err(refusal(id, INVALID_REQUEST, "the message is no request")),
        Err(_) => Err(refusal(id, PARSE_ERROR, "the message is no JSON")),
    }
}

/// An error without a request of the server behind it.
fn refusal(id: Option<&str>, code: i32, why: &str) -> Vec<u8> {
    let readable = id.filter(|id| serde_json::from_str::<Id>(id).is_ok()).unwrap_or("null");
    let error = serde_json::json!({ "code": code, "message": why });
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{readable},\"error\":{error}}}").into_bytes()
}

/// Passes the server's messages on to the editor.
pub(super) async fn pass_on(server: DuplexStream, out: mpsc::Sender<Vec<u8>>, traffic: std::sync::Arc<Traffic>) {
    let mut server = BufReader::new(server);
    while let Ok(Frame::Message(body)) = frames::read(&mut server).await {
        let head = serde_json::from_slice::<Head<'_>>(&body)
            .ok()
            .filter(|head| head.method.is_none());
        let answered = head.and_then(|head| serde_json::from_str::<Id>(head.id?.get()).ok());
        if out.send(body).await.is_err() {
            break;
        }
        if let Some(id) = answered {
            traffic.answered(&id);
        }
    }
    // Nothing can be answered any more, so nobody waits for it.
    traffic.unanswered.send_replace(0);
}
