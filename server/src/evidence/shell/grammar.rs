//! A command as a syntax tree, found within bounds of time.
//! What its nodes mean stays out.

use std::borrow::Cow;
use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

use super::heredoc;

/// Longer commands are not read, in bytes.
pub(super) const MAX_COMMAND: usize = 64 * 1024;
/// Work for one command and all code within it: steps of the parser, bytes parsed again, and nodes visited.
pub(in crate::evidence) const MAX_WORK: usize = 4_000_000;
/// Bars in one script. After an error behind a long pipeline the parser's last step takes quadratic time, and nothing
/// can stop it within that step; a bar in a quoted text counts too, since only a parser could tell it apart.
pub(super) const MAX_BARS: usize = 512;
/// The parser reports once in so many steps (`OP_COUNT_PER_PARSER_CALLBACK_CHECK`, tree-sitter 0.27).
const STEPS_PER_REPORT: usize = 100;
/// A line may hold several here-documents, and the grammar sees one of them at a time.
const MAX_HEREDOC_PASSES: usize = 4;

/// The parser of one command and of the scripts within it.
pub(in crate::evidence) struct Grammar {
    parser: Parser,
    /// Work done so far, at most about [`MAX_WORK`].
    pub(in crate::evidence) work: usize,
}

impl Grammar {
    /// A parser, or none when the grammar does not fit it.
    pub(in crate::evidence) fn new() -> Option<Self> {
        let mut parser = Parser::new();
        parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
        Some(Self { parser, work: 0 })
    }

    /// The tree of a script that [`admitted`] let through, and the text that it stands for: the script with its
    /// here-documents turned into words. None too for what is no script, and where a here-document has no end: what is its
    /// text nobody can tell.
    pub(in crate::evidence) fn read<'s>(&mut self, script: &'s str) -> Option<(Cow<'s, str>, Tree)> {
        if script.bytes().filter(|&byte| byte == b'|').count() > MAX_BARS {
            return None;
        }
        let mut source = Cow::Borrowed(script);
        if script.contains("<<") {
            // The grammar sees that a here-document has no end only behind a line's end.
            source = format!("{}\n", script.trim_end_matches('\n')).into();
        }
        for _ in 0..MAX_HEREDOC_PASSES {
            let tree = self.parse(&source)?;
            match heredoc::inline(&source, &tree) {
                Some(inlined) => source = inlined.into(),
                // Of a script that is no script at all the grammar shows pieces that stand for nothing.
                None if tree.root_node().is_error() || heredoc::is_open(&tree) => return None,
                None => return Some((source, tree)),
            }
        }
        None
    }

    fn parse(&mut self, source: &str) -> Option<Tree> {
        self.work += source.len();
        let mut left = MAX_WORK.checked_sub(self.work)? / STEPS_PER_REPORT;
        let before = left;
        let mut progress = |_: &ParseState| {
            left = left.saturating_sub(1);
            if left == 0 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let tree = self.parser.parse_with_options(
            &mut |at, _| source.as_bytes().get(at..).unwrap_or_default(),
            None,
            Some(ParseOptions::new().progress_callback(&mut progress)),
        );
        self.work += (before - left) * STEPS_PER_REPORT;
        if tree.is_none() {
            self.parser.reset();
        }
        tree
    }
}

/// The command as the grammar can take it, or none when it cannot.
///
/// Letters of a word, `_` and two digits, stand in place of each byte beyond ASCII: the grammar's scanner
/// (tree-sitter-bash 0.25.1) hands any character behind `{` to C's `isdigit`, which is undefined beyond a byte and
/// crashes the process. No shell gives such characters a meaning, and different words stay different.
pub(in crate::evidence) fn admitted(command: &str) -> Option<String> {
    // No shell can be given a NUL, and the grammar takes one for the end.
    if command.len() > MAX_COMMAND || command.contains(['\0', heredoc::MARK]) {
        return None;
    }
    let mut ascii = String::with_capacity(command.len());
    for byte in command.bytes() {
        if byte.is_ascii() {
            ascii.push(char::from(byte));
        } else {
            ascii.push('_');
            ascii.extend([byte >> 4, byte & 15].map(|half| char::from_digit(half.into(), 16).unwrap_or('_')));
        }
    }
    Some(ascii)
}
