//! Word lists: what kinds of wording a person should not have to ask about, each with examples of both sides.
//! Who judges by them stays out.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;

use serde::Deserialize;
use thiserror::Error;

use crate::text::terms;

/// A file with lists is at most this long, in bytes.
const MAX_FILE: u64 = 256 * 1024;
/// Lists that are put into one question.
pub(crate) const MAX_LISTS: usize = 32;
/// The longest name and the longest meaning, in characters.
const MAX_NAME: usize = 64;
const MAX_MEANING: usize = 1_000;
/// Examples of either side, and the longest of them, in characters.
const MAX_EXAMPLES: usize = 40;
const MAX_EXAMPLE: usize = 300;

/// The lists that come with Proofmark.
const SHIPPED: [&str; 7] = [
    include_str!("lists/internal-names.toml"),
    include_str!("lists/code-names.toml"),
    include_str!("lists/made-up-labels.toml"),
    include_str!("lists/status-words.toml"),
    include_str!("lists/tech-jargon.toml"),
    include_str!("lists/stacked-negatives.toml"),
    include_str!("lists/vocabulary-drift.toml"),
];

/// One word list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WordList {
    /// Its name: lower case letters, digits and hyphens.
    pub name: String,
    /// What kind of wording it is about.
    pub meaning: String,
    /// Examples that fall under it.
    #[serde(rename = "match")]
    pub matching: Vec<String>,
    /// Examples that do not, though they look alike.
    #[serde(default)]
    pub not_match: Vec<String>,
}

/// Why a file gives no lists.
#[derive(Debug, Error)]
pub enum ListError {
    /// It can't be read.
    #[error("can't be read ({0})")]
    Io(#[from] std::io::Error),
    /// It is too long.
    #[error("is longer than {MAX_FILE} bytes")]
    TooLong,
    /// It is no text.
    #[error("is not UTF-8")]
    NotText,
    /// It is neither a list nor several.
    #[error("is no word list: {0}")]
    Form(String),
    /// A list in it breaks a rule.
    #[error("{0}")]
    Rule(String),
}

/// A file's content: one list, or several under `list`.
#[derive(Deserialize)]
#[serde(untagged)]
enum File {
    One(WordList),
    Several { list: Vec<WordList> },
}

impl WordList {
    /// What is wrong with the list by itself; none when it can be used.
    pub fn fault(&self) -> Option<String> {
        let name = &self.name;
        let is_named = (1..=MAX_NAME).contains(&name.len())
            && name
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        let examples = || self.matching.iter().chain(&self.not_match);
        if !is_named {
            return Some(format!(
                "the name {name:?} is not made of lower case letters, digits and hyphens"
            ));
        }
        if self.meaning.trim().is_empty() || self.meaning.chars().count() > MAX_MEANING {
            return Some(format!("{name}: the meaning has to have 1 to {MAX_MEANING} characters"));
        }
        if self.matching.is_empty() {
            return Some(format!("{name}: match has no example"));
        }
        if self.matching.len() > MAX_EXAMPLES || self.not_match.len() > MAX_EXAMPLES {
            return Some(format!(
                "{name}: there are more than {MAX_EXAMPLES} examples of one side"
            ));
        }
        if examples().any(|it| it.trim().is_empty() || it.chars().count() > MAX_EXAMPLE) {
            return Some(format!("{name}: an example has to have 1 to {MAX_EXAMPLE} characters"));
        }
        let both = self
            .matching
            .iter()
            .find(|it| self.not_match.iter().any(|other| folded(other) == folded(it)));
        both.map(|it| format!("{name}: {it:?} stands under match and under not_match"))
    }
}

/// The lists that come with Proofmark.
pub fn shipped() -> Vec<WordList> {
    // A test reads each of them; one that could not be read would be missing, and nothing else.
    SHIPPED.iter().filter_map(|text| toml::from_str(text).ok()).collect()
}

/// The lists in a text, as TOML or JSON.
pub fn parse(text: &str) -> Result<Vec<WordList>, ListError> {
    let text = text.trim_start_matches('\u{feff}');
    let file = if text.trim_start().starts_with(['{', '[']) && serde_json::from_str::<serde_json::Value>(text).is_ok() {
        serde_json::from_str::<File>(text).map_err(|error| ListError::Form(error.to_string()))
    } else {
        toml::from_str::<File>(text).map_err(|error| ListError::Form(error.message().to_owned()))
    };
    let lists = match file? {
        File::One(list) => vec![list],
        File::Several { list } => list,
    };
    match lists.iter().find_map(WordList::fault) {
        Some(fault) => Err(ListError::Rule(fault)),
        None => Ok(lists),
    }
}

/// The lists in a file.
pub fn read(path: &Path) -> Result<Vec<WordList>, ListError> {
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(ListError::Form("it is not a file".to_owned()));
    }
    file.take(MAX_FILE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(ListError::TooLong);
    }
    parse(&String::from_utf8(bytes).map_err(|_| ListError::NotText)?)
}

/// Examples that contradict each other across lists: what falls under one is said not to fall under another. That can
/// be meant, so it is told and not refused.
pub fn contradictions(lists: &[WordList]) -> Vec<String> {
    let mut told = Vec::new();
    for list in lists {
        for other in lists.iter().filter(|other| other.name != list.name) {
            for example in &list.matching {
                if other.not_match.iter().any(|it| folded(it) == folded(example)) {
                    told.push(format!(
                        "{example:?} falls under {}, and not under {}",
                        list.name, other.name
                    ));
                }
            }
        }
    }
    let mut names = BTreeSet::new();
    let twice = lists.iter().filter(|list| !names.insert(&list.name));
    told.extend(twice.map(|list| format!("{} is there twice; the first one counts", list.name)));
    told
}

fn folded(example: &str) -> String {
    terms(example)
        .into_iter()
        .map(|term| term.word)
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_lists_are_seven_and_sound() {
        let lists = shipped();
        let names: Vec<&str> = lists.iter().map(|list| list.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "plain-words-internal-names",
                "plain-words-code-names",
                "plain-words-made-up-labels",
                "plain-words-status-words",
                "plain-words-tech-jargon",
                "plain-words-stacked-negatives",
                "plain-words-vocabulary-drift",
            ]
        );
        for list in &lists {
            assert_eq!(list.fault(), None);
            assert!(list.matching.len() >= 3 && list.not_match.len() >= 3, "{}", list.name);
        }
        assert_eq!(contradictions(&lists), Vec::<String>::new());
    }

    #[test]
    fn a_list_is_read_as_toml_and_as_json() {
        let json = r#"{"name": "own", "meaning": "m", "match": ["a b"]}"#;
        let toml = "name = 'own'\nmeaning = 'm'\nmatch = ['a b']\n";
        let several = "[[list]]\nname = 'own'\nmeaning = 'm'\nmatch = ['a b']\n";
        for text in [json, toml, several] {
            assert_eq!(parse(text).unwrap()[0].name, "own", "{text}");
        }
    }

    #[test]
    fn a_broken_list_says_what_is_wrong() {
        for (text, part) in [
            ("", "no word list"),
            ("[1, 2]", "no word list"),
            ("name = = 3", "no word list"),
            ("name = 'own'\nmeaning = 'm'\nmatch = []", "no example"),
            ("name = 'Own'\nmeaning = 'm'\nmatch = ['a']", "lower case"),
            ("name = 'own'\nmeaning = ' '\nmatch = ['a']", "meaning"),
            ("name = 'own'\nmeaning = 'm'\nmatch = ['a']\nextra = 1", "no word list"),
            (
                "name = 'own'\nmeaning = 'm'\nmatch = ['A  b.']\nnot_match = ['a b']",
                "under match and under not_match",
            ),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn contradictions_between_lists_are_told() {
        let list = |name: &str, matching: &str, not: &str| WordList {
            name: name.to_owned(),
            meaning: "m".to_owned(),
            matching: vec![matching.to_owned()],
            not_match: vec![not.to_owned()],
        };
        let told = contradictions(&[
            list("a", "the gate", "x"),
            list("b", "y", "The gate."),
            list("a", "z", "w"),
        ]);
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told[0].contains("falls under a, and not under b"), "{told:?}");
        assert!(told[1].contains("twice"), "{told:?}");
    }
}
