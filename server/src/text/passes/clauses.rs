//! A sentence as clauses: the stretches between stops, marks and words that join.
//! What a clause says stays out.

use std::ops::Range;

use super::tokens::{Kind, Token};

/// What stands before a clause.
pub(super) const BEGINNING: char = '^';
pub(super) const AND: char = '&';
/// The tick behind the clause before.
pub(super) const MARK: char = '*';
/// Behind these stands what is said of the clause before them.
pub(super) const LABELS: &[char] = &[':', '-', '|', '('];

/// A clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Clause {
    pub(super) range: Range<usize>,
    /// What stands before it: a stop, or one of the signs above.
    pub(super) before: char,
}

/// The clauses of a sentence, in order, none empty.
pub(super) fn clauses(tokens: &[Token]) -> Vec<Clause> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut before = BEGINNING;
    let mut close = |range: Range<usize>, before: char| {
        let filled = !range.is_empty();
        if filled {
            found.push(Clause { range, before });
        }
        filled
    };
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Stop(stop) => {
                let filled = close(start..at, before);
                // "Fixed: - it passes" begins with the first of its stops.
                if filled || before == BEGINNING || before == ',' || stop != ',' {
                    before = if !filled && found_nothing(tokens, at) {
                        BEGINNING
                    } else {
                        stop
                    };
                }
                start = at + 1;
            }
            Kind::Word if token.is(&["and", "plus", "but", "while"]) => {
                let joined = if token.is(&["and", "plus"]) { AND } else { ',' };
                let filled = close(start..at, before);
                if filled || matches!(before, ',' | ')') {
                    before = joined;
                }
                start = at + 1;
            }
            Kind::Pass if start < at => {
                close(start..at + 1, before);
                (start, before) = (at + 1, MARK);
            }
            Kind::Pass => {
                if LABELS.contains(&before) {
                    close(at..at + 1, before);
                    before = MARK;
                }
                start = at + 1;
            }
            _ => {}
        }
    }
    close(start..tokens.len(), before);
    found
}

/// True when only stops and marks stand before this token.
fn found_nothing(tokens: &[Token], at: usize) -> bool {
    tokens[..at]
        .iter()
        .all(|token| matches!(token.kind, Kind::Stop(_) | Kind::Pass))
}
