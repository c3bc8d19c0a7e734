//! A task's report that it ended: `<task-notification>`, as a row of its own or queued.
//! What the task had been asked, and its output, stay out: other rows hold them, or none.

use crate::harness::tools::cut;
use crate::session::{Ending, Entry, Injection};

/// How the report begins.
const BEGINNING: &str = "<task-notification>";
/// So much of what a report says is kept, in characters.
const SAID: usize = 500;

/// The words for an end, and what they say of the call that began the task.
const ENDS: [(&str, Ending); 5] = [
    ("completed", Ending::Succeeded),
    ("failed", Ending::Failed),
    ("killed", Ending::Interrupted),
    ("stopped", Ending::Interrupted),
    ("cancelled", Ending::Interrupted),
];

/// Whether a text is a task's report.
pub(super) fn is_one(text: &str) -> bool {
    text.trim_start().starts_with(BEGINNING)
}

/// Adds the report, and the end of the call where it names one: 2.1.25 to 2.1.42 name the task alone.
pub(super) fn entries(text: &str, turn: Option<String>, out: &mut Vec<Entry>) {
    out.push(Entry::Injected {
        injection: Injection::Notification,
        turn,
    });
    // What stands before the task's own words is the harness's: those may hold any tag.
    let head = text.split("<result>").next().unwrap_or_default();
    let ending = tag(head, "status").and_then(|status| ENDS.iter().find(|(word, _)| *word == status));
    if let (Some(id), Some((_, ending))) = (tag(head, "tool-use-id"), ending) {
        out.push(Entry::Result {
            id: id.to_owned(),
            ending: *ending,
            exit: None,
            output: cut(tag(head, "summary").unwrap_or_default(), SAID),
            helper: None,
            turn: None,
        });
    }
}

/// The text in the first tag of that name; none when it is not there, not closed, or empty.
fn tag<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (opening, closing) = (format!("<{name}>"), format!("</{name}>"));
    let inside = text.split_once(&opening)?.1.split_once(&closing)?.0.trim();
    (!inside.is_empty()).then_some(inside)
}
