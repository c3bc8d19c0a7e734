//! What is known at one point of a command: the shell's state, the runs so far, and statuses that were kept.
//! The way through the syntax tree stays out.

use std::collections::HashMap;

use super::Run;
use super::flow::{End, Found, Link};
use super::walk::Reading;
use crate::evidence::shell::grammar::{self, Grammar};
use crate::evidence::shell::walk::{MAX_DEPTH, MAX_SCRIPTS};

/// More checks in one command are not read.
const MAX_RUNS: usize = 100;
/// Statuses that are kept at a time.
const MAX_SAVED: usize = 16;
/// Runs in all functions together; with more of them a command is not read.
pub(super) const MAX_IN_FUNCTIONS: usize = 1000;

/// What the shell knows at one point of a command. A subshell gets a copy, so all of it is bounded.
#[derive(Debug, Clone, Default)]
pub(super) struct Shell {
    /// Where it is, as seen from where the command was given.
    pub(super) folder: String,
    /// Where it was before.
    pub(super) before: String,
    /// A pipe fails with any of its parts.
    pub(super) pipefail: bool,
    /// A failure ends the shell.
    pub(super) errexit: bool,
    /// Variables with known values.
    pub(super) variables: Vec<(String, String)>,
}

/// The status that a command hands on instead of its own.
#[derive(Debug, Clone)]
pub(super) enum Kept {
    /// That of the command before it: `exit $?`.
    Last,
    /// One that was kept under a name: `exit $rc`, `wait $!`.
    Named(String),
}

/// Runs as they stood when their status was kept, from this place in the list of runs on.
#[derive(Clone)]
pub(super) struct Saved {
    pub(super) from: usize,
    pub(super) found: Vec<Found>,
}

/// The reader of one command.
pub(super) struct Walk {
    pub(super) grammar: Grammar,
    pub(super) found: Vec<Found>,
    pub(super) shell: Shell,
    /// What a function runs, and how it ends; folders are as seen from where it is called.
    pub(super) functions: HashMap<String, (Vec<Found>, End)>,
    /// The runs in all functions defined so far.
    pub(super) in_functions: usize,
    /// What the last simple command hands on, until the list around it takes it.
    pub(super) kept: Option<Kept>,
    pub(super) saved: HashMap<String, Saved>,
    scripts: usize,
}

/// The checks that a command runs, or none when it cannot be read.
pub(super) fn read(command: &str) -> Option<Vec<Run>> {
    let command = grammar::admitted(command)?;
    let mut walk = Walk {
        grammar: Grammar::new()?,
        found: Vec::new(),
        shell: Shell::default(),
        functions: HashMap::new(),
        in_functions: 0,
        kept: None,
        saved: HashMap::new(),
        scripts: 0,
    };
    walk.script(&command, 0)?;
    Some(walk.found.into_iter().map(Found::finish).collect())
}

impl Walk {
    /// Reads a script in the shell as it is; `depth` counts the levels it lies in.
    pub(super) fn script(&mut self, script: &str, depth: usize) -> Option<End> {
        if depth > MAX_DEPTH || self.scripts > MAX_SCRIPTS {
            return None;
        }
        self.scripts += 1;
        let (source, tree) = self.grammar.read(script)?;
        let end = Reading {
            walk: self,
            source: &source,
        }
        .block(tree.root_node(), depth);
        self.scripts -= 1;
        end
    }

    pub(super) fn add(&mut self, found: Found) -> Option<()> {
        self.found.push(found);
        (self.found.len() <= MAX_RUNS).then_some(())
    }

    /// Reads something in a shell of its own.
    pub(super) fn isolated(&mut self, inner: impl FnOnce(&mut Self) -> Option<End>) -> Option<End> {
        let shell = self.shell.clone();
        let start = self.found.len();
        let end = inner(self)?;
        self.shell = shell;
        self.found[start..].iter_mut().for_each(Found::contain);
        Some(End { exits: false, ..end })
    }

    /// Puts two commands together: runs from `start` on are the first's, those from `middle` on the second's.
    pub(super) fn link(&mut self, link: Link, at: (usize, usize), ends: (End, End), names: (&str, &str)) -> End {
        let ((start, middle), (first, second)) = (at, ends);
        let sign = match link {
            Link::Then => ";",
            Link::And => "&&",
            Link::Or => "||",
        };
        for found in &mut self.found[start..middle] {
            found.around(|| format!("{sign} {}", names.1), |end| link.both(end, second));
        }
        for found in &mut self.found[middle..] {
            found.around(|| format!("{} {sign}", names.0), |end| link.both(first, end));
        }
        link.both(first, second)
    }

    /// Keeps the status that runs from `from` on have led to.
    pub(super) fn save(&mut self, name: &str, from: usize) {
        let found = self.found[from..].to_vec();
        self.keep(name, Saved { from, found });
    }

    /// Puts a kept status under a name; one too many is not kept, and its runs stay hidden.
    pub(super) fn keep(&mut self, name: &str, saved: Saved) {
        if self.saved.len() < MAX_SAVED || self.saved.contains_key(name) {
            self.saved.insert(name.to_owned(), saved);
        }
    }

    /// Brings runs from `start` on back to how they stood when their status was kept.
    pub(super) fn restore(&mut self, name: &str, start: usize) {
        let Some(saved) = self.saved.get(name).filter(|saved| saved.from >= start) else {
            return;
        };
        for (found, kept) in self.found[saved.from..].iter_mut().zip(&saved.found) {
            *found = kept.clone();
        }
    }
}
