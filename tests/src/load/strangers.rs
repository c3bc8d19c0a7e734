//! Clients that misbehave on the server's socket, each in its own way, until they are told to end.
//! That nobody else suffers from them is looked at elsewhere.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use proofmark_protocol::frame::MAX_FRAME;
use proofmark_protocol::{method, paths};
use serde_json::json;

/// How long one write or read may hang before the client looks whether it is to end.
const PATIENCE: Duration = Duration::from_millis(200);
/// Requests that are written at once.
const AT_ONCE: usize = 500;

/// One way to misbehave.
pub(super) type Stranger = fn(&mut UnixStream, u64) -> std::io::Result<()>;

/// Each with its name.
pub(super) const STRANGERS: [(&str, Stranger); 5] = [
    ("writes garbage", garbage),
    ("writes frames that are too long", huge),
    ("asks thousands of things on one connection", flood),
    ("asks for everything and reads nothing", deaf),
    ("begins a frame and goes on byte by byte", drip),
];

/// Misbehaves on one connection after the other; returns how many there were.
pub(super) fn misbehave(state: &Path, stranger: Stranger, over: &AtomicBool) -> u64 {
    let mut connections = 0;
    while !over.load(Ordering::Relaxed) {
        let Ok(mut stream) = UnixStream::connect(paths::socket(state)) else {
            std::thread::sleep(PATIENCE);
            continue;
        };
        let timed = stream
            .set_read_timeout(Some(PATIENCE))
            .and(stream.set_write_timeout(Some(PATIENCE)));
        connections += 1;
        // It ends when the server has had enough, or does not keep up.
        let mut nth = 0;
        while timed.is_ok() && !over.load(Ordering::Relaxed) && stranger(&mut stream, nth).is_ok() {
            nth += 1;
        }
    }
    connections
}

fn garbage(stream: &mut UnixStream, nth: u64) -> std::io::Result<()> {
    let bytes: Vec<u8> = (0..4_096_u64)
        .map(|at| u8::try_from((at * 31 + nth * 7) % 256).unwrap_or(0))
        .collect();
    stream.write_all(&bytes)?;
    stream.write_all(b"\n{\"jsonrpc\":\"2.0\",\"id\":[],\"method\":7}\n[1,2,3]\n{}\n")?;
    drain(stream)
}

fn huge(stream: &mut UnixStream, _: u64) -> std::io::Result<()> {
    let part = vec![b'x'; 1 << 20];
    for _ in 0..=MAX_FRAME >> 20 {
        stream.write_all(&part)?;
    }
    stream.write_all(b"\n")?;
    drain(stream)
}

fn flood(stream: &mut UnixStream, nth: u64) -> std::io::Result<()> {
    let mut lines = String::new();
    for at in 0..AT_ONCE {
        let methods = [method::STATUS, method::LIST_CLAIMS, method::PING, method::LIST_SESSIONS];
        let method = methods.get(at % methods.len()).copied().unwrap_or(method::PING);
        lines += &json!({"jsonrpc": "2.0", "id": nth, "method": method, "params": null}).to_string();
        lines.push('\n');
    }
    stream.write_all(lines.as_bytes())?;
    drain(stream)
}

fn deaf(stream: &mut UnixStream, nth: u64) -> std::io::Result<()> {
    let method = if nth == 0 {
        method::SUBSCRIBE_FINDINGS
    } else {
        method::LIST_CLAIMS
    };
    let line = json!({"jsonrpc": "2.0", "id": nth, "method": method, "params": {}});
    let written = stream.write_all(format!("{line}\n").as_bytes());
    match written {
        // Both sides are full: it stays as it is.
        Err(error) if is_timeout(&error) => Ok(()),
        other => other,
    }
}

fn drip(stream: &mut UnixStream, nth: u64) -> std::io::Result<()> {
    let begun = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"status\",\"params\":\"";
    stream.write_all(if nth == 0 { begun } else { b"x" })?;
    std::thread::sleep(PATIENCE / 10);
    Ok(())
}

/// Reads what has been answered, so that the server can go on.
fn drain(stream: &mut UnixStream) -> std::io::Result<()> {
    let mut buffer = vec![0; 256 * 1024];
    match stream.read(&mut buffer) {
        Ok(0) => Err(std::io::ErrorKind::UnexpectedEof.into()),
        Err(error) if !is_timeout(&error) => Err(error),
        _ => Ok(()),
    }
}

fn is_timeout(error: &std::io::Error) -> bool {
    matches!(
        error.kind(),
        std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut
    )
}
