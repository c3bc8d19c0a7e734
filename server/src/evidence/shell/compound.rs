//! Conditions, loops, cases and functions: which of their parts run.
//! Simple commands and lists stay out.

use tree_sitter::Node;

use super::ShellEffects;
use super::tree::{Branch, branch, named_children, with_fields};
use super::walk::{Flow, Input, Reading};
use super::word::Word;

impl Reading<'_, '_> {
    pub(super) fn branch(&mut self, node: Node<'_>, input: &Input, depth: usize) -> Flow {
        let Branch {
            condition,
            body,
            others,
        } = branch(node);
        let asked = self.sequence(&condition, input, depth);
        let mut effects = asked.effects;
        let certain = asked.truth.is_some();
        self.walk.writing.conditions += usize::from(!certain);
        if asked.truth != Some(false) {
            effects = effects.join(self.sequence(&body, input, depth).effects);
        }
        let mut taken = asked.truth == Some(true);
        for other in others {
            if taken {
                break;
            }
            let flow = self.statement(other, input, depth);
            effects = effects.join(flow.effects);
            taken = other.kind() == "elif_clause" && flow.truth == Some(true);
        }
        self.walk.writing.conditions -= usize::from(!certain);
        // An `elif` hands its condition's truth up; for the whole statement it says nothing.
        Flow {
            effects,
            truth: asked.truth.filter(|_| node.kind() == "elif_clause"),
            ends: false,
        }
    }

    pub(super) fn while_loop(&mut self, node: Node<'_>, input: &Input, depth: usize) -> ShellEffects {
        let until = node.child(0).is_some_and(|child| child.kind() == "until");
        let (condition, body): (Vec<_>, Vec<_>) = named_children(node)
            .into_iter()
            .partition(|child| child.kind() != "do_group");
        let asked = self.sequence(&condition, input, depth);
        if asked.truth == Some(until) || asked.ends {
            return asked.effects;
        }
        self.walk.writing.conditions += 1;
        let effects = asked.effects.join(self.sequence(&body, input, depth).effects);
        self.walk.writing.conditions -= 1;
        effects
    }

    /// Loops and cases: values are words, everything else runs.
    pub(super) fn parts(&mut self, node: Node<'_>, input: &Input, depth: usize) -> ShellEffects {
        let mut effects = ShellEffects::NOTHING;
        let listed = node.kind() == "for_statement";
        let (mut values, mut statements) = (Vec::new(), Vec::new());
        for (child, field) in with_fields(node) {
            match field {
                Some("value" | "initializer" | "condition" | "update" | "variable") => values.push(child),
                _ if child.is_named() && child.kind() == "case_item" => {
                    self.walk.writing.conditions += 1;
                    effects = effects.join(self.statement(child, input, depth).effects);
                    self.walk.writing.conditions -= 1;
                }
                _ if child.is_named() => statements.push(child),
                _ => {}
            }
        }
        for value in values {
            effects = effects.join(self.expansions(value, input, depth));
            if listed && Word::read(value, self.source).glob {
                effects = effects.join(ShellEffects::LOOKS);
            }
        }
        effects.join(self.sequence(&statements, input, depth).effects)
    }

    pub(super) fn define(&mut self, node: Node<'_>, depth: usize) {
        let Some(name) = node.child_by_field_name("name").map(|name| self.text(name).to_owned()) else {
            return;
        };
        // A call of itself adds nothing to what the body does.
        self.walk.functions.insert(name.clone(), ShellEffects::NOTHING);
        let defines = std::mem::replace(&mut self.walk.writing.defines, true);
        let folder = self.walk.writing.folder.clone();
        let mut effects = self.redirects(node, &mut Input::default(), depth).0;
        if let Some(body) = node.child_by_field_name("body") {
            effects = effects.join(self.statement(body, &Input::default(), depth).effects);
        }
        (self.walk.writing.defines, self.walk.writing.folder) = (defines, folder);
        self.walk.functions.insert(name, effects);
    }
}
