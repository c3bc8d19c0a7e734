//! Reads one HTTP/1.1 request, with a length or in chunks, and never more of it than the caps allow.
//! Connections, answers and what a request means are left to others.

use std::io::{self, BufRead, Read};

/// A request line and its headers are refused when they are longer together, in bytes.
const MAX_HEAD: u64 = 64 * 1024;
/// A request body is refused when it is longer, in bytes.
const MAX_BODY: u64 = 32 * 1024 * 1024;
/// A request, read to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Request {
    /// `GET`, `HEAD`, `POST` ...
    pub(crate) method: String,
    /// The path without the query.
    pub(crate) path: String,
    /// The body, without its transfer coding.
    pub(crate) body: Vec<u8>,
}

/// What came in on a connection.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Incoming {
    /// The client has closed it between two requests.
    End,
    /// Something that is answered with this status, and nothing after it can be read.
    Unusable(u16),
    /// A request, and whether the client wants the connection closed after it.
    Request { request: Request, close: bool },
}

/// How a body's end is found.
enum Framing {
    Length(u64),
    Chunked,
}

/// Reads the next request of a connection.
pub(super) fn read_request(reader: &mut impl BufRead) -> io::Result<Incoming> {
    let mut left = MAX_HEAD;
    let Some(first) = read_line(reader, &mut left)? else {
        return Ok(Incoming::End);
    };
    let mut words = first.split(' ');
    let (Some(method), Some(target), Some(version)) = (words.next(), words.next(), words.next()) else {
        return Ok(Incoming::Unusable(400));
    };
    let mut close = version != "HTTP/1.1";
    let mut framing = Framing::Length(0);
    loop {
        let Some(line) = read_line(reader, &mut left)? else {
            return Ok(Incoming::Unusable(if left == 0 { 431 } else { 400 }));
        };
        if line.is_empty() {
            break;
        }
        let Some((name, value)) = line.split_once(':') else {
            return Ok(Incoming::Unusable(400));
        };
        let value = value.trim();
        if name.eq_ignore_ascii_case("content-length") {
            let Ok(length) = value.parse() else {
                return Ok(Incoming::Unusable(400));
            };
            framing = Framing::Length(length);
        } else if name.eq_ignore_ascii_case("transfer-encoding") {
            framing = Framing::Chunked;
        } else if name.eq_ignore_ascii_case("connection") {
            close |= value.eq_ignore_ascii_case("close");
        }
    }
    let body = match framing {
        Framing::Length(length) => read_exactly(reader, length)?,
        Framing::Chunked => read_chunks(reader)?,
    };
    let body = match body {
        Ok(body) => body,
        Err(status) => return Ok(Incoming::Unusable(status)),
    };
    let path = target.split('?').next().unwrap_or_default().to_owned();
    Ok(Incoming::Request {
        request: Request {
            method: method.to_owned(),
            path,
            body,
        },
        close,
    })
}

/// One line without its end; none at the end of the stream, or when `left` bytes do not hold it.
fn read_line(reader: &mut impl BufRead, left: &mut u64) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let read = reader.by_ref().take(*left).read_until(b'\n', &mut line)?;
    *left -= read as u64;
    if line.pop() != Some(b'\n') {
        return Ok(None);
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    Ok(Some(String::from_utf8_lossy(&line).into_owned()))
}

fn read_exactly(reader: &mut impl BufRead, length: u64) -> io::Result<Result<Vec<u8>, u16>> {
    if length > MAX_BODY {
        return Ok(Err(413));
    }
    let mut body = Vec::new();
    let read = reader.by_ref().take(length).read_to_end(&mut body)?;
    Ok(if read as u64 == length { Ok(body) } else { Err(400) })
}

fn read_chunks(reader: &mut impl BufRead) -> io::Result<Result<Vec<u8>, u16>> {
    let mut body = Vec::new();
    loop {
        let Some(line) = read_line(reader, &mut 1024)? else {
            return Ok(Err(400));
        };
        let size = line.split(';').next().unwrap_or_default().trim();
        let Ok(size) = u64::from_str_radix(size, 16) else {
            return Ok(Err(400));
        };
        if size == 0 {
            break;
        }
        if size > MAX_BODY - body.len() as u64 {
            return Ok(Err(413));
        }
        match read_exactly(reader, size)? {
            Ok(chunk) => body.extend(chunk),
            Err(status) => return Ok(Err(status)),
        }
        if read_line(reader, &mut 2)?.as_deref() != Some("") {
            return Ok(Err(400));
        }
    }
    let mut left = MAX_HEAD;
    loop {
        match read_line(reader, &mut left)?.as_deref() {
            Some("") => return Ok(Ok(body)),
            Some(_) => {}
            None => return Ok(Err(400)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn post(path: &str, body: &[u8], close: bool) -> Incoming {
        Incoming::Request {
            request: Request {
                method: "POST".to_owned(),
                path: path.to_owned(),
                body: body.to_vec(),
            },
            close,
        }
    }

    #[test]
    fn requests_are_read_to_their_end() {
        let long_head = format!("GET / HTTP/1.1\r\nx: {}\r\n\r\n", "y".repeat(MAX_HEAD as usize));
        let huge = format!("POST / HTTP/1.1\r\ncontent-length: {}\r\n\r\n", MAX_BODY + 1);
        let huge_chunk = format!(
            "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n{:x}\r\n",
            MAX_BODY + 1
        );
        let cases: &[(&str, Incoming)] = &[
            ("", Incoming::End),
            (
                "POST /a?b=c HTTP/1.1\r\nContent-Length: 3\r\n\r\nxyz",
                post("/a", b"xyz", false),
            ),
            ("POST /a HTTP/1.1\nconnection: Close\n\n", post("/a", b"", true)),
            ("POST /a HTTP/1.0\r\n\r\n", post("/a", b"", true)),
            (
                "POST /a HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nt: 1\r\n\r\n",
                post("/a", b"abc0123456789", false),
            ),
            ("nonsense\r\n\r\n", Incoming::Unusable(400)),
            (
                "POST /a HTTP/1.1\r\ncontent-length: many\r\n\r\n",
                Incoming::Unusable(400),
            ),
            (
                "POST /a HTTP/1.1\r\ncontent-length: 9\r\n\r\nshort",
                Incoming::Unusable(400),
            ),
            (
                "POST /a HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabcdef",
                Incoming::Unusable(400),
            ),
            (
                "POST /a HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n",
                Incoming::Unusable(400),
            ),
            (&long_head, Incoming::Unusable(431)),
            (&huge, Incoming::Unusable(413)),
            (&huge_chunk, Incoming::Unusable(413)),
        ];
        for (bytes, expected) in cases {
            let shown: String = bytes.chars().take(80).collect();
            assert_eq!(&read_request(&mut bytes.as_bytes()).unwrap(), expected, "{shown:?}");
        }
    }

    #[test]
    fn many_chunks_are_no_way_around_the_cap() {
        let chunk = "x".repeat(MAX_BODY as usize);
        let head = "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n";
        for (more, accepted) in [("0\r\n\r\n", true), ("1\r\nx\r\n0\r\n\r\n", false)] {
            let bytes = format!("{head}{MAX_BODY:x}\r\n{chunk}\r\n{more}");
            let read = read_request(&mut bytes.as_bytes()).unwrap();
            assert_eq!(matches!(read, Incoming::Request { .. }), accepted);
            assert_eq!(read == Incoming::Unusable(413), !accepted);
        }
    }
}
