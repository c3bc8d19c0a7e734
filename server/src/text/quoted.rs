//! Whether words that somebody quotes from a reply really stand in it, as something the reply says.
//! Who quotes them, and what for, stays out.

use std::ops::Range;

use super::prose::Prose;
use super::terms::{Term, terms};

/// A quote of more words than this is none: it points at nothing.
const MAX_WORDS: usize = 80;
/// A single word is a whole term from this many characters on.
const MIN_TERM: usize = 3;

/// A quote that stands in a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quoted {
    /// The words that the reply says, in lower case, with single spaces: what tells this quote from another one.
    pub words: String,
    /// The wording as it stands in the reply, its closing mark included.
    pub text: String,
}

/// Why a quote does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotQuoted {
    /// There are no words in it.
    Empty,
    /// It is longer than a quote can be.
    TooLong,
    /// Its words do not stand in the reply in this order.
    Absent,
    /// They stand in its code or block quotes alone.
    Shown,
    /// They are less than two words and no whole term.
    TooShort,
    /// The person used them before the reply did, or may have done.
    SaidFirst,
}

impl NotQuoted {
    /// The reason in a few words.
    pub fn why(self) -> &'static str {
        match self {
            Self::Empty => "it quotes nothing",
            Self::TooLong => "its quote is too long",
            Self::Absent => "its quote is not in the reply",
            Self::Shown => "its quote is code",
            Self::TooShort => "its quote is less than a term",
            Self::SaidFirst => "the person used these words first",
        }
    }
}

/// Looks for a quote in what a reply says: the same words in the same order within one paragraph, whatever the white
/// space, letter case, quotation marks and emphasis. `said_first` tells whether the person used words before.
pub fn quoted(reply: &str, quote: &str, said_first: &dyn Fn(&[String]) -> bool) -> Result<Quoted, NotQuoted> {
    let wanted = terms(quote);
    if wanted.is_empty() {
        return Err(NotQuoted::Empty);
    }
    if wanted.len() > MAX_WORDS {
        return Err(NotQuoted::TooLong);
    }
    let prose = Prose::of(reply);
    let mut problem = NotQuoted::Absent;
    for stretch in prose.paragraphs() {
        let here = within(&prose, stretch);
        for found in here.windows(wanted.len()) {
            if found
                .iter()
                .zip(&wanted)
                .any(|(found, wanted)| found.word != wanted.word)
            {
                continue;
            }
            let said: Vec<String> = found
                .iter()
                .filter(|term| prose.is_prose(term.span.start))
                .map(|term| term.word.clone())
                .collect();
            let Some(why) = too_little(&said) else {
                return if said_first(&said) {
                    Err(NotQuoted::SaidFirst)
                } else {
                    Ok(stands(prose.text(), found, &said))
                };
            };
            problem = why;
        }
    }
    // A block of code is in no paragraph.
    if problem == NotQuoted::Absent && is_shown(&prose, &wanted) {
        problem = NotQuoted::Shown;
    }
    Err(problem)
}

/// True when words still stand in what a reply says, whoever used them first.
pub fn still_says(reply: &str, words: &str) -> bool {
    quoted(reply, words, &|_| false).is_ok()
}

/// True when some words of a reply could be quoted at all: they are prose, and the person has not used all of them.
pub fn quotable(reply: &str, said_first: &dyn Fn(&[String]) -> bool) -> bool {
    let prose = Prose::of(reply);
    prose.paragraphs().iter().any(|stretch| {
        let said: Vec<String> = within(&prose, stretch)
            .into_iter()
            .filter(|term| prose.is_prose(term.span.start))
            .map(|term| term.word)
            .collect();
        too_little(&said).is_none() && !said_first(&said)
    })
}

/// The words of a reply that the person used before, runs of them together, each once.
pub fn used_first(reply: &str, said_first: &dyn Fn(&[String]) -> bool, most: usize) -> Vec<String> {
    let prose = Prose::of(reply);
    let mut runs: Vec<String> = Vec::new();
    let mut end = |run: &mut Vec<String>| {
        let text = std::mem::take(run).join(" ");
        if !text.is_empty() && runs.len() < most && !runs.contains(&text) {
            runs.push(text);
        }
    };
    for stretch in prose.paragraphs() {
        let mut run: Vec<String> = Vec::new();
        for term in within(&prose, stretch).into_iter().filter(|term| !term.is_common()) {
            let alone = said_first(std::slice::from_ref(&term.word));
            let joined = match run.last() {
                Some(last) => alone && said_first(&[last.clone(), term.word.clone()]),
                None => alone,
            };
            if !joined {
                end(&mut run);
            }
            if alone {
                run.push(term.word);
            }
        }
        end(&mut run);
    }
    runs
}

fn within(prose: &Prose<'_>, stretch: &Range<usize>) -> Vec<Term> {
    let mut found = terms(&prose.text()[stretch.clone()]);
    for term in &mut found {
        term.span = term.span.start + stretch.start..term.span.end + stretch.start;
    }
    found
}

/// True when the words stand in the text, some of them at least in code or a block quote.
fn is_shown(prose: &Prose<'_>, wanted: &[Term]) -> bool {
    let same = |found: &[Term]| {
        found
            .iter()
            .zip(wanted)
            .all(|(found, wanted)| found.word == wanted.word)
    };
    let shown = |found: &[Term]| found.iter().any(|term| !prose.is_prose(term.span.start));
    terms(prose.text())
        .windows(wanted.len())
        .any(|found| same(found) && shown(found))
}

fn too_little(said: &[String]) -> Option<NotQuoted> {
    match said {
        [] => Some(NotQuoted::Shown),
        [word] if word.chars().count() < MIN_TERM || super::terms::is_common(word) => Some(NotQuoted::TooShort),
        _ => None,
    }
}

fn stands(text: &str, found: &[Term], said: &[String]) -> Quoted {
    let start = found.first().map_or(0, |term| term.span.start);
    let end = found.last().map_or(start, |term| term.span.end);
    let mark = text[end..]
        .chars()
        .next()
        .filter(|c| matches!(c, '.' | '!' | '?' | '…' | '。'));
    let end = end + mark.map_or(0, char::len_utf8);
    Quoted {
        words: said.join(" "),
        text: text[start..end].to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOBODY: &dyn Fn(&[String]) -> bool = &|_| false;

    #[test]
    fn a_quote_counts_when_the_reply_says_it() {
        for (reply, quote, expected) in [
            (
                "The shim lane only widens. Merge.",
                "The shim lane only widens.",
                Ok("The shim lane only widens."),
            ),
            ("the shim\nlane only", "The  shim lane", Ok("the shim\nlane")),
            ("We call it “the shim lane”.", "\"the shim lane\"", Ok("the shim lane")),
            ("It isn’t un-broken.", "isn't un-broken", Ok("isn’t un-broken.")),
            ("The **shim** _lane_.", "shim lane", Ok("shim** _lane")),
            ("All is amber now.", "amber", Ok("amber")),
            ("a lane", "a", Err(NotQuoted::TooShort)),
            ("what about the", "the", Err(NotQuoted::TooShort)),
            ("no such thing", "thin", Err(NotQuoted::Absent)),
            ("one two three", "two one", Err(NotQuoted::Absent)),
            ("first half\n\nsecond half", "half second", Err(NotQuoted::Absent)),
            ("x `shim lane` y", "shim lane", Err(NotQuoted::Shown)),
            ("x\n```\nshim lane\n```\n", "shim lane", Err(NotQuoted::Shown)),
            ("> shim lane", "shim lane", Err(NotQuoted::Shown)),
            ("use `shim` here", "`shim` here", Err(NotQuoted::TooShort)),
            (
                "the `x` flag is half-unset",
                "`x` flag is half-unset",
                Ok("x` flag is half-unset"),
            ),
            ("`shim lane`, so the shim lane", "shim lane", Ok("shim lane")),
            ("anything", "", Err(NotQuoted::Empty)),
            ("anything", " …!", Err(NotQuoted::Empty)),
            ("検証済みだ", "検証", Ok("検証")),
        ] {
            let found = quoted(reply, quote, NOBODY).map(|quoted| quoted.text);
            assert_eq!(found, expected.map(str::to_owned), "{quote:?} in {reply:?}");
        }
        let long = "word ".repeat(MAX_WORDS + 1);
        assert_eq!(quoted(&long, &long, NOBODY), Err(NotQuoted::TooLong));
    }

    #[test]
    fn what_the_person_said_first_does_not_count() {
        let said = |words: &[String]| words.iter().any(|word| word == "lane");
        assert_eq!(
            quoted("The shim lane widens.", "shim lane", &said),
            Err(NotQuoted::SaidFirst)
        );
        assert!(quoted("The shim lane widens.", "widens", &said).is_ok());
    }

    #[test]
    fn wording_that_is_gone_is_not_said_any_more() {
        assert!(still_says("Still the Shim lane.", "shim lane"));
        assert!(!still_says("The import path. `shim lane`", "shim lane"));
    }

    #[test]
    fn a_reply_of_code_or_of_the_persons_own_words_holds_nothing_to_quote() {
        assert!(quotable("Amber gate.", NOBODY));
        assert!(!quotable("```\nAmber gate.\n```", NOBODY));
        assert!(!quotable(" \n", NOBODY));
        assert!(!quotable("Amber gate.", &|_| true));
    }

    #[test]
    fn runs_of_the_persons_words_are_told() {
        let person = ["shim", "lane", "merge"];
        let said = |words: &[String]| {
            words.iter().all(|word| person.contains(&word.as_str()))
                && !(words.len() == 2 && words[0] == "lane" && words[1] == "merge")
        };
        assert_eq!(
            used_first("The shim lane. Merge it; shim!", &said, 9),
            ["shim lane", "merge shim"]
        );
        assert_eq!(used_first("The shim lane. Merge it.", &said, 1), ["shim lane"]);
    }

    proptest! {
        #[test]
        fn nothing_panics(reply in any::<String>(), quote in any::<String>()) {
            let _told = quoted(&reply, &quote, NOBODY);
            quotable(&reply, NOBODY);
            used_first(&reply, &|_| true, 5);
        }

        #[test]
        fn two_words_of_plain_prose_are_found(words in prop::collection::vec("[a-z]{2,9}", 3..30), at in 0_usize..20) {
            let at = at.min(words.len() - 2);
            let reply = words.join(" ");
            prop_assert!(quoted(&reply, &words[at..at + 2].join("\n"), NOBODY).is_ok());
        }
    }
}
