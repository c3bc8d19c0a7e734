//! A paragraph as sentences of words and names, without quoted words and without questions.
//! What is said of the names stays out.

use super::path::named;

/// A question that begins like this is a request.
const ASKING: &[&str] = &["can", "could", "would", "will", "please"];

/// Contractions of orders and plans with "not".
const NEGATED: &[(&str, &str)] = &[
    ("don't", "do"),
    ("dont", "do"),
    ("mustn't", "must"),
    ("shouldn't", "should"),
    ("won't", "will"),
];

/// A word of a sentence.
#[derive(Debug)]
pub(super) struct Token {
    /// In lower case.
    pub(super) word: String,
    /// What it names, as it was written.
    pub(super) name: Option<String>,
    /// A comma, colon or dash follows.
    pub(super) pause: bool,
}

/// The sentences of a paragraph; a question that is no request is left out.
pub(super) fn sentences(paragraph: &str) -> Vec<Vec<Token>> {
    let mut found = Vec::new();
    let mut sentence = Vec::new();
    let mut quoted = false;
    for line in paragraph.split(['\n', '\r']) {
        for chunk in line.split_whitespace() {
            let marks = chunk.matches(['"', '“', '”']).count();
            let shown = quoted || marks > 0;
            quoted ^= marks % 2 == 1;
            let core = chunk.trim_end_matches(['"', '”', ')', '*', '_', '’']);
            let end = core.chars().next_back().unwrap_or(' ');
            if !shown {
                push(chunk, matches!(end, ',' | ':' | '—' | '–' | '-'), &mut sentence);
            }
            if matches!(end, '.' | '!' | ';' | '?') {
                finish(&mut sentence, end == '?', &mut found);
            }
        }
        // A line that goes on begins in lower case; an item of a list is a sentence of its own.
        if let Some(last) = sentence.last_mut() {
            last.pause = true;
        }
    }
    finish(&mut sentence, false, &mut found);
    found
}

fn finish(sentence: &mut Vec<Token>, question: bool, found: &mut Vec<Vec<Token>>) {
    let request = sentence
        .first()
        .is_some_and(|first| ASKING.contains(&first.word.as_str()));
    let sentence = std::mem::take(sentence);
    if !sentence.is_empty() && (!question || request) {
        found.push(sentence);
    }
}

fn push(chunk: &str, pause: bool, sentence: &mut Vec<Token>) {
    let bare = chunk.trim_matches(|c: char| !c.is_alphanumeric());
    let word = bare.to_lowercase().replace('’', "'");
    let negated = NEGATED.iter().find(|(short, _)| *short == word);
    if let Some((_, verb)) = negated {
        sentence.push(Token {
            word: (*verb).to_owned(),
            name: None,
            pause: false,
        });
    }
    sentence.push(Token {
        word: negated.map_or(word, |_| "not".to_owned()),
        name: named(chunk),
        pause,
    });
}
