//! One line that is being read: what is remembered, and the entries that it shows.
//! Which line shows what stays out.

use super::ending::Told;
use super::memory::{Memory, Shown};
use super::person;
use crate::harness::ToolSettings;
use crate::harness::tools::{brief, cut};
use crate::session::{Ending, Entry, Injection, ToolKind};

/// So much of what a call showed is kept, in characters.
const OUTPUT: usize = 500;

/// A line that is being read.
pub(super) struct Reading<'a> {
    pub(super) tools: &'a ToolSettings<'a>,
    pub(super) memory: &'a mut Memory,
    pub(super) out: &'a mut Vec<Entry>,
}

/// How a call ended.
pub(super) struct End {
    pub(super) ending: Ending,
    pub(super) exit: Option<i32>,
    pub(super) output: String,
    pub(super) helper: Option<String>,
}

impl End {
    pub(super) fn new(ending: Ending, exit: Option<i32>, output: &str) -> Self {
        Self {
            ending,
            exit,
            output: cut(output, OUTPUT),
            helper: None,
        }
    }
}

impl From<Told<'_>> for End {
    fn from(told: Told<'_>) -> Self {
        Self::new(told.ending, told.exit, &told.output)
    }
}

impl Reading<'_> {
    /// Shows an entry: what comes next says nothing again that came before it.
    pub(super) fn show(&mut self, entry: Entry) {
        self.memory.shown = None;
        self.out.push(entry);
    }

    /// Shows what a later line may say again.
    pub(super) fn show_once(&mut self, entry: Entry, shown: Shown) {
        self.show(entry);
        self.memory.shown = Some(shown);
    }

    pub(super) fn inject(&mut self, injection: Injection) {
        let turn = self.memory.turn.clone();
        self.show(Entry::Injected { injection, turn });
    }

    /// Shows a call. `row` is the id of its line, where the line has one.
    pub(super) fn call(&mut self, row: Option<String>, id: &str, tool: &str, kind: ToolKind, input: &str) {
        person::begin(self);
        self.show(Entry::Call {
            row: row.unwrap_or_default(),
            id: id.to_owned(),
            tool: tool.to_owned(),
            kind,
            input: brief(input),
            changes: Vec::new(),
        });
    }

    /// Shows that a call has ended, or goes on in the background.
    pub(super) fn end(&mut self, id: &str, end: End) {
        let End {
            ending,
            exit,
            output,
            helper,
        } = end;
        if ending != Ending::Background {
            self.memory.ended.put(id, exit.is_some());
        }
        self.show(Entry::Result {
            id: id.to_owned(),
            ending,
            exit,
            output,
            helper,
            turn: self.memory.turn.clone(),
        });
    }
}
