//! Which bytes of a Markdown text its writer says, and which are only shown: code and block quotes.
//! What the said part means stays out.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag};

/// How much of a text is read, in bytes; what stands behind it is taken for neither said nor shown.
const READ_LIMIT: usize = 1 << 20;
const BYTE_ORDER_MARK: char = '\u{feff}';

/// A Markdown text (CommonMark, with GitHub's tables), split into what is said and what is shown.
///
/// Shown are fenced and indented code, inline code, and block quotes with their lazy continuations; HTML is said.
/// Only the first MiB is read.
#[derive(Debug, Clone)]
pub struct Prose<'a> {
    text: &'a str,
    shown: Vec<Range<usize>>,
    paragraphs: Vec<Range<usize>>,
}

impl<'a> Prose<'a> {
    /// Splits a text. Takes time and memory linear in the part that is read.
    pub fn of(text: &'a str) -> Self {
        let text = beginning(text);
        // A byte order mark would hide a fence or a quote mark at the very start of the text.
        let start = if text.starts_with(BYTE_ORDER_MARK) {
            BYTE_ORDER_MARK.len_utf8()
        } else {
            0
        };
        let mut shown = Vec::new();
        let mut blocks = Vec::new();
        let mut depth = 0_usize;
        for (event, range) in Parser::new_ext(&text[start..], Options::ENABLE_TABLES).into_offset_iter() {
            let range = range.start + start..range.end + start;
            match event {
                Event::Start(Tag::CodeBlock(_) | Tag::BlockQuote(_)) => {
                    if depth == 0 {
                        shown.push(range.clone());
                        blocks.push(range);
                    }
                    depth += 1;
                }
                Event::End(end) if is_shown_block(end) => depth = depth.saturating_sub(1),
                Event::Code(_) if depth == 0 => shown.push(range),
                _ => {}
            }
        }
        let paragraphs = paragraphs(text, &merged(blocks));
        Self {
            text,
            shown: merged(shown),
            paragraphs,
        }
    }

    /// The part of the text that was read.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// True when the byte at this offset is said; false when it is shown, or lies behind the part that was read.
    pub fn is_prose(&self, at: usize) -> bool {
        let before = self.shown.partition_point(|range| range.end <= at);
        at < self.text.len() && self.shown.get(before).is_none_or(|range| at < range.start)
    }

    /// What is shown: byte ranges in order, none touching the next.
    pub fn shown(&self) -> &[Range<usize>] {
        &self.shown
    }

    /// The stretches that blank lines, code blocks and block quotes part from each other: byte ranges in order.
    /// Inline code lies inside them.
    pub fn paragraphs(&self) -> &[Range<usize>] {
        &self.paragraphs
    }
}

/// The part of a text that is read.
pub(super) fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(READ_LIMIT)]
}

fn is_shown_block(end: pulldown_cmark::TagEnd) -> bool {
    matches!(
        end,
        pulldown_cmark::TagEnd::CodeBlock | pulldown_cmark::TagEnd::BlockQuote(_)
    )
}

fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges.into_iter().filter(|range| !range.is_empty()) {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

fn paragraphs(text: &str, blocks: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    for block in blocks {
        split_at_blank_lines(text, from..block.start, &mut found);
        from = block.end;
    }
    split_at_blank_lines(text, from..text.len(), &mut found);
    found
}

fn split_at_blank_lines(text: &str, stretch: Range<usize>, found: &mut Vec<Range<usize>>) {
    let mut open: Option<Range<usize>> = None;
    let mut at = stretch.start;
    // A lone carriage return ends a line too; between it and a line feed there is no line.
    for line in text[stretch].split_inclusive(['\n', '\r']) {
        let range = at..at + line.len();
        at = range.end;
        if line == "\n" && text[..range.start].ends_with('\r') {
            continue;
        }
        if line.trim_matches([' ', '\t', '\r', '\n']).is_empty() {
            found.extend(open.take());
        } else {
            open = Some(open.map_or(range.start, |paragraph| paragraph.start)..range.end);
        }
    }
    found.extend(open);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The text with what is shown cut out.
    fn said(text: &str) -> String {
        let prose = Prose::of(text);
        text.char_indices()
            .filter(|(at, _)| prose.is_prose(*at))
            .map(|(_, c)| c)
            .collect()
    }

    #[test]
    fn code_and_block_quotes_are_shown() {
        for (text, in_prose, why) in [
            ("MARK", true, "plain text"),
            ("`MARK`", false, "inline code"),
            ("``a ` MARK``", false, "inline code with two backticks"),
            ("a ` MARK", true, "a backtick without a partner"),
            ("a \\`MARK\\`", true, "escaped backticks"),
            ("```\nMARK\n```", false, "a fence"),
            ("~~~ text\nMARK\n~~~", false, "a tilde fence"),
            ("```\r\nMARK\r\n```\r\n", false, "a fence with carriage returns"),
            ("```\na\n```\nMARK", true, "behind a closed fence"),
            ("```\na\n~~~\nMARK", false, "another fence mark does not close it"),
            ("a\n\n```\nb\n\nMARK", false, "an unclosed fence holds all that follows"),
            ("\u{feff}```\nMARK\n```", false, "a fence behind a byte order mark"),
            ("\u{feff}MARK", true, "text behind a byte order mark"),
            ("\0MARK\0", true, "NUL is text"),
            ("a\n\n    MARK", false, "four spaces behind a blank line"),
            ("a\n\n\tMARK", false, "a tab behind a blank line"),
            ("a\n    MARK", true, "four spaces inside a paragraph go on with it"),
            (
                "- a\n\n    MARK",
                true,
                "four spaces inside a list item are its second paragraph",
            ),
            (
                "- a\n\n      ```\n      MARK\n      ```",
                false,
                "a fence in a list item",
            ),
            ("> MARK", false, "a block quote"),
            ("> a\nMARK", false, "a lazy continuation"),
            ("> a\n\nMARK", true, "behind a block quote"),
            ("> - a\n>   MARK", false, "a list in a block quote"),
            ("> > a\n> b\n\nMARK", true, "behind nested block quotes"),
            ("# MARK", true, "a heading"),
            ("**MARK** [MARK](x)", true, "emphasis and links"),
            (
                "| a | b |\n|---|---|\n| ` | x |\n| MARK | ` |",
                true,
                "backticks of two table rows are no pair",
            ),
            ("<div>\nMARK\n</div>", true, "an HTML block"),
            ("<!-- MARK -->", true, "an HTML comment"),
        ] {
            assert_eq!(said(text).contains("MARK"), in_prose, "{why}: {text:?}");
        }
    }

    #[test]
    fn ranges_are_exact() {
        assert_eq!(Prose::of("a `b``c` `d`").shown(), [2..8, 9..12]);
        assert_eq!(Prose::of("> `a`\n\nb\n~~~\n").shown(), [0..6, 9..13]);
    }

    #[test]
    fn paragraphs_end_at_blank_lines_and_shown_blocks() {
        for (text, expected) in [
            ("a\nb\n\n \t\nc", vec!["a\nb\n", "c"]),
            ("a\r\nb\r\n\r\nc", vec!["a\r\nb\r", "c"]),
            ("a\rb\r\rc", vec!["a\rb\r", "c"]),
            ("a\n```\nx\n```\nb `x` c", vec!["a\n", "b `x` c"]),
            ("a\n> b\n\nc", vec!["a\n", "c"]),
            ("", vec![]),
        ] {
            let found: Vec<_> = Prose::of(text)
                .paragraphs()
                .iter()
                .map(|range| &text[range.clone()])
                .collect();
            assert_eq!(found, expected, "{text:?}");
        }
    }

    #[test]
    fn only_the_first_mebibyte_is_read() {
        let text = "é".repeat(READ_LIMIT);
        let prose = Prose::of(&text[..READ_LIMIT + 3 - (READ_LIMIT + 3) % 2]);
        assert!(prose.is_prose(READ_LIMIT - 1));
        assert!(!prose.is_prose(READ_LIMIT), "unread is not said");
        assert!(prose.text().len() <= READ_LIMIT);
    }

    proptest! {
        #[test]
        fn any_text_splits_into_ordered_ranges(text in "[-`~>#|* \t\r\n\u{feff}\0a1.<é]{0,200}") {
            let prose = Prose::of(&text);
            for ranges in [prose.shown(), prose.paragraphs()] {
                prop_assert!(ranges.iter().all(|range| !range.is_empty() && text.get(range.clone()).is_some()));
                prop_assert!(ranges.windows(2).all(|pair| pair[0].end <= pair[1].start));
            }
            prop_assert!(prose.shown().windows(2).all(|pair| pair[0].end < pair[1].start));
        }
    }
}
