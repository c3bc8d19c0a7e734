//! An agent's or a person's text as data inside a message of ours.
//! What the message says stays out.

use std::borrow::Cow;

use super::secrets::redact;
use super::words::is_invisible;

const ESCAPE: char = '\u{1b}';
const BELL: char = '\u{7}';
const CONTROL_SEQUENCE: char = '\u{9b}';
const STRING_END: char = '\u{9c}';
const ELLIPSIS: char = '…';

/// So much of a text behind the last character that is shown is looked at too: a key that is cut off is one all the same.
const AHEAD: usize = 256;

/// The text on one line and safe to print and to keep: terminal escapes, control characters, and characters that are
/// invisible or turn the direction of the line are gone, white space is folded, and what looks like a secret is taken out.
///
/// At most `max_chars` characters come back, the last one `…` when the text was longer; a base letter is not cut from
/// its accents.
pub fn quote(text: &str, max_chars: usize) -> String {
    let (clean, whole) = clean(text, max_chars.saturating_add(AHEAD));
    let shown = redact(&clean);
    let end = shown.char_indices().nth(max_chars);
    match (end, whole) {
        (None, true) => shown.into_owned(),
        // What was taken out has made room, and there is more.
        (None, false) => settled(cut(shown.into_owned(), max_chars, false), max_chars),
        (Some((end, next)), _) => settled(cut(shown[..end].to_owned(), max_chars, joins(next)), max_chars),
    }
}

/// What was cut as it stays when it is quoted again: a hash that was cut has the length of none, and is taken out then.
fn settled(kept: String, max_chars: usize) -> String {
    match redact(&kept) {
        Cow::Borrowed(_) => kept,
        Cow::Owned(shown) if shown.chars().count() <= max_chars => shown,
        Cow::Owned(shown) => cut(shown, max_chars, false),
    }
}

/// The first characters of a text on one line and safe to print; and whether that is all of it.
fn clean(text: &str, max_chars: usize) -> (String, bool) {
    let mut kept = String::new();
    let mut chars = 0;
    let mut blank = false;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let behind = &rest[c.len_utf8()..];
        rest = behind;
        match c {
            ESCAPE => rest = behind_escape(behind),
            CONTROL_SEQUENCE => rest = behind_control_sequence(behind),
            _ if c.is_whitespace() => blank = !kept.is_empty(),
            _ if is_unsafe(c) => {}
            // Where it has no letter to join it only hides something.
            _ if is_joiner(c) && (blank || !(kept.ends_with(is_joined) && behind.starts_with(is_joined))) => {}
            _ => {
                let space = usize::from(std::mem::take(&mut blank));
                if chars + space + 1 > max_chars {
                    return (kept, false);
                }
                if space == 1 {
                    kept.push(' ');
                }
                kept.push(c);
                chars += space + 1;
            }
        }
    }
    (kept, true)
}

/// Makes room for the ellipsis; with `inside` the cut would fall between a base letter and its marks.
fn cut(mut kept: String, max_chars: usize, inside: bool) -> String {
    let mut over = (kept.chars().count() + 1).saturating_sub(max_chars);
    let mut inside = inside;
    while over > 0 || inside {
        let Some(last) = kept.pop() else { break };
        over = over.saturating_sub(1);
        inside = joins(last) || kept.ends_with(is_joiner);
    }
    kept.truncate(kept.trim_end().len());
    if max_chars > 0 {
        kept.push(ELLIPSIS);
    }
    kept
}

/// True for a character without a width of its own that joins others, or keeps them apart: part of how some scripts and
/// emoji are written.
fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

fn is_joined(c: char) -> bool {
    !c.is_ascii() && !is_joiner(c)
}

/// True for a character that belongs to the one before it.
fn joins(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{fe20}'..='\u{fe2f}' | '\u{200c}' | '\u{200d}' | '\u{1f3fb}'..='\u{1f3ff}')
}

/// A text of ours as a terminal may show it, whatever was put into it: lines and tabs stay, and of escapes those that only
/// set a style.
pub fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let behind = &rest[c.len_utf8()..];
        rest = behind;
        match c {
            ESCAPE => {
                rest = behind_escape(behind);
                let escape = &behind[..behind.len() - rest.len()];
                let style = escape.strip_prefix('[').and_then(|escape| escape.strip_suffix('m'));
                if style.is_some_and(|style| style.bytes().all(|byte| byte.is_ascii_digit() || byte == b';')) {
                    shown.push(ESCAPE);
                    shown.push_str(escape);
                }
            }
            CONTROL_SEQUENCE => rest = behind_control_sequence(behind),
            '\n' | '\t' => shown.push(c),
            '\u{2028}' | '\u{2029}' => shown.push(' '),
            _ if is_unsafe(c) => {}
            _ => shown.push(c),
        }
    }
    shown
}

/// True for what a terminal or an editor obeys instead of showing it: control characters, characters that are invisible, and
/// those that turn the direction of the line.
pub fn is_unsafe(c: char) -> bool {
    let turns_or_hides = matches!(c, '\u{61c}' | '\u{180e}' | '\u{e0000}'..='\u{e0fff}' | '\u{fff9}'..='\u{fffb}');
    (is_invisible(c) && !is_joiner(c)) || turns_or_hides
}

/// What follows an escape sequence whose escape character was read.
fn behind_escape(text: &str) -> &str {
    match text.chars().next() {
        Some('[') => behind_control_sequence(&text[1..]),
        Some(']' | 'P' | 'X' | '^' | '_') => behind_string(&text[1..]),
        Some('(' | ')' | '*' | '+' | '#' | ' ' | '%') => {
            text[1..].strip_prefix(|c: char| c.is_ascii()).unwrap_or(&text[1..])
        }
        Some('0'..='~') => &text[1..],
        _ => text,
    }
}

/// Parameters and a final letter; without that letter it is no sequence and its text stays.
fn behind_control_sequence(text: &str) -> &str {
    let rest = text.trim_start_matches(|c| matches!(c, ' '..='?'));
    rest.strip_prefix(|c| matches!(c, '@'..='~')).unwrap_or(text)
}

/// A string up to its end mark; without one its text stays, so that an open sequence hides nothing.
fn behind_string(text: &str) -> &str {
    let Some(end) = text.find(char::is_control) else {
        return text;
    };
    let rest = &text[end..];
    rest.strip_prefix([BELL, STRING_END])
        .or_else(|| rest.strip_prefix("\u{1b}\\"))
        .unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_text_becomes_data() {
        for (text, expected, why) in [
            ("plain", "plain", "nothing to do"),
            ("  a \r\n\t b\u{2028}c  ", "a b c", "white space of any kind is folded"),
            ("a\0b\u{7}c\u{85}d", "abc d", "controls; U+0085 is a line break"),
            ("\u{1b}[31;1mred\u{1b}[0m", "red", "colours"),
            ("\u{9b}31mred", "red", "the one-character form"),
            ("\u{1b}]0;title\u{7}x", "x", "a window title ended by a bell"),
            (
                "\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\",
                "link",
                "a hyperlink",
            ),
            ("\u{1b}]0;the claim", "0;the claim", "an open sequence hides nothing"),
            ("\u{1b}[31é", "31é", "nor does a broken one"),
            ("a\u{1b}", "a", "an escape at the end"),
            ("\u{1b}(Bx\u{1b}cy", "xy", "character sets and reset"),
            ("a\u{202e}b\u{2066}c\u{200f}d\u{61c}", "abcd", "direction marks"),
            ("a\u{200b}b\u{feff}c\u{e0041}d", "abcd", "invisible characters"),
            ("{} {0} %s $x `y`", "{} {0} %s $x `y`", "no sign means anything"),
            ("👩\u{200d}💻", "👩\u{200d}💻", "an emoji keeps its joiner"),
            ("PASSWORD=hunter2 npm test", "PASSWORD=[redacted] npm test", "a secret"),
            (
                "PASS\u{200b}WORD=\u{1b}[31mhunter2",
                "PASSWORD=[redacted]",
                "a secret, once it can be seen",
            ),
            (
                "PASS\u{200d}WORD=hunter2 HUNTER\u{200c}_TOKEN=abc\u{200d}",
                "PASSWORD=[redacted] HUNTER_TOKEN=[redacted]",
                "nor do joiners hide one",
            ),
            (
                "👩\u{200d}\u{200d}💻 می\u{200c}خواهم a\u{200d}é \u{200d}é",
                "👩\u{200d}💻 می\u{200c}خواهم aé é",
                "they stay between two letters that are written so",
            ),
        ] {
            assert_eq!(quote(text, 100), expected, "{why}");
        }
    }

    #[test]
    fn a_long_text_is_cut() {
        for (text, max, expected) in [
            ("abcdef", 6, "abcdef"),
            ("abcdefg", 6, "abcde…"),
            ("ab cdef", 4, "ab…"),
            ("abc ", 3, "abc"),
            ("ééééé", 3, "éé…"),
            ("abe\u{301}f", 5, "abe\u{301}f"),
            ("abe\u{301}fg", 4, "ab…"),
            ("a👩\u{200d}💻b", 4, "a…"),
            ("abc", 1, "…"),
            ("abc", 0, ""),
        ] {
            assert_eq!(quote(text, max), expected, "{text:?} {max}");
        }
    }

    #[test]
    fn a_secret_is_none_the_less_one_for_being_cut_off() {
        let key = format!("the key is sk-ant-api03-{}", "aB3".repeat(400));
        for (max, expected) in [
            (100, "the key is [redacted]…"),
            (17, "the key is [reda…"),
            (8, "the key…"),
        ] {
            assert_eq!(quote(&key, max), expected, "{max}");
        }
    }

    #[test]
    fn what_was_quoted_stays_so_when_it_is_quoted_again() {
        let hash = "cf83e1357eefb8bd".repeat(8);
        for (text, expected) in [
            (hash.clone(), "[redacted]…".to_owned()),
            (format!("see {hash} there"), "see [redacted]…".to_owned()),
            (
                format!("see {} there", &hash[..64]),
                format!("see {} there", &hash[..64]),
            ),
        ] {
            let quoted = quote(&text, 80);
            assert_eq!(quoted, expected);
            assert_eq!(quote(&quoted, 80), quoted);
        }
    }

    #[test]
    fn a_text_for_a_terminal_keeps_its_lines_and_styles() {
        for (text, expected) in [
            ("a\n\tb", "a\n\tb"),
            ("\u{1b}[1;31mred\u{1b}[0m", "\u{1b}[1;31mred\u{1b}[0m"),
            ("\u{1b}[2Ja\u{1b}]0;title\u{7}b\u{1b}cc", "abc"),
            ("a\rb\u{8}\u{9b}31mc", "abc"),
            ("a\u{202e}b\u{2028}c\u{200b}", "ab c"),
        ] {
            assert_eq!(printable(text), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_one_bounded_line(text in any::<String>(), max in 0..50_usize) {
            let quoted = quote(&text, max);
            prop_assert!(quoted.chars().count() <= max);
            prop_assert!(!quoted.chars().any(|c| c.is_control() || is_unsafe(c)));
            prop_assert!(!quoted.contains("  ") && quoted.trim() == quoted);
        }
    }
}
