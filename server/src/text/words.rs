//! Words of a claim, a prompt or a call: how a text is cut into them, which of them carry no meaning, their stems.
//! What is concluded from them stays out.

use std::collections::HashSet;
use std::sync::LazyLock;

use fnv::FnvBuildHasher;

/// A long list of words, for texts of which every word is looked up.
pub(super) struct WordSet(HashSet<&'static str, FnvBuildHasher>);

impl WordSet {
    /// The words of a list that is written as one text.
    pub(super) fn of(list: &'static str) -> Self {
        list.split_whitespace().collect()
    }

    pub(super) fn contains(&self, word: &str) -> bool {
        self.0.contains(word)
    }

    /// In no order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().copied()
    }
}

impl FromIterator<&'static str> for WordSet {
    fn from_iter<I: IntoIterator<Item = &'static str>>(words: I) -> Self {
        Self(words.into_iter().collect())
    }
}

/// Words that name the same thing with or without them.
pub(super) const ARTICLES: &[&str] = &["a", "an", "the"];

/// Words that turn or narrow a claim: with one more or one less it is another claim.
pub(super) const QUALIFIERS: &[&str] = &[
    "almost", "can", "could", "except", "hardly", "may", "might", "must", "mostly", "nearly", "neither", "never", "no",
    "nobody", "none", "nor", "not", "nothing", "only", "partly", "should", "unless", "will", "without", "would",
];

/// Words that a rewording adds or leaves out freely.
pub(super) const FILLERS: &[&str] = &[
    "already", "also", "am", "are", "be", "been", "being", "did", "do", "does", "had", "has", "have", "having", "i",
    "is", "it", "its", "just", "now", "that", "then", "there", "these", "this", "those", "was", "we", "were", "which",
];

/// Stems of words of four letters and more that name no subject of their own: any claim and any call may hold them.
pub(super) static STOP_STEMS: LazyLock<HashSet<String>> =
    LazyLock::new(|| include_str!("stop-words.txt").split_whitespace().map(stem).collect());

/// Words for one state of things: a claim says the same with either.
const SAME_STATE: &[&[&str]] = &[
    &["finish", "complete", "done", "ended"],
    &["work", "function"],
    &["pass", "succeed", "green"],
    &["exist", "present"],
];

const DOUBLED_IN_STEMS: &[u8] = b"lsz";

/// The text on one line, its white space folded to single spaces.
pub(super) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// The words of a text in order, in lower case and without the punctuation around them.
///
/// A path, file name, version or number stays one word with all that tells it from another, its sign included. "n't" is
/// written out as "not"; a hyphen between plain words parts them.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for chunk in text.split(|c: char| c.is_whitespace() || parts_words(c)) {
        let word: String = chunk
            .chars()
            .filter(|c| !is_invisible(*c))
            .map(straightened)
            .flat_map(char::to_lowercase)
            .collect();
        push_word(trimmed(&word), &mut words);
    }
    words
}

fn push_word(word: &str, words: &mut Vec<String>) {
    let plain = |c: char| c.is_alphabetic() || c == '-' || c == '\'';
    if word.is_empty() {
        return;
    }
    if word.contains('-') && word.chars().all(plain) {
        word.split('-').for_each(|part| push_word(part, words));
    } else if let Some(verb) = negated(word) {
        // A bare "n't" has no verb, and what is left of an odd one is read as any other word.
        push_word(trimmed(verb), words);
        words.push("not".to_owned());
    } else if word.contains('\'') {
        push_word(&word.replace('\'', ""), words);
    } else {
        words.push(word.to_owned());
    }
}

/// The verb of a contraction with "not".
fn negated(word: &str) -> Option<&str> {
    match word {
        "can't" | "cant" | "cannot" => Some("can"),
        "won't" => Some("will"),
        "shan't" => Some("shall"),
        "dont" => Some("do"),
        "doesnt" => Some("does"),
        _ => word.strip_suffix("n't"),
    }
}

/// The word without the punctuation around it, but with what begins a path or a number or ends a name such as `C++`.
fn trimmed(word: &str) -> &str {
    let Some(last) = word.rfind(|c: char| !is_punctuation(c)) else {
        return if !word.is_empty() && word.chars().all(is_comparison) {
            word
        } else {
            ""
        };
    };
    let first = word.find(|c: char| !is_punctuation(c)).unwrap_or(last);
    let (lead, core) = word.split_at(first);
    let core = core.trim_end_matches(|c: char| is_punctuation(c) && !matches!(c, '+' | '#' | '%'));
    let number = core.starts_with(|c: char| c.is_ascii_digit());
    let kept = ["~/", "../", "./", "/", "-", "+", ".", "<=", ">=", "<", ">", "="]
        .into_iter()
        .find(|kept| match *kept {
            "-" | "+" => number && lead.ends_with(kept),
            "." => lead == ".",
            _ => lead.ends_with(kept),
        });
    &word[first - kept.map_or(0, str::len)..first + core.len()]
}

fn is_comparison(c: char) -> bool {
    matches!(c, '<' | '>' | '=')
}

/// Punctuation that never stands inside a word.
fn parts_words(c: char) -> bool {
    matches!(
        c,
        '"' | '`'
            | '('
            | ')'
            | '['
            | ']'
            | '{'
            | '}'
            | ';'
            | '|'
            | '—'
            | '–'
            | '…'
            | '“'
            | '”'
            | '„'
            | '«'
            | '»'
            | '•'
    ) || matches!(c, '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}' | '\u{ff0c}' | '\u{ff1a}'..='\u{ff1b}')
}

fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation()
        || parts_words(c)
        || matches!(c, '\u{2010}'..='\u{205e}' | '¡' | '¿' | '·' | '§' | '¶' | '\u{ff01}'..='\u{ff0f}' | '\u{ff1f}')
}

pub(super) fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{ad}')
}

/// Typographic apostrophes and hyphens as a keyboard writes them.
fn straightened(c: char) -> char {
    match c {
        '\u{2018}' | '\u{2019}' | '\u{201b}' | '\u{2032}' => '\'',
        '\u{2010}' | '\u{2011}' | '\u{2212}' => '-',
        _ => c,
    }
}

/// True for a path, file name, version or number: a word that only itself may stand for.
pub(super) fn is_name(word: &str) -> bool {
    word.chars().any(|c| !c.is_alphabetic())
}

/// The word without an English ending for number or tense, so that forms of one word meet. Not a word itself.
pub(super) fn stem(word: &str) -> String {
    if word.len() < 4 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word.to_owned();
    }
    let long = |stem: &&str| stem.len() >= 3;
    let cut = |ending: &str| word.strip_suffix(ending).filter(long);
    let stem = if let Some(stem) = cut("ies").or_else(|| cut("ied")) {
        return format!("{stem}y");
    } else if let Some(stem) = cut("ing").or_else(|| cut("ed")) {
        undoubled(stem)
    } else if let Some(stem) = cut("es").filter(|stem| stem.ends_with(['s', 'x', 'z', 'h'])) {
        stem
    } else if word.ends_with("ss") || word.ends_with("us") || word.ends_with("is") {
        word
    } else {
        cut("s").unwrap_or(word)
    };
    stem.strip_suffix('e').filter(long).unwrap_or(stem).to_owned()
}

fn undoubled(stem: &str) -> &str {
    match stem.as_bytes() {
        [.., before, last] if before == last && !DOUBLED_IN_STEMS.contains(last) => &stem[..stem.len() - 1],
        _ => stem,
    }
}

/// The stem, or for words for one state of things the same stem.
pub(super) fn sense(word: &str) -> String {
    let stem_of_word = stem(word);
    let same = SAME_STATE
        .iter()
        .find(|group| group.iter().any(|other| stem(other) == stem_of_word));
    same.and_then(|group| group.first())
        .map_or(stem_of_word, |first| stem(first))
}

/// A file of the cases about tags and claims.
#[cfg(test)]
pub(super) fn fixture(name: &str) -> String {
    fixture_in("tags", name)
}

/// A file of the cases that this room's tests read.
#[cfg(test)]
pub(super) fn fixture_in(folder: &str, name: &str) -> String {
    let fixtures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    std::fs::read_to_string(fixtures.join(folder).join(name)).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_into_words() {
        for (text, expected) in [
            ("The export, finished.", "the|export|finished"),
            ("“Curly” ‘quotes’ don’t matter", "curly|quotes|do|not|matter"),
            ("it's can't cannot won't", "its|can|not|can|not|will|not"),
            ("N’T\"", "not"),
            (
                "src/a.rs /srv/export/ ./run.sh ../x .env ~/y",
                "src/a.rs|/srv/export|./run.sh|../x|.env|~/y",
            ),
            ("1.5 -1 (-2) +3 50% 1,000.", "1.5|-1|-2|+3|50%|1,000"),
            ("C++ C# c", "c++|c#|c"),
            ("x < 5 and <5 and => y", "x|<|5|and|<5|and|=>|y"),
            ("night-run utf-8 a--b", "night|run|utf-8|a|b"),
            ("`code` [link](x) {a} a—b", "code|link|x|a|a|b"),
            ("- -- ... !? ''", ""),
            ("naïve Ünï 夜間、完了", "naïve|ünï|夜間|完了"),
            ("ex\u{200b}port\u{feff}", "export"),
        ] {
            assert_eq!(words(text).join("|"), expected, "{text:?}");
        }
    }

    #[test]
    fn forms_of_a_word_share_a_stem() {
        for (one, other) in [
            ("exports", "export"),
            ("passes", "passed"),
            ("passing", "pass"),
            ("files", "file"),
            ("releases", "released"),
            ("stopped", "stops"),
            ("installed", "install"),
            ("retries", "retry"),
            ("verified", "verify"),
            ("indexes", "index"),
        ] {
            assert_eq!(stem(one), stem(other), "{one} {other}");
        }
        for (one, other) in [
            ("status", "state"),
            ("test", "tess"),
            ("need", "nee"),
            ("bus", "bu"),
            ("sing", "s"),
        ] {
            assert_ne!(stem(one), stem(other), "{one} {other}");
        }
    }

    #[test]
    fn the_lists_hold_each_word_once_in_lower_case() {
        let stop_words: Vec<_> = include_str!("stop-words.txt").split_whitespace().collect();
        for list in [ARTICLES, QUALIFIERS, FILLERS, &stop_words] {
            for (at, word) in list.iter().enumerate() {
                assert!(word.bytes().all(|byte| byte.is_ascii_lowercase()), "{word}");
                assert!(!list[at + 1..].contains(word), "{word} stands twice");
            }
        }
    }
}
