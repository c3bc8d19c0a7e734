//! Patterns of words: how a line of the phrase set is read, and whether words follow it.
//! Which phrases there are stays out.

use std::hash::Hasher;
use std::ops::Range;

use fnv::FnvHasher;

use super::english;
use super::sentence::{Pause, Word, is_slip_of};

/// No pattern spans more, in bytes: longer than this, what is far apart is not one thought.
const MAX_SPAN: usize = 160;

/// One place of a pattern.
#[derive(Debug)]
enum Place {
    /// One of these words (`a|b`).
    Any(Vec<&'static str>),
    /// One of them or none (`a|b?`).
    Perhaps(Vec<&'static str>),
    /// One entry of a list (`@name`): words, or several in a row.
    List(Vec<&'static str>),
    /// Up to so many words of any kind (`*3`).
    Gap(usize),
    /// A word that names something (`<name>`).
    Name,
    /// The end of a clause (`$`).
    End,
    /// A colon, behind which something is shown (`:`).
    Colon,
    /// The beginning of a sentence, but for courtesies (`^`).
    Beginning,
}

/// A line of the phrase set.
#[derive(Debug)]
pub(super) struct Pattern {
    places: Vec<Place>,
    /// For each place that needs a word, where a sieve keeps those that will do; the place with the fewest first.
    needs: Vec<Vec<usize>>,
}

/// The words of a text, about: it may take one for a word of the text that is none, and never the other way round. Hardly
/// any pattern has all its words in a text, and to look for one that has not takes the longest.
pub(super) struct Sieve([u64; Sieve::CELLS]);

impl Sieve {
    const CELLS: usize = 64;

    pub(super) fn of(words: &[Word]) -> Self {
        let mut cells = [0; Self::CELLS];
        for word in words {
            let place = Self::place(&word.text);
            cells[place / 64] |= 1 << (place % 64);
        }
        Self(cells)
    }

    fn place(word: &str) -> usize {
        let mut hasher = FnvHasher::default();
        hasher.write(word.as_bytes());
        let hash = hasher.finish();
        // The lower bits of this hash alone are too much alike.
        usize::try_from((hash ^ (hash >> 32)) % (64 * Self::CELLS as u64)).unwrap_or_default()
    }

    fn may_hold(&self, place: usize) -> bool {
        self.0[place / 64] & (1 << (place % 64)) != 0
    }
}

impl Pattern {
    /// Reads a line: every text is a pattern.
    pub(super) fn read(line: &'static str) -> Self {
        let places: Vec<Place> = line.split(' ').map(place).collect();
        let need = |place: &Place| match place {
            Place::Any(words) => Some(words.iter().map(|word| Sieve::place(word)).collect()),
            _ => None,
        };
        let mut needs: Vec<Vec<usize>> = places.iter().filter_map(need).collect();
        needs.sort_by_key(Vec::len);
        Self { places, needs }
    }

    /// False where no words of the text can follow the pattern.
    pub(super) fn may_be_in(&self, sieve: &Sieve) -> bool {
        self.needs
            .iter()
            .all(|words| words.iter().any(|word| sieve.may_hold(*word)))
    }

    /// The first run of words, beginning in `range`, that follows the pattern within one sentence.
    pub(super) fn find(&self, words: &[Word], range: Range<usize>) -> Option<Range<usize>> {
        range.into_iter().find_map(|at| {
            let end = follow(&self.places, words, at, at)?;
            let last = words.get(end.checked_sub(1)?)?;
            (end > at && last.end.saturating_sub(words[at].start) <= MAX_SPAN).then_some(at..end)
        })
    }
}

fn place(token: &'static str) -> Place {
    if let Some(name) = token.strip_prefix('@') {
        return Place::List(english::list(name));
    }
    if let Some(most) = token.strip_prefix('*').and_then(|most| most.parse().ok()) {
        return Place::Gap(most);
    }
    match (token, token.strip_suffix('?')) {
        ("$", _) => Place::End,
        (":", _) => Place::Colon,
        ("^", _) => Place::Beginning,
        ("<name>", _) => Place::Name,
        (_, Some(words)) => Place::Perhaps(words.split('|').collect()),
        _ => Place::Any(token.split('|').collect()),
    }
}

/// Where the words end that follow these places from `at` on; `first` is where the whole began.
fn follow(places: &[Place], words: &[Word], at: usize, first: usize) -> Option<usize> {
    let Some((place, rest)) = places.split_first() else {
        return Some(at);
    };
    let says = |wanted: &[&str]| open(words, at, first).is_some_and(|word| wanted.contains(&word.text.as_str()));
    match place {
        Place::Any(wanted) => says(wanted).then(|| follow(rest, words, at + 1, first))?,
        Place::Perhaps(wanted) => says(wanted)
            .then(|| follow(rest, words, at + 1, first))
            .flatten()
            .or_else(|| follow(rest, words, at, first)),
        Place::List(entries) => entries.iter().find_map(|entry| {
            let end = entry_end(entry, words, at, first)?;
            follow(rest, words, end, first)
        }),
        Place::Gap(most) => (0..=*most)
            .take_while(|skipped| *skipped == 0 || open(words, at + skipped - 1, first).is_some())
            .find_map(|skipped| follow(rest, words, at + skipped, first)),
        Place::Name => open(words, at, first)
            .is_some_and(|word| !english::holds(english::NAMELESS, &word.text))
            .then(|| follow(rest, words, at + 1, first))?,
        Place::End => before(words, at)
            .is_some_and(|word| word.pause >= Pause::Clause)
            .then(|| follow(rest, words, at, first))?,
        Place::Colon => before(words, at)
            .is_some_and(|word| word.colon)
            .then(|| follow(rest, words, at, first))?,
        Place::Beginning => {
            let lead = &words[sentence_start(words, at)..at];
            lead.iter()
                .all(|word| english::holds(english::COURTESY, &word.text))
                .then(|| follow(rest, words, at, first))?
        }
    }
}

fn before(words: &[Word], at: usize) -> Option<&Word> {
    words.get(at.checked_sub(1)?)
}

/// The word at this place, while the sentence that began at `first` goes on.
fn open(words: &[Word], at: usize, first: usize) -> Option<&Word> {
    let goes_on = at == first || words.get(at - 1).is_some_and(|word| word.pause < Pause::Sentence);
    words.get(at).filter(|_| goes_on)
}

fn entry_end(entry: &str, words: &[Word], at: usize, first: usize) -> Option<usize> {
    let mut end = at;
    for wanted in entry.split(' ') {
        let word = open(words, end, first)?;
        if word.text != wanted && !is_slip_of(&word.text, wanted) {
            return None;
        }
        end += 1;
    }
    Some(end)
}

/// Where the sentence of a word begins.
pub(super) fn sentence_start(words: &[Word], at: usize) -> usize {
    words[..at]
        .iter()
        .rposition(|word| word.pause == Pause::Sentence)
        .map_or(0, |end| end + 1)
}

/// Where the sentence of a word ends.
pub(super) fn sentence_end(words: &[Word], at: usize) -> usize {
    words[at..]
        .iter()
        .position(|word| word.pause == Pause::Sentence)
        .map_or(words.len(), |end| at + end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::correction::sentence::words;

    #[test]
    fn a_sieve_holds_few_words_that_a_text_has_not() {
        let text: Vec<String> = (0..150).map(|at| format!("word{at}")).collect();
        let sieve = Sieve::of(&words(&text.join(" ")));
        assert!(text.iter().all(|word| sieve.may_hold(Sieve::place(word))));
        let others = (0..1000).filter(|at| sieve.may_hold(Sieve::place(&format!("other{at}"))));
        assert!(others.count() < 100);
        assert!(!Pattern::read("word1 *2 another").may_be_in(&sieve));
    }

    #[test]
    fn a_pattern_is_followed_within_one_sentence() {
        for (pattern, text, found) in [
            ("a b|c", "x a c y", true),
            ("a b? d", "a d", true),
            ("a b? d", "a b d", true),
            ("a *2 d", "a x y d", true),
            ("a *2 d", "a x y z d", false),
            ("a *2 d", "a x. d", false),
            ("a b", "a. b", false),
            ("a $", "a, b", true),
            ("a $", "a b", false),
            ("a :", "a:\n\nb", true),
            ("a :", "a, b", false),
            ("a <name>", "a bee", true),
            ("a <name>", "a it", false),
            ("^ a", "please a", true),
            ("^ a", "x a", false),
            ("^ a", "x. a", true),
            ("a @alternative", "a and not in", true),
            ("a @did", "a chnged", true),
            ("a *9 b", &format!("a {} b", "x".repeat(200)), false),
        ] {
            let words = words(text);
            let pattern = Pattern::read(pattern);
            let range = pattern.find(&words, 0..words.len());
            assert_eq!(range.is_some(), found, "{pattern:?} {text:?}");
            assert!(!found || pattern.may_be_in(&Sieve::of(&words)), "{pattern:?} {text:?}");
        }
    }
}
