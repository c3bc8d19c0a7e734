//! One line of a transcript, and what it shows.
//! What is behind single kinds of rows is in the files beside this one.

use super::row::{Content, Row, Text, is};
use super::{assistant, person, result, skim};
use crate::harness::{Stream, ToolSettings};
use crate::session::Entry;

/// The types of rows that are entries. All others are bookkeeping, copies of what these rows say
/// (`api-request…`, `progress`, `queue-operation`), or too new to be known.
const TYPES: [&str; 2] = ["user", "assistant"];

/// Adds what one line shows; see [`HarnessSpec::entries`](crate::harness::HarnessSpec::entries). Rows without `uuid`
/// get an empty row id.
///
/// A row of another type is passed over at the sight of its type: when it breaks off later, and its last byte does not
/// show that, nobody learns of it.
pub(super) fn entries(line: &[u8], stream: Stream, tools: &ToolSettings<'_>, out: &mut Vec<Entry>) {
    if line.trim_ascii().is_empty() || (is_other(line) && line.trim_ascii_end().ends_with(b"}")) {
        return;
    }
    let text = String::from_utf8_lossy(line);
    // Looked at here because serde would take an array for a struct.
    if !text.trim_start().starts_with('{') {
        out.push(Entry::Unreadable);
        return;
    }
    match serde_json::from_str(&text) {
        Ok(row) => row_entries(&row, stream, tools, out),
        // A row of another type may use the same names for other things.
        Err(_) if serde_json::from_str(&text).is_ok_and(|row: AnyRow<'_>| !row.is_entry()) => {}
        Err(_) => out.push(Entry::Unreadable),
    }
}

/// A row of which nothing is known but its type.
#[derive(serde::Deserialize)]
struct AnyRow<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Text<'a>>,
}

impl AnyRow<'_> {
    fn is_entry(&self) -> bool {
        TYPES.iter().any(|kind| is(self.kind.as_ref(), kind))
    }
}

/// Whether a line is a row of the conversation: it names its type, and the message or session that it belongs to.
pub(super) fn knows(line: &[u8]) -> bool {
    let row: Option<Row<'_>> = std::str::from_utf8(line)
        .ok()
        .filter(|line| line.trim_start().starts_with('{'))
        .and_then(|line| serde_json::from_str(line).ok());
    row.is_some_and(|row| TYPES.iter().any(|kind| is(row.kind.as_ref(), kind)) && row.message.is_some())
}

/// Adds what the beginning of an over-long line shows: nothing when it is no entry, else that it is unreadable.
pub(super) fn too_long(head: &[u8], out: &mut Vec<Entry>) {
    if !is_other(head) {
        out.push(Entry::Unreadable);
    }
}

/// True only when it is sure that the row is of none of [`TYPES`].
fn is_other(line: &[u8]) -> bool {
    skim::row_type(line).is_some_and(|kind| TYPES.iter().all(|known| known.as_bytes() != kind))
}

fn row_entries(row: &Row<'_>, stream: Stream, tools: &ToolSettings<'_>, out: &mut Vec<Entry>) {
    let helpers = row.is_sidechain == Some(true) || row.agent_id.is_some();
    if helpers && stream == Stream::Main {
        return;
    }
    let Some(message) = &row.message else { return };
    let content = message.content.as_ref().unwrap_or(&Content::Other);
    if is(row.kind.as_ref(), "assistant") {
        assistant::entries(row, message.model.as_ref(), content, tools, out);
    } else if is(row.kind.as_ref(), "user") && !result::entries(row, content, out) {
        person::entries(row, content, out);
    }
}
