//! The walk over a command's syntax tree: which checks run, and which of their results the exit status shows.
//! What one program does with its arguments stays out.

use tree_sitter::Node;

use super::flow::{End, Found, Link, Status, negated};
use super::state::{Kept, Walk};
use crate::evidence::shell::grammar::MAX_WORK;
use crate::evidence::shell::heredoc;
use crate::evidence::shell::tree::{self, named_children, with_fields};
use crate::evidence::shell::walk::MAX_DEPTH;
use crate::evidence::shell::word::Word;

/// Of what hides a status so much is named, in bytes.
const MAX_NAME: usize = 32;

/// A walk through one tree.
pub(super) struct Reading<'w, 's> {
    pub(super) walk: &'w mut Walk,
    pub(super) source: &'s str,
}

impl<'s> Reading<'_, 's> {
    pub(super) fn text(&self, node: Node<'_>) -> &'s str {
        &self.source[node.byte_range()]
    }

    /// The beginning of a node's first line, to name it by.
    fn name(&self, node: Node<'_>) -> &'s str {
        let line = self.text(node).lines().next().unwrap_or_default();
        line.get(..line.len().min(MAX_NAME)).unwrap_or(line).trim_end()
    }

    pub(super) fn block(&mut self, node: Node<'_>, depth: usize) -> Option<End> {
        self.sequence(&named_children(node), depth)
    }

    pub(super) fn sequence(&mut self, statements: &[Node<'_>], depth: usize) -> Option<End> {
        let start = self.walk.found.len();
        let mut end = End::ZERO;
        let mut last = "";
        for &node in statements {
            if node.has_error() {
                return None;
            }
            if node.kind() == "comment" || node.kind() == "heredoc_body" {
                continue;
            }
            let middle = self.walk.found.len();
            // Only the last part of `a && b` ends the shell where failures do, and which part it was is not known here.
            let link = match self.walk.shell.errexit && !matches!(node.kind(), "list" | "negated_command") {
                true => Link::And,
                false => Link::Then,
            };
            if node.kind() == "variable_assignment" {
                self.keep_status(node, start);
            }
            let mut flow = self.statement(node, depth)?;
            let kept = self.walk.kept.take().filter(|_| node.kind() == "command");
            // Asking the node for its sibling takes as long as the list.
            let behind = self.source[node.end_byte()..].trim_start_matches([' ', '\t']);
            if behind.starts_with('&') && !behind.starts_with("&&") {
                self.walk.save("!", middle);
                for found in &mut self.walk.found[middle..] {
                    found.around(|| "&".to_owned(), |_| End::ZERO);
                }
                flow = End::ZERO;
            } else if let Some(kept) = kept {
                flow = self.hand_on(&kept, (start, middle), end, flow);
                end = flow;
                if end.exits {
                    break;
                }
                continue;
            }
            end = self
                .walk
                .link(link, (start, middle), (end, flow), (last, self.name(node)));
            last = self.name(node);
            if end.exits {
                break;
            }
        }
        Some(end)
    }

    /// `rc=$?` keeps the status so far under a name.
    fn keep_status(&mut self, node: Node<'_>, start: usize) {
        let Some((name, value)) = self.text(node).split_once('=') else {
            return;
        };
        match reference(value.trim_matches('"')) {
            Some("?") => self.walk.save(name, start),
            Some(of) => {
                if let Some(saved) = self.walk.saved.get(of) {
                    let saved = saved.clone();
                    self.walk.keep(name, saved);
                }
            }
            None => {}
        }
    }

    /// A command that ends with a status from before it.
    fn hand_on(&mut self, kept: &Kept, (start, middle): (usize, usize), end: End, flow: End) -> End {
        match kept {
            Kept::Last => {}
            Kept::Named(name) => {
                for found in &mut self.walk.found[start..middle] {
                    found.hide(&format!("exit ${name}"));
                }
                self.walk.restore(name, start);
            }
        }
        for found in &mut self.walk.found[start..middle] {
            found.around(String::new, |one| End {
                exits: flow.exits,
                ..one
            });
        }
        End {
            status: if matches!(kept, Kept::Last) {
                end.status
            } else {
                Status::Either
            },
            exits: flow.exits,
        }
    }

    pub(super) fn statement(&mut self, node: Node<'_>, depth: usize) -> Option<End> {
        self.walk.grammar.work += 1;
        if depth > MAX_DEPTH || self.walk.grammar.work > MAX_WORK {
            return None;
        }
        let inner = depth + 1;
        match node.kind() {
            "compound_statement" | "do_group" | "else_clause" => {
                let end = self.block(node, inner);
                self.redirects(node, inner)?;
                end
            }
            "subshell" => {
                let source = self.source;
                self.walk.isolated(|walk| Reading { walk, source }.block(node, inner))
            }
            "list" => self.list(node, inner),
            "pipeline" => self.pipeline(node, inner),
            "negated_command" => {
                let start = self.walk.found.len();
                let end = self.block(node, inner)?;
                self.walk.found[start..].iter_mut().for_each(Found::negate);
                Some(negated(end))
            }
            "redirected_statement" => {
                let (text, words) = self.redirects(node, inner)?;
                match node.child_by_field_name("body") {
                    Some(body) if body.kind() == "command" => self.command(body, words, text, inner),
                    Some(body) => self.statement(body, inner),
                    None => Some(End::ZERO),
                }
            }
            "command" => self.command(node, Vec::new(), None, inner),
            "test_command" => {
                self.expansions(node, inner)?;
                Some(End::EITHER)
            }
            "if_statement" | "elif_clause" => self.branch(node, inner),
            "while_statement" | "c_style_for_statement" | "case_statement" | "case_item" => self.parts(node, inner),
            "for_statement" => self.for_loop(node, inner),
            "function_definition" => self.define(node, inner),
            "variable_assignment" | "variable_assignments" | "declaration_command" => self.assign(node, inner),
            _ => {
                self.expansions(node, inner)?;
                Some(End::ZERO)
            }
        }
    }

    /// `a && b || c`: the tree leans to the left, so it is gone down in a loop.
    fn list(&mut self, node: Node<'_>, depth: usize) -> Option<End> {
        let mut rest = Vec::new();
        let mut left = node;
        while left.kind() == "list" {
            self.walk.grammar.work += 1;
            let last = left.child(left.child_count().checked_sub(1)?)?;
            let link = if left.child(1)?.kind() == "&&" {
                Link::And
            } else {
                Link::Or
            };
            rest.push((link, last));
            left = left.child(0)?;
        }
        let start = self.walk.found.len();
        let mut end = self.statement(left, depth)?;
        let mut last = self.name(left);
        for (link, node) in rest.into_iter().rev() {
            if end.exits {
                break;
            }
            let middle = self.walk.found.len();
            let mut flow = self.statement(node, depth)?;
            // `|| exit $?` comes only after a failure.
            if let (Some(Kept::Last), true) = (self.walk.kept.take(), flow.exits) {
                flow.status = if link == Link::Or {
                    Status::NonZero
                } else {
                    Status::Zero
                };
            }
            end = self
                .walk
                .link(link, (start, middle), (end, flow), (last, self.name(node)));
            last = self.name(node);
        }
        Some(end)
    }

    fn pipeline(&mut self, node: Node<'_>, depth: usize) -> Option<End> {
        let source = self.source;
        let stages: Vec<_> = named_children(node)
            .into_iter()
            .filter(|stage| stage.kind() != "comment")
            .collect();
        let mut ends = Vec::new();
        for (at, &stage) in stages.iter().enumerate() {
            let start = self.walk.found.len();
            let end = self
                .walk
                .isolated(|walk| Reading { walk, source }.statement(stage, depth))?;
            // What a stage keeps back, `exit $?`, stays in it.
            self.walk.kept = None;
            if self.walk.found.len() > start {
                self.walk.save(&format!("PIPESTATUS[{at}]"), start);
            }
            ends.push((start, end));
        }
        let last = ends.last().map_or(End::ZERO, |&(_, end)| end);
        let pipefail = self.walk.shell.pipefail;
        let fails = ends.iter().filter(|(_, end)| end.status != Status::Zero).count();
        for at in 0..ends.len() {
            let (start, own) = ends[at];
            let until = ends.get(at + 1).map_or(self.walk.found.len(), |&(next, _)| next);
            let others = fails - usize::from(own.status != Status::Zero);
            let by = format!("| {}", self.name(stages[stages.len() - 1]));
            for found in &mut self.walk.found[start..until] {
                match pipefail {
                    true if others > 0 => found.around(|| by.clone(), |end| Link::And.both(end, End::EITHER)),
                    false if at + 1 < ends.len() => found.around(|| by.clone(), |_| last),
                    _ => {}
                }
            }
        }
        Some(match (pipefail, fails) {
            (false, _) => last,
            (true, 0) => End::ZERO,
            (true, _) => End::EITHER,
        })
    }

    pub(super) fn command(
        &mut self,
        node: Node<'_>,
        behind: Vec<Word>,
        text: Option<String>,
        depth: usize,
    ) -> Option<End> {
        self.expansions(node, depth)?;
        let (own, _) = self.redirects(node, depth)?;
        let mut words = Vec::new();
        for (child, field) in with_fields(node) {
            match field {
                Some("name") => words.push(self.word(child.named_child(0).unwrap_or(child))),
                Some("argument") => words.push(self.word(child)),
                _ => {}
            }
        }
        words.extend(behind);
        self.walk.grammar.work += words.len();
        self.walk.invoke(&words, own.or(text).as_deref(), depth)
    }

    /// A word with the known variables in it replaced.
    pub(super) fn word(&self, node: Node<'_>) -> Word {
        let mut word = Word::read(node, self.source);
        if !word.fixed {
            for (name, value) in &self.walk.shell.variables {
                word.text = word.text.replace(&format!("${{{name}}}"), value);
                if word.text.ends_with(&format!("${name}")) || word.text.contains(&format!("${name}/")) {
                    word.text = word.text.replace(&format!("${name}"), value);
                }
            }
            word.fixed = !word.text.contains(['$', '`']);
        }
        word
    }

    /// What hangs on a node by redirections: a text for its standard input, and words behind a redirection.
    fn redirects(&mut self, node: Node<'_>, depth: usize) -> Option<(Option<String>, Vec<Word>)> {
        let (mut text, mut words) = (None, Vec::new());
        for child in named_children(node) {
            match child.kind() {
                // One that could not be turned into a word: commands may hide behind it.
                "heredoc_redirect" => return None,
                "herestring_redirect" => {
                    self.expansions(child, depth)?;
                    text = named_children(child).last().map(|&word| self.word(word).text);
                }
                "file_redirect" => {
                    self.expansions(child, depth)?;
                    let mut targets = Vec::new();
                    for (target, field) in with_fields(child) {
                        if field == Some("destination") {
                            targets.push(self.word(target));
                        }
                    }
                    let behind = targets.split_off(targets.len().min(1));
                    if let Some(document) = targets
                        .first()
                        .and_then(|target| target.text.strip_prefix(heredoc::MARK))
                    {
                        text = Some(document.to_owned());
                    }
                    words.extend(behind);
                }
                _ => {}
            }
        }
        Some((text, words))
    }

    /// What `$(…)`, backticks and `<(…)` within a node run; nothing of it shows in the status.
    pub(super) fn expansions(&mut self, node: Node<'_>, depth: usize) -> Option<()> {
        let mut codes = Vec::new();
        self.walk.grammar.work += tree::visit(node, |inner| {
            let code = matches!(inner.kind(), "command_substitution" | "process_substitution");
            if code {
                codes.push(inner);
            }
            // A command's redirections are read on their own.
            !code && (inner == node || !inner.kind().ends_with("_redirect"))
        });
        for code in codes {
            let start = self.walk.found.len();
            self.substitution(code, depth)?;
            for found in &mut self.walk.found[start..] {
                found.hide("$(…)");
            }
        }
        Some(())
    }

    pub(super) fn substitution(&mut self, code: Node<'_>, depth: usize) -> Option<End> {
        if depth > MAX_DEPTH || self.walk.grammar.work > MAX_WORK {
            return None;
        }
        let source = self.source;
        self.walk
            .isolated(|walk| Reading { walk, source }.block(code, depth + 1))
    }
}

/// The name in `$name` and `${name}`.
pub(super) fn reference(word: &str) -> Option<&str> {
    let name = word.strip_prefix('$')?;
    Some(
        name.strip_prefix('{')
            .and_then(|name| name.strip_suffix('}'))
            .unwrap_or(name),
    )
}
