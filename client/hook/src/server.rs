//! One question to the server over its socket, within a deadline: one line out, one line in.
//! What the lines mean to a harness stays out; starting a server is `start`'s business.

use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use proofmark_protocol::frame::{self, MAX_FRAME, Response};
use proofmark_protocol::judge::Waiting;
use proofmark_protocol::settings::MAX_WAIT_SECONDS;
use proofmark_protocol::{Decision, Outcome, method, paths};
use serde::Deserialize;

use crate::dialect::Wait;
use crate::fault::Fault;
use crate::host::Host;
use crate::start;

/// Between two tries of something that another process has to do first.
pub(crate) const PAUSE: Duration = Duration::from_millis(5);

/// Beside what the server says, for its answer's own way.
const SAY_SO: Duration = Duration::from_millis(300);
/// Lines before the answer; a server sends one.
const MAX_NOTICES: usize = 8;

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

    /// The server has said that its answer may take so many seconds from now on. A dead one says nothing, and even one
    /// that lies can't hold up an event for longer than the judge may be waited for.
    fn prolonged(self, seconds: u64) -> Self {
        let seconds = Duration::from_secs(seconds.min(MAX_WAIT_SECONDS + 3));
        let limit = self.begun.elapsed() + seconds + SAY_SO;
        Self {
            limit: limit
                .max(self.limit)
                .min(self.limit + Duration::from_secs(MAX_WAIT_SECONDS + 3)),
            ..self
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

fn exchange(mut stream: UnixStream, line: &[u8], mut deadline: Deadline) -> Result<Decision, Failure> {
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
    let mut lines = Lines::of(stream);
    for _ in 0..MAX_NOTICES {
        let line = lines.next(deadline)?;
        match notice(&line) {
            Some(seconds) => deadline = deadline.prolonged(seconds),
            None => return decode(&line),
        }
    }
    Err(Fault::Garbled.into())
}

/// How long the server says that its answer may take from now on, in seconds; none when the line is the answer.
fn notice(line: &[u8]) -> Option<u64> {
    #[derive(Deserialize)]
    struct Notice<'a> {
        method: &'a str,
        params: Waiting,
    }
    let notice: Notice<'_> = serde_json::from_slice(line).ok()?;
    (notice.method == method::WAITING).then_some(notice.params.seconds)
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

/// The lines that a server sends.
struct Lines {
    stream: UnixStream,
    read: Vec<u8>,
}

impl Lines {
    fn of(stream: UnixStream) -> Self {
        let read = Vec::new();
        Self { stream, read }
    }

    /// The next line, without its end.
    fn next(&mut self, deadline: Deadline) -> Result<Vec<u8>, Failure> {
        let mut chunk = [0; 8 * 1024];
        let mut looked = 0;
        loop {
            if let Some(end) = self.read[looked..].iter().position(|byte| *byte == b'\n') {
                let rest = self.read.split_off(looked + end + 1);
                let mut line = std::mem::replace(&mut self.read, rest);
                line.pop();
                return Ok(line);
            }
            looked = self.read.len();
            if looked >= MAX_FRAME {
                return Err(Fault::Garbled.into());
            }
            // Refused as in `send`, although an answer may lie ready; the earlier limit holds then.
            let _hung_up = self.stream.set_read_timeout(Some(deadline.left()?));
            match self.stream.read(&mut chunk) {
                Ok(0) => return Err(Failure::Gone),
                Ok(read) => self.read.extend_from_slice(&chunk[..read]),
                Err(error) => broken(&error, deadline)?,
            }
        }
    }
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
