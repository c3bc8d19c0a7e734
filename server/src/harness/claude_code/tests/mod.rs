//! What lines of transcripts show: real sessions, single rows, and rows that no harness ever wrote.
//! Following a file has its tests in its own room.

mod agent_rows;
mod any_line;
mod boards;
mod queued_rows;
mod sessions;
mod user_rows;

use serde_json::{Value, json};

use super::SPEC;
use crate::harness::testing::read_line;
use crate::harness::{Memory, Stream};
use crate::session::Entry;

fn read(line: &[u8], stream: Stream) -> Vec<Entry> {
    read_line(&SPEC, line, stream, &mut Memory::default())
}

fn main(row: &Value) -> Vec<Entry> {
    read(row.to_string().as_bytes(), Stream::Main)
}

fn user(content: Value) -> Value {
    json!({"type": "user", "uuid": "u1", "message": {"role": "user", "content": content}})
}

fn with(mut row: Value, members: Value) -> Value {
    row.as_object_mut()
        .unwrap()
        .extend(members.as_object().unwrap().clone());
    row
}
