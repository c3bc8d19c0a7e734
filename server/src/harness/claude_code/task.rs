//! How a task in the background ended, by what looks at it and reports of it say.
//! Which call began it is remembered elsewhere.

use crate::harness::tools::shown;
use crate::session::{CallId, Ending, Entry};

/// How the result of a look at a task begins: `TaskOutput` (2.1.37 on), `BashOutput` before it.
const LOOKS: [&str; 2] = ["<retrieval_status>", "<status>"];
/// Where a task's own words begin in such a result: they may hold any tag.
const OWN_WORDS: [&str; 3] = ["<output>", "<stdout>", "<stderr>"];
/// The word for a task that goes on.
const GOES_ON: &str = "running";

/// What became of a task.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct End {
    pub(super) ending: Ending,
    pub(super) exit: Option<i32>,
    pub(super) output: String,
}

impl End {
    /// The end that a word and an exit code tell; none when the word is for no end. A task that is over without a code
    /// need not have gone well: 2.1.25 to 2.1.42 name none.
    pub(super) fn told(status: &str, exit: Option<i32>) -> Option<Self> {
        let ending = match (status, exit) {
            ("killed" | "stopped" | "cancelled", _) => Ending::Interrupted,
            ("completed" | "failed", Some(0)) => Ending::Succeeded,
            ("completed" | "failed", Some(_)) | ("failed", None) => Ending::Failed,
            ("completed", None) => Ending::Untold,
            _ => return None,
        };
        let exit = exit.filter(|_| ending != Ending::Interrupted);
        Some(Self {
            ending,
            exit,
            output: String::new(),
        })
    }

    /// As the end of the call that began the task.
    pub(super) fn of(self, id: CallId) -> Entry {
        Entry::Result {
            id,
            ending: self.ending,
            exit: self.exit,
            output: self.output,
            helper: None,
            turn: None,
        }
    }
}

/// The end that a look at a task shows; none when it shows none.
pub(super) fn looked_at(text: &str) -> Option<End> {
    let head = head(text)?;
    let end = End::told(
        tag(head, "status")?,
        tag(head, "exit_code").and_then(|code| code.parse().ok()),
    )?;
    let printed: Vec<&str> = ["output", "stdout", "stderr"]
        .iter()
        .filter_map(|name| inside(text, name))
        .collect();
    Some(End {
        output: shown(printed.join("\n").into()),
        ..end
    })
}

/// True when the result is that of a look at a task which had not ended.
pub(super) fn goes_on(text: &str) -> bool {
    head(text).and_then(|head| tag(head, "status")) == Some(GOES_ON)
}

/// What the harness says in the result of a look, before the task's own words.
fn head(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let own_words = OWN_WORDS.iter().filter_map(|sign| text.find(sign)).min();
    LOOKS
        .iter()
        .any(|beginning| text.starts_with(beginning))
        .then(|| &text[..own_words.unwrap_or(text.len())])
}

/// The text in the first tag of that name; none when it is not there, not closed, or empty.
pub(super) fn tag<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (opening, closing) = (format!("<{name}>"), format!("</{name}>"));
    let inside = text.split_once(&opening)?.1.split_once(&closing)?.0.trim();
    (!inside.is_empty()).then_some(inside)
}

/// All between the first tag of that name and its last end.
fn inside<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    Some(
        rest.rsplit_once(&format!("</{name}>"))
            .map_or(rest, |(inside, _)| inside),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_at_a_task_shows_its_end() {
        let ready = "<retrieval_status>success</retrieval_status>\n\n<task_id>b1</task_id>\n\n";
        let cases = [
            (
                format!(
                    "{ready}<status>failed</status>\n\n<exit_code>2</exit_code>\n\n<output>\n<status>x</status>\n</output>"
                ),
                Some((Ending::Failed, Some(2), "\n<status>x</status>\n")),
            ),
            (
                "<status>completed</status>\n<exit_code>0</exit_code>\n<stdout>a</stdout>\n<stderr>b</stderr>"
                    .to_owned(),
                Some((Ending::Succeeded, Some(0), "a\nb")),
            ),
            (
                format!("{ready}<status>completed</status>\n\n<output>a"),
                Some((Ending::Untold, None, "a")),
            ),
            (
                format!("{ready}<status>failed</status>"),
                Some((Ending::Failed, None, "")),
            ),
            (
                format!("{ready}<status>killed</status><exit_code>137</exit_code>"),
                Some((Ending::Interrupted, None, "")),
            ),
            (format!("{ready}<status>running</status>"), None),
            (format!("{ready}<output><status>completed</status></output>"), None),
            ("all <status>completed</status>".to_owned(), None),
        ];
        for (text, expected) in cases {
            let end = looked_at(&text);
            let end = end.as_ref().map(|end| (end.ending, end.exit, end.output.as_str()));
            assert_eq!(end, expected, "{text}");
        }
        assert!(goes_on(&format!("{ready}<status>running</status><output>x</output>")));
        assert!(!goes_on(&format!(
            "{ready}<status>completed</status><output><status>running</status></output>"
        )));
    }
}
