//! Short records in a form of their own, played through the fold and the decision, line by line.
//! What must come of them stands beside each check's stories.
//!
//! | line | what happens |
//! |---|---|
//! | `> text` | the person's prompt |
//! | `. text` | a text of the agent |
//! | `$ command ==> 1 output` | a shell call with its exit status; `ok` and `err` for a flag alone, `bg`, `cut`, `denied`, `none` for the rest; `\n` in an output or a reply is a new line |
//! | `+ path` | an edit that succeeded |
//! | `? tool` | a call of a tool that nobody described |
//! | `& name` | a helper agent that was sent and came back |
//! | `!` | a line that could not be read |
//! | `~` | a task in the background reports |
//! | `< reply ==> codes` | a reply that ends the turn, and the checks that find something; `-` for none |

use std::collections::BTreeSet;

use proofmark_protocol::Decision;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::Play;
use crate::session::entry::Injection;
use crate::session::{Ending, Entry, ToolKind};

/// What stands between what happens and what comes of it.
const COMES: &str = " ==> ";

impl Play {
    /// Plays one line; a reply's decision comes back.
    pub(super) fn line(&mut self, line: &str, number: usize) -> Option<Decision> {
        let (sign, rest) = line.split_at(line.chars().next().map_or(0, char::len_utf8));
        let rest = rest.trim();
        let id = format!("c{number}");
        let row = || format!("r{number}");
        match sign {
            ">" => drop(self.prompt(rest)),
            "." => self.stream.fold(Entry::Text {
                row: row(),
                text: rest.to_owned(),
            }),
            "$" => {
                let (command, came) = rest.split_once(COMES).unwrap_or((rest, "0"));
                let (status, output) = came.split_once(' ').unwrap_or((came, ""));
                let kind = ToolKind::Shell {
                    command: command.to_owned(),
                };
                self.begin(&id, "Bash", kind, command, &[]);
                self.end(&id, status, &output.replace("\\n", "\n"));
            }
            "+" => {
                self.begin(&id, "Edit", ToolKind::Mutates, rest, &[rest.to_owned()]);
                self.end(&id, "ok", "");
            }
            "?" => {
                self.begin(&id, rest, ToolKind::Unknown, rest, &[]);
                self.end(&id, "ok", "");
            }
            "&" => {
                self.begin(&id, "Agent", ToolKind::Delegates, rest, &[]);
                self.end(&id, "ok", "done");
            }
            "!" => self.stream.fold(Entry::Unreadable),
            "~" => self.stream.fold(Entry::Injected {
                injection: Injection::Notification,
                turn: None,
            }),
            "<" => {
                let (reply, _) = rest.split_once(COMES).unwrap_or((rest, ""));
                let reply = reply.replace("\\n", "\n");
                self.stream.fold(Entry::Text {
                    row: row(),
                    text: reply.clone(),
                });
                return Some(self.stop(&reply));
            }
            _ => panic!("no such line: {line}"),
        }
        None
    }

    fn begin(&mut self, id: &str, tool: &str, kind: ToolKind, input: &str, changes: &[String]) {
        self.stream.fold(Entry::Call {
            row: id.to_owned(),
            id: id.to_owned(),
            tool: tool.to_owned(),
            kind,
            input: input.to_owned(),
            changes: changes.to_vec(),
        });
    }

    fn end(&mut self, id: &str, status: &str, output: &str) {
        let (ending, exit) = match status {
            "ok" => (Ending::Succeeded, None),
            "err" => (Ending::Failed, None),
            "bg" => (Ending::Background, None),
            "cut" => (Ending::Interrupted, None),
            "denied" => (Ending::Denied, None),
            "none" => return,
            "0" => (Ending::Succeeded, Some(0)),
            code => (Ending::Failed, Some(code.parse().unwrap())),
        };
        self.stream.fold(Entry::Result {
            id: id.to_owned(),
            ending,
            exit,
            output: output.to_owned(),
            helper: None,
            turn: None,
        });
    }
}

/// Plays a story and says which of its replies came to something else than they should.
pub(super) fn shortfalls(name: &str, story: &str) -> Vec<String> {
    let mut play = Play::new();
    let mut bad = Vec::new();
    for (number, line) in story.lines().map(str::trim).filter(|line| !line.is_empty()).enumerate() {
        let Some(decision) = play.line(line, number) else {
            continue;
        };
        let wanted = line.rsplit_once(COMES).map_or("", |(_, codes)| codes);
        let mut found: Vec<&str> = decision.findings.iter().map(|finding| finding.code.as_str()).collect();
        found.dedup();
        let found = if found.is_empty() {
            "-".to_owned()
        } else {
            found.join(" ")
        };
        if found != wanted {
            let said = decision.to_person.unwrap_or_default();
            bad.push(format!("{name}: {line}\n    came to {found}: {said}"));
        }
    }
    bad
}

/// Plays every story of a table, and complains about all that fall short.
pub(super) fn all_hold(stories: &[(&str, &str)]) {
    let bad: Vec<String> = stories
        .iter()
        .flat_map(|(name, story)| shortfalls(name, story))
        .collect();
    assert!(bad.is_empty(), "{} replies fall short:\n{}", bad.len(), bad.join("\n"));
}

/// Lines of which any story can be made.
const LINES: [&str; 20] = [
    "> go",
    "> and?",
    ". The pytest run fails.",
    ". Everything passes.",
    "$ pytest ==> 0 9 passed in 1s",
    "$ pytest ==> 1 FAILED tests/test_a.py::test_x - boom\\n1 failed, 8 passed in 1s",
    "$ pytest tests/test_a.py ==> 0 3 passed in 1s",
    "$ pytest tests/test_a.py ==> 1 1 failed, 2 passed in 1s",
    "$ pytest | tail -1 ==> 0 bye",
    "$ pytest ==> bg",
    "$ make check ==> 0",
    "$ make check ==> 2",
    "$ git stash ==> 0",
    "+ a.py",
    "& mend it",
    "!",
    "~",
    "< Done. ==> -",
    "< All 9 tests pass. ==> -",
    "< One test fails. ==> -",
];

proptest! {
    /// Whatever happens, a flip and a claim about a run are brought up once, and what has ended is not told.
    #[test]
    fn nothing_is_brought_up_twice(lines in vec(select(&LINES[..]), 0..40)) {
        let mut play = Play::new();
        let mut known = BTreeSet::new();
        for (number, line) in lines.into_iter().enumerate() {
            let Some(decision) = play.line(line, number) else { continue };
            for finding in decision.findings {
                prop_assert!(known.insert((finding.code.clone(), finding.subject.clone())), "again: {finding:?}");
            }
        }
        prop_assert_eq!(play.book.noted().len(), known.len());
    }
}
