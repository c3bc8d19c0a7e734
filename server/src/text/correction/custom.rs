//! Phrases of the settings, in any language: whether an end of a prompt holds one.
//! The shipped phrases stay out.

use std::ops::Range;

use super::{Correction, End, Phrases, quoted};

/// English words before a phrase that turn a request for more into its opposite.
const NEGATIONS: &[&str] = &["not", "never", "don't", "dont", "didn't", "without", "why", "stop"];

/// The correction by a phrase of the settings, with the class `drift`.
pub(super) fn correction(end: &End<'_>, more: &[Phrases]) -> Option<Correction> {
    let folded = Folded::of(end.text);
    let phrases = more.iter().flat_map(|set| &set.corrections);
    let at = phrases
        .filter_map(|phrase| folded.find(phrase, &end.looked_at))
        .min_by_key(|found| found.start)?;
    Some(Correction {
        class: "drift",
        quote: quoted(sentence(&end.text[at.start..])),
    })
}

/// True when a phrase of the settings asks for more.
pub(super) fn asks_for_more(end: &End<'_>, more: &[Phrases]) -> bool {
    let folded = Folded::of(end.text);
    let mut phrases = more.iter().flat_map(|set| &set.expansions);
    phrases.any(|phrase| {
        folded.find(phrase, &end.looked_at).is_some_and(|found| {
            let before = end.text[..found.start]
                .rsplit(['.', '!', '?', '\n', '。'])
                .next()
                .unwrap_or_default();
            let negated = |word: &str| NEGATIONS.contains(&word.to_lowercase().replace('’', "'").as_str());
            !before.split_whitespace().any(negated)
        })
    })
}

/// The text up to the end of its sentence.
fn sentence(text: &str) -> &str {
    let end = text
        .char_indices()
        .find(|(_, c)| matches!(c, '.' | '!' | '?' | '\n' | '。' | '！' | '？'));
    end.map_or(text, |(at, _)| &text[..at])
}

/// A text in lower case with plain apostrophes and single spaces, and where each of its bytes comes from.
struct Folded {
    text: String,
    origins: Vec<usize>,
}

impl Folded {
    fn of(text: &str) -> Self {
        let mut folded = Self {
            text: String::with_capacity(text.len()),
            origins: Vec::with_capacity(text.len()),
        };
        for (at, c) in text.char_indices() {
            let straight = match c {
                '\u{2018}' | '\u{2019}' | '\u{201b}' | '\u{2032}' => '\'',
                c if c.is_whitespace() => ' ',
                c => c,
            };
            if straight == ' ' && folded.text.ends_with(' ') {
                continue;
            }
            for lower in straight.to_lowercase() {
                folded.text.push(lower);
                folded.origins.resize(folded.text.len(), at);
            }
        }
        folded
    }

    /// Where the text holds a phrase as words of its own, in bytes of the text as it was; nothing for an empty phrase.
    fn find(&self, phrase: &str, within: &Range<usize>) -> Option<Range<usize>> {
        let phrase = Self::of(phrase.trim()).text;
        if phrase.is_empty() {
            return None;
        }
        self.text.match_indices(phrase.as_str()).find_map(|(at, found)| {
            let end = at + found.len();
            let start = self.origins[at];
            let stop = self.origins.get(end).copied().unwrap_or(within.end);
            let whole = !joined(&self.text[..at], found) && !joined(found, &self.text[end..]);
            (whole && start >= within.start && stop <= within.end).then_some(start..stop)
        })
    }
}

/// True when the texts meet within a word.
fn joined(before: &str, behind: &str) -> bool {
    before.ends_with(is_letter) && behind.starts_with(is_letter)
}

/// A letter or digit of a script that parts its words; Chinese, Japanese and Thai do not.
fn is_letter(c: char) -> bool {
    let unparted = matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{20000}'..='\u{3ffff}');
    c.is_alphanumeric() && !unparted
}
