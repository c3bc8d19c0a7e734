//! Sentences of a reply that state a cause or a success, each with what stands beside it as proof.
//! Whether that proof is one stays out: it takes the session's record.

use std::ops::Range;

use super::prose::Prose;
use super::terms::terms;

/// So many sentences of one reply are returned.
const MOST: usize = 32;
/// What a thing does or is when something is wrong with it: "because" behind one of these tells a cause.
const SYMPTOMS: &[&str] = &[
    "absent",
    "blank",
    "blocked",
    "blocks",
    "break",
    "breaks",
    "broke",
    "broken",
    "corrupt",
    "crash",
    "crashed",
    "crashes",
    "deadlocked",
    "deadlocks",
    "died",
    "dies",
    "disappeared",
    "empty",
    "error",
    "errored",
    "errors",
    "fail",
    "failed",
    "failing",
    "fails",
    "failure",
    "flaky",
    "fixed",
    "freezes",
    "froze",
    "hang",
    "hanging",
    "hangs",
    "hung",
    "killed",
    "lags",
    "late",
    "leaked",
    "leaks",
    "lost",
    "missed",
    "misses",
    "missing",
    "panicked",
    "panics",
    "rejected",
    "segfaults",
    "skipped",
    "slow",
    "stale",
    "stalled",
    "stalls",
    "stopped",
    "stops",
    "stuck",
    "timeout",
    "times",
    "timed",
    "truncated",
    "unavailable",
    "vanished",
    "wrong",
];
/// Who acts for reasons, not for causes.
const PERSONS: &[&str] = &["i", "we", "you", "they", "he", "she", "lets", "please"];
/// A sentence that begins so states nothing.
const OPEN: &[&str] = &[
    "if", "when", "whenever", "unless", "whether", "suppose", "why", "would", "could", "should", "might",
];
/// Words for thinking so.
const HEDGES: &[&str] = &["think", "believe", "suspect", "guess", "assume", "reckon"];
/// What is thought then.
const CAUSES: &[&str] = &[
    "caused", "causes", "causing", "because", "due", "happened", "broke", "why", "culprit",
];
/// Phrases that state a cause wherever they stand.
const CAUSAL: &[&str] = &[
    "the cause is",
    "the cause was",
    "root cause is",
    "root cause was",
    "was caused by",
    "is caused by",
    "were caused by",
    "are caused by",
    "the reason is",
    "the reason was",
    "that is why",
    "thats why",
    "this is why",
    "which is why",
    "the culprit",
    "the bug is",
    "the bug was",
    "the issue is",
    "the issue was",
    "the problem is",
    "the problem was",
    "the failure is",
    "the failure was",
];
/// Phrases that state a success which nobody looked at.
const SUCCESS: &[&str] = &[
    "this should work",
    "that should work",
    "it should work now",
    "this fixes it",
    "that fixes it",
    "that fixed it",
    "now it works",
    "it works now",
    "thats the bug",
    "that is the bug",
];
/// Words that open a sentence with the claim to have looked.
const OPENERS: &[&str] = &["confirmed", "verified"];

/// A sentence that states a cause or a success.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stated {
    /// The sentence as it stands in the reply.
    pub sentence: String,
    /// The words by which it was known.
    pub sign: String,
    /// Its place in the reply: byte offsets.
    pub span: Range<usize>,
    /// The blocks of code that touch its paragraph, and the code inside the sentence that is more than a name.
    pub shown: Vec<String>,
}

/// The sentences of a reply that state a cause or a success, in order: at most 32. Questions, conditions, negations and
/// quoted words state none.
pub fn stated(reply: &str) -> Vec<Stated> {
    let prose = Prose::of(reply);
    let mut found = Vec::new();
    for paragraph in prose.paragraphs() {
        for span in sentences(&prose, paragraph) {
            let sentence = &prose.text()[span.clone()];
            if sentence.trim_end().ends_with('?') {
                continue;
            }
            let Some(sign) = sign(&said(&prose, &span)) else {
                continue;
            };
            found.push(Stated {
                sentence: sentence.trim().to_owned(),
                sign,
                shown: beside(&prose, paragraph, &span),
                span,
            });
            if found.len() == MOST {
                return found;
            }
        }
    }
    found
}

/// The words by which a sentence states something; none when it does not.
fn sign(said: &str) -> Option<String> {
    let words: Vec<String> = terms(said).into_iter().map(|term| term.word).collect();
    let first = words.first()?;
    if OPENERS.contains(&first.as_str()) {
        return Some(first.clone());
    }
    if OPEN.contains(&first.as_str()) {
        return None;
    }
    let has = |list: &[&str], words: &[String]| words.iter().any(|word| list.contains(&word.as_str()));
    let hedge = words.iter().position(|word| HEDGES.contains(&word.as_str()));
    if let Some(at) = hedge
        && at > 0
        && words[at - 1] == "i"
    {
        let thought = words[at + 1..].iter().find(|word| CAUSES.contains(&word.as_str()))?;
        return Some(format!("{} … {thought}", words[at]));
    }
    let joined = format!(" {} ", words.join(" "));
    let phrase = |list: &[&str]| {
        list.iter()
            .find(|phrase| joined.contains(&format!(" {phrase} ")))
            .map(|it| (*it).to_owned())
    };
    if let Some(found) = phrase(SUCCESS).or_else(|| phrase(CAUSAL)) {
        let denied = joined.contains(&format!(" not {found}")) || has(&["unknown", "unclear", "unsure"], &words);
        return (!denied).then_some(found);
    }
    let because = words.iter().position(|word| word == "because")?;
    let main = &words[..because];
    let reason = main.iter().any(|word| PERSONS.contains(&word.as_str()));
    let open = has(OPEN, main)
        || main
            .last()
            .is_some_and(|word| matches!(word.as_str(), "not" | "just" | "may"));
    (has(SYMPTOMS, main) && !reason && !open).then(|| "because".to_owned())
}

/// The sentence without its code and its quoted words.
fn said(prose: &Prose<'_>, span: &Range<usize>) -> String {
    let mut said = String::new();
    let mut quoted = false;
    for (at, c) in prose.text()[span.clone()].char_indices() {
        if !prose.is_prose(span.start + at) {
            continue;
        }
        match c {
            '"' => quoted = !quoted,
            '“' | '„' | '«' => quoted = true,
            '”' | '»' => quoted = false,
            _ if !quoted => said.push(c),
            _ => {}
        }
    }
    said
}

/// The sentences of a paragraph: a full stop, question or exclamation mark in prose before white space ends one, a new
/// item of a list begins one.
fn sentences(prose: &Prose<'_>, paragraph: &Range<usize>) -> Vec<Range<usize>> {
    let text = &prose.text()[paragraph.clone()];
    let mut found = Vec::new();
    let mut start = paragraph.start;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let at = paragraph.start + at;
        let next = chars.peek().map(|(_, next)| *next);
        let stop = matches!(c, '.' | '!' | '?')
            && next.is_none_or(|next| next.is_whitespace() || matches!(next, '*' | '_' | ')'));
        let rest = &prose.text()[at + c.len_utf8()..paragraph.end];
        let item = c == '\n' && rest.trim_start().starts_with(['-', '*', '+', '|', '#']);
        if (stop && prose.is_prose(at)) || item {
            let end = at + c.len_utf8();
            found.push(start..end);
            start = end;
        }
    }
    found.push(start..paragraph.end);
    found.retain(|span| prose.text()[span.clone()].contains(char::is_alphanumeric));
    found
}

/// What is shown beside a sentence: code blocks with nothing but white space between them and its paragraph, and code in
/// the sentence itself that holds more than one word.
fn beside(prose: &Prose<'_>, paragraph: &Range<usize>, span: &Range<usize>) -> Vec<String> {
    let text = prose.text();
    let blank = |range: Range<usize>| text.get(range).is_some_and(|between| between.trim().is_empty());
    let near = prose.shown().iter().filter(|shown| {
        let inside = span.start <= shown.start
            && shown.end <= span.end
            && text[(*shown).clone()].trim_matches('`').trim().contains(' ');
        let block = (shown.start >= paragraph.end && blank(paragraph.end..shown.start))
            || (shown.end <= paragraph.start && blank(shown.end..paragraph.start));
        inside || block
    });
    near.map(|shown| text[shown.clone()].to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn causes_and_successes_are_told_from_reasons() {
        for (reply, expected) in [
            ("The list was empty because the loader never ran.", Some("because")),
            ("It stalls because `acquire_lock` waits.", Some("because")),
            ("I suspect the upgrade caused it.", Some("suspect … caused")),
            ("**Confirmed**, the mirror is current.", Some("confirmed")),
            ("That’s why the page is blank.", Some("thats why")),
            ("The root cause is a stale cache.", Some("root cause is")),
            ("This should work.", Some("this should work")),
            ("I confirmed it with you on Tuesday.", None),
            ("I used a map because lookups are frequent.", None),
            ("We stopped because you asked.", None),
            ("The design is simpler because it has one table.", None),
            ("If it fails because of the lock, retry.", None),
            ("Did it fail because of the lock?", None),
            ("Is that why it broke?", None),
            ("The docs say \"it fails because of the lock\".", None),
            ("`it fails because x`", None),
            ("The root cause is unknown.", None),
            ("It did not fail, not because of luck.", None),
            ("I think we should rename it.", None),
        ] {
            let found: Vec<String> = stated(reply).into_iter().map(|stated| stated.sign).collect();
            assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "{reply}");
        }
    }

    #[test]
    fn each_sentence_is_told_by_itself() {
        let found =
            stated("It stalls because the lock is held.\n\nThe second one broke because the disk filled up. Fine.");
        let sentences: Vec<&str> = found.iter().map(|stated| stated.sentence.as_str()).collect();
        assert_eq!(
            sentences,
            [
                "It stalls because the lock is held.",
                "The second one broke because the disk filled up."
            ]
        );
    }

    #[test]
    fn proof_stands_beside_the_paragraph_or_in_the_sentence() {
        for (reply, expected) in [
            ("It fails because x:\n```\n$ a\n0\n```", 1),
            ("```\n0\n```\n\nIt fails because x.", 1),
            ("It fails because x.\n\nListing:\n```\n0\n```", 0),
            ("It fails because of `no such table`.", 1),
            ("It fails because of `table`.", 0),
        ] {
            assert_eq!(stated(reply)[0].shown.len(), expected, "{reply}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[a-zA-Z `\"“”.\n?>*-]{0,200}") {
            for stated in stated(&text) {
                prop_assert!(text.get(stated.span).is_some());
            }
        }
    }
}
