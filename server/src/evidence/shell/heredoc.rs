//! Here-documents turned into quoted words, which the grammar parses anywhere on a line.
//! What their text means stays out.

use tree_sitter::{Node, Tree};

use super::tree::visit;

/// Begins a word that is the text of a here-document. A command that already holds this character is not read.
pub(in crate::evidence) const MARK: char = '\u{1}';

/// `source` with every complete here-document as `< text`, its text marked and quoted, or none when there is none.
///
/// The grammar (tree-sitter-bash 0.25.1) loses pipes and redirections that follow `<<EOF` on its line, which agents
/// write all the time, and it takes a here-string only before other redirections.
pub(super) fn inline(source: &str, tree: &Tree) -> Option<String> {
    let mut out = String::with_capacity(source.len() + 64);
    let mut done = 0;
    for node in outermost(tree) {
        let Some(parts) = Parts::of(node) else { continue };
        // A tree with errors may show parts out of order.
        let (Some(before), Some(rest)) = (
            source.get(done..node.start_byte()),
            source.get(parts.start.end_byte()..parts.body.start_byte()),
        ) else {
            continue;
        };
        out.push_str(before);
        out.push_str("< ");
        if source[parts.start.byte_range()].contains(['\'', '"', '\\']) {
            quote_literal(&source[parts.body.byte_range()], &mut out);
        } else {
            quote_expanded(source, parts.body, &mut out);
        }
        out.push_str(rest.trim_end_matches(['\n', '\t']));
        done = parts.end.end_byte();
    }
    if done == 0 {
        return None;
    }
    out.push_str(&source[done..]);
    Some(out)
}

/// True when a here-document has no end.
pub(super) fn is_open(tree: &Tree) -> bool {
    outermost(tree).into_iter().any(|node| Parts::of(node).is_none())
}

/// The parts of one here-document that has an end.
struct Parts<'t> {
    start: Node<'t>,
    body: Node<'t>,
    end: Node<'t>,
}

impl<'t> Parts<'t> {
    fn of(node: Node<'t>) -> Option<Self> {
        let mut cursor = node.walk();
        let (mut start, mut body, mut end) = (None, None, None);
        for child in node.children(&mut cursor) {
            match child.kind() {
                "heredoc_start" => start = Some(child),
                "heredoc_body" => body = Some(child),
                // Where the end of the script stands for it, it is empty.
                "heredoc_end" if !child.byte_range().is_empty() => end = Some(child),
                _ => {}
            }
        }
        Some(Self {
            start: start?,
            body: body?,
            end: end?,
        })
    }
}

/// Here-documents that lie in no other, in source order.
fn outermost(tree: &Tree) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    visit(tree.root_node(), |node| {
        let here = node.kind() == "heredoc_redirect";
        if here {
            found.push(node);
        }
        !here
    });
    found
}

fn quote_literal(text: &str, out: &mut String) {
    out.extend(['\'', MARK]);
    out.push_str(&text.replace('\'', r"'\''"));
    out.push('\'');
}

/// Keeps the expansions of an unquoted here-document as code, and the text between them as text.
fn quote_expanded(source: &str, body: Node<'_>, out: &mut String) {
    out.extend(['"', MARK]);
    let mut done = body.start_byte();
    let mut cursor = body.walk();
    for child in body.named_children(&mut cursor) {
        if child.kind() == "heredoc_content" {
            continue;
        }
        escape(&source[done..child.start_byte()], out);
        out.push_str(&source[child.byte_range()]);
        done = child.end_byte();
    }
    escape(&source[done..body.end_byte()], out);
    out.push('"');
}

/// Quotes are plain in a here-document and special in a quoted word; a backslash keeps its own escape.
fn escape(text: &str, out: &mut String) {
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => match chars.next() {
                Some('"') => out.push_str("\\\\\\\""),
                Some(next) => out.extend(['\\', next]),
                None => out.push_str("\\\\"),
            },
            _ => out.push(c),
        }
    }
}
