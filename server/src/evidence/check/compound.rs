//! Conditions, loops, functions and assignments: what their parts' results make of the whole.
//! Simple commands and lists stay out.

use tree_sitter::Node;

use super::flow::{End, Found, Link, Status};
use super::relation::join;
use super::state::{MAX_IN_FUNCTIONS, Walk};
use super::walk::Reading;
use crate::evidence::shell::tree::{Branch, branch, named_children, with_fields};

/// Loops over more values are read once, for all of them.
const MAX_VALUES: usize = 8;
/// Variables whose values are known, and the longest value: a subshell copies them all.
const MAX_VARIABLES: usize = 16;
const MAX_VALUE: usize = 256;

impl Walk {
    /// Sets a variable for what comes; one that cannot be known is forgotten.
    fn set(&mut self, name: &str, value: Option<&str>) {
        self.shell.variables.retain(|(known, _)| known != name);
        if let Some(value) = value.filter(|value| value.len() <= MAX_VALUE && name.len() <= MAX_VALUE)
            && self.shell.variables.len() < MAX_VARIABLES
        {
            self.shell.variables.push((name.to_owned(), value.to_owned()));
        }
    }

    /// What a call of a function runs, seen from where it is called.
    pub(super) fn call(&mut self, name: &str) -> Option<Option<End>> {
        let (found, end) = self.functions.get(name).cloned()?;
        for mut found in found {
            found.run.folder = join(&self.shell.folder, &found.run.folder);
            if self.add(found).is_none() {
                return Some(None);
            }
        }
        Some(Some(end))
    }
}

impl Reading<'_, '_> {
    pub(super) fn branch(&mut self, node: Node<'_>, depth: usize) -> Option<End> {
        let Branch {
            condition,
            body,
            others,
        } = branch(node);
        let start = self.walk.found.len();
        // A condition that fails does not end the shell.
        let errexit = std::mem::take(&mut self.walk.shell.errexit);
        let asked = self.sequence(&condition, depth)?;
        self.walk.shell.errexit = errexit;
        let yes_from = self.walk.found.len();
        let yes = self.sequence(&body, depth)?;
        let no_from = self.walk.found.len();
        // The clauses of one statement lie side by side: each one's other way is the next.
        let mut clauses = Vec::new();
        for other in others {
            let from = self.walk.found.len();
            clauses.push((from, self.statement(other, depth)?));
        }
        let no = clauses.iter().fold(None, |no: Option<End>, (_, end)| {
            Some(no.map_or(*end, |no| no.or(*end)))
        });
        let no = no.unwrap_or(End::ZERO);
        let by = || "if".to_owned();
        for found in &mut self.walk.found[start..yes_from] {
            found.around(by, |end| match end.status {
                _ if end.exits => end,
                Status::Zero => yes,
                Status::NonZero => no,
                Status::Either => yes.or(no),
            });
        }
        for found in &mut self.walk.found[yes_from..no_from] {
            found.around(by, |end| if asked.status == Status::Zero { end } else { end.or(no) });
        }
        for found in &mut self.walk.found[no_from..] {
            found.around(by, |end| end.or(yes));
        }
        Some(yes.or(no))
    }

    /// `while`, C's `for`, and `case`: what runs in them may run not at all, or many times.
    pub(super) fn parts(&mut self, node: Node<'_>, depth: usize) -> Option<End> {
        let start = self.walk.found.len();
        for (child, field) in with_fields(node) {
            match field {
                Some("value" | "initializer" | "update" | "variable") => self.expansions(child, depth)?,
                _ if child.is_named() => {
                    self.statement(child, depth)?;
                }
                _ => {}
            }
        }
        let by = node.kind().split('_').next().unwrap_or_default();
        for found in &mut self.walk.found[start..] {
            found.hide(by);
        }
        Some(End::EITHER)
    }

    pub(super) fn for_loop(&mut self, node: Node<'_>, depth: usize) -> Option<End> {
        let (mut values, mut body, mut name) = (Vec::new(), None, "");
        for (child, field) in with_fields(node) {
            match field {
                Some("variable") => name = self.text(child),
                Some("value") => {
                    self.expansions(child, depth)?;
                    values.push(self.word(child));
                }
                Some("body") => body = Some(child),
                _ => {}
            }
        }
        let body = body?;
        let known =
            !values.is_empty() && values.len() <= MAX_VALUES && values.iter().all(|word| word.fixed && !word.glob);
        let text = self.text(body);
        let used = text.contains(&format!("${name}")) || text.contains(&format!("${{{name}}}"));
        let start = self.walk.found.len();
        if !known || !used {
            self.walk.set(name, None);
            let end = self.statement(body, depth)?;
            if values.len() != 1 || !known {
                for found in &mut self.walk.found[start..] {
                    found.hide("for");
                }
                return Some(End::EITHER);
            }
            return Some(end);
        }
        let mut whole = End::ZERO;
        for value in values {
            self.walk.set(name, Some(&value.text));
            for found in &mut self.walk.found[start..] {
                found.hide("for");
            }
            let end = self.statement(body, depth)?;
            whole = Link::Then.both(whole, end);
        }
        Some(whole)
    }

    pub(super) fn define(&mut self, node: Node<'_>, depth: usize) -> Option<End> {
        let name = self.text(node.child_by_field_name("name")?).to_owned();
        let body = node.child_by_field_name("body")?;
        let start = self.walk.found.len();
        let source = self.source;
        let end = self.walk.isolated(|walk| {
            walk.shell.folder.clear();
            walk.functions.remove(&name);
            Reading { walk, source }.statement(body, depth)
        })?;
        self.walk.kept = None;
        let found: Vec<Found> = self.walk.found.split_off(start);
        self.walk.in_functions += found.len();
        if self.walk.in_functions > MAX_IN_FUNCTIONS {
            return None;
        }
        self.walk.functions.insert(name, (found, end));
        Some(End::ZERO)
    }

    /// `x=$(a)` ends as `a` does; any other assignment succeeds.
    pub(super) fn assign(&mut self, node: Node<'_>, depth: usize) -> Option<End> {
        if node.kind() != "variable_assignment" {
            self.expansions(node, depth)?;
            for child in named_children(node) {
                if child.kind() == "variable_assignment" {
                    self.remember(child);
                }
            }
            return Some(End::ZERO);
        }
        let value = node.child_by_field_name("value");
        let end = match value.map(|value| (value, value.kind())) {
            Some((value, "command_substitution")) => self.substitution(value, depth)?,
            Some((value, "string")) if value.named_child_count() == 1 => match value.named_child(0) {
                Some(code) if code.kind() == "command_substitution" => self.substitution(code, depth)?,
                _ => End::ZERO,
            },
            _ => {
                self.expansions(node, depth)?;
                End::ZERO
            }
        };
        self.remember(node);
        Some(end)
    }

    fn remember(&mut self, node: Node<'_>) {
        let Some(name) = node.child_by_field_name("name").map(|name| self.text(name).to_owned()) else {
            return;
        };
        let value = node.child_by_field_name("value").map(|value| self.word(value));
        let known = value.as_ref().filter(|word| word.fixed).map(|word| word.text.as_str());
        self.walk.set(&name, known);
    }
}
