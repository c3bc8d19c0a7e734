//! What a person says in a prompt: its paragraphs, the words they quote, its clauses.
//! What they ask for stays out.

use std::ops::Range;

use super::prose::Prose;
use super::words::words;

/// Stands for a quoted text: a word like no other.
pub(super) const QUOTATION: &str = "\u{fffc}";
/// Stands for code of one word, thus for a name of the work at hand.
pub(super) const SYMBOL: &str = "\u{fffb}";
/// Earlier in the sentence, these make it a condition, an alternative, or somebody else's words.
const BLOCKERS: &[&str] = &[
    "if", "when", "whenever", "unless", "once", "until", "whether", "or", "said", "says", "saying", "told", "asked",
    "wants", "suggests", "reads",
];
const NEGATIONS: &[&str] = &["not", "never"];
const LINKS: &[&str] = &["and", "then", "but", "or", "so"];

/// A paragraph of a prompt.
pub(super) struct Paragraph<'a> {
    /// All of it, quoted words and code included.
    pub(super) whole: &'a str,
    /// What the person says, with a sign for each quoted text and piece of code.
    pub(super) spoken: String,
    /// The quoted texts and pieces of code.
    pub(super) quoted: Vec<&'a str>,
}

/// The paragraphs of a prompt, without its code blocks and block quotes.
pub(super) fn paragraphs<'a>(prose: &'a Prose<'a>) -> impl Iterator<Item = Paragraph<'a>> {
    prose.paragraphs().iter().map(|range| {
        let whole = &prose.text()[range.clone()];
        let (mut spoken, mut quoted) = (String::new(), Vec::new());
        let mut from = range.start;
        let inside = prose.shown().partition_point(|code| code.end <= range.start);
        let within = |code: &&Range<usize>| range.start <= code.start && code.end <= range.end;
        for code in prose.shown()[inside..].iter().take_while(within) {
            take_quotes(&prose.text()[from..code.start], &mut spoken, &mut quoted);
            let shown = prose.text()[code.clone()].trim_matches('`').trim();
            spoken.push_str(if shown.contains(char::is_whitespace) {
                QUOTATION
            } else {
                SYMBOL
            });
            quoted.push(shown);
            from = code.end;
        }
        take_quotes(&prose.text()[from..range.end], &mut spoken, &mut quoted);
        Paragraph { whole, spoken, quoted }
    })
}

/// Parts quoted words from the rest. A quotation mark without a partner quotes all that follows.
pub(super) fn take_quotes<'a>(text: &'a str, spoken: &mut String, quoted: &mut Vec<&'a str>) {
    let mut rest = text;
    // Once no closing apostrophe was found there is none further on either.
    let mut single_quotes = true;
    while let Some(at) = rest.find(['"', '“', '„', '«', '\'', '‘']) {
        let (before, quote) = rest.split_at(at);
        let mark = quote.chars().next().unwrap_or('"');
        let behind = &quote[mark.len_utf8()..];
        spoken.push_str(before);
        let single = matches!(mark, '\'' | '‘');
        let close = match mark {
            '"' => behind.find('"'),
            '«' => behind.find('»'),
            '\'' | '‘' if single_quotes && !spoken.ends_with(char::is_alphanumeric) => closing_apostrophe(behind),
            '\'' | '‘' => None,
            _ => behind.find(['”', '“']),
        };
        match close {
            Some(end) => {
                quoted.push(&behind[..end]);
                spoken.push_str(QUOTATION);
                rest = &behind[end + behind[end..].chars().next().map_or(0, char::len_utf8)..];
            }
            None if single => {
                single_quotes &= spoken.ends_with(char::is_alphanumeric);
                spoken.push('\'');
                rest = behind;
            }
            None => {
                quoted.push(behind);
                spoken.push_str(QUOTATION);
                return;
            }
        }
    }
    spoken.push_str(rest);
}

fn closing_apostrophe(text: &str) -> Option<usize> {
    text.match_indices(['\'', '’'])
        .map(|(at, mark)| (at, &text[at + mark.len()..]))
        .find_map(|(at, behind)| {
            (at > 0 && !text[..at].ends_with(char::is_whitespace) && !behind.starts_with(char::is_alphanumeric))
                .then_some(at)
        })
}

/// A part of a sentence that commas, dashes or words such as "and" set off.
#[derive(Default)]
pub(super) struct Clause {
    pub(super) words: Vec<String>,
    /// It ends the sentence with a question mark.
    pub(super) question: bool,
    /// Earlier in the sentence stands what takes the request out of it.
    pub(super) blocked: bool,
}

/// The clauses of what a person says, in order.
pub(super) fn clauses(text: &str) -> Vec<Clause> {
    let mut found = Vec::new();
    let mut clause = Clause::default();
    for chunk in text.split_whitespace() {
        for word in words(chunk) {
            if LINKS.contains(&word.as_str()) {
                let blocked = word == "or" || clause.holds(NEGATIONS) || clause.holds(BLOCKERS);
                found.push(clause.go_on(blocked));
            } else {
                clause.words.push(word);
            }
        }
        let last = chunk
            .trim_end_matches(['"', '\'', ')', '*', '_', '”', '’'])
            .chars()
            .last();
        match last {
            Some('.' | '!' | '?' | ';' | '…') => {
                clause.question = last == Some('?');
                found.push(std::mem::take(&mut clause));
            }
            Some(',' | '—' | '–' | '-') => {
                let blocked = clause.holds(BLOCKERS);
                found.push(clause.go_on(blocked));
            }
            _ => {}
        }
    }
    found.push(clause);
    found
}

impl Clause {
    /// Begins the next clause of the same sentence and gives back this one.
    fn go_on(&mut self, blocked: bool) -> Self {
        let next = Self {
            words: Vec::new(),
            question: false,
            blocked: self.blocked || blocked,
        };
        std::mem::replace(self, next)
    }

    fn holds(&self, list: &[&str]) -> bool {
        self.words.iter().any(|word| list.contains(&word.as_str()))
    }
}
