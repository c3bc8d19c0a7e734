//! Where a state folder's files are, so that hook, server and command look in one place.
//! Nothing is created or opened here, and the environment arrives as an argument.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The longest socket path that every system takes (macOS: 104 bytes with the final NUL).
const MAX_SOCKET_PATH: usize = 100;

/// The state folder: `PROOFMARK_STATE_DIR`, else `$XDG_STATE_HOME/proofmark`, else `~/.local/state/proofmark`.
/// None when the environment has none of the three.
pub fn state_dir(env: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name: &str| env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("PROOFMARK_STATE_DIR")
        .or_else(|| set("XDG_STATE_HOME").map(|dir| dir.join("proofmark")))
        .or_else(|| set("HOME").map(|dir| dir.join(".local/state/proofmark")))
}

/// The person's settings file: `PROOFMARK_CONFIG`, else `$XDG_CONFIG_HOME/proofmark/config.toml`, else `~/.config/proofmark/config.toml`.
pub fn config_file(env: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name: &str| env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("PROOFMARK_CONFIG")
        .or_else(|| set("XDG_CONFIG_HOME").map(|dir| dir.join("proofmark/config.toml")))
        .or_else(|| set("HOME").map(|dir| dir.join(".config/proofmark/config.toml")))
}

/// The socket of a state folder. Where the folder's own path is too long for a socket, a folder of its own under `/tmp`,
/// named after the path; it is trusted only when it belongs to the owner of the state folder and is closed to everybody else.
pub fn socket(state_dir: &Path) -> PathBuf {
    let direct = state_dir.join("proofmark.sock");
    if direct.as_os_str().len() <= MAX_SOCKET_PATH {
        return direct;
    }
    let hash = fnv1a(state_dir.as_os_str().as_encoded_bytes());
    PathBuf::from(format!("/tmp/proofmark-{hash:016x}/proofmark.sock"))
}

/// The lock that the owner of a state folder holds as long as it lives; its text is the owner's process
/// id, a random word of this owner's, and when its process was started.
pub fn owner_lock(state_dir: &Path) -> PathBuf {
    state_dir.join("owner.lock")
}

/// The lock that whoever starts a server holds while it does.
pub fn startup_lock(state_dir: &Path) -> PathBuf {
    state_dir.join("startup.lock")
}

/// The mark that a hook leaves once it has told the person in this session about a fault of this kind; an empty file.
pub fn said(state_dir: &Path, session: &str, kind: &str) -> PathBuf {
    let hash = fnv1a(format!("{kind}\0{session}").as_bytes());
    marks(state_dir).join(format!("{hash:016x}"))
}

/// Where these marks lie.
pub fn marks(state_dir: &Path) -> PathBuf {
    state_dir.join("said")
}

/// A session's document.
pub fn session_document(state_dir: &Path, harness: &str, session: &str) -> PathBuf {
    let hash = fnv1a(format!("{harness}\0{session}").as_bytes());
    documents(state_dir).join(format!("{hash:016x}.md"))
}

/// Where the documents of sessions lie.
pub fn documents(state_dir: &Path) -> PathBuf {
    state_dir.join("sessions")
}

/// Where the language server lays its pages, for editors that open a finding's description.
pub fn pages(state_dir: &Path) -> PathBuf {
    state_dir.join("docs")
}

/// What the server writes on stderr.
pub fn log(state_dir: &Path) -> PathBuf {
    state_dir.join("server.log")
}

/// The ledger.
pub fn ledger(state_dir: &Path) -> PathBuf {
    state_dir.join("ledger.sqlite")
}

/// FNV-1a over 64 bits: a short name for a long one, where nobody gains by making two collide.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_folder_follows_the_environment() {
        let env = |set: &'static [(&str, &str)]| {
            move |name: &str| {
                set.iter()
                    .find(|(key, _)| *key == name)
                    .map(|(_, value)| OsString::from(value))
            }
        };
        let all = env(&[("PROOFMARK_STATE_DIR", "/a"), ("XDG_STATE_HOME", "/b"), ("HOME", "/c")]);
        assert_eq!(state_dir(all), Some(PathBuf::from("/a")));
        assert_eq!(
            state_dir(env(&[("PROOFMARK_STATE_DIR", ""), ("XDG_STATE_HOME", "/b")])),
            Some(PathBuf::from("/b/proofmark"))
        );
        assert_eq!(
            state_dir(env(&[("HOME", "/c")])),
            Some(PathBuf::from("/c/.local/state/proofmark"))
        );
        assert_eq!(state_dir(env(&[])), None);
    }

    #[test]
    fn a_socket_path_always_fits() {
        assert_eq!(socket(Path::new("/s")), PathBuf::from("/s/proofmark.sock"));
        let long = socket(Path::new(&format!("/{}", "x".repeat(200))));
        assert!(long.as_os_str().len() <= MAX_SOCKET_PATH);
        assert_ne!(long, socket(Path::new(&format!("/{}", "y".repeat(200)))));
    }

    #[test]
    fn what_was_said_is_marked_for_each_session_and_kind() {
        let marks = [("a", "x"), ("a", "y"), ("b", "x"), ("xa", "")]
            .map(|(session, kind)| said(Path::new("/s"), session, kind));
        for (nth, mark) in marks.iter().enumerate() {
            assert!(mark.starts_with("/s/said"));
            assert!(!marks[..nth].contains(mark), "{mark:?}");
        }
    }
}
