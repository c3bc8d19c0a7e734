//! The sessions of one run: Codex itself tells them, by a command beside our hook when a session starts.
//! What was found in them stays out.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::install::program::quoted;

/// How the folders of runs begin; by it a run knows the flags of another one.
pub(super) const MARK: &str = "proofmark-codex-";
/// More than this is not read of the list, in bytes: a session's start has less than 1 KiB.
const MAX_LIST: u64 = 16 * 1024 * 1024;

/// One start of a session, as Codex's payload says it (0.171.0).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Started {
    /// Its id.
    pub(super) session_id: String,
    #[serde(default)]
    source: String,
}

impl Started {
    /// True when the session began in this run, and has no past.
    pub(super) fn is_new(&self) -> bool {
        matches!(self.source.as_str(), "startup" | "clear")
    }
}

/// A run's list of sessions: a file in a folder of its own, gone with this value.
pub(super) struct Sessions(tempfile::TempDir);

impl Sessions {
    /// An empty list.
    pub(super) fn none() -> io::Result<Self> {
        tempfile::Builder::new().prefix(MARK).tempdir().map(Self)
    }

    fn list(&self) -> PathBuf {
        self.0.path().join("sessions")
    }

    /// The command that adds a payload to the list; none when the folder's path is no text.
    pub(super) fn note(&self) -> Option<String> {
        Some(format!("cat >>{}", quoted(self.list().to_str()?)))
    }

    /// The sessions that have started, in their order, each by its first start.
    pub(super) fn started(&self) -> io::Result<Vec<Started>> {
        started(&self.list())
    }
}

fn started(list: &Path) -> io::Result<Vec<Started>> {
    let mut text = Vec::new();
    match File::open(list) {
        Ok(list) => list.take(MAX_LIST).read_to_end(&mut text)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
        Err(error) => return Err(error),
    };
    let mut sessions: Vec<Started> = Vec::new();
    // One object after the other; what a killed command left of one ends the list.
    let all = serde_json::Deserializer::from_slice(&text).into_iter::<Started>();
    for session in all.map_while(Result::ok) {
        if sessions.iter().all(|known| known.session_id != session.session_id) {
            sessions.push(session);
        }
    }
    Ok(sessions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payloads_stand_one_behind_the_other() {
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join("sessions");
        assert_eq!(started(&list).unwrap(), []);
        let of = |id: &str, source: &str| format!(r#"{{"session_id":"{id}","more":[1],"source":"{source}"}}"#);
        for (text, expected) in [
            (String::new(), &[][..]),
            (of("a", "startup"), &[("a", true)]),
            // A session that is compacted starts again, and is no older for that.
            (of("a", "startup") + &of("a", "compact"), &[("a", true)]),
            (
                of("a", "resume") + "\n" + &of("b", "clear"),
                &[("a", false), ("b", true)],
            ),
            (of("a", "fork") + r#"{"session_id":"b"}"#, &[("a", false), ("b", false)]),
            (of("a", "startup") + "{\"session_id\":", &[("a", true)]),
            ("rubbish".to_owned(), &[]),
        ] {
            std::fs::write(&list, &text).unwrap();
            let sessions = started(&list).unwrap();
            let read: Vec<(&str, bool)> = sessions.iter().map(|s| (s.session_id.as_str(), s.is_new())).collect();
            assert_eq!(read, expected, "{text}");
        }
    }

    #[test]
    fn the_list_is_gone_with_its_run() {
        let sessions = Sessions::none().unwrap();
        let list = sessions.list();
        assert!(sessions.note().unwrap().contains(MARK));
        std::fs::write(&list, "{}").unwrap();
        drop(sessions);
        assert!(!list.parent().unwrap().exists());
    }
}
