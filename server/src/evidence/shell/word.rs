//! One word of a command, with its quotes taken off.
//! What the word is for stays out.

use tree_sitter::Node;

/// A word as the program would get it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::evidence) struct Word {
    /// The text; expansions stand in it as they were written.
    pub(in crate::evidence) text: String,
    /// It holds no expansion: the text is what the program gets.
    pub(in crate::evidence) fixed: bool,
    /// The shell looks for file names to put in its place. `?` is left out: it ends questions more often.
    pub(in crate::evidence) glob: bool,
}

impl Word {
    /// Reads a word's node.
    pub(in crate::evidence) fn read(node: Node<'_>, source: &str) -> Self {
        let mut word = Self {
            text: String::new(),
            fixed: true,
            glob: false,
        };
        if node.kind() == "concatenation" {
            let mut cursor = node.walk();
            for part in node.children(&mut cursor) {
                word.push(part, source);
            }
        } else {
            word.push(node, source);
        }
        word
    }

    /// What it says, when that is certain.
    pub(in crate::evidence) fn literal(&self) -> Option<&str> {
        self.fixed.then_some(self.text.as_str())
    }

    /// An option: a dash and something behind it.
    pub(in crate::evidence) fn is_option(&self) -> bool {
        self.text.len() > 1 && self.text.starts_with('-')
    }

    fn push(&mut self, node: Node<'_>, source: &str) {
        let text = &source[node.byte_range()];
        match node.kind() {
            "raw_string" => self.text.push_str(text.trim_start_matches('\'').trim_end_matches('\'')),
            "ansi_c_string" => {
                self.fixed &= !text.contains('\\');
                self.text.push_str(text.trim_start_matches("$'").trim_end_matches('\''));
            }
            "string" => self.push_string(node, source),
            kind if kind.contains("expansion") || kind.contains("substitution") => {
                self.fixed = false;
                self.text.push_str(text);
            }
            _ => {
                let mut chars = text.chars();
                while let Some(c) = chars.next() {
                    match c {
                        '\\' => self.text.extend(chars.next()),
                        _ => {
                            self.glob |= matches!(c, '*' | '[');
                            self.text.push(c);
                        }
                    }
                }
            }
        }
    }

    fn push_string(&mut self, node: Node<'_>, source: &str) {
        let end = node.end_byte().saturating_sub(1);
        let mut done = source[node.byte_range()]
            .find('"')
            .map_or(end, |at| node.start_byte() + at + 1);
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            if child.kind() == "string_content" {
                continue;
            }
            self.push_quoted(source.get(done..child.start_byte()).unwrap_or_default());
            self.fixed = false;
            self.text.push_str(&source[child.byte_range()]);
            done = child.end_byte();
        }
        self.push_quoted(source.get(done..end).unwrap_or_default());
    }

    fn push_quoted(&mut self, text: &str) {
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            match (c, chars.peek()) {
                ('\\', Some('"' | '\\' | '$' | '`')) => self.text.extend(chars.next()),
                _ => self.text.push(c),
            }
        }
    }
}
