//! What was queued while the agent worked: the person's words, or a task's report.
//! There is no row of type `user` for it (2.1.101 to 2.1.332); what the words mean stays out.

use super::memory::Memory;
use super::row::{Attachment, Content, Origin, Row};
use super::{notification, person};
use crate::harness::json::{is, look};
use crate::session::{Entry, Injection};

/// The type of the attachment.
pub(super) const KIND: &str = "queued_command";

/// Adds the queued prompt with its origin, or who else spoke; nothing for other attachments.
///
/// Such a row names no turn: the calls that follow it carry on with the id of the turn that it was typed into.
pub(super) fn entries(row: &Row<'_>, memory: &mut Memory, out: &mut Vec<Entry>) {
    let attachment: Attachment<'_> = look(row.attachment);
    if !is(attachment.kind.as_ref(), KIND) {
        return;
    }
    let content = attachment.prompt.as_ref().unwrap_or(&Content::Other);
    match spoken(&attachment, content) {
        Ok(text) => person::prompt(row, text, None, true, (memory, out)),
        Err(Injection::Notification) => notification::entries(&content.text(), None, memory, out),
        Err(injection) => out.push(Entry::Injected { injection, turn: None }),
    }
}

fn spoken(attachment: &Attachment<'_>, content: &Content<'_>) -> Result<String, Injection> {
    let origin: Origin<'_> = look(attachment.origin);
    let mode = attachment.command_mode.as_ref();
    if is(mode, "task-notification") || notification::is_one(&content.text()) {
        return Err(Injection::Notification);
    }
    let human = origin.kind.as_ref().is_none_or(|kind| kind.0 == "human");
    if !is(mode, "prompt") || !human || attachment.is_meta == Some(true) {
        return Err(Injection::Harness);
    }
    person::words(content)
}
