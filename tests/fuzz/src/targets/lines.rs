//! Lines on the server's socket: each has one answer, with its own id as it was written, or none where none is due.
//! What methods do stays out.

use std::cell::OnceCell;

use proofmark_protocol::frame::IncomingRequest;
use proofmark_server::rpc::lines::fuzzing::{Answering, ECHO};
use serde::Deserialize;
use serde_json::value::RawValue;

thread_local! {
    static METHODS: OnceCell<Answering> = const { OnceCell::new() };
}

/// An answer, the id as it is written.
#[derive(Deserialize)]
struct Answered<'a> {
    jsonrpc: &'a str,
    #[serde(borrow, deserialize_with = "raw")]
    id: &'a RawValue,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
    #[serde(borrow)]
    proofmark: &'a RawValue,
}

fn raw<'de: 'a, 'a, D: serde::Deserializer<'de>>(from: D) -> Result<&'a RawValue, D::Error> {
    <&RawValue>::deserialize(from)
}

/// All of it is the line.
pub fn run(line: &[u8]) {
    if line.contains(&b'\n') || line.trim_ascii().is_empty() {
        return;
    }
    METHODS.with(|methods| holds(line, methods.get_or_init(Answering::default)));
}

fn holds(line: &[u8], methods: &Answering) {
    let answer = methods.answer(line);
    let is_object = line.trim_ascii_start().starts_with(b"{");
    let request = serde_json::from_slice::<IncomingRequest<'_>>(line).ok().filter(|_| is_object);
    let Some(answer) = answer else {
        let request = request.expect("what is no request is answered");
        assert!(request.id.is_none(), "a request is answered");
        return;
    };
    let (last, before) = answer.split_last().expect("an answer is not empty");
    assert!(*last == b'\n' && !before.contains(&b'\n'), "an answer is one line");
    let read: Answered<'_> = serde_json::from_slice(before).expect("an answer is JSON");
    assert_eq!(read.jsonrpc, "2.0");
    assert!(read.result.is_some() != read.error.is_some(), "a result or an error");
    assert!(read.proofmark.get().starts_with('{'));
    let Some(request) = request else {
        assert!(read.error.is_some());
        return;
    };
    let id = request.id.map_or("null", RawValue::get);
    let written = read.id.get();
    let fits = id == "null" || id.starts_with(['"', '-']) || id.starts_with(|first: char| first.is_ascii_digit());
    assert_eq!(written, if fits { id } else { "null" }, "the id is the request's own");
    if fits && request.method == ECHO && request.proofmark.is_none() {
        assert!(read.result.is_some(), "a method that is there is called");
    }
}
