//! What can go wrong on Proofmark's own side, in words for the person, said once in a session.
//! A payload that cannot be read is no fault of ours and is not here.

use std::fmt;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

use proofmark_protocol::paths;

use crate::answer::cut;

/// Longest piece of a server's error that is repeated, in characters.
const MAX_QUOTE: usize = 300;

/// Why an event passed unchecked.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The environment names no state folder.
    NoStateDir,
    /// The state folder cannot be made or used.
    StateDir(io::Error),
    /// Somebody else could have put the socket there.
    Exposed,
    /// There is no `proofmark` to start.
    NoProgram,
    /// The server's program could not be started, or gave up.
    NotStarted(String),
    /// The time was over.
    Late(Duration),
    /// The connection broke, and again when tried once more.
    Lost,
    /// The server answered with an error.
    Refused(String),
    /// The server's answer makes no sense.
    Garbled,
}

impl Fault {
    /// One word for each kind, for saying each once.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::NoStateDir => "no-state-dir",
            Self::StateDir(_) => "state-dir",
            Self::Exposed => "exposed",
            Self::NoProgram => "no-program",
            Self::NotStarted(_) => "not-started",
            Self::Late(_) => "late",
            Self::Lost => "lost",
            Self::Refused(_) => "refused",
            Self::Garbled => "garbled",
        }
    }

    /// What the person reads.
    pub(crate) fn for_person(&self) -> String {
        format!(
            "Proofmark did not check this: {self}. Nothing was held up, and nothing was found wrong. \
             `proofmark status` shows how it stands; this is said once in a session."
        )
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoStateDir => f.write_str("neither PROOFMARK_STATE_DIR nor XDG_STATE_HOME nor HOME is set"),
            Self::StateDir(error) => write!(f, "its state folder cannot be used ({error})"),
            Self::Exposed => f.write_str("its state folder or socket is open to other users or belongs to one"),
            Self::NoProgram => f.write_str("the program `proofmark` is neither beside the hook nor on PATH"),
            Self::NotStarted(why) => write!(f, "its server could not be started ({})", cut(why, MAX_QUOTE)),
            Self::Late(limit) => write!(f, "its server did not answer within {} ms", limit.as_millis()),
            Self::Lost => f.write_str("its server closed the connection without an answer, twice"),
            Self::Refused(why) => write!(f, "its server answered with an error ({})", cut(why, MAX_QUOTE)),
            Self::Garbled => f.write_str("its server gave an answer that cannot be read"),
        }
    }
}

/// True the first time that this kind of fault is met in this session. Where no mark can be left, only the event that
/// opens a session may speak: a tool call's complaint would come with every call.
pub(crate) fn first_time(state_dir: Option<&Path>, session: &str, kind: &str, opens: bool) -> bool {
    let mark = |dir: &Path| {
        let path = paths::said(dir, session, kind);
        if let Some(folder) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
            if fs::symlink_metadata(folder)?.is_symlink() {
                return Err(io::Error::other("the folder of the marks is a symbolic link"));
            }
        }
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
    };
    match state_dir.map(mark) {
        Some(Ok(_)) => true,
        Some(Err(error)) if error.kind() == io::ErrorKind::AlreadyExists => false,
        Some(Err(_)) | None => opens,
    }
}
