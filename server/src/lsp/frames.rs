//! LSP's framing: a header that says how long the message is, then the message.
//! What a message says stays out.

use std::io;

use proofmark_protocol::frame::MAX_FRAME;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;

/// The longest line of a header, in bytes.
const MAX_HEADER: u64 = 8 * 1024;
/// The name of the one header that matters, in small letters.
const CONTENT_LENGTH: &[u8] = b"content-length:";

/// What came in.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Frame {
    /// A message.
    Message(Vec<u8>),
    /// A message that is too long; it was read and thrown away. Its length in bytes.
    TooLong(u64),
    /// Bytes that are no header; they were read up to the next header.
    Rubbish,
    /// The stream has ended.
    End,
}

/// Reads one frame. Memory is bounded whatever comes: a header says a length, only that much is read, and no more than
/// [`MAX_FRAME`] is kept.
pub(super) async fn read(input: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Frame> {
    let (mut length, mut rubbish) = (None, false);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = (&mut *input).take(MAX_HEADER).read_until(b'\n', &mut line).await?;
        if read == 0 {
            return Ok(Frame::End);
        }
        let text = line.trim_ascii();
        let folded = text.to_ascii_lowercase();
        // Anywhere in the line: behind the rest of a body that was longer than announced stands the next frame's header.
        if let Some(at) = memchr::memmem::rfind(&folded, CONTENT_LENGTH) {
            let value = std::str::from_utf8(&folded[at + CONTENT_LENGTH.len()..]);
            length = value.ok().and_then(|value| value.trim().parse::<u64>().ok());
            rubbish |= length.is_none();
        } else if !text.is_empty() {
            // Other headers have a name and a colon; anything else is what is left of a broken frame.
            rubbish |= !is_header(text);
        } else if let Some(length) = length {
            return body(input, length).await;
        } else if rubbish {
            return Ok(Frame::Rubbish);
        }
    }
}

fn is_header(line: &[u8]) -> bool {
    let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
    name.len() < line.len() && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
}

async fn body(input: &mut (impl AsyncBufRead + Unpin), length: u64) -> io::Result<Frame> {
    if length > MAX_FRAME as u64 {
        let skipped = tokio::io::copy(&mut input.take(length), &mut tokio::io::sink()).await?;
        return Ok(if skipped < length {
            Frame::End
        } else {
            Frame::TooLong(length)
        });
    }
    // Grows with what comes, not with what was announced.
    let mut body = Vec::new();
    input.take(length).read_to_end(&mut body).await?;
    Ok(if (body.len() as u64) < length {
        Frame::End
    } else {
        Frame::Message(body)
    })
}

/// Writes one frame.
pub(super) async fn write(output: &mut (impl AsyncWrite + Unpin), body: &[u8]) -> io::Result<()> {
    let mut frame = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    frame.extend_from_slice(body);
    output.write_all(&frame).await?;
    output.flush().await
}

/// Writes every message that comes, until nobody is left who could send one, or nobody who reads.
pub(super) async fn write_all(
    mut output: impl AsyncWrite + Unpin,
    mut bodies: mpsc::Receiver<Vec<u8>>,
) -> io::Result<()> {
    while let Some(body) = bodies.recv().await {
        write(&mut output, &body).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    async fn frames(mut input: &[u8]) -> Vec<Frame> {
        let mut frames = Vec::new();
        loop {
            match read(&mut input).await.unwrap() {
                Frame::End => return frames,
                frame => frames.push(frame),
            }
        }
    }

    #[tokio::test]
    async fn frames_are_found_between_rubbish() {
        let message = |text: &str| Frame::Message(text.as_bytes().to_vec());
        for (input, expected) in [
            ("Content-Length: 2\r\n\r\n{}", vec![message("{}")]),
            (
                "content-length:2\n\n{}Content-Length: 0\r\n\r\n",
                vec![message("{}"), message("")],
            ),
            (
                "Content-Type: x; charset=utf-8\r\nContent-Length: 2\r\n\r\n{}",
                vec![message("{}")],
            ),
            (
                "hello\r\n\r\nContent-Length: 2\r\n\r\n{}",
                vec![Frame::Rubbish, message("{}")],
            ),
            ("hello\nContent-Length: 2\r\n\r\n{}", vec![message("{}")]),
            (
                "Content-Length: -1\r\n\r\nContent-Length: 2\r\n\r\n{}",
                vec![Frame::Rubbish, message("{}")],
            ),
            ("Content-Length: 9999999999999999999999\r\n\r\n", vec![Frame::Rubbish]),
            (
                "Content-Type: x\r\n\r\nContent-Length: 2\r\n\r\n{}",
                vec![message("{}")],
            ),
            (
                "Content-Length: 2\r\n\r\n{}}}Content-Length: 2\r\n\r\n[]",
                vec![message("{}"), message("[]")],
            ),
            ("Content-Length: 10\r\n\r\n{}", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(frames(input.as_bytes()).await, expected, "{input:?}");
        }
    }

    #[tokio::test]
    async fn a_frame_that_is_too_long_is_skipped_and_the_next_one_read() {
        let length = MAX_FRAME + 1;
        let mut input = format!("Content-Length: {length}\r\n\r\n").into_bytes();
        input.extend(vec![b'x'; length]);
        input.extend(b"Content-Length: 2\r\n\r\n{}");
        assert_eq!(
            frames(&input).await,
            [Frame::TooLong(length as u64), Frame::Message(b"{}".to_vec())]
        );
    }

    proptest! {
        #[test]
        fn any_bytes_come_to_an_end(input in prop::collection::vec(any::<u8>(), 0..400)) {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            runtime.block_on(frames(&input));
        }
    }
}
