//! A server that does on each connection what the test wrote down for it, and keeps what it was asked.
//! It stands in a state folder of its own.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use proofmark_hook::{Answer, Deadlines, Host, respond};
use serde_json::{Value, json};
use tempfile::TempDir;

/// What happens on one connection, once the request has been read.
#[derive(Debug, Clone)]
pub(crate) enum Turn {
    /// This line is answered.
    Say(String),
    /// This much is written, and the connection closed.
    Break(&'static str),
    /// All but the first byte of the request stays unread, and the connection is closed.
    Ignore,
    /// This line is answered before anything has been read.
    Interrupt(String),
    /// The first text, then, after a pause or when the hook has gone, the second, and the connection is closed.
    Parts(String, Duration, String),
    /// Nothing, until the hook gives up.
    Hang,
}

/// An answer with this decision.
pub(crate) fn decision(decision: Value) -> Turn {
    Turn::Say(
        json!({"jsonrpc": "2.0", "id": 1, "result": decision, "proofmark": {"protocol": 1, "build": "0.1.0"}})
            .to_string(),
    )
}

/// An answer with an error of this code.
pub(crate) fn error(code: i32) -> Turn {
    Turn::Say(json!({"jsonrpc": "2.0", "id": 1, "error": {"code": code, "message": "the ledger is full"}}).to_string())
}

pub(crate) struct Fake {
    socket: PathBuf,
    over: Arc<AtomicBool>,
    thread: JoinHandle<(Vec<String>, usize)>,
}

impl Fake {
    /// Serves one connection for each turn, at the place where the hook looks.
    pub(crate) fn serve(state_dir: &Path, turns: Vec<Turn>) -> Self {
        Self::at(proofmark_protocol::paths::socket(state_dir), turns)
    }

    /// As [`Fake::serve`], at another place.
    pub(crate) fn at(socket: PathBuf, turns: Vec<Turn>) -> Self {
        let listener = UnixListener::bind(&socket).unwrap();
        let over = Arc::new(AtomicBool::new(false));
        let thread = std::thread::spawn({
            let over = Arc::clone(&over);
            move || {
                let mut asked = Vec::new();
                let mut turns = turns.into_iter();
                while let Some(turn) = turns.next() {
                    let (stream, _) = listener.accept().unwrap();
                    if over.load(Ordering::SeqCst) {
                        return (asked, turns.len() + 1);
                    }
                    asked.push(take_turn(stream, turn));
                }
                (asked, 0)
            }
        });
        Self { socket, over, thread }
    }

    /// The lines that it was sent; fails when a turn is left.
    pub(crate) fn asked(self) -> Vec<String> {
        let (asked, left) = self.close();
        assert_eq!(left, 0, "nobody came for the last turns");
        asked
    }

    /// The line that it was sent, or none.
    pub(crate) fn asked_at_most_once(self) -> Option<String> {
        let (mut asked, _) = self.close();
        assert!(asked.len() <= 1, "{asked:?}");
        asked.pop()
    }

    fn close(self) -> (Vec<String>, usize) {
        self.over.store(true, Ordering::SeqCst);
        // Wakes an accept that would wait for ever; with no turn left nobody listens any more.
        let _knock = UnixStream::connect(&self.socket);
        self.thread.join().unwrap()
    }
}

fn take_turn(mut stream: UnixStream, turn: Turn) -> String {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut line = String::new();
    if let Turn::Interrupt(answer) = &turn {
        stream.write_all(format!("{answer}\n").as_bytes()).unwrap();
        return line;
    }
    if let Turn::Ignore = turn {
        stream.read_exact(&mut [0]).unwrap();
        return line;
    }
    reader.read_line(&mut line).unwrap();
    match turn {
        // The hook need not listen to the end.
        Turn::Say(answer) => stream.write_all(format!("{answer}\n").as_bytes()).unwrap_or_default(),
        Turn::Interrupt(_) | Turn::Ignore => {}
        Turn::Break(half) => stream.write_all(half.as_bytes()).unwrap(),
        Turn::Parts(first, pause, second) => {
            stream.write_all(first.as_bytes()).unwrap();
            if !pause.is_zero() {
                stream.set_read_timeout(Some(pause)).unwrap();
                // Ends early when the hook hangs up.
                let _over = stream.read(&mut [0]);
            }
            stream.write_all(second.as_bytes()).unwrap_or_default();
        }
        Turn::Hang => assert_eq!(
            reader.read_line(&mut String::new()).unwrap(),
            0,
            "a second line was sent"
        ),
    }
    line
}

/// A state folder for one test.
pub(crate) struct State(TempDir);

impl State {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Times that no machine is too slow for.
    pub(crate) fn host(&self) -> Host {
        let long = Duration::from_secs(20);
        Host {
            state_dir: Some(self.path().to_owned()),
            program: Some(self.path().join("no-such-program")),
            deadlines: Deadlines {
                gate: long,
                gate_starting: long,
                stop: long,
            },
            on_panic: |_| (),
        }
    }

    /// The answer to a payload of Claude Code.
    pub(crate) fn ask(&self, payload: &str) -> Answer {
        self.ask_as("claude-code", payload)
    }

    /// The answer to a payload, for the harness that registered the hook.
    pub(crate) fn ask_as(&self, harness: &str, payload: &str) -> Answer {
        respond(Some(harness), payload.as_bytes(), &self.host())
    }
}

/// The repository's captured payloads.
pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/payloads")
}

/// A payload of Claude Code 2.1.332.
pub(crate) fn claude(name: &str) -> String {
    fs::read_to_string(fixtures().join("claude-code/2.1.332").join(format!("{name}.json"))).unwrap()
}

/// A payload of Codex 0.171.0.
pub(crate) fn codex(name: &str) -> String {
    fs::read_to_string(fixtures().join("codex/0.171.0").join(format!("{name}.json"))).unwrap()
}

/// The files of a folder, by name.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert!(!files.is_empty(), "{folder:?} is empty");
    files.sort();
    files
}
