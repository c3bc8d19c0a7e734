//! What the person has said and what the calls have shown in a session, as hashes: enough to tell whether it was there.
//! The texts themselves are not kept; what follows from it stays out.

use std::collections::BTreeSet;
use std::hash::Hasher;

use fnv::FnvHasher;
use serde::{Deserialize, Serialize};

use crate::evidence::call::Known;
use crate::text::{base, is_common, terms};

/// So many words and pairs of words of the person are kept, about 200 prompts of 80 words; beyond it nobody can tell.
const MAX_WORDS: usize = 32_768;
/// So many lines of output and names of files are kept; beyond it nobody can tell.
const MAX_SHOWN: usize = 16_384;
/// A line longer than this is known by its beginning, in bytes.
const MAX_LINE: usize = 4_096;

/// A set of hashes that stops growing at a bound, and then says so.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
struct Hashes {
    seen: BTreeSet<u32>,
    /// True once something had no room.
    full: bool,
}

/// Digits of a stored hash: numbers in JSON would be twice as long.
const DIGITS: &[u8; 64] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
/// Digits of one hash: six of six bits.
const WIDTH: usize = 6;
/// Stands before the digits of a full set.
const FULL: char = '!';

impl From<Hashes> for String {
    fn from(hashes: Hashes) -> Self {
        let digit = |hash: u32, at: usize| char::from(DIGITS[(hash >> (6 * at)) as usize & 63]);
        let mut text = Self::with_capacity(hashes.seen.len() * WIDTH + 1);
        text.extend(hashes.full.then_some(FULL));
        for hash in hashes.seen {
            text.extend((0..WIDTH).map(|at| digit(hash, at)));
        }
        text
    }
}

impl TryFrom<String> for Hashes {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let rest = text.strip_prefix(FULL);
        let full = rest.is_some();
        let (digits, odd) = rest.unwrap_or(&text).as_bytes().as_chunks::<WIDTH>();
        let value = |digit: &u8| {
            DIGITS
                .iter()
                .position(|known| known == digit)
                .ok_or("a hash has an odd digit")
        };
        let hash = |digits: &[u8; WIDTH]| {
            let mut hash = 0_u64;
            for digit in digits.iter().rev() {
                hash = hash << 6 | value(digit)? as u64;
            }
            u32::try_from(hash).map_err(|_| "a hash is too large")
        };
        if !odd.is_empty() {
            return Err("a hash is cut");
        }
        let seen = digits.iter().map(hash).collect::<Result<_, _>>()?;
        Ok(Self { seen, full })
    }
}

impl Hashes {
    fn insert(&mut self, hash: u32, most: usize) {
        if self.seen.len() < most {
            self.seen.insert(hash);
        } else if !self.seen.contains(&hash) {
            self.full = true;
        }
    }

    /// About how many bytes this takes.
    fn weight(&self) -> usize {
        // A tree's nodes are two thirds full.
        self.seen.len() * 2 * size_of::<u32>()
    }

    fn has(&self, hash: u32) -> Known {
        match (self.seen.contains(&hash), self.full) {
            (true, _) => Known::Yes,
            (false, true) => Known::Unknown,
            (false, false) => Known::No,
        }
    }
}

/// The person's words in one session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vocabulary {
    hashes: Hashes,
}

impl Vocabulary {
    /// About how many bytes this takes.
    pub fn weight(&self) -> usize {
        self.hashes.weight()
    }

    /// Takes in what the person wrote, quotes and code included: whatever stands there they have seen.
    pub fn hear(&mut self, text: &str) {
        if self.hashes.full {
            return;
        }
        let mut before: Option<String> = None;
        for term in terms(text).into_iter().filter(|term| !term.is_common()) {
            let word = base(&term.word);
            self.hashes.insert(hash(&[&word]), MAX_WORDS);
            if let Some(before) = &before {
                self.hashes.insert(hash(&[before, &word]), MAX_WORDS);
            }
            before = Some(word);
        }
    }

    /// Whether the person has used words, in any form of them, in this order and without another word that names
    /// something between them. Common words do not count.
    pub fn said(&self, words: &[String]) -> Known {
        let bases: Vec<String> = words
            .iter()
            .filter(|word| !is_common(word))
            .map(|word| base(word))
            .collect();
        let each: Vec<Known> = match bases.as_slice() {
            [] => return Known::No,
            [word] => return self.hashes.has(hash(&[word])),
            words => words
                .windows(2)
                .map(|pair| self.hashes.has(hash(&[&pair[0], &pair[1]])))
                .collect(),
        };
        if each.contains(&Known::No) {
            Known::No
        } else if each.contains(&Known::Unknown) {
            Known::Unknown
        } else {
            Known::Yes
        }
    }
}

/// What the calls of one agent have shown: lines of output, and names of files they were asked about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    hashes: Hashes,
}

impl Shown {
    /// About how many bytes this takes.
    pub fn weight(&self) -> usize {
        self.hashes.weight()
    }

    /// Takes in what a call was asked: command, path, pattern.
    pub fn asked(&mut self, input: &str) {
        if self.hashes.full {
            return;
        }
        for name in input
            .split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '=' | ','))
            .filter_map(file_name)
        {
            self.hashes.insert(hash(&["file", name]), MAX_SHOWN);
        }
    }

    /// Takes in what a call printed.
    pub fn printed(&mut self, output: &str) {
        // Nothing more is learned once something had no room, and that is what most of a long record comes to.
        if self.hashes.full {
            return;
        }
        for line in output.lines().map(cut) {
            let mut words = line.split_whitespace();
            if let Some(first) = words.next() {
                self.hashes.insert(line_hash(first, words), MAX_SHOWN);
            }
        }
    }

    /// Whether a call has printed this line, whatever its white space.
    pub fn has_line(&self, line: &str) -> Known {
        let mut words = cut(line).split_whitespace();
        self.hashes.has(line_hash(words.next().unwrap_or_default(), words))
    }

    /// Whether a call was asked about a file of this name, in whatever folder.
    pub fn has_file(&self, path: &str) -> Known {
        file_name(path).map_or(Known::No, |name| self.hashes.has(hash(&["file", name])))
    }
}

/// The last part of something that looks like a path.
fn file_name(word: &str) -> Option<&str> {
    let name = word.rsplit('/').next().unwrap_or(word);
    let name = name.split(':').next().unwrap_or(name);
    (name.contains('.') && name.contains(char::is_alphanumeric)).then_some(name)
}

fn cut(line: &str) -> &str {
    &line[..line.floor_char_boundary(MAX_LINE)]
}

/// The hash of a line by its words: how they are laid out makes no difference.
fn line_hash<'a>(first: &str, words: impl Iterator<Item = &'a str>) -> u32 {
    let mut hasher = FnvHasher::default();
    hasher.write(b"line\0");
    hasher.write(first.as_bytes());
    for word in words {
        hasher.write_u8(b' ');
        hasher.write(word.as_bytes());
    }
    hasher.write_u8(0);
    short(&hasher)
}

fn hash(parts: &[&str]) -> u32 {
    let mut hasher = FnvHasher::default();
    for part in parts {
        hasher.write(part.as_bytes());
        hasher.write_u8(0);
    }
    short(&hasher)
}

fn short(hasher: &FnvHasher) -> u32 {
    let hash = hasher.finish();
    u32::try_from((hash ^ (hash >> 32)) & u64::from(u32::MAX)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(heard: &[&str], words: &str) -> Known {
        let mut vocabulary = Vocabulary::default();
        heard.iter().for_each(|text| vocabulary.hear(text));
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        vocabulary.said(&words)
    }

    #[test]
    fn words_count_as_said_in_their_order_and_in_any_form() {
        for (heard, words, expected) in [
            (&["Does the shim lane only widen?"][..], "the shim lane", Known::Yes),
            (&["does the shim lane only widen?"], "shim lane only widens", Known::Yes),
            (&["one `shim lane`", "now fix the tests"], "shim lanes", Known::Yes),
            (&["the lane of the shim"], "shim lane", Known::No),
            (&["the shim", "the lane"], "shim lane", Known::No),
            (&["the lane"], "lane", Known::Yes),
            (&["the lane"], "the", Known::No),
            (&[], "lane", Known::No),
        ] {
            assert_eq!(said(heard, words), expected, "{words} after {heard:?}");
        }
    }

    #[test]
    fn a_person_who_said_more_than_is_kept_may_have_said_anything() {
        let mut vocabulary = Vocabulary::default();
        let many: Vec<String> = (0..MAX_WORDS).map(|n| format!("w{n}")).collect();
        vocabulary.hear(&many.join(" "));
        assert_eq!(vocabulary.hashes.seen.len(), MAX_WORDS);
        assert_eq!(vocabulary.said(&["lane".to_owned()]), Known::Unknown);
        assert_eq!(vocabulary.said(&["w1".to_owned()]), Known::Yes);
    }

    #[test]
    fn what_is_stored_comes_back_or_is_refused() {
        let mut vocabulary = Vocabulary::default();
        vocabulary.hear("Does the shim lane only widen?");
        for full in [false, true] {
            vocabulary.hashes.full = full;
            let stored = serde_json::to_string(&vocabulary).unwrap();
            assert_eq!(serde_json::from_str::<Vocabulary>(&stored).unwrap(), vocabulary);
        }
        for odd in [
            "{\"hashes\":\"00000\"}",
            "{\"hashes\":\"0000?0\"}",
            "{\"hashes\":\"______\"}",
        ] {
            assert!(serde_json::from_str::<Vocabulary>(odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn lines_and_files_are_known_again() {
        let mut shown = Shown::default();
        shown.asked("sed -n 1,9p src/load.rs");
        shown.printed("3 passed\n  error:   no  such table\n\n");
        for (line, expected) in [
            ("3 passed", Known::Yes),
            ("error: no such table", Known::Yes),
            ("4 passed", Known::No),
        ] {
            assert_eq!(shown.has_line(line), expected, "{line}");
        }
        assert_eq!(shown.has_file("src/load.rs:12"), Known::Yes);
        assert_eq!(shown.has_file("src/other.rs"), Known::No);
    }
}
