//! Whether two sources tell of calls that are alike: the same command, the same file, the same question.
//! Which of two alike calls is the same one stays out.

use crate::session::ToolKind;

/// What a call is known by where no id tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Key {
    Command(String),
    /// Tools that change files go by more than one name for the same call, and paths are not always whole.
    File(String),
    Other(String, String),
}

impl Key {
    pub(super) fn of(tool: &str, kind: &ToolKind, input: &str, changes: &[String]) -> Self {
        match (kind, changes.first()) {
            (ToolKind::Shell { command }, _) => Self::Command(command.trim().to_owned()),
            (ToolKind::Mutates, Some(path)) => Self::File(path.replace('\\', "/")),
            _ => Self::Other(tool.to_owned(), input.to_owned()),
        }
    }

    pub(super) fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::File(one), Self::File(other)) => is_end(one, other) || is_end(other, one),
            _ => self == other,
        }
    }
}

/// True when a path is the end of another one, or all of it.
fn is_end(end: &str, path: &str) -> bool {
    let end = end.trim_start_matches("./");
    path.strip_suffix(end)
        .is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alike_calls() {
        let edit = |path: &str| Key::of("Write", &ToolKind::Mutates, "", &[path.to_owned()]);
        let shell = |command: &str| {
            let command = command.to_owned();
            Key::of("Shell", &ToolKind::Shell { command }, "", &[])
        };
        let read = |path: &str| Key::of("Read", &ToolKind::Observes, path, &[]);
        for (one, other, alike) in [
            (edit("/w/src/a.rs"), edit("src/a.rs"), true),
            (edit("./src/a.rs"), edit("/w/src/a.rs"), true),
            (edit("C:\\w\\a.rs"), edit("a.rs"), true),
            (edit("/w/ba.rs"), edit("a.rs"), false),
            (edit("/w/a.rs"), edit("/v/a.rs"), false),
            (shell("cargo test "), shell("cargo test"), true),
            (shell("cargo test"), shell("cargo test -q"), false),
            (read("/w/a.rs"), read("/w/a.rs"), true),
            (read("/w/a.rs"), edit("/w/a.rs"), false),
        ] {
            assert_eq!(one.is_like(&other), alike, "{one:?} {other:?}");
            assert_eq!(other.is_like(&one), alike, "{other:?} {one:?}");
        }
    }
}
