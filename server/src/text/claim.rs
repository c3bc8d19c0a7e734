//! When two claims are the same, when they are alike, and whether a call has to do with a claim.
//! Which claims are open stays out.

use std::collections::HashSet;

use super::secrets::REDACTED;
use super::words::{ARTICLES, FILLERS, QUALIFIERS, STOP_STEMS, is_name, one_line, sense, stem, words};

/// How many characters of a claim are compared for likeness.
const COMPARED_CHARS: usize = 400;
/// The most that claims about different things reach; above it two claims say one thing in other words.
const DIFFERENT: f64 = 0.8;
/// The fewest letters of a word that names a subject.
const SUBJECT_LETTERS: usize = 4;

/// The identity of a claim: equal for two claims that differ only in case, punctuation, articles or the order of words.
///
/// Paths, file names, versions and numbers stay as they are, and so do negations. A claim of nothing but articles keeps
/// them; one without any word is its own text.
pub fn folded(claim: &str) -> String {
    let mut words = words(claim);
    if !words.iter().all(|word| ARTICLES.contains(&word.as_str())) {
        words.retain(|word| !ARTICLES.contains(&word.as_str()));
    }
    words.sort_unstable();
    if words.is_empty() {
        one_line(claim)
    } else {
        words.join(" ")
    }
}

/// How alike two claims are, from 0 to 1: above 0.8 they say one thing in other words, 1 for equal folded texts.
///
/// Counts the words that both share, by stem and without fillers. Claims stay at or below 0.8 when their numbers,
/// paths, or turning words such as "not", "only" or "will" differ, when each has a word that the other lacks, or when
/// either is longer than the 400 characters that are compared.
pub fn similarity(a: &str, b: &str) -> f64 {
    let (cut_a, cut_b) = (beginning(a), beginning(b));
    let cut = cut_a.len() < a.len() || cut_b.len() < b.len();
    if folded(a) == folded(b) {
        return 1.0;
    }
    let (a, b) = (Content::of(cut_a), Content::of(cut_b));
    let all = a.words.len() + b.words.len();
    if all == 0 {
        return 0.0;
    }
    let (mut rest_a, mut rest_b) = (Vec::new(), b.words.clone());
    for word in &a.words {
        match rest_b.iter().position(|other| same_word(word, other)) {
            Some(at) => drop(rest_b.swap_remove(at)),
            None => rest_a.push(word),
        }
    }
    let shared = all - rest_a.len() - rest_b.len();
    let likeness = shared as f64 / all as f64;
    let replaced = !rest_a.is_empty() && !rest_b.is_empty();
    if cut || replaced || a.fixed != b.fixed {
        likeness.min(DIFFERENT)
    } else {
        likeness
    }
}

/// What of a claim its likeness rests on.
pub(super) struct Content {
    /// Senses of its words, without articles and fillers.
    pub(super) words: Vec<String>,
    /// What a rewording must keep: numbers, paths and turning words, sorted.
    fixed: Vec<String>,
}

impl Content {
    pub(super) fn of(claim: &str) -> Self {
        let kept = |word: &String| !ARTICLES.contains(&word.as_str()) && !FILLERS.contains(&word.as_str());
        let all: Vec<_> = words(claim).into_iter().filter(kept).collect();
        let is_fixed = |word: &&String| is_name(word) || QUALIFIERS.contains(&word.as_str());
        let mut fixed: Vec<_> = all.iter().filter(is_fixed).cloned().collect();
        fixed.sort_unstable();
        Self {
            words: all.iter().map(|word| sense(word)).collect(),
            fixed,
        }
    }
}

/// The part of a claim that is compared.
pub(super) fn beginning(claim: &str) -> &str {
    claim
        .char_indices()
        .nth(COMPARED_CHARS)
        .map_or(claim, |(end, _)| &claim[..end])
}

/// Equal, or with two neighbouring letters of a longer word swapped.
fn same_word(a: &str, b: &str) -> bool {
    let swapped = || {
        let letters = |word: &str| word.bytes().map(usize::from).sum::<usize>();
        a.len() > SUBJECT_LETTERS + 1 && a.len() == b.len() && letters(a) == letters(b) && !is_name(a)
    };
    a == b || (swapped() && strsim::osa_distance(a, b) == 1)
}

/// True when the claim and a call, its input or the beginning of its output, have a subject in common: a path, a file
/// name, a number of two digits or more, or a word of at least four letters that is no stop word, also inside a path.
pub fn shares_subject(claim: &str, call_text: &str) -> bool {
    // What was taken out of both is no subject.
    let claim = claim.replace(REDACTED, " ");
    let subjects: HashSet<String> = words(&claim).iter().flat_map(|word| subjects(word)).collect();
    // White space first: a call's text may be large, and it is left at the first subject.
    !subjects.is_empty()
        && call_text
            .split_whitespace()
            .flat_map(words)
            .any(|word| self::subjects(&word).iter().any(|subject| subjects.contains(subject)))
}

/// What a word may be recognised by.
fn subjects(word: &str) -> Vec<String> {
    let mut found = Vec::new();
    if is_name(word) {
        let file = word.rsplit('/').next().unwrap_or(word);
        found.extend(
            [word, file]
                .into_iter()
                .filter(|name| is_significant_name(name))
                .map(str::to_owned),
        );
    }
    for step in word.split('/') {
        // An ending such as `.json` says what a file is, not which one.
        let name = step
            .rsplit_once('.')
            .filter(|(name, _)| !name.is_empty())
            .map_or(step, |(name, _)| name);
        for part in name.split(|c: char| !c.is_alphanumeric()) {
            if !is_name(part) {
                found.extend(subject_word(part));
            } else if is_significant_name(part) {
                found.push(part.to_owned());
            }
        }
    }
    found
}

/// A number counts from two digits on, single ones stand everywhere; a name of letters and signs from three letters on,
/// so that `a.rs` counts and `e.g` does not.
fn is_significant_name(name: &str) -> bool {
    let digits = name.bytes().filter(u8::is_ascii_digit).count();
    let letters = name.chars().filter(|c| c.is_alphabetic()).count();
    digits >= 2 || (digits == 1 && letters >= 1) || (letters >= 3 && name.contains(['.', '_', '/']))
}

/// The stem of a word that names a subject.
pub(super) fn subject_word(word: &str) -> Option<String> {
    // Two signs of a script without spaces or with short words carry as much as four Latin letters.
    let enough = if word.is_ascii() { SUBJECT_LETTERS } else { 2 };
    let stem_of_word = stem(word);
    (word.chars().count() >= enough && !STOP_STEMS.contains(&stem_of_word)).then_some(stem_of_word)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::Deserialize;

    use super::*;
    use crate::text::words::fixture;

    #[derive(Deserialize)]
    struct Pair {
        why: String,
        a: String,
        b: String,
        /// `same` folds together, `reworded` is above the bound, `different` is not.
        expect: String,
    }

    #[derive(Deserialize)]
    struct SubjectCase {
        why: String,
        claim: String,
        call: String,
        shares: bool,
    }

    #[test]
    fn the_pairs_hold() {
        let pairs: Vec<Pair> = serde_json::from_str(&fixture("claim-pairs.json")).unwrap();
        assert!(pairs.len() >= 25, "the pairs are all there");
        for Pair { why, a, b, expect } in pairs {
            let likeness = similarity(&a, &b);
            let found = match (folded(&a) == folded(&b), likeness > DIFFERENT) {
                (true, true) => "same",
                (false, true) => "reworded",
                (false, false) => "different",
                (true, false) => "contradiction",
            };
            assert_eq!(found, expect, "{why}: {a:?} {b:?} {likeness}");
            assert!(
                (likeness - similarity(&b, &a)).abs() < 1e-9,
                "the order of the two does not matter: {why}"
            );
        }
    }

    #[test]
    fn the_subject_cases_hold() {
        let cases: Vec<SubjectCase> = serde_json::from_str(&fixture("subjects.json")).unwrap();
        for SubjectCase {
            why,
            claim,
            call,
            shares,
        } in cases
        {
            assert_eq!(shares_subject(&claim, &call), shares, "{why}: {claim:?} {call:?}");
        }
    }

    #[test]
    fn folding_keeps_a_claim_without_words() {
        assert_eq!(folded(" The  A. "), "a the");
        assert_eq!(folded(" !  ? "), "! ?");
        assert_eq!(folded("The build, is the build"), "build build is");
    }

    #[test]
    fn only_the_beginning_of_a_long_claim_is_compared() {
        let long = format!("the export of {} finished", "table ".repeat(100));
        assert!(
            similarity(&long, &format!("{long} today")) <= DIFFERENT,
            "the rest is unknown"
        );
        assert!((similarity(&long, &long) - 1.0).abs() < f64::EPSILON);
    }

    proptest! {
        #[test]
        fn no_text_panics(a in any::<String>(), b in any::<String>()) {
            let likeness = similarity(&a, &b);
            prop_assert!((0.0..=1.0).contains(&likeness));
            shares_subject(&a, &b);
        }

        #[test]
        fn folding_forgets_case_punctuation_and_order(
            words in prop::collection::vec("[a-zé]{1,6}|[0-9]{1,3}|[a-z]{1,3}/[a-z]{1,3}\\.rs", 1..8).prop_shuffle(),
            end in "[.,!?;:]{0,3}",
        ) {
            let claim = words.join(" ");
            let mut turned = words.clone();
            turned.reverse();
            prop_assert_eq!(folded(&claim), folded(&format!("{}{end}", turned.join("  ").to_uppercase())));
            prop_assert!(similarity(&claim, &turned.join(" ")) > 0.999);
        }

        #[test]
        fn folding_twice_is_folding_once(claim in "[a-zA-Zé0-9 ./_'’,\"-]{0,60}|([a-c0/'-]{0,2}(n't|cant|ca'nt|dont)){1,3}") {
            let once = folded(&claim);
            prop_assert_eq!(folded(&once), once);
        }
    }
}
