//! The words by which a quote is compared with a text: places, letter case and punctuation folded away.
//! What a match means stays out.

use std::ops::Range;

use super::words::{is_invisible, stem};

/// Words of a language's frame: they name nothing, so that a quote does not rest on them. Negations are none of them.
const COMMON: &[&str] = &[
    "a", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did",
    "do", "does", "for", "from", "had", "has", "have", "he", "her", "here", "his", "how", "i", "if", "in", "into",
    "is", "it", "its", "just", "may", "me", "might", "my", "now", "of", "on", "one", "or", "our", "out", "she",
    "should", "so", "some", "such", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this",
    "those", "to", "up", "us", "was", "we", "were", "what", "when", "which", "who", "will", "with", "would", "yes",
    "you", "your",
];

/// One word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// Where it stands: byte offsets.
    pub span: Range<usize>,
    /// The word in lower case, without apostrophes and invisible characters.
    pub word: String,
}

impl Term {
    /// True for a word that names nothing by itself.
    pub fn is_common(&self) -> bool {
        is_common(&self.word)
    }
}

/// True for a word that names nothing by itself.
pub fn is_common(word: &str) -> bool {
    COMMON.binary_search(&word).is_ok()
}

/// The word without an English ending for number or tense, so that forms of one word meet. Not a word itself.
pub fn base(word: &str) -> String {
    stem(word)
}

/// The words of a text in order. A character of a script that puts no spaces between words is a word of its own.
pub fn terms(text: &str) -> Vec<Term> {
    let mut terms = Vec::new();
    let mut word = String::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = |word: &mut String, terms: &mut Vec<Term>| {
            if !word.is_empty() {
                let word = std::mem::take(word);
                terms.push(Term { span: start..at, word });
            }
        };
        if is_invisible(c) && !c.is_control() {
            continue;
        }
        if is_unspaced(c) {
            end(&mut word, &mut terms);
            let span = at..at + c.len_utf8();
            let word = c.to_string();
            terms.push(Term { span, word });
            continue;
        }
        let goes_on = |peeked: Option<&(usize, char)>| peeked.is_some_and(|(_, next)| next.is_alphanumeric());
        // At the ends of a word it is emphasis.
        let underscore = c == '_' && !word.is_empty() && goes_on(chars.peek());
        if c.is_alphanumeric() || underscore || (joins(c) && !word.is_empty()) {
            if word.is_empty() {
                start = at;
            }
            word.extend(c.to_lowercase());
            continue;
        }
        let inside = is_apostrophe(c) && chars.peek().is_some_and(|(_, next)| next.is_alphabetic());
        if !inside {
            end(&mut word, &mut terms);
        }
    }
    if !word.is_empty() {
        let span = start..text.len();
        terms.push(Term { span, word });
    }
    terms
}

/// True for a character of a script that is written without spaces.
pub(super) fn is_unspaced(c: char) -> bool {
    is_han_or_kana(c) || matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
}

/// True for a Chinese character or a Japanese syllable.
pub(super) fn is_han_or_kana(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{323af}')
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2018}' | '\u{2019}' | '\u{2bc}')
}

fn joins(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{93c}'..='\u{94d}' | '\u{1ab0}'..='\u{1aff}' | '\u{20d0}'..='\u{20ff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(text: &str) -> Vec<String> {
        terms(text).into_iter().map(|term| term.word).collect()
    }

    #[test]
    fn common_words_are_in_order() {
        assert!(COMMON.is_sorted(), "they are searched by halves");
        assert!(is_common("the") && !is_common("not") && !is_common("never"));
    }

    #[test]
    fn a_text_is_cut_into_words() {
        for (text, expected) in [
            ("The  shim\nlane.", vec!["the", "shim", "lane"]),
            ("**shim**-lane", vec!["shim", "lane"]),
            ("don’t don't 'quoted'", vec!["dont", "dont", "quoted"]),
            ("dogs' x_1 _lane_", vec!["dogs", "x_1", "lane"]),
            ("a\u{200b}b", vec!["ab"]),
            ("検証 done", vec!["検", "証", "done"]),
            ("", vec![]),
            ("…!", vec![]),
        ] {
            assert_eq!(words(text), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn spans_are_ordered_and_inside(text in any::<String>()) {
            let found = terms(&text);
            prop_assert!(found.iter().all(|term| text.get(term.span.clone()).is_some_and(|it| !it.is_empty())));
            prop_assert!(found.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start));
        }
    }
}
