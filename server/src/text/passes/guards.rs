//! What takes a statement of a pass out of the agent's mouth, or a part of it back.
//! What such a statement is stays out.

use super::clauses::{AND, Clause, clauses};
use super::lexicon::{BLOCKERS, FAILS, FIXES, PLANS, QUALIFIERS};
use super::state::none_of;
use super::tokens::{Kind, Sentence, Token};

/// "Well, except one." takes back what the sentence before it said.
pub(super) fn takes_back(sentence: &Sentence) -> bool {
    let words = [
        "except",
        "apart",
        "aside",
        "excluding",
        "excepting",
        "almost",
        "nearly",
        "mostly",
        "barring",
        "minus",
    ];
    sentence.tokens.iter().take(3).any(|token| token.is(&words))
}

/// A number that is the sum of the others in its sentence counts several runs, of which none shows it.
pub(super) fn is_sum(number: u64, tokens: &[Token]) -> bool {
    let numbers = tokens.iter().filter_map(|token| match token.kind {
        Kind::Number(part) if part != number => Some(part),
        _ => None,
    });
    let (parts, sum) = numbers.fold((0, 0_u64), |(parts, sum), part| (parts + 1, sum.saturating_add(part)));
    parts > 1 && sum == number
}

/// Whether a word of a failure stands in the sentence that is neither denied nor of something that was mended.
pub(super) fn tells_of_failure(sentence: &Sentence) -> bool {
    let tokens = &sentence.tokens;
    let marked = |token: &Token| matches!(token.kind, Kind::Fail | Kind::Warning);
    if tokens.iter().any(marked) {
        return true;
    }
    if tokens
        .iter()
        .any(|token| matches!(token.kind, Kind::Ratio(part, whole) if part < whole))
    {
        return true;
    }
    let part = |window: &[Token]| match window {
        [
            Token {
                kind: Kind::Number(part),
                ..
            },
            of,
            Token {
                kind: Kind::Number(whole),
                ..
            },
        ] => of.text == "of" && part < whole,
        _ => false,
    };
    if tokens.windows(3).any(part) {
        return true;
    }
    clauses(tokens).iter().any(|clause| {
        let words = &tokens[clause.range.clone()];
        let mended = words.iter().any(|token| token.is(&FIXES));
        let mut denied_until = 0;
        !mended
            && words.iter().enumerate().any(|(at, token)| {
                if let Some((len, _)) = none_of(&words[at..]) {
                    denied_until = denied_until.max(at + len);
                }
                let counted = at > 0
                    && token.is(&["errors", "error", "warnings"])
                    && matches!(words[at - 1].kind, Kind::Number(1..));
                at >= denied_until && (token.is(&FAILS) || counted)
            })
    })
}

/// No condition, plan, guess, other speaker or other time takes the statement out of the agent's mouth, and nothing
/// behind it takes a part of it back.
pub(super) fn is_plain(tokens: &[Token], clauses: &[Clause], first: usize, last: usize, goes_on: bool) -> bool {
    let start = clauses[first].range.start;
    let end = clauses[last].range.start;
    let semicolons = |token: &Token| token.is_stop(&[';']);
    let from = tokens[..start].iter().rposition(semicolons).map_or(0, |at| at + 1);
    let to = tokens[end..]
        .iter()
        .position(semicolons)
        .map_or(tokens.len(), |at| end + at);
    // "Was: 42 passed" tells of another time.
    let labelled = first > 0 && clauses[first].before == ':';
    let past = ["was", "were", "old", "base", "original", "first"];
    if labelled
        && tokens[clauses[first - 1].range.clone()]
            .iter()
            .any(|token| token.is(&past))
    {
        return false;
    }
    let blocked = tokens[from..to]
        .windows(2)
        .any(|pair| pair[1].is(&BLOCKERS) && !as_expected(pair))
        || tokens[from..to].first().is_some_and(|token| token.is(&BLOCKERS));
    let planned = !goes_on && tokens[from..start].iter().any(|token| token.is(&PLANS));
    let qualified = tokens[end..]
        .iter()
        .any(|token| token.is(&QUALIFIERS) || token.text.ends_with("n't"));
    let denied = tokens[from..end].iter().any(|token| token.text.ends_with("n't"));
    !(blocked || planned || qualified || (denied && clauses[first].before == AND))
}

fn as_expected(pair: &[Token]) -> bool {
    pair[0].text == "as" && pair[1].text == "expected"
}
