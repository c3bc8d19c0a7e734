//! One line that is being read: what is remembered, and the entries that it shows.
//! Which line shows what stays out.

use std::borrow::Cow;

use super::ending::Told;
use super::memory::{Memory, Shown};
use super::person;
use crate::harness::ToolSettings;
use crate::harness::tools::{brief, shown};
use crate::session::{Ending, Entry, Injection, ToolKind};

/// A line that is being read.
pub(super) struct Reading<'a> {
    pub(super) tools: &'a ToolSettings<'a>,
    pub(super) memory: &'a mut Memory,
    pub(super) out: &'a mut Vec<Entry>,
}

/// What a call is to do.
pub(super) struct Doing<'a> {
    pub(super) tool: &'a str,
    pub(super) kind: ToolKind,
    /// What it was asked.
    pub(super) input: &'a str,
    /// The files that it is to change, as it names them.
    pub(super) changes: Vec<String>,
    /// The folder that it names for itself; without one it is done where the agent works.
    pub(super) folder: Option<&'a str>,
}

impl<'a> Doing<'a> {
    pub(super) fn new(tool: &'a str, kind: ToolKind, input: &'a str) -> Self {
        Self {
            tool,
            kind,
            input,
            changes: Vec::new(),
            folder: None,
        }
    }
}

/// How a call ended.
pub(super) struct End {
    pub(super) ending: Ending,
    pub(super) exit: Option<i32>,
    pub(super) output: String,
    pub(super) helper: Option<String>,
}

impl End {
    pub(super) fn new<'t>(ending: Ending, exit: Option<i32>, output: impl Into<Cow<'t, str>>) -> Self {
        Self {
            ending,
            exit,
            output: shown(output.into()),
            helper: None,
        }
    }
}

impl From<Told<'_>> for End {
    fn from(told: Told<'_>) -> Self {
        Self::new(told.ending, told.exit, told.output)
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
    pub(super) fn call(&mut self, row: Option<String>, id: &str, doing: Doing<'_>) {
        person::begin(self);
        let elsewhere = doing.folder.map(|folder| self.place(folder));
        let elsewhere = elsewhere.filter(|folder| self.memory.cwd.as_ref() != Some(folder));
        let moved = elsewhere.is_some();
        if moved {
            self.works_in(elsewhere);
        }
        self.show(Entry::Call {
            row: row.unwrap_or_default(),
            id: id.to_owned(),
            tool: doing.tool.to_owned(),
            kind: doing.kind,
            input: brief(doing.input),
            changes: doing.changes,
        });
        if moved {
            self.works_in(self.memory.cwd.clone());
        }
    }

    /// Shows the folder in which the next calls are done.
    pub(super) fn works_in(&mut self, folder: Option<String>) {
        self.show(Entry::Origin {
            session: None,
            client: false,
            cwd: folder,
            by_harness: false,
        });
    }

    /// A folder as seen from where the agent works.
    fn place(&self, folder: &str) -> String {
        match &self.memory.cwd {
            Some(cwd) if !folder.starts_with('/') => format!("{cwd}/{folder}"),
            _ => folder.to_owned(),
        }
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
