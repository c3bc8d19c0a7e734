//! The server and the state folder, looked at from outside: nothing is started, made or mended.
//! What the server knows of sessions stays out.

use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;
use std::time::Duration;

use proofmark_protocol::frame::BUILD;
use proofmark_protocol::query::{Diagnosis, Heard, Pong};
use proofmark_protocol::{method, paths};
use proofmark_server::ledger::{self, Examined, LedgerError};

use super::check::Check;
use crate::install::settings::shown;
use crate::place::Place;
use crate::socket::call;

/// How long a server has to say who it is: it looks nothing up for that.
const PING: Duration = Duration::from_secs(1);
/// How long it has to say what it heard.
const ASK: Duration = Duration::from_secs(3);
/// Nobody but the owner may do anything.
const OTHERS: u32 = 0o077;

/// Who serves the state folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Served {
    /// Nobody.
    No,
    /// This one.
    By(Pong),
    /// A process that holds the folder and does not answer as it should; with the reason.
    Mute(u32, String),
    /// It can't be told; with the reason.
    Unknown(String),
}

/// Looks who serves a state folder.
pub(crate) fn look(place: &Place) -> Served {
    let owner = match place.owner() {
        Ok(Some(owner)) => owner,
        Ok(None) => return Served::No,
        Err(error) => return Served::Unknown(format!("{error:#}")),
    };
    match call::<Pong>(&place.state_dir, method::PING, (), PING) {
        Ok(Some(pong)) => Served::By(pong),
        Ok(None) => Served::Mute(owner.pid, "its socket is gone".to_owned()),
        Err(error) => Served::Mute(owner.pid, told(&error)),
    }
}

/// Why a question brought no answer. What the system says of a wait that was too long tells nobody anything.
fn told(error: &anyhow::Error) -> String {
    let waited = error.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
    match waited {
        Some(ErrorKind::WouldBlock | ErrorKind::TimedOut) => format!("did not answer within {} s", PING.as_secs()),
        _ => format!("{error:#}"),
    }
}

/// Whether the server is of this build and answers.
pub(crate) fn version(served: &Served) -> Check {
    const NAME: &str = "server";
    match served {
        Served::No => Check::unchecked(NAME, "No server runs.", "The next event of a harness starts it."),
        Served::By(pong) if pong.build == BUILD => Check::pass(
            NAME,
            format!("Process {} serves, version {BUILD} as this program.", pong.pid),
        ),
        Served::By(pong) => Check::fail(
            NAME,
            format!(
                "Process {} is version {}, and this program is {BUILD}.",
                pong.pid, pong.build
            ),
            "Run `proofmark stop`; the next event starts one of the version that the hook has beside it.",
        ),
        Served::Mute(pid, why) => Check::fail(
            NAME,
            format!("Process {pid} holds the state folder, and {why}."),
            "Run `proofmark stop`; the next event starts another one.",
        ),
        Served::Unknown(why) => Check::unchecked(NAME, format!("{why}."), "See what is said about the state folder."),
    }
}

/// Whether the state folder is its owner's alone.
pub(crate) fn folder(state_dir: &Path) -> Check {
    const NAME: &str = "state-folder";
    let name = shown(state_dir);
    match fs::metadata(state_dir) {
        Err(error) if error.kind() == ErrorKind::NotFound => Check::unchecked(
            NAME,
            format!("{name} is not there yet."),
            "The next event of a harness makes it.",
        ),
        Err(error) => Check::unchecked(
            NAME,
            format!("{name} can't be looked at: {error}."),
            "Make the folder readable for you, or name another one in PROOFMARK_STATE_DIR.",
        ),
        Ok(found) if !found.is_dir() => Check::fail(
            NAME,
            format!("{name} is no folder."),
            "Move it away, or name another one in PROOFMARK_STATE_DIR.",
        ),
        Ok(found) => match closed(&found, &name) {
            Some((what, mend)) => Check::fail(NAME, what, mend),
            None => Check::pass(NAME, format!("{name} is yours alone.")),
        },
    }
}

/// Whether the socket is one, and its owner's alone.
pub(crate) fn socket(state_dir: &Path, served: &Served) -> Check {
    const NAME: &str = "socket";
    let path = paths::socket(state_dir);
    let name = shown(&path);
    let restart = "Run `proofmark stop`; the next event starts a server with a socket of its own.";
    let found = match fs::symlink_metadata(&path) {
        Ok(found) => found,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return match served {
                Served::By(_) | Served::Mute(..) => Check::fail(NAME, format!("{name} is gone."), restart),
                Served::No | Served::Unknown(_) => Check::unchecked(
                    NAME,
                    "There is no socket without a server.",
                    "The next event starts one.",
                ),
            };
        }
        Err(error) => {
            return Check::unchecked(
                NAME,
                format!("{name} can't be looked at: {error}."),
                "See what is said about the state folder.",
            );
        }
    };
    if !found.file_type().is_socket() {
        return Check::fail(NAME, format!("{name} is no socket."), restart);
    }
    // Who may reach it is its folder's business: some systems let everybody use a socket whatever its mode says.
    let around = path.parent().map(fs::metadata);
    let open = match around {
        Some(Ok(around)) => closed(&around, &shown(path.parent().unwrap_or(&path))),
        _ => None,
    };
    match owned(&found, &name).or(open) {
        Some((what, mend)) => Check::fail(NAME, what, mend),
        None => Check::pass(NAME, format!("{name} is yours, in a folder that is yours alone.")),
    }
}

/// What is wrong with whose it is, and the mend.
fn owned(found: &Metadata, name: &str) -> Option<(String, String)> {
    let own = rustix::process::geteuid().as_raw();
    (found.uid() != own).then(|| {
        (
            format!("{name} belongs to user {}, and you are {own}.", found.uid()),
            "Give it to yourself, or name another state folder in PROOFMARK_STATE_DIR.".to_owned(),
        )
    })
}

/// What is wrong with who may enter a folder, and the mend.
fn closed(found: &Metadata, name: &str) -> Option<(String, String)> {
    owned(found, name).or_else(|| {
        (found.mode() & OTHERS != 0).then(|| {
            (
                format!("{name} is open to others (mode {:o}).", found.mode() & 0o777),
                format!("chmod 700 {name}"),
            )
        })
    })
}

/// Whether the ledger is whole.
pub(crate) fn ledger(examined: &Result<Option<Examined>, LedgerError>) -> Check {
    const NAME: &str = "ledger";
    match examined {
        Ok(None) => Check::pass(NAME, "There is no ledger yet, and so nothing to lose."),
        Ok(Some(Examined { fault: None, .. })) => Check::pass(NAME, "SQLite finds the ledger whole."),
        Ok(Some(Examined { fault: Some(what), .. })) | Err(LedgerError::Broken { what }) => Check::fail(
            NAME,
            format!("The ledger is broken: {what}."),
            "Run `proofmark stop`; the next server keeps the file aside and starts a new ledger.",
        ),
        Err(newer @ LedgerError::Newer { .. }) => Check::fail(
            NAME,
            sentence(newer),
            "Install the newer Proofmark again; this one leaves its ledger as it is.",
        ),
        Err(error) => Check::unchecked(NAME, sentence(error), "Run this again, with the state folder readable."),
    }
}

fn sentence(error: &LedgerError) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}.", letters.as_str())
}

/// What was heard: as the server counts, else as the ledger has it.
pub(crate) fn heard(
    place: &Place,
    served: &Served,
    examined: &Result<Option<Examined>, LedgerError>,
) -> Option<Vec<Heard>> {
    if let Served::By(_) = served
        && let Ok(Some(diagnosis)) = call::<Diagnosis>(&place.state_dir, method::DIAGNOSE, (), ASK)
    {
        return Some(diagnosis.heard);
    }
    match examined {
        Ok(Some(examined)) if examined.fault.is_none() => Some(examined.heard.clone()),
        Ok(None) => Some(Vec::new()),
        _ => None,
    }
}

/// Looks at the ledger of a state folder without changing it.
pub(crate) fn examine(state_dir: &Path) -> Result<Option<Examined>, LedgerError> {
    ledger::examine(state_dir)
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::UnixListener;

    use super::*;
    use crate::doctor::check::State::{self, Fail, Pass, Unchecked};

    fn pong(build: &str) -> Served {
        Served::By(Pong {
            pid: 7,
            build: build.to_owned(),
            instance: "x".to_owned(),
        })
    }

    #[test]
    fn who_serves_is_judged() {
        for (served, state) in [
            (pong(BUILD), Pass),
            (pong("0.0.1"), Fail),
            (Served::No, Unchecked),
            (Served::Mute(7, "it sleeps".to_owned()), Fail),
            (Served::Unknown("no".to_owned()), Unchecked),
        ] {
            assert_eq!(version(&served).state, state, "{served:?}");
        }
    }

    #[test]
    fn folders_and_sockets_are_their_owners_alone() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state");
        let told = |served: &Served| (folder(&state).state, socket(&state, served).state);
        assert_eq!(told(&Served::No), (Unchecked, Unchecked));
        assert_eq!(told(&pong(BUILD)), (Unchecked, Fail));
        fs::write(&state, "").unwrap();
        assert_eq!(folder(&state).state, Fail);
        fs::remove_file(&state).unwrap();
        fs::create_dir(&state).unwrap();
        let mode = |mode| fs::set_permissions(&state, Permissions::from_mode(mode)).unwrap();
        mode(0o755);
        let open = folder(&state);
        assert_eq!(open.state, Fail);
        assert!(open.mend.unwrap().starts_with("chmod 700 /"));
        mode(0o700);
        assert_eq!(told(&Served::No), (Pass, Unchecked));
        let path = paths::socket(&state);
        fs::write(&path, "").unwrap();
        assert_eq!(socket(&state, &Served::No).state, Fail);
        fs::remove_file(&path).unwrap();
        let _listener = UnixListener::bind(&path).unwrap();
        assert_eq!(told(&Served::No), (Pass, Pass));
        mode(0o750);
        assert_eq!(told(&Served::No), (Fail, Fail));
    }

    #[test]
    fn a_ledger_is_broken_newer_or_not_known() {
        let whole = |fault: Option<&str>| {
            Ok(Some(Examined {
                fault: fault.map(str::to_owned),
                heard: Vec::new(),
            }))
        };
        let cases: [(Result<_, _>, State); 6] = [
            (Ok(None), Pass),
            (whole(None), Pass),
            (whole(Some("page 3")), Fail),
            (Err(LedgerError::Newer { found: 9, known: 3 }), Fail),
            (Err(LedgerError::Busy), Unchecked),
            (Err(LedgerError::Other("x".to_owned())), Unchecked),
        ];
        for (examined, state) in cases {
            assert_eq!(ledger(&examined).state, state, "{examined:?}");
        }
    }
}
