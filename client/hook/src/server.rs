//! One question to the server over its socket, within a deadline: one line out, one line in.
//! What the lines mean to a harness stays out; starting a server is `start`'s business.

use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use proofmark_protocol::frame::{self, MAX_FRAME, Response};
use proofmark_protocol::{Decision, Outcome, paths};
use serde::Deserialize;

use crate::dialect::Wait;
use crate::fault::Fault;
use crate::host::Host;
use crate::start;

/// Between two tries of something that another process has to do first.
pub(crate) const PAUSE: Duration = Duration::from_millis(5);

/// The moment at which an event passes, and how it is said.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline {
    begun: Instant,
    limit: Duration,
}

impl Deadline {
    /// What is left of the time, never nothing.
    pub(crate) fn left(self) -> Result<Duration, Fault> {
        match self.limit.checked_sub(self.begun.elapsed()) {
            Some(left) if !left.is_zero() => Ok(left),
            _ => Err(self.passed()),
        }
    }

    pub(crate) fn passed(self) -> Fault {
        Fault::Late(self.limit)
    }

    /// Waits a little for another process.
    pub(crate) fn pause(self) -> Result<(), Fault> {
        std::thread::sleep(PAUSE.min(self.left()?));
        Ok(())
    }
}

/// Why an exchange brought no decision.
enum Failure {
    /// The server went away before it had answered: asking again is safe, since it knows a repeated event.
    Gone,
    /// Nobody took the question: a server that is killed still takes connections for a moment, and drops them unread.
    Unheard,
    /// The server is older than this hook and makes room for a newer one.
    Superseded,
    /// Nothing to be done.
    Final(Fault),
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::Final(fault)
    }
}

/// Puts a request to the server, which is started when there is none, and asked once more when it breaks off.
pub(crate) fn ask(line: &[u8], wait: Wait, host: &Host) -> Result<Decision, Fault> {
    let begun = Instant::now();
    let limits = &host.deadlines;
    let (up, starting) = match wait {
        Wait::Gate => (limits.gate, limits.gate_starting),
        Wait::Stop => (limits.stop, limits.stop),
    };
    let (up, starting) = (Deadline { begun, limit: up }, Deadline { begun, limit: starting });
    let state_dir = host.state_dir.as_deref().ok_or(Fault::NoStateDir)?;
    let start = |replace| start::server(state_dir, host.program.as_deref(), starting, replace);

    let put = |stream, deadline| {
        let answer = exchange(stream, line, deadline);
        if let Err(Failure::Final(Fault::Late(_))) = answer {
            // That the server was late is told in any case; that nobody could be sent to it adds nothing for the person.
            let _unsent = start::replacement(state_dir, host.program.as_deref());
        }
        answer
    };

    let mut answer = match connect(state_dir, up)? {
        Some(stream) => put(stream, up),
        None => put(start(false)?, starting),
    };
    let mut again = false;
    loop {
        let stream = match answer {
            Ok(decision) => return Ok(decision),
            Err(Failure::Final(fault)) => return Err(fault),
            Err(Failure::Gone) if again => return Err(Fault::Lost),
            Err(Failure::Superseded) if again => {
                return Err(Fault::NotStarted("an older server would not make room".to_owned()));
            }
            Err(Failure::Superseded) => start(true)?,
            Err(Failure::Gone) => reconnect(state_dir, starting, start)?,
            Err(Failure::Unheard) => {
                starting.pause()?;
                answer = put(reconnect(state_dir, starting, start)?, starting);
                continue;
            }
        };
        again = true;
        answer = put(stream, starting);
    }
}

/// A connection to the server that is there now, else to one that is started.
fn reconnect(
    state_dir: &Path,
    deadline: Deadline,
    start: impl Fn(bool) -> Result<UnixStream, Fault>,
) -> Result<UnixStream, Fault> {
    match connect(state_dir, deadline)? {
        Some(stream) => Ok(stream),
        None => start(false),
    }
}

/// A connection to the server; none when no server listens, or its socket cannot be trusted.
///
/// The standard library has no connect with a time limit. A local socket connects at once, or not at all; only while
/// thousands of connections wait to be accepted does the system either say so (then it is tried again until the
/// deadline) or let us wait.
pub(crate) fn connect(state_dir: &Path, deadline: Deadline) -> Result<Option<UnixStream>, Fault> {
    let socket = paths::socket(state_dir);
    if !is_trusted(state_dir, &socket) {
        return Ok(None);
    }
    loop {
        match UnixStream::connect(&socket) {
            Ok(stream) => return Ok(Some(stream)),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => deadline.pause()?,
            Err(_) => return Ok(None),
        }
    }
}

/// True when nobody but the owner of the state folder can have put the socket there: the folder is writable by its
/// owner alone, and the socket belongs to the same one. A socket outside of the state folder lies where everybody may
/// make folders, so its folder has to be the owner's too, and closed.
fn is_trusted(state_dir: &Path, socket: &Path) -> bool {
    let Ok(dir) = fs::metadata(state_dir) else { return false };
    let Ok(found) = fs::symlink_metadata(socket) else {
        return false;
    };
    let own = dir.mode() & 0o022 == 0 && found.file_type().is_socket() && found.uid() == dir.uid();
    own && match socket.parent() {
        Some(parent) if parent != state_dir => fs::symlink_metadata(parent)
            .is_ok_and(|parent| parent.is_dir() && parent.uid() == dir.uid() && parent.mode() & 0o077 == 0),
        _ => true,
    }
}

/// True when there is something in the socket's place that cannot be trusted.
pub(crate) fn is_exposed(state_dir: &Path) -> bool {
    let socket = paths::socket(state_dir);
    fs::symlink_metadata(&socket).is_ok() && !is_trusted(state_dir, &socket)
}

fn exchange(mut stream: UnixStream, line: &[u8], deadline: Deadline) -> Result<Decision, Failure> {
    let left = Some(deadline.left()?);
    stream
        .set_write_timeout(left)
        .and_then(|()| stream.set_read_timeout(left))
        .map_err(|_| Failure::Gone)?;
    match send(&mut stream, line, deadline) {
        // A server that turns a request down without reading all of it may still have said why.
        Ok(()) | Err(Failure::Gone | Failure::Unheard) => {}
        Err(failure) => return Err(failure),
    }
    decode(&receive(&mut stream, deadline)?)
}

fn send(stream: &mut UnixStream, mut line: &[u8], deadline: Deadline) -> Result<(), Failure> {
    loop {
        match stream.write(line) {
            Ok(written) => line = &line[written..],
            Err(error) => broken(&error, deadline)?,
        }
        if line.is_empty() {
            return Ok(());
        }
        // macOS refuses the option once the other side has hung up; the next call says so then.
        let _hung_up = stream.set_write_timeout(Some(deadline.left()?));
    }
}

/// The answer's line, without its end.
fn receive(stream: &mut UnixStream, deadline: Deadline) -> Result<Vec<u8>, Failure> {
    let mut answer = Vec::new();
    let mut chunk = [0; 8 * 1024];
    while answer.len() < MAX_FRAME {
        // Refused as in `send`, although an answer may lie ready; the earlier limit holds then.
        let _hung_up = stream.set_read_timeout(Some(deadline.left()?));
        let read = match stream.read(&mut chunk) {
            Ok(0) => return Err(Failure::Gone),
            Ok(read) => &chunk[..read],
            Err(error) => {
                broken(&error, deadline)?;
                continue;
            }
        };
        if let Some(end) = read.iter().position(|byte| *byte == b'\n') {
            answer.extend_from_slice(&read[..end]);
            return Ok(answer);
        }
        answer.extend_from_slice(read);
    }
    Err(Fault::Garbled.into())
}

/// What an error on the connection means; nothing when the same call may simply be made again.
fn broken(error: &io::Error, deadline: Deadline) -> Result<(), Failure> {
    match error.kind() {
        ErrorKind::Interrupted => Ok(()),
        ErrorKind::WouldBlock | ErrorKind::TimedOut => Err(deadline.passed().into()),
        // What Linux says of a connection that was closed with something unread in it, and of one never taken.
        ErrorKind::ConnectionReset => Err(Failure::Unheard),
        _ => Err(Failure::Gone),
    }
}

/// The part of a [`Decision`] that a harness is told; findings are for editors, and a kind of finding that this build
/// does not know must not cost the answer.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Told {
    #[serde(default)]
    outcome: Outcome,
    #[serde(default)]
    to_agent: Option<String>,
    #[serde(default)]
    to_person: Option<String>,
}

fn decode(line: &[u8]) -> Result<Decision, Failure> {
    let line = line.trim_ascii();
    // A list would be read as the members in their order.
    if line.first() != Some(&b'{') {
        return Err(Fault::Garbled.into());
    }
    let response: Response<Told> = serde_json::from_slice(line).map_err(|_| Fault::Garbled)?;
    match (response.result, response.error) {
        (_, Some(error)) if error.code == frame::SUPERSEDED => Err(Failure::Superseded),
        (_, Some(error)) if error.code == frame::DEADLINE => {
            Err(Fault::Refused("it ran out of time".to_owned()).into())
        }
        (_, Some(error)) => Err(Fault::Refused(error.message).into()),
        // The agent could do nothing about a refusal that does not say why.
        (Some(told), None) if told.outcome == Outcome::Refuse && is_blank(told.to_agent.as_deref()) => {
            Err(Fault::Garbled.into())
        }
        (
            Some(Told {
                outcome,
                to_agent,
                to_person,
            }),
            None,
        ) => Ok(Decision {
            outcome,
            findings: Vec::new(),
            to_agent,
            to_person,
        }),
        (None, None) => Err(Fault::Garbled.into()),
    }
}

fn is_blank(text: Option<&str>) -> bool {
    text.is_none_or(|text| text.trim().is_empty())
}
