//! The walk over a command's syntax tree: which parts run, and what they do together.
//! What one program does stays out.

use std::collections::HashMap;

use tree_sitter::Node;

use super::ShellEffects;
use super::changes::Writing;
use super::grammar::{Grammar, MAX_WORK};
use super::tree::{self, named_children, with_fields};
use super::word::Word;

/// Levels of nesting that are read; what lies deeper is unknown.
pub(in crate::evidence) const MAX_DEPTH: usize = 100;
/// Scripts within scripts (`bash -c`, `eval`): each is parsed again.
pub(in crate::evidence) const MAX_SCRIPTS: usize = 4;
/// Where a command's standard input comes from.
#[derive(Debug, Clone, Default)]
pub(super) struct Input {
    /// From the command before it, or from a text in the command: not from a file.
    pub(super) piped: bool,
    /// From a file.
    pub(super) file: bool,
    /// The text, where it stands in the command.
    pub(super) text: Option<String>,
    /// Operands are put in from outside, as `xargs` does.
    pub(super) operands: bool,
}

/// What a part of a command does, and how the shell goes on behind it.
#[derive(Clone, Copy)]
pub(super) struct Flow {
    pub(super) effects: ShellEffects,
    /// Whether it succeeds, where the text alone says so.
    pub(super) truth: Option<bool>,
    /// Nothing runs after it.
    pub(super) ends: bool,
}

impl From<ShellEffects> for Flow {
    fn from(effects: ShellEffects) -> Self {
        Self {
            effects,
            truth: None,
            ends: false,
        }
    }
}

/// The reader of one command.
pub(super) struct Walk {
    pub(super) grammar: Grammar,
    pub(super) functions: HashMap<String, ShellEffects>,
    pub(super) writing: Writing,
    scripts: usize,
}

impl Walk {
    /// A reader, or none when the grammar does not fit the parser.
    pub(super) fn new() -> Option<Self> {
        Some(Self {
            grammar: Grammar::new()?,
            functions: HashMap::new(),
            writing: Writing::default(),
            scripts: 0,
        })
    }

    /// What a script does; `depth` counts the levels it lies in.
    pub(super) fn script(&mut self, source: &str, input: &Input, depth: usize) -> ShellEffects {
        if depth > MAX_DEPTH || self.scripts > MAX_SCRIPTS {
            return self.unknown();
        }
        self.scripts += 1;
        let effects = match self.grammar.read(source) {
            Some((source, tree)) => {
                Reading {
                    walk: self,
                    source: &source,
                }
                .block(tree.root_node(), input, depth)
                .effects
            }
            None => self.unknown(),
        };
        self.scripts -= 1;
        effects
    }

    /// What nobody can tell.
    pub(super) fn unknown(&mut self) -> ShellEffects {
        self.writing.lose();
        ShellEffects::UNKNOWN
    }
}

/// A walk through one tree.
pub(super) struct Reading<'w, 's> {
    pub(super) walk: &'w mut Walk,
    pub(super) source: &'s str,
}

impl<'s> Reading<'_, 's> {
    pub(super) fn text(&self, node: Node<'_>) -> &'s str {
        &self.source[node.byte_range()]
    }

    /// Reads what runs in a shell of its own: where that goes, the shell around it does not.
    fn apart<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let folder = self.walk.writing.folder.clone();
        let found = read(self);
        self.walk.writing.folder = folder;
        found
    }

    /// The statements within a node, one after the other.
    fn block(&mut self, node: Node<'_>, input: &Input, depth: usize) -> Flow {
        self.sequence(&named_children(node), input, depth)
    }

    pub(super) fn sequence(&mut self, statements: &[Node<'_>], input: &Input, depth: usize) -> Flow {
        let mut whole = Flow::from(ShellEffects::NOTHING);
        // The shell reads line by line: whole lines before a broken one have run.
        let mut lines = ShellEffects::NOTHING;
        for &node in statements {
            if self.source[..node.start_byte()]
                .trim_end_matches([' ', '\t'])
                .ends_with('\n')
            {
                lines = whole.effects;
            }
            if node.has_error() {
                return lines.join(self.walk.unknown()).into();
            }
            if node.kind() == "comment" {
                continue;
            }
            let flow = self.statement(node, input, depth);
            whole = Flow {
                effects: whole.effects.join(flow.effects),
                ..flow
            };
            // `exit &` ends a shell of its own. Asking the node for its sibling takes as long as the list.
            whole.ends &= !self.source[node.end_byte()..]
                .trim_start_matches([' ', '\t'])
                .starts_with('&');
            if whole.ends {
                break;
            }
        }
        whole
    }

    pub(super) fn statement(&mut self, node: Node<'_>, input: &Input, depth: usize) -> Flow {
        self.walk.grammar.work += 1;
        if depth > MAX_DEPTH || self.walk.grammar.work > MAX_WORK {
            return self.walk.unknown().into();
        }
        let inner = depth + 1;
        match node.kind() {
            "compound_statement" | "do_group" | "else_clause" => {
                let flow = self.block(node, input, inner);
                Flow {
                    effects: flow.effects.join(self.redirects(node, &mut input.clone(), inner).0),
                    ..flow
                }
            }
            // What ends a subshell does not end the shell around it.
            "subshell" => Flow {
                ends: false,
                ..self.apart(|reading| reading.block(node, input, inner))
            },
            "list" => self.list(node, input, inner),
            "pipeline" => self.pipeline(node, input, inner),
            "negated_command" => {
                let flow = self.block(node, input, inner);
                Flow {
                    truth: flow.truth.map(|truth| !truth),
                    ..flow
                }
            }
            "redirected_statement" => self.redirected(node, input, inner),
            "command" => self.command(node, Vec::new(), input, inner),
            "test_command" => self.test(node, input, inner).into(),
            "if_statement" | "elif_clause" => self.branch(node, input, inner),
            "while_statement" => self.while_loop(node, input, inner).into(),
            "case_item" | "for_statement" | "c_style_for_statement" | "case_statement" => {
                self.parts(node, input, inner).into()
            }
            "function_definition" => {
                self.define(node, inner);
                ShellEffects::NOTHING.into()
            }
            // `$(< f)` prints the file.
            "file_redirect" => {
                let mut input = Input::default();
                let (effects, _) = self.redirect(node, &mut input, inner);
                effects
                    .join(if input.file {
                        ShellEffects::LOOKS
                    } else {
                        ShellEffects::NOTHING
                    })
                    .into()
            }
            _ => self.expansions(node, input, inner).into(),
        }
    }

    /// `a && b || c`: the tree leans to the left, so it is gone down in a loop.
    fn list(&mut self, node: Node<'_>, input: &Input, depth: usize) -> Flow {
        let mut rest = Vec::new();
        let mut left = node;
        while left.kind() == "list" {
            self.walk.grammar.work += 1;
            let (Some(first), Some(operator), Some(last)) = (
                left.child(0),
                left.child(1),
                left.child(left.child_count().saturating_sub(1)),
            ) else {
                return self.walk.unknown().into();
            };
            rest.push((operator.kind() == "&&", last));
            left = first;
        }
        let mut whole = self.statement(left, input, depth);
        let mut before = left;
        for (and, node) in rest.into_iter().rev() {
            if whole.ends {
                break;
            }
            if whole.truth == Some(!and) {
                continue;
            }
            // What stands behind `&&` has run where the whole went well, unless it hangs on a question.
            let hangs = !and || self.asks(before);
            before = node;
            self.walk.writing.conditions += usize::from(hangs);
            let flow = self.statement(node, input, depth);
            self.walk.writing.conditions -= usize::from(hangs);
            let certain = whole.truth.is_some();
            whole = Flow {
                effects: whole.effects.join(flow.effects),
                truth: flow.truth.filter(|&truth| certain || truth != and),
                ends: flow.ends && certain,
            };
        }
        whole
    }

    /// Whether a command only asks something, so that what follows hangs on the answer.
    fn asks(&self, node: Node<'_>) -> bool {
        let name = self.text(node).split_ascii_whitespace().next().unwrap_or_default();
        matches!(node.kind(), "test_command" | "negated_command")
            || ["[", "cmp", "command", "diff", "grep", "rg", "test", "which"].contains(&name)
    }

    fn pipeline(&mut self, node: Node<'_>, input: &Input, depth: usize) -> Flow {
        let piped = Input {
            piped: true,
            ..Input::default()
        };
        let mut effects = ShellEffects::NOTHING;
        for (at, stage) in named_children(node).into_iter().enumerate() {
            let input = if at == 0 { input } else { &piped };
            effects = effects.join(self.apart(|reading| reading.statement(stage, input, depth)).effects);
        }
        effects.into()
    }

    pub(super) fn command(&mut self, node: Node<'_>, behind: Vec<Word>, input: &Input, depth: usize) -> Flow {
        let mut input = input.clone();
        let effects = self.expansions(node, &input, depth);
        let (redirects, _) = self.redirects(node, &mut input, depth);
        let (mut words, mut brings) = (Vec::new(), ShellEffects::NOTHING);
        for (child, field) in with_fields(node) {
            if child.kind() == "variable_assignment"
                && let Some((name, value)) = self.text(child).split_once('=')
                && super::programs::brings_a_program(name, value)
            {
                brings = ShellEffects::RUNS_CODE;
            }
            match field {
                Some("name") => words.push(Word::read(child.named_child(0).unwrap_or(child), self.source)),
                Some("argument") => words.push(Word::read(child, self.source)),
                _ => {}
            }
        }
        words.extend(behind);
        self.walk.grammar.work += words.len();
        let invoked = self.walk.invoke(&words, &input, depth);
        let name = words
            .first()
            .and_then(Word::literal)
            .filter(|name| !self.walk.functions.contains_key(*name));
        Flow {
            effects: effects.join(redirects).join(invoked).join(brings),
            truth: match name {
                Some("true" | ":") => Some(true),
                Some("false") => Some(false),
                _ => None,
            },
            ends: match name {
                Some("exit" | "return") => true,
                Some("exec") => words.len() > 1,
                _ => false,
            },
        }
    }

    /// `[ … ]` and `[[ … ]]`: a look when it asks about a file.
    fn test(&mut self, node: Node<'_>, input: &Input, depth: usize) -> ShellEffects {
        let mut effects = self.expansions(node, input, depth);
        let mut operators = Vec::new();
        self.walk.grammar.work += tree::visit(node, |node| {
            if node.kind() == "test_operator" {
                operators.push(node);
            }
            true
        });
        if operators
            .into_iter()
            .any(|node| super::programs::asks_about_file(self.text(node)))
        {
            effects = effects.join(ShellEffects::LOOKS);
        }
        effects
    }

    /// What `$(…)`, backticks and `<(…)` within a node run.
    pub(super) fn expansions(&mut self, node: Node<'_>, input: &Input, depth: usize) -> ShellEffects {
        let mut found = Vec::new();
        self.walk.grammar.work += tree::visit(node, |inner| {
            let code = matches!(inner.kind(), "command_substitution" | "process_substitution");
            if code {
                found.push(inner);
            }
            // A command's redirections are read on their own.
            !code && (inner == node || !inner.kind().ends_with("_redirect"))
        });
        let mut effects = ShellEffects::NOTHING;
        for code in found {
            if depth > MAX_DEPTH || self.walk.grammar.work > MAX_WORK {
                return self.walk.unknown();
            }
            effects = effects.join(self.apart(|reading| reading.block(code, input, depth + 1)).effects);
        }
        effects
    }
}
