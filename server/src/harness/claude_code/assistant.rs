//! What an agent's row shows: prose and calls.
//! Its thinking stays out, and so do the words that the harness puts in its place.

use super::row::{Block, Content, Row};
use super::tools;
use crate::harness::ToolSettings;
use crate::harness::json::{Members, Text, is, owned};
use crate::harness::tools::asked;
use crate::session::{Entry, Injection};

/// The model named on rows that the harness wrote itself: "No response requested.", errors of the API.
const NO_MODEL: &str = "<synthetic>";

/// Adds the row's text blocks and calls, in their order.
pub(super) fn entries(
    row: &Row<'_>,
    model: Option<&Text<'_>>,
    content: &Content<'_>,
    tools: &ToolSettings<'_>,
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
        Content::Blocks(blocks) => out.extend(blocks.iter().filter_map(|block| {
            if block.is("tool_use") {
                Some(call(row, block, tools))
            } else if block.is("text") {
                prose(row, &block.text.as_ref()?.0)
            } else {
                None
            }
        })),
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

/// The call in a block. One without an id gets an empty one: it was attempted, though no result can be joined to it.
fn call(row: &Row<'_>, block: &Block<'_>, tools: &ToolSettings<'_>) -> Entry {
    let tool = owned(block.name.as_ref()).unwrap_or_default();
    let input = Members::read(block.input);
    Entry::Call {
        row: row.id(),
        id: owned(block.id.as_ref()).unwrap_or_default(),
        kind: tools::kind(&tool, &input, tools),
        input: asked(&input, &tools::TELLING),
        changes: Vec::new(),
        tool,
    }
}
