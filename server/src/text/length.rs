//! How long a reply is for a reader: words of its prose, whatever the script; and whether a prompt asks for a long one.
//! How long it may be stays out.

use serde::{Deserialize, Serialize};

use super::terms::{is_common, is_han_or_kana, is_unspaced, terms};

/// So many characters of a script without spaces read like one word: two of Chinese and Japanese, four of the others.
const PER_WORD: (u64, u64) = (2, 4);
/// A fence or a run of table rows with fewer words is taken for what it looks like.
const MIN_PROSE: usize = 20;
/// One word in so many is common in prose; code, output and tables have next to none.
const PROSE_RATIO: usize = 5;
/// Words by which a person asks for a long answer.
const LONG: &[&str] = &[
    "comprehensive",
    "comprehensively",
    "detail",
    "detailed",
    "details",
    "elaborate",
    "essay",
    "everything",
    "exhaustive",
    "exhaustively",
    "extensive",
    "extensively",
    "full",
    "fully",
    "lengthy",
    "long",
    "longer",
    "report",
    "thorough",
    "thoroughly",
    "tutorial",
    "walkthrough",
];
/// Phrases of several words that do the same.
const LONG_PHRASES: &[&str] = &[
    "in depth",
    "step by step",
    "walk me through",
    "explain how",
    "explain why",
    "list all",
    "list every",
];

/// The words of a reply. Code in closed fences and rows of tables are free, unless they are prose in disguise.
pub fn length(reply: &str) -> u64 {
    let mut words = 0;
    let mut free = String::new();
    let mut open: Option<(char, usize)> = None;
    let (mut said, mut rows) = (String::new(), String::new());
    for line in reply.lines() {
        let mark = fence(line);
        match (open, mark) {
            (None, Some(begun)) => {
                open = Some((begun.0, begun.1));
                free.clear();
            }
            (Some((c, least)), Some((with, count, bare))) if with == c && count >= least && bare => {
                open = None;
                words += if is_prose(&free) { count_words(&free) } else { 0 };
            }
            (Some(_), _) => add(&mut free, line),
            (None, None) if is_row(line) => add(&mut rows, line),
            (None, None) => {
                words += table(&mut rows);
                add(&mut said, line);
            }
        }
    }
    // A fence that is never closed hides nothing.
    if open.is_some() {
        words += count_words(&free);
    }
    words + table(&mut rows) + count_words(&said)
}

/// How long an answer a prompt asks for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedLength {
    /// True when it asks for a long one in English words.
    pub long: bool,
    /// The number of words that it names; 0 when it names none.
    pub words: u64,
}

impl AskedLength {
    /// What a prompt asks for.
    pub fn of(prompt: &str) -> Self {
        let words: Vec<String> = terms(prompt).into_iter().map(|term| term.word).collect();
        let says = |phrase: &str| {
            let row = words.windows(phrase.split(' ').count());
            row.into_iter()
                .any(|words| words.iter().map(String::as_str).eq(phrase.split(' ')))
        };
        let number = |pair: &[String]| pair[0].parse::<u64>().ok().filter(|_| pair[1].starts_with("word"));
        Self {
            long: words.iter().any(|word| LONG.contains(&word.as_str()))
                || LONG_PHRASES.iter().any(|phrase| says(phrase)),
            words: words.windows(2).filter_map(number).max().unwrap_or(0),
        }
    }

    /// What two prompts ask for that one answer is given to.
    pub fn and(self, other: Self) -> Self {
        Self {
            long: self.long || other.long,
            words: self.words.max(other.words),
        }
    }

    /// True when an answer of more words than the limit was asked for.
    pub fn is_beyond(self, limit: u64) -> bool {
        self.long || self.words > limit
    }
}

fn add(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

fn table(rows: &mut String) -> u64 {
    let rows = std::mem::take(rows);
    let cells = rows.replace('|', " ");
    if is_prose(&cells) { count_words(&cells) } else { 0 }
}

/// A line that opens or may close a fence: its sign, how often, and whether nothing stands behind it.
fn fence(line: &str) -> Option<(char, usize, bool)> {
    let line = line.trim_start();
    let c = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let count = line.chars().take_while(|other| *other == c).count();
    let rest = line[count..].trim();
    let inline = c == '`' && rest.contains('`');
    (count >= 3 && !inline).then_some((c, count, rest.is_empty()))
}

fn is_row(line: &str) -> bool {
    let line = line.trim();
    line.len() > 1 && line.starts_with('|') && line.ends_with('|')
}

fn is_prose(text: &str) -> bool {
    let words = terms(text);
    let common = words
        .iter()
        .filter(|term| is_common(&term.word) && term.word.len() > 1)
        .count();
    words.len() >= MIN_PROSE && common * PROSE_RATIO >= words.len()
}

fn count_words(text: &str) -> u64 {
    let (mut words, mut pairs, mut others) = (0_u64, 0_u64, 0_u64);
    for word in text.split_whitespace() {
        let mut spaced = false;
        for c in word.chars() {
            if is_han_or_kana(c) {
                pairs += 1;
            } else if is_unspaced(c) {
                others += 1;
            } else {
                spaced |= c.is_alphanumeric();
            }
        }
        words += u64::from(spaced);
    }
    words + pairs.div_ceil(PER_WORD.0) + others.div_ceil(PER_WORD.1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn many(count: usize) -> String {
        (0..count).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn prose_counts_and_code_and_tables_do_not() {
        let prose =
            "This is the part of the answer that you will have to read in full to see what it is about. ".repeat(2);
        let words = count_words(&prose);
        for (reply, expected, why) in [
            (many(151), 151, "plain words"),
            (format!("Output:\n\n```\n{}\n```\n", many(99)), 1, "a closed fence"),
            (format!("```\n{}", many(99)), 99, "a fence that is never closed"),
            (
                format!("~~~~ text\n{}\n~~~\n~~~~\nx", many(99)),
                1,
                "a shorter mark does not close it",
            ),
            (format!("```\n{prose}\n```"), words, "prose in a fence"),
            ("| a b | c |\n|---|---|\n| d | e |\nend".to_owned(), 1, "table rows"),
            (format!("| {prose} |"), words, "prose between bars"),
            ("one ```x``` two".to_owned(), 3, "inline code is read"),
            ("検証は済みです".to_owned(), 4, "Japanese"),
            ("ทดสอบแล้ว".to_owned(), 3, "Thai"),
            ("- — …".to_owned(), 0, "signs alone"),
        ] {
            assert_eq!(length(&reply), expected, "{why}");
        }
    }

    #[test]
    fn a_request_for_a_long_answer_is_seen() {
        for (prompt, expected) in [
            ("Explain this in detail, please", true),
            ("walk me\nthrough the parser", true),
            ("Write 400 words about it", true),
            ("in 100 words", false),
            ("what did you find?", false),
            ("fix the failing test", false),
        ] {
            assert_eq!(AskedLength::of(prompt).is_beyond(150), expected, "{prompt}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[`~|a \n検é]{0,200}") {
            length(&text);
            AskedLength::of(&text);
        }
    }
}
