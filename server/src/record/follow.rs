//! A follower: one file, how far it was read, and what is new in it.
//! When to read again, and what a line means, stay out.

use std::fs::{File, Metadata};
use std::io::{self, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::identity::{self, Identity};
use super::lines::{Cutter, Limits, Line, Overlong};
use super::places::{PLACES, Places};

/// The longest line that is handed on whole, in bytes.
pub const MAX_LINE: usize = 4 * 1024 * 1024;

/// What a follower holds at most, in bytes: a line and a chunk.
const LIMITS: Limits = Limits {
    chunk: 256 * 1024,
    line: MAX_LINE,
    head: 4 * 1024,
};

/// A reading of more bytes than this is a long one: no turn adds so much, so it is a record that nobody has read before.
const LONG: u64 = 4 * 1024 * 1024;

/// Why a record could not be read. The follower stays where it was, or after the last line that it told.
#[derive(Debug, Error)]
pub enum RecordError {
    /// There is no path.
    #[error("no path to a record was given")]
    NoPath,
    /// Nothing stands at the path; it may come later.
    #[error("there is no record at {}", .0.display())]
    Missing(PathBuf),
    /// A folder, a pipe, a socket or a device stands at the path.
    #[error("{} is not a file", .0.display())]
    NotAFile(PathBuf),
    /// The system refuses to read it.
    #[error("cannot read the record {}: {source}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// What one reading came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Bytes of the lines that were told, line feeds included.
    pub bytes: u64,
    /// True when bytes stand after the last line feed: a line is being written. False when the reading was stopped.
    pub torn: bool,
    /// The file's length in bytes when the reading began; what is written later waits for the next one.
    pub len: u64,
}

/// Follows one growing file. It can be stored and taken up again by another process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Follower {
    path: PathBuf,
    /// Where the first line begins that was not told.
    offset: u64,
    /// How much of that line was looked at, when it is too long to be kept: it is not looked at twice.
    skipped: u64,
    /// The file, as it was up to there. None before the first reading, and when it could not be taken.
    identity: Option<Identity>,
}

impl Follower {
    /// A follower that has read nothing; the file need not exist yet.
    pub fn new(path: PathBuf) -> Self {
        Self {
            path,
            offset: 0,
            skipped: 0,
            identity: None,
        }
    }

    /// Where the first line begins that was not told, in bytes.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Tells every complete line that was not told before. A line without its line feed waits for it. `line` may stop
    /// the reading: the line that it was told counts as told, and the next reading goes on behind it. So does `go_on` by its `false`, which
    /// is asked again for each piece of the file: a line may be longer than there is time.
    ///
    /// # Errors
    /// See [`RecordError`]. It never waits for a pipe or a device.
    pub fn read_new(
        &mut self,
        go_on: &dyn Fn() -> bool,
        line: &mut dyn FnMut(Line<'_>) -> ControlFlow<()>,
    ) -> Result<Progress, RecordError> {
        self.read_within(LIMITS, &PLACES, go_on, line)
    }

    pub(super) fn read_within(
        &mut self,
        limits: Limits,
        places: &Places,
        go_on: &dyn Fn() -> bool,
        line: &mut dyn FnMut(Line<'_>) -> ControlFlow<()>,
    ) -> Result<Progress, RecordError> {
        if self.path.as_os_str().is_empty() {
            return Err(RecordError::NoPath);
        }
        match identity::open(&self.path) {
            Ok(Some((file, metadata))) => self
                .read_open(file, &metadata, (limits, places), go_on, line)
                .map_err(|error| self.error(error)),
            Ok(None) => Err(RecordError::NotAFile(self.path.clone())),
            Err(error) => Err(self.error(error)),
        }
    }

    fn read_open(
        &mut self,
        mut file: File,
        metadata: &Metadata,
        (limits, places): (Limits, &Places),
        go_on: &dyn Fn() -> bool,
        line: &mut dyn FnMut(Line<'_>) -> ControlFlow<()>,
    ) -> io::Result<Progress> {
        let len = metadata.len();
        if self.place() > 0 && !self.still_fits(&file, metadata)? {
            *self = Self::new(std::mem::take(&mut self.path));
            if line(Line::Restarted).is_break() {
                return Ok(Progress {
                    bytes: 0,
                    torn: false,
                    len,
                });
            }
        }
        let from = self.place();
        let place = (len.saturating_sub(from) > LONG).then(|| places.take(go_on));
        if matches!(place, Some(None)) {
            return Ok(Progress {
                bytes: 0,
                torn: false,
                len,
            });
        }
        let overlong = self.overlong(&file, limits)?;
        let mut cutter = Cutter::new(limits, overlong);
        file.seek(SeekFrom::Start(from))?;
        let outcome = cutter.cut(&mut file, len.saturating_sub(from), go_on, line);
        self.offset += cutter.told;
        self.skipped = cutter.overlong.map_or(0, |overlong| overlong.seen);
        // Taken from the file and not from what was told: were it rewritten just now, that would go unseen. No harness
        // rewrites what it wrote in the moment in which it appends.
        if self.place() != from {
            self.identity = Identity::at(&file, metadata, self.place())?;
        }
        outcome.map(|()| Progress {
            bytes: cutter.told,
            torn: cutter.torn,
            len,
        })
    }

    /// Up to where the file's bytes are known.
    fn place(&self) -> u64 {
        self.offset.saturating_add(self.skipped)
    }

    fn still_fits(&self, file: &File, metadata: &Metadata) -> io::Result<bool> {
        let now = Identity::at(file, metadata, self.place())?;
        Ok(now.is_some() && now == self.identity)
    }

    /// The line in which the last reading ended, when it was too long already.
    fn overlong(&self, file: &File, limits: Limits) -> io::Result<Option<Overlong>> {
        if self.skipped == 0 {
            return Ok(None);
        }
        let mut head = vec![0; limits.head];
        file.read_exact_at(&mut head, self.offset)?;
        Ok(Some(Overlong {
            head,
            seen: self.skipped,
        }))
    }

    fn error(&self, source: io::Error) -> RecordError {
        let path = self.path.clone();
        match source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => RecordError::Missing(path),
            _ => RecordError::Unreadable { path, source },
        }
    }
}

#[cfg(test)]
mod tests;
