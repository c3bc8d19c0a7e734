//! Whether a prompt corrects the direction of the agent's work: drift, or another way of working than the one wanted.
//! Whether the agent did anything that could be drift stays out.

mod custom;
mod english;
mod pattern;
mod sentence;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::LazyLock;

use pattern::{Pattern, Sieve, sentence_end, sentence_start};
use sentence::{Pause, Word, words};

use super::person::own_words;
use super::prose::Prose;
use super::spoken::{QUOTATION, SYMBOL, paragraphs};

/// How much is looked at from each end of what the person says, in characters.
const END: usize = 400;
/// How far the context of a match may reach beyond that, in characters: a sentence of the usual length.
const CONTEXT: usize = 200;
/// How long the quote is at most, in characters.
const QUOTED: usize = 80;

/// A correction of direction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// Its kind, in a short word that stays the same: corrections of one class repeat each other.
    ///
    /// `drift`: the work goes beyond or beside what was asked for, also by a phrase of the settings; `wrong-way`: it is
    /// done with other means than the ones wanted (another tool, another place, by hand).
    pub class: &'static str,
    /// The words that say so, as a short quote.
    pub quote: String,
}

/// Phrases of one language beside the shipped ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Phrases {
    /// Phrases that correct, in any letter case.
    pub corrections: Vec<String>,
    /// Phrases that ask for more, and so take a correction back.
    pub expansions: Vec<String>,
}

/// When a phrase counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Wherever it stands.
    Plain,
    /// As a judgement of the work; not of what a program returns or shows.
    Result,
    /// As a question that blames; not where the person wants to know.
    Question,
    /// As an order on its own; beside new work it only bounds that work.
    Order,
    /// As a demand to take back what the agent did; not for its looks, a fault, or a change of mind.
    Undo,
}

struct Phrase {
    class: &'static str,
    kind: Kind,
    pattern: Pattern,
}

static PHRASES: LazyLock<Vec<Phrase>> = LazyLock::new(|| {
    let of_set = |set: &'static english::Set| {
        set.patterns.iter().map(|line| Phrase {
            class: set.class,
            kind: set.kind,
            pattern: Pattern::read(line),
        })
    };
    english::SETS.iter().flat_map(of_set).collect()
});
static EXPANSIONS: LazyLock<Vec<Pattern>> = LazyLock::new(|| patterns(english::EXPANSIONS));
static WELCOMES: LazyLock<Vec<Pattern>> = LazyLock::new(|| patterns(english::WELCOMES));
static THANKS: LazyLock<Vec<Pattern>> = LazyLock::new(|| patterns(english::THANKS));
static OF_A_PROGRAM: LazyLock<Vec<Pattern>> = LazyLock::new(|| patterns(english::OF_A_PROGRAM));
static SLIPS: LazyLock<Vec<Pattern>> = LazyLock::new(|| patterns(english::SLIPS));

fn patterns(lines: &[&'static str]) -> Vec<Pattern> {
    lines.iter().map(|line| Pattern::read(line)).collect()
}

/// The correction in a person's prompt, looked for at both ends of what they say, 400 characters each, outside quotes,
/// code, pasted logs and envelopes. None when the prompt asks for more instead.
///
/// Conditions, other people's words, questions out of curiosity, changes of mind and of taste, and orders that bound new
/// work are none: a miss is meant to be likelier than a false hit. Takes time linear in the prompt, of which the first MiB
/// is read.
pub fn correction(prompt: &str, more: &[Phrases]) -> Option<Correction> {
    if is_command(prompt) {
        return None;
    }
    let own = own_words(prompt);
    let prose = Prose::of(&own);
    let said = paragraphs(&prose).fold(String::new(), |said, paragraph| said + paragraph.spoken.trim() + "\n\n");
    let said = said.trim_end();
    let ends = ends(said);
    let whole = ends.len() == 1;
    let ends: Vec<End> = ends.into_iter().map(|range| End::of(said, range, whole)).collect();
    if ends.iter().any(End::asks_for_more) || ends.iter().any(|end| custom::asks_for_more(end, more)) {
        return None;
    }
    ends.iter()
        .find_map(End::correction)
        .or_else(|| ends.iter().find_map(|end| custom::correction(end, more)))
}

/// True for a command of the harness or of the person's own, `/compact focus on the parser`: its words are for the
/// command. A path is none.
fn is_command(prompt: &str) -> bool {
    let Some(rest) = prompt.trim_start().strip_prefix('/') else {
        return false;
    };
    let name = rest.split_whitespace().next().unwrap_or_default();
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':');
    name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(part) && rest.starts_with(name)
}

/// The ranges that are looked at; one for a text without a middle.
fn ends(said: &str) -> Vec<Range<usize>> {
    let Some((head, _)) = said.char_indices().nth(END) else {
        return std::iter::once(0..said.len()).collect();
    };
    let tail = said.char_indices().rev().nth(END - 1).map_or(0, |(at, _)| at);
    if tail <= head {
        return std::iter::once(0..said.len()).collect();
    }
    vec![0..head, tail..said.len()]
}

/// One end of what the person says, with its context.
struct End<'a> {
    text: &'a str,
    words: Vec<Word>,
    sieve: Sieve,
    /// What of the text is looked at, in bytes.
    looked_at: Range<usize>,
    /// It is all that the person says.
    whole: bool,
}

impl<'a> End<'a> {
    fn of(said: &'a str, range: Range<usize>, whole: bool) -> Self {
        let before = said[..range.start].char_indices().rev().take(CONTEXT).last();
        let from = before.map_or(range.start, |(at, _)| at);
        let behind = said[range.end..].char_indices().nth(CONTEXT);
        let to = behind.map_or(said.len(), |(at, _)| range.end + at);
        let text = &said[from..to];
        let words = words(text);
        Self {
            text,
            sieve: Sieve::of(&words),
            words,
            looked_at: range.start - from..range.end - from,
            whole,
        }
    }

    /// The places of the words that are looked at.
    fn range(&self) -> Range<usize> {
        let from = self.words.partition_point(|word| word.start < self.looked_at.start);
        from..self.words.partition_point(|word| word.end <= self.looked_at.end)
    }

    fn asks_for_more(&self) -> bool {
        EXPANSIONS.iter().any(|pattern| {
            self.matches(pattern).any(|found| {
                let clause = self.words[..found.start]
                    .iter()
                    .rposition(|word| word.pause >= Pause::Clause);
                let lead = &self.words[clause.map_or(0, |end| end + 1)..found.start];
                lead.iter().all(|word| is_one_of(word, english::REQUEST_LEADS))
            })
        })
    }

    fn matches(&self, pattern: &Pattern) -> impl Iterator<Item = Range<usize>> {
        let range = self.range();
        let end = range.end;
        let looked_at = if pattern.may_be_in(&self.sieve) { range } else { 0..0 };
        looked_at.filter_map(move |at| pattern.find(&self.words[..end], at..at + 1))
    }

    fn correction(&self) -> Option<Correction> {
        let first = PHRASES
            .iter()
            .filter_map(|phrase| {
                let found = self
                    .matches(&phrase.pattern)
                    .find(|found| self.counts(phrase.kind, found))?;
                Some((found.start, phrase.class))
            })
            .min_by_key(|(at, _)| *at)?;
        let (at, class) = first;
        let last = sentence_end(&self.words, at) - 1;
        Some(Correction {
            class,
            quote: quoted(&self.text[self.words[at].start..self.words[last].end]),
        })
    }

    fn counts(&self, kind: Kind, found: &Range<usize>) -> bool {
        let start = sentence_start(&self.words, found.start);
        let sentence = &self.words[start..sentence_end(&self.words, found.start)];
        let lead = &self.words[start..found.start];
        if is_blocked(lead) || self.is_welcome(start, found) || self.is_elsewhere(sentence, found) {
            return false;
        }
        match kind {
            Kind::Plain => true,
            Kind::Result => !self.says_one_of(english::REPORTS),
            Kind::Question => {
                let guesses = sentence.iter().any(|word| is_one_of(word, english::GUESSING));
                let welcome = holds_one(&WELCOMES, &self.words, found.end..self.words.len());
                !guesses && !welcome && !self.says_one_of(english::CURIOUS)
            }
            Kind::Undo => !self.says_one_of(english::TASTE),
            Kind::Order => {
                let courteous = lead.iter().all(|word| is_one_of(word, english::COURTESY));
                let new_work = self.first_words().any(|word| is_one_of(word, english::NEW_WORK));
                self.whole && courteous && !new_work && !self.says_one_of(english::BOUNDS)
            }
        }
    }

    /// What the phrase names is thanked for, welcome, or a slip of the person's own.
    fn is_welcome(&self, start: usize, found: &Range<usize>) -> bool {
        let end = sentence_end(&self.words, found.start);
        let thanked = THANKS.iter().any(|pattern| {
            let thanks = pattern.find(&self.words[..found.start], start..found.start);
            thanks.is_some_and(|thanks| !self.turns(thanks.end..found.start))
        });
        let behind = found.end.min(end)..end;
        thanked
            || holds_one(&WELCOMES, &self.words[..end], behind)
            || holds_one(&SLIPS, &self.words, 0..self.words.len())
    }

    /// The phrase is about a program or what somebody else did.
    fn is_elsewhere(&self, sentence: &[Word], found: &Range<usize>) -> bool {
        let of_code = || sentence.iter().any(|word| is_one_of(word, english::CODE_SCOPE));
        let scope = self.words[found.clone()].iter().any(|word| word.text == "scope");
        holds_one(&OF_A_PROGRAM, &self.words, found.end.saturating_sub(2)..found.end) || (scope && of_code())
    }

    /// Whether what is said turns to its opposite.
    fn turns(&self, range: Range<usize>) -> bool {
        self.words[range]
            .iter()
            .any(|word| ["but", "however", "although", "yet"].contains(&word.text.as_str()))
    }

    fn says_one_of(&self, list: &str) -> bool {
        self.words.iter().any(|word| is_one_of(word, list))
    }

    /// The first word of each clause, behind its courtesies too.
    fn first_words(&self) -> impl Iterator<Item = &Word> {
        let begins = |at: usize| {
            at.checked_sub(1)
                .and_then(|before| self.words.get(before))
                .is_none_or(|before| before.pause >= Pause::Clause || is_one_of(before, english::LINKS))
        };
        let first = self.words.iter().enumerate().filter(move |(at, _)| begins(*at));
        first.map(|(_, word)| word)
    }
}

/// True when what stands before a phrase in its sentence makes it a condition or somebody else's words.
fn is_blocked(lead: &[Word]) -> bool {
    lead.iter().enumerate().any(|(at, word)| {
        let own = at
            .checked_sub(1)
            .is_some_and(|before| is_one_of(&lead[before], english::OWN));
        is_one_of(word, english::BLOCKERS) && !own
    })
}

/// Whether one of the patterns begins within a range.
fn holds_one(patterns: &[Pattern], words: &[Word], starts: Range<usize>) -> bool {
    let starts = starts.start.min(words.len())..starts.end.min(words.len());
    patterns
        .iter()
        .any(|pattern| pattern.find(words, starts.clone()).is_some())
}

fn is_one_of(word: &Word, list: &str) -> bool {
    english::holds(list, &word.text)
}

/// A part of what is said, fit to be shown.
fn quoted(said: &str) -> String {
    let shown = said.replace(
        [QUOTATION, SYMBOL].map(|sign| sign.chars().next().unwrap_or_default()),
        "…",
    );
    super::quote(&shown, QUOTED)
}
