//! Redirections: what they write, and where a command's input comes from.
//! What the command does with its input stays out.

use tree_sitter::Node;

use super::ShellEffects;
use super::heredoc;
use super::programs;
use super::tree::{named_children, with_fields};
use super::walk::{Flow, Input, Reading};
use super::word::Word;

impl Reading<'_, '_> {
    pub(super) fn redirected(&mut self, node: Node<'_>, input: &Input, depth: usize) -> Flow {
        let mut input = input.clone();
        let (effects, words) = self.redirects(node, &mut input, depth);
        let body = match node.child_by_field_name("body") {
            Some(body) if body.kind() == "command" => self.command(body, words, &input, depth),
            Some(body) => self.statement(body, &input, depth),
            None => ShellEffects::NOTHING.into(),
        };
        Flow {
            effects: body.effects.join(effects),
            ..body
        }
    }

    /// The redirections that hang on a node, and the words of its command that stand behind one of them.
    pub(super) fn redirects(&mut self, node: Node<'_>, input: &mut Input, depth: usize) -> (ShellEffects, Vec<Word>) {
        let (mut effects, mut words) = (ShellEffects::NOTHING, Vec::new());
        for child in named_children(node) {
            if child.kind().ends_with("_redirect") {
                let (more, behind) = self.redirect(child, input, depth);
                effects = effects.join(more);
                words.extend(behind);
            }
        }
        (effects, words)
    }

    pub(super) fn redirect(&mut self, node: Node<'_>, input: &mut Input, depth: usize) -> (ShellEffects, Vec<Word>) {
        if node.kind() == "heredoc_redirect" {
            // One that could not be turned into a word: commands may hide behind it.
            return (self.walk.unknown(), Vec::new());
        }
        let mut effects = self.expansions(node, input, depth);
        if node.kind() == "herestring_redirect" {
            let word = named_children(node).last().map(|&child| Word::read(child, self.source));
            *input = Input {
                piped: true,
                text: word.map(|word| word.text),
                ..Input::default()
            };
            return (effects, Vec::new());
        }
        let (mut operator, mut targets) = ("", Vec::new());
        for (child, field) in with_fields(node) {
            match field {
                Some("destination") => targets.push(Word::read(child, self.source)),
                Some(_) => {}
                None => operator = child.kind(),
            }
        }
        let behind = targets.split_off(targets.len().min(1));
        let Some(target) = targets.pop() else {
            return (effects, behind);
        };
        if let Some(text) = target.text.strip_prefix(heredoc::MARK) {
            *input = Input {
                piped: true,
                text: Some(text.to_owned()),
                ..Input::default()
            };
            return (effects, behind);
        }
        let device = target.text.starts_with("/dev/");
        let descriptor = operator.ends_with('&') && target.text.chars().all(|c| c.is_ascii_digit() || c == '-');
        // `>(tee f)` is code: what it does was read above.
        let process = target.text.starts_with("<(") || target.text.starts_with(">(");
        if operator.starts_with('<') && !descriptor && !process {
            *input = Input {
                file: !device,
                piped: device,
                ..Input::default()
            };
        } else if operator.contains('>') && !programs::keeps_nothing(&target.text) && !descriptor && !process {
            effects = effects.join(ShellEffects::CHANGES);
            self.walk.writing.write(&target);
        }
        (effects, behind)
    }
}
