//! Cutting a stream of bytes into complete lines, with bounded memory.
//! Files, offsets and the meaning of a line stay out.

use std::io::{ErrorKind, Read, Result};
use std::ops::ControlFlow;

use memchr::memchr_iter;

/// What a follower has to tell, in the order of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line<'a> {
    /// One line without its line feed, as it stands in the file: any bytes.
    Complete(&'a [u8]),
    /// A line that is longer than [`MAX_LINE`](super::MAX_LINE) and was not kept.
    TooLong {
        /// Its first 4 KiB.
        head: &'a [u8],
        /// Its length in bytes, without its line feed.
        len: u64,
    },
    /// The file shrank or is another one: what was told before is void, and it is told from its first line again.
    Restarted,
}

/// How much is held at a time, in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// What is read at once.
    pub(super) chunk: usize,
    /// The longest line that is kept.
    pub(super) line: usize,
    /// What is kept of a longer one.
    pub(super) head: usize,
}

/// The line at the end of what was read, once it is known to be too long.
#[derive(Debug)]
pub(super) struct Overlong {
    /// Its beginning.
    pub(super) head: Vec<u8>,
    /// How much of it was seen, in bytes.
    pub(super) seen: u64,
}

/// Cuts one stretch of a file into lines.
#[derive(Debug)]
pub(super) struct Cutter {
    limits: Limits,
    /// Bytes of the lines told so far, line feeds included. Right also after an error and after a stop.
    pub(super) told: u64,
    /// The over-long line that the stretch began in or ends in.
    pub(super) overlong: Option<Overlong>,
    /// True when bytes stand after the last line feed. Not known, and false, after a stop or an error.
    pub(super) torn: bool,
}

impl Cutter {
    /// A cutter; `overlong` when the stretch continues a line that is too long already.
    pub(super) fn new(limits: Limits, overlong: Option<Overlong>) -> Self {
        Self {
            limits,
            told: 0,
            overlong,
            torn: false,
        }
    }

    /// Tells every complete line of the next `len` bytes of `source`, until `tell` wants no more or `go_on` says no.
    ///
    /// # Errors
    /// What reading answers. The lines told before are counted in `told`.
    pub(super) fn cut(
        &mut self,
        source: &mut impl Read,
        len: u64,
        go_on: &dyn Fn() -> bool,
        tell: &mut dyn FnMut(Line<'_>) -> ControlFlow<()>,
    ) -> Result<()> {
        let mut source = source.take(len);
        // One byte more than there is: the end of the stretch is then met before the buffer has to grow.
        let first = usize::try_from(len)
            .unwrap_or(usize::MAX)
            .saturating_add(1)
            .min(self.limits.chunk);
        let mut buffer = vec![0; first];
        // The line that is not complete yet is `buffer[start..end]`; none of it is a line feed.
        let (mut start, mut end) = (0, 0);
        loop {
            if self.overlong.is_none() && end - start > self.limits.line {
                let head = buffer[start..][..self.limits.head].to_vec();
                self.overlong = Some(Overlong { head, seen: 0 });
            }
            if let Some(overlong) = &mut self.overlong {
                overlong.seen += (end - start) as u64;
                (start, end) = (0, 0);
            }
            if !go_on() {
                return Ok(());
            }
            if end == buffer.len() && start > 0 {
                buffer.copy_within(start..end, 0);
                (start, end) = (0, end - start);
            }
            if end == buffer.len() {
                buffer.resize((end * 2).min(self.limits.line + self.limits.chunk), 0);
            }
            let read = match source.read(&mut buffer[end..]) {
                Ok(read) => read,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if read == 0 {
                self.torn = self.overlong.is_some() || end > start;
                return Ok(());
            }
            let fresh = end..end + read;
            for at in memchr_iter(b'\n', &buffer[fresh.clone()]).map(|at| fresh.start + at) {
                let line = &buffer[start..at];
                start = at + 1;
                if self.tell_one(line, tell).is_break() {
                    return Ok(());
                }
            }
            end = fresh.end;
        }
    }

    /// Tells the line that ends with `rest`; it counts as told whatever the listener says.
    fn tell_one(&mut self, rest: &[u8], tell: &mut dyn FnMut(Line<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
        let before = self.overlong.take();
        let len = before.as_ref().map_or(0, |overlong| overlong.seen) + rest.len() as u64;
        self.told += len + 1;
        match &before {
            Some(overlong) => tell(Line::TooLong {
                head: &overlong.head,
                len,
            }),
            None if rest.len() > self.limits.line => tell(Line::TooLong {
                head: &rest[..self.limits.head],
                len,
            }),
            None => tell(Line::Complete(rest)),
        }
    }
}
