//! What an editor sends: frames are the same in pieces as at once, and each message is passed on or answered.
//! What a message asks for stays out.

use proofmark_server::lsp::fuzzing::{framed, frames, guarded};
use serde_json::Value;

use crate::input::Input;

/// The length of the pieces by a byte, then the stream.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let piece = usize::from(input.byte()) + 1;
    let stream = input.rest();
    let found = frames(stream, stream.len());
    assert_eq!(frames(stream, piece), found, "in pieces as at once");
    for body in found.iter().flatten() {
        message(body);
    }
    message(stream);
    let again = [framed(stream), framed(b"{}")].concat();
    assert_eq!(frames(&again, piece), [Some(stream.to_vec()), Some(b"{}".to_vec())], "what is framed is found");
}

fn message(body: &[u8]) {
    let is_batch = body.trim_ascii_start().starts_with(b"[");
    let read = guarded(body);
    assert!(is_batch && !read.is_empty() || read.len() == 1);
    for one in read {
        match one {
            Ok(Some(request)) => {
                let request: Value = serde_json::from_str(&request).expect("what is passed on is JSON");
                assert_eq!(request["jsonrpc"], "2.0");
                assert!(request["method"].as_str().is_some_and(|method| !method.is_empty()));
                let again = guarded(request.to_string().as_bytes());
                assert!(matches!(&again[..], [Ok(Some(_))]), "it is passed on again: {again:?}");
            }
            Ok(None) => {
                let response: Value = serde_json::from_slice(body).unwrap_or_default();
                assert!(is_batch || response.get("method").is_none_or(Value::is_null));
            }
            Err(answer) => {
                let answer: Value = serde_json::from_slice(&answer).expect("an answer is JSON");
                assert!(answer["error"]["code"].is_i64() && answer.get("id").is_some());
            }
        }
    }
}
