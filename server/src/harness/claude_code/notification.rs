//! A task's report that it ended: `<task-notification>`, as a row of its own or queued.
//! What the task had been asked, and its output, stay out: other rows hold them, or none.

use super::memory::Memory;
use super::task::{End, tag};
use crate::session::{Entry, Injection};

/// How the report begins.
const BEGINNING: &str = "<task-notification>";
/// What stands before the exit code in what a report says of a command (2.1.332).
const CODE: &str = "exit code ";

/// Whether a text is a task's report.
pub(super) fn is_one(text: &str) -> bool {
    text.trim_start().starts_with(BEGINNING)
}

/// Adds the report, and the end of the call that it names: 2.1.25 to 2.1.42 name the task alone. What the command
/// printed is not in it.
pub(super) fn entries(text: &str, turn: Option<String>, memory: &mut Memory, out: &mut Vec<Entry>) {
    out.push(Entry::Injected {
        injection: Injection::Notification,
        turn,
    });
    // What stands before the task's own words is the harness's: those may hold any tag.
    let head = text.split("<result>").next().unwrap_or_default();
    let call = tag(head, "tool-use-id").map(str::to_owned);
    let call = call.or_else(|| memory.tasks.get(tag(head, "task-id")?).cloned());
    let end = tag(head, "status").and_then(|status| End::told(status, tag(head, "summary").and_then(exit)));
    if let (Some(id), Some(end)) = (call, end) {
        out.push(end.of(id));
    }
}

/// The exit code in what a report says. It stands behind the description of the task, which may name another one.
fn exit(summary: &str) -> Option<i32> {
    let (_, code) = summary.rsplit_once(CODE)?;
    code.trim_end_matches([')', '.']).parse().ok()
}
