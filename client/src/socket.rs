//! One question to the running server, for commands.
//! The hook has its own, quicker way; starting a server is not done here.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};
use proofmark_protocol::frame::{MAX_FRAME, Request, Response};
use proofmark_protocol::paths;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Puts one question to the server of a state folder; none when no server listens. `limit` bounds each wait.
pub(crate) fn call<R: DeserializeOwned>(
    state_dir: &Path,
    method: &str,
    params: impl Serialize,
    limit: Duration,
) -> anyhow::Result<Option<R>> {
    let Ok(mut stream) = UnixStream::connect(paths::socket(state_dir)) else {
        return Ok(None);
    };
    stream.set_read_timeout(Some(limit))?;
    stream.set_write_timeout(Some(limit))?;
    let mut line = serde_json::to_vec(&Request::new(1, method, params))?;
    line.push(b'\n');
    stream
        .write_all(&line)
        .context("the server doesn't take the question")?;
    let mut answer = String::new();
    let mut reader = BufReader::new(stream.take(MAX_FRAME as u64));
    reader.read_line(&mut answer).context("the server doesn't answer")?;
    let response: Response<R> = serde_json::from_str(&answer).context("the server's answer can't be read")?;
    match response.error {
        Some(error) => bail!("the server says: {}", error.message),
        None => Ok(response.result),
    }
}
