//! The way to the methods: the owner's socket, or the same lines inside this process.
//! What is asked, and what an answer is good for, stays out.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use jsonrpsee::Methods;
use proofmark_protocol::findings::FindingsChanged;
use proofmark_protocol::frame::{ErrorObject, MAX_FRAME, Request, Response, SUPERSEDED};
use proofmark_protocol::method;
use proofmark_protocol::settings::MAX_WAIT_SECONDS;
use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;

use crate::rpc::lines;
use crate::rpc::owner::Control;

/// Starts an owner and returns when it takes connections, or when there is one already.
pub type Starter = Box<dyn Fn() -> io::Result<()> + Send + Sync>;

/// The longest a method may take: more than a stop's own limit.
const LIMIT: Duration = Duration::from_secs(10);
/// The longest one may take that asks the judge.
const JUDGE_LIMIT: Duration = Duration::from_secs(MAX_WAIT_SECONDS + 10);
/// How long an older owner is given to go before the next try.
const GIVE_WAY: Duration = Duration::from_millis(50);
/// Tries to get past an owner that is on its way out.
const TRIES: usize = 3;
/// Bytes between the two ends of a connection inside this process.
const PIPE: usize = 64 * 1024;

/// Why there is no answer.
#[derive(Debug, Error)]
pub(super) enum LinkError {
    /// No owner can be reached, and none started.
    #[error("Proofmark's server can't be reached: {0}")]
    Io(#[from] io::Error),
    /// The answer is no answer.
    #[error("Proofmark's server can't be understood: {0}")]
    Unreadable(#[from] serde_json::Error),
    /// It took too long.
    #[error("Proofmark's server did not answer in time")]
    Late,
    /// The method said no.
    #[error("{}", .0.message)]
    Refused(ErrorObject),
}

impl LinkError {
    /// True when the owner is older than this build, and goes.
    pub(super) fn is_superseded(&self) -> bool {
        matches!(self, Self::Refused(error) if error.code == SUPERSEDED)
    }
}

/// Where the sessions are kept.
pub(super) enum Link {
    /// By the owner of the state folder.
    Owner {
        socket: PathBuf,
        start: Arc<Starter>,
        /// One start at a time.
        starting: tokio::sync::Mutex<()>,
    },
    /// By this process.
    Here { methods: Methods, control: Arc<Control> },
}

/// A connection's bytes, wherever it leads.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

impl Link {
    /// A link to the owner behind a socket.
    pub(super) fn to_owner(socket: PathBuf, start: Starter) -> Self {
        Self::Owner {
            socket,
            start: Arc::new(start),
            starting: tokio::sync::Mutex::default(),
        }
    }

    /// Calls a method.
    pub(super) async fn call(&self, method: &str, params: Value) -> Result<Value, LinkError> {
        let mut last = LinkError::Late;
        for _ in 0..TRIES {
            let call = async {
                let mut lines = Lines::over(self.open(true).await?);
                lines.ask(method, &params).await?;
                lines.answer().await
            };
            match tokio::time::timeout(limit(method), call).await {
                Ok(Err(error)) if error.is_superseded() => {
                    last = error;
                    tokio::time::sleep(GIVE_WAY).await;
                }
                Ok(answer) => return answer,
                Err(_) => return Err(LinkError::Late),
            }
        }
        Err(last)
    }

    /// Subscribes to the findings. `may_start`: an owner is started where there is none.
    pub(super) async fn subscribe(&self, may_start: bool) -> Result<Subscription, LinkError> {
        let mut lines = Lines::over(self.open(may_start).await?);
        lines.ask(method::SUBSCRIBE_FINDINGS, &Value::Null).await?;
        let accepted = tokio::time::timeout(LIMIT, lines.answer()).await;
        accepted.map_err(|_| LinkError::Late)??;
        Ok(Subscription(lines))
    }

    /// True when the owner went without taking its socket away: it was killed, and nobody has asked it to stop.
    pub(super) fn was_killed(&self) -> bool {
        match self {
            Self::Owner { socket, .. } => socket.exists(),
            Self::Here { .. } => true,
        }
    }

    async fn open(&self, may_start: bool) -> io::Result<Box<dyn Stream>> {
        match self {
            Self::Owner {
                socket,
                start,
                starting,
            } => {
                let first = connect(socket).await;
                if first.is_ok() || !may_start {
                    return first;
                }
                let _one_at_a_time = starting.lock().await;
                if let Ok(stream) = connect(socket).await {
                    return Ok(stream);
                }
                let start = Arc::clone(start);
                tokio::task::spawn_blocking(move || start())
                    .await
                    .map_err(io::Error::other)??;
                connect(socket).await
            }
            Self::Here { methods, control } => {
                let (ours, theirs) = tokio::io::duplex(PIPE);
                let served = lines::serve(theirs, methods.clone(), Arc::clone(control));
                tokio::spawn(async move {
                    // It ends with this end of the connection, and has nobody else to tell.
                    let _closed = served.await;
                });
                Ok(Box::new(ours))
            }
        }
    }
}

async fn connect(socket: &std::path::Path) -> io::Result<Box<dyn Stream>> {
    let stream = UnixStream::connect(socket).await?;
    if stream.peer_cred()?.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "its socket belongs to somebody else",
        ));
    }
    Ok(Box::new(stream))
}

/// A subscription to the findings.
pub(super) struct Subscription(Lines);

#[derive(Deserialize)]
struct Notified {
    params: Payload,
}

#[derive(Deserialize)]
struct Payload {
    #[serde(default)]
    result: Option<FindingsChanged>,
    #[serde(default)]
    error: Option<Value>,
}

impl Subscription {
    /// The next message. May be called off and called again.
    pub(super) async fn next(&mut self) -> Result<FindingsChanged, LinkError> {
        let notified: Notified = serde_json::from_slice(self.0.line().await?)?;
        notified.params.result.ok_or_else(|| {
            let why = notified.params.error.unwrap_or_default().to_string();
            LinkError::Io(io::Error::other(why))
        })
    }
}

fn limit(method: &str) -> Duration {
    match method {
        method::ON_STOP | method::ON_SUBAGENT_STOP | method::JUDGE_REPLY => JUDGE_LIMIT,
        _ => LIMIT,
    }
}

/// A connection read line by line.
struct Lines {
    stream: BufReader<Box<dyn Stream>>,
    line: Vec<u8>,
    whole: bool,
}

impl Lines {
    fn over(stream: Box<dyn Stream>) -> Self {
        Self {
            stream: BufReader::new(stream),
            line: Vec::new(),
            whole: false,
        }
    }

    async fn ask(&mut self, method: &str, params: &Value) -> Result<(), LinkError> {
        let mut line = serde_json::to_vec(&Request::new(1, method, params))?;
        line.push(b'\n');
        self.stream.write_all(&line).await?;
        Ok(())
    }

    async fn answer(&mut self) -> Result<Value, LinkError> {
        let mut line: Value = serde_json::from_slice(self.line().await?)?;
        // That the answer may take longer: it is waited for all the same.
        while line["method"] == method::WAITING {
            line = serde_json::from_slice(self.line().await?)?;
        }
        let response: Response<Value> = serde_json::from_value(line)?;
        match response.error {
            Some(error) => Err(LinkError::Refused(error)),
            None => Ok(response.result.unwrap_or_default()),
        }
    }

    /// The next line. What was read stays when this is called off, and is read on at the next call.
    async fn line(&mut self) -> io::Result<&[u8]> {
        if std::mem::take(&mut self.whole) {
            self.line.clear();
        }
        // An answer may be longer than a request; a line without an end is still cut off somewhere.
        let limit = (4 * MAX_FRAME).saturating_sub(self.line.len());
        (&mut self.stream)
            .take(limit as u64)
            .read_until(b'\n', &mut self.line)
            .await?;
        if self.line.last() != Some(&b'\n') {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.whole = true;
        Ok(&self.line)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use jsonrpsee::RpcModule;
    use serde_json::json;
    use tokio::net::UnixListener;

    use super::*;

    #[tokio::test]
    async fn a_notice_before_the_answer_is_not_the_answer() {
        let (ours, mut theirs) = tokio::io::duplex(PIPE);
        let notice = json!({"jsonrpc": "2.0", "method": method::WAITING, "params": {"seconds": 21}});
        let sent = format!("{notice}\n{}\n", json!({"jsonrpc": "2.0", "id": 1, "result": 7}));
        theirs.write_all(sent.as_bytes()).await.unwrap();
        let mut lines = Lines::over(Box::new(ours));
        assert_eq!(lines.answer().await.unwrap(), 7);
    }

    /// An owner of an earlier build: it gives way at the first request.
    fn old_owner(socket: &std::path::Path) {
        let listener = UnixListener::bind(socket).unwrap();
        let socket = socket.to_owned();
        tokio::spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            drop(listener);
            std::fs::remove_file(socket).unwrap();
            let mut stream = BufReader::new(stream);
            stream.read_line(&mut String::new()).await.unwrap();
            let error = json!({"jsonrpc": "2.0", "id": 1, "error": {"code": SUPERSEDED, "message": "gives way"}});
            stream.write_all(format!("{error}\n").as_bytes()).await.unwrap();
        });
    }

    /// A link whose owner is started at need, and how often one was.
    fn link(socket: PathBuf) -> (Link, Arc<AtomicUsize>) {
        let (runtime, started) = (tokio::runtime::Handle::current(), Arc::new(AtomicUsize::new(0)));
        let (count, place) = (Arc::clone(&started), socket.clone());
        let start = move || {
            let _inside = runtime.enter();
            let listener = UnixListener::bind(&place)?;
            let mut module = RpcModule::new(());
            module
                .register_method("status", |_, (), _| "new")
                .map_err(io::Error::other)?;
            count.fetch_add(1, Ordering::Relaxed);
            runtime.spawn(async move {
                while let Ok((stream, _)) = listener.accept().await {
                    tokio::spawn(lines::serve(stream, module.clone().into(), Arc::default()));
                }
            });
            Ok(())
        };
        (Link::to_owner(socket, Box::new(start)), started)
    }

    #[tokio::test]
    async fn an_owner_that_gives_way_is_replaced_by_one_of_this_build() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("s");
        old_owner(&socket);
        let (link, started) = link(socket.clone());
        assert_eq!(link.call("status", json!({})).await.unwrap(), "new");
        assert_eq!(started.load(Ordering::Relaxed), 1);
        std::fs::remove_file(&socket).unwrap();
        old_owner(&socket);
        let refused = link.subscribe(false).await.err().unwrap();
        assert!(refused.is_superseded(), "{refused}");
    }

    #[tokio::test]
    async fn calls_that_find_no_owner_start_one_together() {
        let folder = tempfile::tempdir().unwrap();
        let (link, started) = link(folder.path().join("s"));
        assert!(link.subscribe(false).await.is_err(), "not unless it may");
        assert_eq!(started.load(Ordering::Relaxed), 0);
        let answers = futures_util::future::join_all((0..20).map(|_| link.call("status", json!({})))).await;
        assert!(answers.into_iter().all(|answer| answer.unwrap() == "new"));
        assert_eq!(started.load(Ordering::Relaxed), 1);
    }
}
