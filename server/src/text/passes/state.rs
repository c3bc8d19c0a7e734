//! What is said of a check: the predicate of a plain statement that it passes, and what may follow it.
//! Which check is meant stays out.

use std::sync::LazyLock;

use super::lexicon::{
    ARTICLES, AUXILIARIES, CLEAN, COMPILES, FAILURES, FAULTS, GOES, LABEL_STATES, OBJECT_TAILS, PASS_MARKS, PASSES,
    PASSING, REPORTS, SUCCEEDS, TAILS, VERIFIES, WELL, ZERO,
};
use super::tokens::{Kind, Token, WITHIN_WORDS};
use crate::text::words::WordSet;

/// How many auxiliaries are read before a verb.
const AUXILIARIES_READ: usize = 4;
/// Words between "no" and what there is none of: "no new lint warnings".
const FAULT_WORDS: usize = 3;

/// The state of a check that passes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct State {
    /// The verb is one of building, so what is built may be its subject.
    pub(super) builds: bool,
    /// It only says "clean", which is said of other things too.
    pub(super) clean: bool,
    /// It is said as a word or mark that stands behind a label only.
    pub(super) label_only: bool,
    /// How many passed, where the predicate counts them.
    pub(super) passed: Option<u64>,
}

/// True for a token without which no clause has a state: of its verb, or of what there is none of.
pub(super) fn may_say(token: &Token) -> bool {
    token.kind == Kind::Pass
        || token.is(&GOES)
        || token.is(&FAULTS)
        || [PASSES, PASSING, SUCCEEDS, CLEAN, LABEL_STATES]
            .iter()
            .any(|list| token.is(*list))
}

/// The longest run of letters in a word of a state, in bytes.
const LONGEST_RUN: usize = 16;

/// The first letters of each word that a statement needs, up to what is no letter: "error" of "error-free".
static RUNS: LazyLock<WordSet> = LazyLock::new(|| {
    let short = [PASSES, PASSING, SUCCEEDS, CLEAN, LABEL_STATES, VERIFIES]
        .into_iter()
        .flatten()
        .copied();
    let words = short.chain(GOES.iter()).chain(FAULTS.iter());
    words
        .filter_map(|word| word.split(|c: char| !c.is_ascii_alphabetic()).next())
        .collect()
});

/// False for a text in which no sentence states anything, by its letters alone: quick, and in doubt true.
pub(super) fn may_be_said_in(text: &str) -> bool {
    let mut run = [0; LONGEST_RUN];
    let mut len = 0;
    for c in text.chars().chain(['.']) {
        if c.is_ascii_alphabetic() {
            if let Some(place) = run.get_mut(len) {
                *place = c.to_ascii_lowercase() as u8;
            }
            len += 1;
            continue;
        }
        if WITHIN_WORDS.contains(&c) {
            continue;
        }
        if !c.is_ascii() && (c.is_alphanumeric() || PASS_MARKS.contains(&c)) {
            return true;
        }
        let known = run.get(..len).and_then(|run| std::str::from_utf8(run).ok());
        if len > 0 && known.is_some_and(|run| RUNS.contains(run)) {
            return true;
        }
        len = 0;
    }
    false
}

/// The state that these tokens are: a predicate and at most what may follow one.
pub(super) fn state(tokens: &[Token]) -> Option<State> {
    let skipped = tokens
        .iter()
        .take(AUXILIARIES_READ)
        .take_while(|token| token.is(&AUXILIARIES))
        .count();
    (0..=skipped).rev().find_map(|at| predicate(&tokens[at..]))
}

fn predicate(tokens: &[Token]) -> Option<State> {
    let (first, rest) = tokens.split_first()?;
    let plain = State::default();
    let (state, behind) = if first.kind == Kind::Pass {
        let label_only = true;
        (State { label_only, ..plain }, 1)
    } else if first.is(PASSES) || first.is(PASSING) || first.is(SUCCEEDS) {
        (plain, 1)
    } else if first.is(CLEAN) {
        (State { clean: true, ..plain }, 1)
    } else if first.is(LABEL_STATES) {
        let label_only = true;
        (State { label_only, ..plain }, 1)
    } else if first.is(&GOES) {
        let builds = first.is(COMPILES) || first.is(&["compile", "compiled", "built"]);
        let state = State { builds, ..plain };
        match rest {
            [well, ..] if well.is(WELL) => (state, 2),
            [next, ..] if exits_well(first, rest) => (state, if next.is(&["with"]) { rest.len() + 1 } else { 2 }),
            _ => {
                let with = usize::from(rest.first().is_some_and(|token| token.is(&["with"])));
                match none_of(&rest[with..]) {
                    Some((len, _)) => (state, 1 + with + len),
                    None if first.is(COMPILES) && rest.is_empty() => (state, 1),
                    None => return None,
                }
            }
        }
    } else if first.is(&REPORTS) {
        match rest {
            [
                Token {
                    kind: Kind::Number(passed @ 1..),
                    ..
                },
                verb,
                ..,
            ] if verb.is(PASSES) || verb.is(PASSING) => {
                let passed = Some(*passed);
                (State { passed, ..plain }, 3)
            }
            _ => {
                let (len, _) = none_of(rest)?;
                (plain, 1 + len)
            }
        }
    } else {
        let (len, _) = none_of(tokens)?;
        let label_only = true;
        (State { label_only, ..plain }, len)
    };
    may_follow(&tokens[behind..]).then_some(state)
}

/// "Exits 0", "exited with status 0".
fn exits_well(verb: &Token, rest: &[Token]) -> bool {
    let mut number = rest
        .iter()
        .skip_while(|token| token.is(&["with", "code", "status", "exit"]));
    verb.is(&["exits", "exited"])
        && number.next().is_some_and(|token| token.kind == Kind::Number(0))
        && number.next().is_none()
}

/// "No errors", "0 new lint warnings", "without any failures": how many tokens say so, and whether it counts failures.
pub(super) fn none_of(tokens: &[Token]) -> Option<(usize, bool)> {
    let (first, rest) = tokens.split_first()?;
    if first.kind != Kind::Number(0) && !first.is(ZERO) {
        return None;
    }
    let at = rest.iter().take(FAULT_WORDS + 1).position(|token| token.is(&FAULTS))?;
    let words = rest[..at]
        .iter()
        .all(|token| token.kind == Kind::Word && !token.is(PASSES) && !token.is(&["with", "and", "or"]));
    words.then(|| (at + 2, rest[at].is(FAILURES)))
}

/// Whether a statement may go on like this and stay a plain one.
fn may_follow(tail: &[Token]) -> bool {
    let mut tail = tail.iter().skip_while(|token| token.kind == Kind::Pass);
    let Some(first) = tail.next() else {
        return true;
    };
    let next = tail.next();
    match next {
        _ if first.is(&["this"]) => next.is_some_and(|next| next.is(&["time", "run", "round"])),
        Some(next) if first.is(OBJECT_TAILS) && next.is(ARTICLES) => false,
        _ => first.is(&TAILS),
    }
}
