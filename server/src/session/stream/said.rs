//! What the agent said of its checks, sentence by sentence, before it is known which text is its reply.
//! Texts themselves are not kept, so this is taken from them as they are folded.

use super::Turn;
use crate::evidence::verdict::Verdict;
use crate::session::board::{Board, CheckRow, sentence};
use crate::text::{owns_any_failure, pass_claims, quote};

/// Sentences of a turn's texts that are kept, by which it uses a pass.
const MAX_PASSES: usize = 8;
/// Sentences of a turn that are kept, by which it owns a failure, and the longest of them, in characters.
const MAX_TROUBLE: (usize, usize) = (32, 300);
/// Words that name a check which are looked for.
const MAX_NAMES: usize = 64;

/// Takes from a text what it says of the checks on the board. Before the first check has run there is nothing to say.
pub(super) fn take(turn: &mut Turn, board: &Board, text: &str) {
    if board.checks.is_empty() {
        return;
    }
    for claim in pass_claims(text) {
        if turn.passes.len() < MAX_PASSES {
            turn.passes.push(sentence(&claim.sentence));
        }
    }
    let unwell = |row: &&CheckRow| row.latest().is_some_and(|ran| ran.verdict != Verdict::Pass);
    let unwell: Vec<&CheckRow> = board.checks.iter().filter(unwell).collect();
    if unwell.is_empty() {
        return;
    }
    let names = names(&unwell);
    let (most, longest) = MAX_TROUBLE;
    for said in sentences(text) {
        if owns_any_failure(said, &[&[], &names]) {
            if turn.trouble.len() == most {
                turn.trouble.remove(0);
            }
            turn.trouble.push(quote(said, longest));
        }
    }
}

/// Words that name a check, in lower case: its runner, and what it selects, by the last part of a path.
fn names(rows: &[&CheckRow]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for run in rows.iter().rev().filter_map(|row| Some(&row.latest()?.run)) {
        let selected = run
            .selection
            .iter()
            .map(|part| part.rsplit(['/', ' ']).next().unwrap_or(part).to_owned());
        for name in [run.runner.clone(), run.runner.replace('-', " ")]
            .into_iter()
            .chain(selected)
        {
            let name = name.to_lowercase();
            if names.len() == MAX_NAMES {
                return names;
            }
            if name.len() > 2 && !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// The sentences of a text: its lines, cut behind marks that end a sentence.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let behind = |pair: &[u8]| matches!(pair[0], b'.' | b'!' | b'?') && pair[1].is_ascii_whitespace();
    text.lines()
        .flat_map(move |line| {
            let mut from = 0;
            let ends = line
                .as_bytes()
                .windows(2)
                .enumerate()
                .filter(move |(_, pair)| behind(pair));
            let mut ends: Vec<usize> = ends.map(|(at, _)| at + 1).collect();
            ends.push(line.len());
            ends.into_iter().map(move |end| {
                let sentence = line[from..end].trim();
                from = end;
                sentence
            })
        })
        .filter(|sentence| !sentence.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_into_sentences() {
        let text = "One. Two 1.5 times! \n\n- three? é. four\n";
        assert_eq!(
            sentences(text).collect::<Vec<_>>(),
            ["One.", "Two 1.5 times!", "- three?", "é.", "four"]
        );
    }
}
