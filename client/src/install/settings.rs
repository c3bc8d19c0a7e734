//! One settings file as it is: where it lies, its bytes, what it says.
//! What it shall say stays out.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};

use super::files;
use super::language::Language;
use super::tree::{Node, Unparsed};

/// What some editors put at the start of a file.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// A settings file.
#[derive(Debug)]
pub(crate) struct Settings {
    /// Its path, as it was asked for.
    pub(crate) asked: PathBuf,
    /// Where that path leads.
    pub(crate) real: PathBuf,
    /// Its bytes; none where it does not exist.
    pub(crate) bytes: Option<Vec<u8>>,
    /// Whether it starts with a byte order mark.
    pub(crate) mark: bool,
    /// Its text, without the mark.
    pub(crate) text: String,
    /// Its language.
    pub(crate) language: Language,
    /// What it says; none where it says nothing.
    pub(crate) root: Option<Node>,
}

impl Settings {
    /// Reads the file at a path; one that does not exist has no text.
    ///
    /// # Errors
    /// It can't be read, or is not in its language. The message names the file, and the place where there is one.
    pub(crate) fn read(asked: PathBuf, language: Language) -> anyhow::Result<Self> {
        let shown = || asked.display().to_string();
        let real = files::follow(&asked).with_context(shown)?;
        let bytes = files::read(&real).with_context(shown)?;
        let whole = bytes.as_deref().unwrap_or_default();
        let mark = whole.starts_with(MARK);
        let body = unmarked(whole);
        let text = match std::str::from_utf8(body) {
            Ok(text) => text.to_owned(),
            Err(error) => {
                let good = String::from_utf8_lossy(&body[..error.valid_up_to()]);
                let what = Unparsed::at(&good, good.len(), "a byte there is no UTF-8");
                return Err(anyhow!(what).context(shown()));
            }
        };
        let root = language.parse(&text).with_context(shown)?;
        Ok(Self {
            real,
            bytes,
            mark,
            text,
            language,
            root,
            asked,
        })
    }

    /// True when the path leads over a symbolic link to the file.
    pub(crate) fn is_link(&self) -> bool {
        self.asked != self.real
    }

    /// The bytes of a text in this file's place, with the mark that it has unless it has to go.
    pub(crate) fn encode(&self, text: &str, keeps_mark: bool) -> Vec<u8> {
        let mark = if self.mark && keeps_mark { MARK } else { &[] };
        [mark, text.as_bytes()].concat()
    }

    /// An error about this file.
    pub(crate) fn trouble(&self, what: impl Into<anyhow::Error>) -> anyhow::Error {
        what.into().context(self.asked.display().to_string())
    }
}

/// The bytes of a file without the mark at its start.
pub(crate) fn unmarked(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(MARK).unwrap_or(bytes)
}

/// A path as people write it: from `~` where it lies at home.
pub(crate) fn shown(path: &Path) -> String {
    let home = std::env::var_os("HOME")
        .filter(|home| !home.is_empty())
        .map(PathBuf::from);
    let within = home.as_deref().and_then(|home| path.strip_prefix(home).ok());
    within.map_or_else(
        || path.display().to_string(),
        |within| format!("~/{}", within.display()),
    )
}
