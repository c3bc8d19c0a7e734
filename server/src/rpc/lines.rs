//! The methods as lines on a stream: one message in, one message out.
//! Who may connect, and for how long the server lives, is the owner's business.

use std::sync::Arc;
use std::time::Duration;

use jsonrpsee::Extensions;
use jsonrpsee::Methods;
use jsonrpsee::core::id_providers::RandomIntegerIdProvider;
use jsonrpsee::core::server::{BoundedSubscriptions, ConnectionId, MethodCallback, MethodSink, SubscriptionState};
use jsonrpsee::types::{Id, Params};
use proofmark_protocol::frame::{
    ErrorObject, INTERNAL_ERROR, INVALID_REQUEST, IncomingRequest, MAX_FRAME, METHOD_NOT_FOUND, PARSE_ERROR,
    SUPERSEDED, Speaker,
};
use proofmark_protocol::judge::Waiting;
use proofmark_protocol::method;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;

use crate::rpc::owner::Control;

#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;

/// Messages of a subscription that wait for a slow reader; the subscription itself waits with the rest.
const WAITING: usize = 4;

/// A connection without a subscription ends when no whole request has come for so long.
const SILENT: Duration = Duration::from_secs(60);
/// What a connection keeps to read messages into, in bytes.
const KEPT: usize = 16 * 1024;
/// A client that does not take an answer for so long is given up.
const TAKE: Duration = Duration::from_secs(30);

/// The way to a client that waits for an answer: what is sent here is written before the answer.
#[derive(Clone)]
pub(crate) struct Notices(mpsc::Sender<Box<RawValue>>);

impl Notices {
    /// Tells the client, where there is a way to it, that its answer may take this long from now on. One that reads
    /// nothing is told nothing.
    pub(crate) fn tell(notices: Option<&Self>, left: Duration) {
        let Some(Self(sink)) = notices else { return };
        let seconds = left.as_secs_f64().ceil() as u64;
        let notice = serde_json::json!({ "jsonrpc": "2.0", "method": method::WAITING, "params": Waiting { seconds } });
        if let Ok(notice) = serde_json::value::to_raw_value(&notice) {
            let _full = sink.try_send(notice);
        }
    }
}

/// One connection: what its requests are answered with, and where its subscription goes.
struct Connection<'a> {
    methods: &'a Methods,
    control: &'a Control,
    id: ConnectionId,
    /// One subscription each: a second one would get the same.
    subscriptions: BoundedSubscriptions,
    sink: mpsc::Sender<Box<RawValue>>,
}

/// Tells a client that there are too many, and lets it go.
pub(crate) async fn turn_away(mut stream: impl AsyncWrite + Unpin) {
    let why = "too many clients are connected";
    // One that does not read is let go all the same.
    let _told = put(&mut stream, &error(None, INTERNAL_ERROR, why)).await;
}

/// Writes an answer; one that nobody takes ends the connection.
async fn put(write: &mut (impl AsyncWrite + Unpin), bytes: &[u8]) -> std::io::Result<()> {
    match tokio::time::timeout(TAKE, write.write_all(bytes)).await {
        Ok(written) => written,
        Err(_) => Err(std::io::ErrorKind::TimedOut.into()),
    }
}

/// Serves a connection until its other side closes it or is silent, a message is too long, or the server gives way.
pub(crate) async fn serve<S>(stream: S, methods: Methods, control: Arc<Control>) -> std::io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    serve_within(SILENT, stream, methods, control).await
}

async fn serve_within<S>(limit: Duration, stream: S, methods: Methods, control: Arc<Control>) -> std::io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let (read, mut write) = tokio::io::split(stream);
    let mut read = BufReader::new(read);
    let (sink, mut subscribed) = mpsc::channel(WAITING);
    let connection = Connection {
        methods: &methods,
        control: &control,
        id: ConnectionId(control.next_connection()),
        subscriptions: BoundedSubscriptions::new(1),
        sink,
    };
    let mut line = Vec::new();
    let mut silent = std::pin::pin!(tokio::time::sleep(limit));
    loop {
        tokio::select! {
            // A request that has come by the last moment is answered.
            biased;
            Some(message) = subscribed.recv() => {
                write.write_all(&spoken(message.get())).await?;
                continue;
            }
            // What was read before another branch won stays in the line.
            read = read_line(&mut read, &mut line) => if !read? { return Ok(()) },
            () = &mut silent => {
                if connection.subscriptions.acquire().is_some() {
                    return Ok(());
                }
                silent.as_mut().reset(tokio::time::Instant::now() + limit);
                continue;
            }
        }
        if line.len() > MAX_FRAME {
            let why = format!("a message is longer than {MAX_FRAME} bytes");
            return put(&mut write, &error(None, INVALID_REQUEST, &why)).await;
        }
        if !line.trim_ascii().is_empty() {
            let _in_flight = control.begin();
            let answer = connection.answer(&line);
            tokio::pin!(answer);
            let answer = loop {
                tokio::select! {
                    answer = &mut answer => break answer,
                    Some(message) = subscribed.recv() => write.write_all(&spoken(message.get())).await?,
                }
            };
            let told = match &answer {
                Some(answer) => put(&mut write, answer).await,
                None => Ok(()),
            };
            control.answered();
            told?;
        }
        line.clear();
        // One long message is no reason to keep as much for every connection.
        line.shrink_to(KEPT);
        silent.as_mut().reset(tokio::time::Instant::now() + limit);
    }
}

/// Reads on to the end of a line, or to one byte more than a line may have; false at the end of the stream.
async fn read_line(read: &mut (impl AsyncBufRead + Unpin), line: &mut Vec<u8>) -> std::io::Result<bool> {
    let limit = (MAX_FRAME + 1).saturating_sub(line.len());
    let more = read.take(limit as u64).read_until(b'\n', line).await?;
    Ok(more > 0 || !line.is_empty())
}

impl Connection<'_> {
    /// The answer to one message; none to a notification, and none where the answer goes with the subscription it begins.
    async fn answer(&self, line: &[u8]) -> Option<Vec<u8>> {
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
        let id = request.id.map(RawValue::get);
        if id.is_some_and(|id| !is_id(id)) {
            return Some(error(None, INVALID_REQUEST, "the id is neither a number nor a text"));
        }
        let this = Speaker::this();
        if request
            .proofmark
            .as_ref()
            .is_some_and(|speaker| speaker.is_newer_than(&this))
        {
            self.control.shut_down();
            let why = format!(
                "this server is {}, the client is newer: the server gives way",
                this.build
            );
            return id.map(|id| error(Some(id), SUPERSEDED, &why));
        }
        let params = Params::new(request.params.map(RawValue::get)).into_owned();
        let response = match self.methods.method(&request.method) {
            Some(MethodCallback::Async(run)) => {
                let mut extensions = Extensions::new();
                extensions.insert(Notices(self.sink.clone()));
                run(Id::Null, params, self.id, usize::MAX, extensions).await
            }
            Some(MethodCallback::Sync(run)) => run(Id::Null, params, usize::MAX, Extensions::new()),
            Some(MethodCallback::Unsubscription(run)) => run(Id::Null, params, self.id, usize::MAX, Extensions::new()),
            Some(MethodCallback::Subscription(run)) => {
                let id = id?;
                let Ok(parsed) = serde_json::from_str::<Id<'_>>(id) else {
                    return Some(error(
                        Some(id),
                        INVALID_REQUEST,
                        "a subscription's id has to be a number of 64 bits, or a text",
                    ));
                };
                let Some(subscription_permit) = self.subscriptions.acquire() else {
                    return Some(error(
                        Some(id),
                        INVALID_REQUEST,
                        "this connection has a subscription already",
                    ));
                };
                let id_provider = &RandomIntegerIdProvider;
                let state = SubscriptionState {
                    conn_id: self.id,
                    id_provider,
                    subscription_permit,
                };
                // The answer comes through the sink, before the subscription's first message.
                run(
                    parsed.into_owned(),
                    params,
                    MethodSink::new(self.sink.clone()),
                    state,
                    Extensions::new(),
                )
                .await;
                return None;
            }
            None => {
                let why = format!("there is no method {}", crate::text::quote(&request.method, 40));
                return id.map(|id| error(Some(id), METHOD_NOT_FOUND, &why));
            }
        };
        id.map(|id| spoken(&with_id(response.as_json().get(), id)))
    }
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

#[cfg(test)]
mod tests;
