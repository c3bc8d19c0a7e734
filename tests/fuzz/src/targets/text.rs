//! Replies, prompts and claims: places lie in the text, what comes out is bounded, and what is only shown says nothing.
//! What a sentence means is held by tables in `fixtures/`.

use std::ops::Range;

use proofmark_server::text::{
    AskedLength, Prose, check_names, cited, contract, correction, drop_request, folded, is_foreign, length,
    names_claim, names_failed_test, orders_failure, owns_failure, pass_claims, quotable, quote, quoted, release,
    shares_subject, similarity, stated, still_says, tags, tells_trouble, terms, used_first, wanted_paths,
};

use crate::input::Input;

/// Tags and sentences of one text that are returned.
const MOST: usize = 64;
/// Longer texts are not put into a block once more.
const SHORT: usize = 4_096;

/// A reply or a prompt, NUL, and a claim or a quote.
pub fn run(data: &[u8]) {
    let (text, claim) = Input::new(data).two_texts();
    places(&text);
    tagged(&text);
    claims(&text, &claim);
    quotes(&text, &claim);
    said(&text, &claim);
    if text.len() < SHORT {
        shown(&text);
    }
}

fn within(text: &str, span: &Range<usize>) {
    assert!(!span.is_empty() && text.get(span.clone()).is_some(), "{span:?}");
}

fn in_order(spans: &[Range<usize>]) {
    assert!(spans.windows(2).all(|pair| pair[0].end <= pair[1].start), "{spans:?}");
}

fn places(text: &str) {
    let prose = Prose::of(text);
    for ranges in [prose.shown(), prose.paragraphs()] {
        ranges.iter().for_each(|range| within(text, range));
        in_order(ranges);
    }
    let words: Vec<Range<usize>> = terms(text).into_iter().map(|term| term.span).collect();
    words.iter().for_each(|span| within(text, span));
    in_order(&words);
}

fn tagged(text: &str) {
    let found = tags(text);
    assert!(found.len() <= MOST);
    let spans: Vec<Range<usize>> = found.iter().map(|tag| tag.span.clone()).collect();
    in_order(&spans);
    let prose = Prose::of(text);
    for tag in found {
        within(text, &tag.span);
        assert!(text[tag.span.clone()].starts_with("{{") && prose.is_prose(tag.span.start));
        assert!(!tag.claim.contains('\n') && !tag.reason.contains('\n'));
        if tag.well_formed {
            assert!(text[tag.span].ends_with("}}"));
            assert!(tag.claim.chars().any(char::is_alphanumeric) && !tag.reason.is_empty());
        }
    }
}

fn claims(text: &str, claim: &str) {
    let alike = similarity(text, claim);
    assert!((0.0..=1.0).contains(&alike));
    assert_eq!(alike, similarity(claim, text), "likeness has no direction");
    assert_eq!(similarity(claim, claim), 1.0);
    let once = folded(claim);
    assert_eq!(
        folded(&format!(" {claim}\n")),
        once,
        "white space around a claim is none of it"
    );
    shares_subject(claim, text);
    names_claim(text, claim);
    cited(text);
}

fn quotes(text: &str, wanted: &str) {
    for most in [0, 1, 7, 80] {
        let data = quote(text, most);
        assert!(data.chars().count() <= most && !data.chars().any(char::is_control));
        assert_eq!(quote(&data, most), data, "what is data stays so");
    }
    if let Ok(found) = quoted(text, wanted, &|_| false) {
        assert!(text.contains(&found.text) && !found.words.is_empty());
        assert!(still_says(text, wanted));
        assert!(still_says(text, &found.words), "{found:?}");
    }
    assert!(
        quoted(text, wanted, &|_| true).is_err(),
        "nothing counts that the person said first"
    );
    assert!(!quotable(text, &|_| true));
    assert!(used_first(text, &|_| true, 4).len() <= 4);
    used_first(text, &|words| words.len() % 2 == 1, 4);
}

fn said(text: &str, claim: &str) {
    for pass in pass_claims(text) {
        assert!(!pass.sentence.trim().is_empty());
    }
    for sentence in stated(text) {
        within(text, &sentence.span);
        assert!(text.contains(&sentence.sentence) && !sentence.sign.is_empty());
    }
    let wanted = wanted_paths(text);
    assert!(wanted.only.len() <= MOST && wanted.not.len() <= MOST);
    if let Some(held) = contract(text) {
        assert!((3..=500).contains(&held.chars().count()), "{held}");
    }
    owns_failure(text, &check_names("pytest", &[], claim));
    owns_failure(text, &[claim.to_lowercase()]);
    names_failed_test(text, claim);
    correction(text, &[]);
    drop_request(text);
    release(text);
    is_foreign(text);
    orders_failure(text);
    tells_trouble(text);
    assert!(length(text) <= text.len() as u64, "a word has a byte at least");
    AskedLength::of(text);
}

/// In a block of code nothing is said.
fn shown(text: &str) {
    let fence = "~".repeat(3 + text.matches('~').count());
    let block = format!("{fence}\n{text}\n{fence}\n");
    assert!(tags(&block).is_empty(), "tags");
    assert!(pass_claims(&block).is_empty(), "claims of a pass");
    assert!(stated(&block).is_empty(), "statements");
    assert!(!drop_request(&block), "a request");
    assert!(correction(&block, &[]).is_none(), "a correction");
    assert_eq!(contract(&block), None, "a contract");
}
