//! What a hook process leaves behind: stdout, stderr, exit code.
//! Which of them says what is each dialect's business.

use std::borrow::Cow;
use std::io::{self, Write};
use std::process::ExitCode;

use serde::Serialize;

/// Longest text given to a harness, in characters: Claude Code spills context over 10,000 into a file (2.1.332).
const MAX_TEXT: usize = 8_900;

/// The outcome of one event, as its harness reads it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// Nothing, or exactly one JSON object.
    pub stdout: String,
    /// Nothing, or text.
    pub stderr: String,
    /// 0 passes, 2 refuses.
    pub exit: u8,
}

impl Answer {
    /// The event passes; `stdout` is what this harness wants to read in that case.
    pub(crate) fn pass(stdout: &str) -> Self {
        Self {
            stdout: stdout.to_owned(),
            ..Self::default()
        }
    }

    /// The event passes, and whoever looks for the reason finds one line on stderr.
    pub(crate) fn pass_because(stdout: &str, why: impl std::fmt::Display) -> Self {
        Self {
            stderr: format!("proofmark-hook: {why}; the event passes unchecked"),
            ..Self::pass(stdout)
        }
    }

    /// The event passes with one JSON object on stdout.
    pub(crate) fn object(object: &impl Serialize) -> Self {
        match serde_json::to_string(object) {
            Ok(json) => Self::pass(&json),
            Err(error) => Self::pass_because("", format_args!("the answer could not be written: {error}")),
        }
    }

    /// Writes both streams, each in one piece. A reader that has gone away is no concern of the event's.
    pub(crate) fn emit(self) -> ExitCode {
        write_line(io::stdout().lock(), self.stdout);
        write_line(io::stderr().lock(), self.stderr);
        ExitCode::from(self.exit)
    }
}

/// Writes a text and its line end at once; an empty text writes nothing.
pub(crate) fn write_line(mut to: impl Write, mut text: String) {
    if text.is_empty() {
        return;
    }
    text.push('\n');
    // Nobody is left to hear about a closed stream, and the exit code still says what counts.
    let _closed = to.write_all(text.as_bytes()).and_then(|()| to.flush());
}

/// The text, cut where a harness would otherwise cut it.
pub(crate) fn bounded(text: &str) -> Cow<'_, str> {
    cut(text, MAX_TEXT)
}

/// A text of a decision as a harness gets it; none when there is nothing in it.
pub(crate) fn said(text: Option<&str>) -> Option<String> {
    text.filter(|text| !text.is_empty())
        .map(|text| bounded(text).into_owned())
}

/// At most `max` characters of the text, and a sign where it was cut.
pub(crate) fn cut(text: &str, max: usize) -> Cow<'_, str> {
    match text.char_indices().nth(max) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{} [cut]", &text[..end])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!(cut("äöü", 3), "äöü");
        assert_eq!(cut("äöüß", 3), "äöü [cut]");
        assert!(bounded(&"é".repeat(100_000)).chars().count() < 9_000);
    }
}
