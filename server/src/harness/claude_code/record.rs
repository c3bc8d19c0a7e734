//! One line of a transcript, and what it shows.
//! What is behind single kinds of rows is in the files beside this one.

use serde_json::value::RawValue;

use super::row::{Attachment, Content, Row};
use super::{assistant, person, queued, result};
use crate::harness::json::{Text, is, look};
use crate::harness::{Reader, Stream, skim};
use crate::session::Entry;

/// The types of rows that are entries. All others are bookkeeping, copies of what these rows say
/// (`api-request…`, `progress`, `queue-operation`), or too new to be known. Of attachments one type is an entry.
const TYPES: [&str; 3] = ["user", "assistant", "attachment"];

/// Adds what one line shows; see [`HarnessSpec::entries`](crate::harness::HarnessSpec::entries). Rows without `uuid`
/// get an empty row id.
///
/// A row of another type is passed over at the sight of its type: when it breaks off later, and its last byte does not
/// show that, nobody learns of it.
pub(super) fn entries(line: &[u8], reader: &mut Reader<'_>, out: &mut Vec<Entry>) {
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
        Ok(row) => row_entries(&row, reader, out),
        // A row of another type may use the same names for other things.
        Err(_) if serde_json::from_str(&text).is_ok_and(|row: AnyRow<'_>| !row.is_entry()) => {}
        Err(_) => out.push(Entry::Unreadable),
    }
}

/// A row of which nothing is known but its type and where it belongs.
#[derive(Default, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct AnyRow<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Text<'a>>,
    #[serde(borrow)]
    session_id: Option<&'a RawValue>,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
    #[serde(borrow)]
    attachment: Option<&'a RawValue>,
}

impl AnyRow<'_> {
    fn is_entry(&self) -> bool {
        let attachment: Attachment<'_> = look(self.attachment);
        let is_attachment = is(self.kind.as_ref(), "attachment");
        TYPES.iter().any(|kind| is(self.kind.as_ref(), kind))
            && (!is_attachment || is(attachment.kind.as_ref(), queued::KIND))
    }
}

/// Whether a line is a row of a Claude Code transcript: it names its type, and its session or a message of a speaker.
/// A session whose only prompt a hook held up has no row of a speaker.
pub(super) fn knows(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    if !text.trim_start().starts_with('{') {
        return false;
    }
    let row: AnyRow<'_> = serde_json::from_str(&text).unwrap_or_default();
    row.kind.is_some() && (row.session_id.is_some() || (row.is_entry() && row.message.is_some()))
}

/// Adds what the beginning of an over-long line shows: nothing when it is no entry, else that it is unreadable.
pub(super) fn too_long(head: &[u8], out: &mut Vec<Entry>) {
    // An attachment's row names its own type after the attachment, which its beginning does not reach.
    if !is_other(head) && skim::attachment_type(head).is_none_or(|kind| kind == queued::KIND.as_bytes()) {
        out.push(Entry::Unreadable);
    }
}

/// True only when it is sure that the row is no entry.
fn is_other(line: &[u8]) -> bool {
    // An attachment stands before its row's type, and may be most of the record.
    if skim::begins_with_attachment(line).is_some_and(|kind| kind != queued::KIND.as_bytes())
        && skim::last_type(line) == Some(b"attachment")
    {
        return true;
    }
    skim::row_type(line).is_some_and(|kind| {
        let unqueued = || skim::attachment_type(line).is_some_and(|kind| kind != queued::KIND.as_bytes());
        TYPES.iter().all(|known| known.as_bytes() != kind) || (kind == b"attachment" && unqueued())
    })
}

fn row_entries(row: &Row<'_>, reader: &mut Reader<'_>, out: &mut Vec<Entry>) {
    let helpers = row.is_sidechain == Some(true) || row.agent_id.is_some();
    if helpers && reader.stream == Stream::Main {
        return;
    }
    let memory = &mut reader.memory.claude_code;
    if is(row.kind.as_ref(), "attachment") {
        queued::entries(row, memory, out);
        return;
    }
    let Some(message) = &row.message else { return };
    let content = message.content.as_ref().unwrap_or(&Content::Other);
    if is(row.kind.as_ref(), "assistant") {
        assistant::entries(row, message.model.as_ref(), content, reader, out);
    } else if is(row.kind.as_ref(), "user") && !result::entries(row, content, memory, out) {
        person::entries(row, content, memory, out);
    }
}
