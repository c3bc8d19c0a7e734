//! The version of a harness's program: asking for it, reading it, comparing it.
//! What a version knows stands in the harness's own table.

use std::fmt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::program::folders;
use crate::child;

/// How long a program has to say its version. A busy machine starts the largest of them in less.
const ASK: Duration = Duration::from_secs(5);

/// A version, as far as its three first numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version(pub(crate) u32, pub(crate) u32, pub(crate) u32);

impl Version {
    /// The first version in a text: `2.1.332 (Claude Code)`, `codex-cli 0.171.0`, `2026.09.18-9a7762b`.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let words = text.split(|c: char| !(c.is_ascii_digit() || c == '.'));
        words.filter(|word| word.contains('.')).find_map(|word| {
            let mut numbers = word.split('.').map(|number| number.parse().ok());
            let (major, minor) = (numbers.next()??, numbers.next()??);
            Some(Self(major, minor, numbers.next().flatten().unwrap_or(0)))
        })
    }

    /// True when this is a date: Cursor numbers its command line so, and its editor as usual.
    fn is_date(self) -> bool {
        self.0 >= 2000
    }

    /// True when this is one of the versions or a later one, by the numbering that it belongs to itself.
    pub(crate) fn has(self, since: &[Self]) -> bool {
        since
            .iter()
            .any(|first| first.is_date() == self.is_date() && self >= *first)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_date() {
            true => write!(f, "{}.{:02}.{:02}", self.0, self.1, self.2),
            false => write!(f, "{}.{}.{}", self.0, self.1, self.2),
        }
    }
}

/// The program of that name in the folders of a `PATH`.
pub(crate) fn on_path(name: &str, path: Option<&std::ffi::OsStr>) -> Option<PathBuf> {
    let runs = |program: &PathBuf| {
        std::fs::metadata(program).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    folders(path).into_iter().map(|folder| folder.join(name)).find(runs)
}

/// The version that a program says it has; none where it says none in time.
pub(crate) fn ask(program: &Path) -> Option<Version> {
    ask_within(program, ASK)
}

fn ask_within(program: &Path, limit: Duration) -> Option<Version> {
    let said = child::run(Command::new(program).arg("--version"), b"", limit).ok()?;
    Version::read(&String::from_utf8_lossy(&said.stdout)).filter(|_| said.code == Some(0))
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn versions_are_read_as_programs_say_them() {
        for (said, version) in [
            ("2.1.332 (Claude Code)\n", Some(Version(2, 1, 332))),
            ("codex-cli 0.171.0", Some(Version(0, 171, 0))),
            ("codex-cli 0.172.0-alpha.3", Some(Version(0, 172, 0))),
            ("2026.09.18-9a7762b", Some(Version(2026, 9, 18))),
            ("3.24.12\n1a2b3c\nx64\n", Some(Version(3, 24, 12))),
            ("Cursor 3.4", Some(Version(3, 4, 0))),
            ("no version. at all 7", None),
            ("99999999999.1", None),
            ("", None),
        ] {
            assert_eq!(Version::read(said), version, "{said}");
        }
    }

    #[test]
    fn numberings_are_not_compared_with_each_other() {
        let since = [Version(3, 12, 0), Version(2026, 7, 23)];
        for (version, has) in [
            (Version(3, 12, 0), true),
            (Version(3, 11, 9), false),
            (Version(2026, 7, 23), true),
            (Version(2026, 7, 1), false),
        ] {
            assert_eq!(version.has(&since), has, "{version}");
        }
        assert!(!Version(2026, 1, 1).has(&[Version(2, 0, 0)]));
    }

    #[test]
    fn a_program_that_does_not_answer_is_ended() {
        let dir = tempfile::tempdir().unwrap();
        let program = |name: &str, script: &str| {
            let path = dir.path().join(name);
            std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
            path
        };
        assert_eq!(ask(&program("quick", "echo 1.2.3")), Some(Version(1, 2, 3)));
        assert_eq!(ask(&program("fails", "echo 1.2.3; exit 1")), None);
        assert_eq!(ask(&program("silent", "exit 0")), None);
        assert_eq!(ask(&dir.path().join("absent")), None);
        let begun = Instant::now();
        assert_eq!(
            ask_within(&program("hangs", "sleep 60"), Duration::from_millis(300)),
            None
        );
        assert!(begun.elapsed() < Duration::from_secs(30));
    }
}
