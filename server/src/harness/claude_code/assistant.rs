//! What an agent's row shows: prose and calls.
//! Its thinking stays out, and so do the words that the harness puts in its place.

use super::memory::Memory;
use super::row::{Block, Content, Row};
use super::tools;
use crate::harness::Reader;
use crate::harness::json::{Members, Text, is, owned};
use crate::harness::tools::{asked, changed};
use crate::session::{Entry, Injection};

/// The model named on rows that the harness wrote itself: "No response requested.", errors of the API.
const NO_MODEL: &str = "<synthetic>";

/// Adds the row's text blocks and calls, in their order.
pub(super) fn entries(
    row: &Row<'_>,
    model: Option<&Text<'_>>,
    content: &Content<'_>,
    reader: &mut Reader<'_>,
    out: &mut Vec<Entry>,
) {
    if row.is_api_error_message == Some(true) {
        // The harness gave up: it raises no stop then (`StopFailure`, 2.1.332).
        let injection = Injection::Interruption;
        out.push(Entry::Injected { injection, turn: None });
        return;
    }
    if is(model, NO_MODEL) {
        return;
    }
    match content {
        Content::Text(text) => out.extend(prose(row, text)),
        Content::Blocks(blocks) => {
            for block in blocks {
                if block.is("tool_use") {
                    moved(row, &mut reader.memory.claude_code, out);
                    out.push(call(row, block, reader));
                } else if let Some(text) = block.text.as_ref().filter(|_| block.is("text")) {
                    out.extend(prose(row, &text.0));
                }
            }
        }
        Content::Other => {}
    }
}

fn prose(row: &Row<'_>, text: &str) -> Option<Entry> {
    let said = !text.trim().is_empty();
    said.then(|| Entry::Text {
        row: row.id(),
        text: text.to_owned(),
    })
}

/// Shows the folder of a call where it is another one than before: a `cd` of an earlier call stays in force.
fn moved(row: &Row<'_>, memory: &mut Memory, out: &mut Vec<Entry>) {
    if let Some(Text(folder)) = row.cwd.as_ref().filter(|Text(folder)| memory.moves_to(folder)) {
        out.push(Entry::Origin {
            session: None,
            client: false,
            cwd: Some(folder.clone().into_owned()),
            by_harness: false,
        });
    }
}

/// The call in a block. One without an id gets an empty one: it was attempted, though no result can be joined to it.
fn call(row: &Row<'_>, block: &Block<'_>, reader: &mut Reader<'_>) -> Entry {
    let tool = owned(block.name.as_ref()).unwrap_or_default();
    let input = Members::read(block.input);
    let id = owned(block.id.as_ref()).unwrap_or_default();
    let kind = tools::kind(&tool, &input, reader.tools);
    if let Some(task) = tools::looks_at(&tool, &input) {
        reader.memory.claude_code.looks.put(&id, task);
    }
    Entry::Call {
        row: row.id(),
        id,
        input: asked(&input, &tools::TELLING),
        changes: changed(&kind, &input),
        kind,
        tool,
    }
}
