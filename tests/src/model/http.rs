//! As much of HTTP/1.1 as a harness needs on loopback: bounded requests in, whole responses out.
//! What a request means and what is answered is the handler's business.

mod request;

use std::io::{self, BufReader, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::Value;

pub(crate) use self::request::Request;
use self::request::{Incoming, read_request};

/// A connection beyond this many open ones is closed unanswered.
const MAX_CONNECTIONS: usize = 64;
/// A connection on which nothing moves for so long is closed.
const IDLE: Duration = Duration::from_secs(120);

/// A response, sent as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Response {
    /// The status code.
    pub(crate) status: u16,
    /// The media type of the body.
    pub(crate) content_type: &'static str,
    /// The body.
    pub(crate) body: Vec<u8>,
}

impl Response {
    /// A JSON body.
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self {
            status,
            content_type: "application/json",
            body: body.to_string().into_bytes(),
        }
    }

    /// A stream of server-sent events, complete.
    pub(crate) fn events(body: String) -> Self {
        Self {
            status: 200,
            content_type: "text/event-stream",
            body: body.into_bytes(),
        }
    }
}

type Handler = dyn Fn(&Request) -> Response + Send + Sync;

/// A server on a free port of 127.0.0.1; dropping it closes every connection and joins every thread.
#[derive(Debug)]
pub(crate) struct Server {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    accepting: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts to serve; the handler runs on one thread per connection.
    ///
    /// # Errors
    /// No port can be bound on loopback.
    pub(crate) fn start(handler: impl Fn(&Request) -> Response + Send + Sync + 'static) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let stop = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&stop);
        let handler: Arc<Handler> = Arc::new(handler);
        let accepting = thread::spawn(move || accept(&listener, &seen, &handler));
        Ok(Self {
            address,
            stop,
            accepting: Some(accepting),
        })
    }

    /// The address it listens on.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        // The connection only wakes the accepting thread; without one a join would wait for ever.
        if TcpStream::connect(self.address).is_ok()
            && let Some(accepting) = self.accepting.take()
        {
            drop(accepting.join());
        }
    }
}

fn accept(listener: &TcpListener, stop: &AtomicBool, handler: &Arc<Handler>) {
    let mut open: Vec<(TcpStream, JoinHandle<()>)> = Vec::new();
    for stream in listener.incoming() {
        if stop.load(Ordering::SeqCst) {
            break;
        }
        open.retain(|(_, thread)| !thread.is_finished());
        let Ok(stream) = stream else { continue };
        let Ok(held) = stream.try_clone() else { continue };
        if open.len() < MAX_CONNECTIONS {
            let handler = Arc::clone(handler);
            // A connection that breaks is the client's to notice.
            open.push((held, thread::spawn(move || drop(converse(stream, &handler)))));
        }
    }
    for (stream, thread) in open {
        drop(stream.shutdown(Shutdown::Both));
        drop(thread.join());
    }
}

/// Answers one request after the other until either side has had enough.
fn converse(stream: TcpStream, handler: &Arc<Handler>) -> io::Result<()> {
    stream.set_read_timeout(Some(IDLE))?;
    stream.set_write_timeout(Some(IDLE))?;
    let mut writer = stream.try_clone()?;
    let mut reader = BufReader::new(stream);
    loop {
        match read_request(&mut reader)? {
            Incoming::End => return Ok(()),
            Incoming::Unusable(status) => {
                let body = Value::String("this request cannot be read".to_owned());
                write_response(&mut writer, &Response::json(status, &body), true, true)?;
                return writer.shutdown(Shutdown::Write);
            }
            Incoming::Request { request, close } => {
                write_response(&mut writer, &handler(&request), request.method != "HEAD", close)?;
                if close {
                    return writer.shutdown(Shutdown::Both);
                }
            }
        }
    }
}

fn write_response(writer: &mut impl Write, response: &Response, with_body: bool, close: bool) -> io::Result<()> {
    // Clients go by the code; the phrase is for whoever looks at the bytes.
    let phrase = if response.status == 200 { "OK" } else { "Not OK" };
    let mut bytes = format!(
        "HTTP/1.1 {} {phrase}\r\ncontent-type: {}\r\ncontent-length: {}\r\nconnection: {}\r\n\r\n",
        response.status,
        response.content_type,
        response.body.len(),
        if close { "close" } else { "keep-alive" },
    )
    .into_bytes();
    if with_body {
        bytes.extend_from_slice(&response.body);
    }
    writer.write_all(&bytes)?;
    writer.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn echo() -> Server {
        Server::start(|request| Response {
            status: 200,
            content_type: "text/plain",
            body: [request.path.as_bytes(), b" ", &request.body].concat(),
        })
        .unwrap()
    }

    fn read_all(mut stream: TcpStream) -> String {
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn one_connection_carries_many_requests_and_head_gets_no_body() {
        let server = echo();
        let mut stream = TcpStream::connect(server.address()).unwrap();
        stream
            .write_all(
                b"POST /one HTTP/1.1\r\ncontent-length: 2\r\n\r\nhiHEAD /two HTTP/1.1\r\n\r\n\
                  GET /three HTTP/1.1\r\nconnection: close\r\n\r\n",
            )
            .unwrap();
        let text = read_all(stream);
        assert!(
            text.contains("content-length: 7\r\nconnection: keep-alive\r\n\r\n/one hiHTTP/1.1 200"),
            "{text}"
        );
        assert!(
            text.contains("content-length: 5\r\nconnection: keep-alive\r\n\r\nHTTP/1.1 200"),
            "{text}"
        );
        assert!(text.ends_with("connection: close\r\n\r\n/three "), "{text}");
    }

    #[test]
    fn connections_beyond_the_cap_are_closed() {
        let server = echo();
        let ask = |mut stream: &TcpStream| stream.write_all(b"GET /x HTTP/1.1\r\n\r\n").unwrap();
        let held: Vec<TcpStream> = (0..MAX_CONNECTIONS)
            .map(|_| TcpStream::connect(server.address()).unwrap())
            .collect();
        for mut stream in &held {
            ask(stream);
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
        }
        let mut beyond = TcpStream::connect(server.address()).unwrap();
        // Closed or reset, depending on who is faster; an answer is what must not come.
        let read = beyond
            .write_all(b"GET /x HTTP/1.1\r\n\r\n")
            .and_then(|()| beyond.read(&mut [0]));
        assert!(!matches!(read, Ok(1)), "{read:?}");
    }

    #[test]
    fn dropping_it_ends_open_connections_and_threads() {
        let handler_alive = Arc::new(());
        let held = Arc::clone(&handler_alive);
        let server = Server::start(move |_| {
            let _in_use = &held;
            Response::json(200, &Value::Null)
        })
        .unwrap();
        let mut stream = TcpStream::connect(server.address()).unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
        stream.read_exact(&mut [0]).unwrap();
        let address = server.address();
        drop(server);
        // Every thread holds the handler: one owner left means that no thread is.
        assert_eq!(Arc::strong_count(&handler_alive), 1);
        assert!(TcpStream::connect(address).is_err());
        read_all(stream);
    }
}
