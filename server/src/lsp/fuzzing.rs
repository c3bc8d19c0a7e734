//! Framing and the guard's reading, for the fuzz targets: synchronous, and with an input that comes in pieces.
//! What ought to come of it stands with the targets.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::FutureExt;
use tokio::io::{AsyncRead, BufReader, ReadBuf};

use super::frames::{self, Frame};
use super::stdio;

/// An input that gives so many bytes at a time, and is always ready.
struct Pieces<'a> {
    left: &'a [u8],
    piece: usize,
}

impl AsyncRead for Pieces<'_> {
    fn poll_read(mut self: Pin<&mut Self>, _: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let now = self.left.len().min(self.piece).min(into.remaining());
        let (read, left) = self.left.split_at(now);
        into.put_slice(read);
        self.left = left;
        Poll::Ready(Ok(()))
    }
}

/// What came in: a message, or none for what is no message and is answered with an error.
pub type Read = Option<Vec<u8>>;

/// Every frame of an input that comes in pieces of this length, in bytes; at least 1.
pub fn frames(input: &[u8], piece: usize) -> Vec<Read> {
    let piece = piece.max(1);
    let mut input = BufReader::with_capacity(piece, Pieces { left: input, piece });
    let mut found = Vec::new();
    // The input is always ready, so nothing is ever waited for.
    while let Some(Ok(frame)) = frames::read(&mut input).now_or_never() {
        match frame {
            Frame::End => break,
            Frame::Message(body) => found.push(Some(body)),
            Frame::TooLong(_) | Frame::Rubbish => found.push(None),
        }
    }
    found
}

/// A message in its frame.
pub fn framed(body: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    // A vector takes everything at once.
    let _written = frames::write(&mut out, body).now_or_never();
    out
}

/// What the guard makes of a message: what it passes on to the server, none for a response, or its own answer.
pub fn guarded(body: &[u8]) -> Vec<Result<Option<String>, Vec<u8>>> {
    let read = stdio::read(body).into_iter();
    let written = |request| serde_json::to_string(&request).unwrap_or_default();
    read.map(|one| one.map(|request| request.map(written))).collect()
}
