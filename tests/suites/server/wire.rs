//! A client that writes what it likes to the server's socket, and a server in the foreground.
//! What is said is the tests' own.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};

use proofmark_protocol::paths;
use proofmark_tests::process;
use proofmark_tests::world::World;
use serde_json::{Value, json};

use crate::session::{LIMIT, wait_for};

/// One connection.
pub(crate) struct Wire {
    stream: UnixStream,
    reader: BufReader<UnixStream>,
}

impl Wire {
    pub(crate) fn connect(world: &World) -> Self {
        let stream = UnixStream::connect(paths::socket(&world.state())).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        stream.set_write_timeout(Some(LIMIT)).unwrap();
        let reader = BufReader::new(stream.try_clone().unwrap());
        Self { stream, reader }
    }

    /// Sends bytes as they are. A server that hangs up meanwhile is no failure: it may have answered.
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        let _hung_up = self.stream.write_all(bytes);
    }

    /// The next line; none when the server has hung up.
    pub(crate) fn line(&mut self) -> Option<Value> {
        let mut line = String::new();
        match self.reader.read_line(&mut line) {
            Ok(0) => None,
            Ok(_) => Some(serde_json::from_str(&line).unwrap()),
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => None,
            Err(error) => panic!("no answer: {error}"),
        }
    }

    /// The next line as it is written.
    pub(crate) fn raw_line(&mut self) -> String {
        let mut line = String::new();
        self.reader.read_line(&mut line).unwrap();
        line
    }

    /// Sends one message, and returns the next line.
    pub(crate) fn ask(&mut self, message: &Value) -> Value {
        self.send(format!("{message}\n").as_bytes());
        self.line().unwrap()
    }
}

/// A request as this build sends it.
pub(crate) fn request(id: Value, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// As if the message came from a client of this version.
pub(crate) fn said_by(mut message: Value, build: &str) -> Value {
    message["proofmark"] = json!({"protocol": 1, "build": build});
    message
}

/// A server in the foreground; killed when it is dropped.
pub(crate) struct Foreground(pub(crate) Child);

impl Foreground {
    /// Starts it, and waits until it takes connections.
    pub(crate) fn start(world: &World, arguments: &[&str]) -> Self {
        let mut command = world.command(&world.program("proofmark"));
        Self::of(world, command.args(["serve", "--foreground"]).args(arguments))
    }

    pub(crate) fn of(world: &World, command: &mut Command) -> Self {
        let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let server = Self(command.spawn().unwrap());
        wait_for("a server in the foreground", || {
            UnixStream::connect(paths::socket(&world.state())).ok()
        });
        server
    }

    /// Waits for its end; fails when it ends badly.
    pub(crate) fn ended(&mut self) {
        let ended = process::wait(&mut self.0, LIMIT).unwrap();
        assert!(ended.is_some_and(|status| status.success()), "{ended:?}");
    }
}

impl Drop for Foreground {
    fn drop(&mut self) {
        // It fails only when the server has ended.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Starts the owner in the background.
pub(crate) fn detach(world: &World) {
    world.proofmark(&["serve", "--detach"]).unwrap().success().unwrap();
}
