//! Chance that can be had again: numbers, choices and words from a seed.
//! What is chosen is the callers' business.

use std::time::Duration;

/// SplitMix64: small, and good enough to choose by.
#[derive(Debug, Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    /// The dice of one seed, and of one use of it.
    pub(crate) fn new(seed: u64, usage: &[u64]) -> Self {
        let mut dice = Self(seed);
        for part in usage {
            dice.0 = dice.next() ^ part.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        dice
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound.max(1)).unwrap_or(u64::MAX);
        usize::try_from(self.next() % bound).unwrap_or(0)
    }

    /// True in so many of a hundred cases.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of these; none where there are none.
    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len()))
    }

    /// A time of less than so many milliseconds.
    pub(crate) fn millis(&mut self, bound: usize) -> Duration {
        Duration::from_micros(u64::try_from(self.below(bound * 1_000)).unwrap_or(0))
    }

    /// A word that hardly comes twice, and that no reader of texts knows.
    pub(crate) fn word(&mut self) -> String {
        let mut word = String::new();
        for _ in 0..4 {
            word.extend(self.pick(b"bdfgklmnprstvz").map(|letter| char::from(*letter)));
            word.extend(self.pick(b"aiou").map(|letter| char::from(*letter)));
        }
        format!("{word}{}", self.below(1_000))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_same_seed_and_use_bring_the_same_and_others_do_not() {
        let words = |seed, usage: &[u64]| {
            let mut dice = Dice::new(seed, usage);
            (0..200).map(|_| dice.word()).collect::<Vec<_>>()
        };
        assert_eq!(words(7, &[1, 2]), words(7, &[1, 2]));
        let all: BTreeSet<String> = [words(7, &[1, 2]), words(7, &[2, 1]), words(8, &[1, 2])]
            .concat()
            .into_iter()
            .collect();
        assert!(all.len() > 590, "{}", all.len());
        let mut dice = Dice::new(1, &[]);
        assert!((0..1_000).all(|_| dice.below(3) < 3));
        assert_eq!(dice.pick::<u8>(&[]), None);
    }
}
