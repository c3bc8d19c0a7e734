//! Replies, prompts, claims and word lists of any length.
//! Commands, outputs and records stand beside it.

use proofmark_server::judge::list;
use proofmark_server::text::{
    AskedLength, Prose, cited, contract, correction, drop_request, folded, is_foreign, length, names_claim,
    names_failed_test, orders_failure, owns_failure, pass_claims, quotable, quote, quoted, redact, release,
    shares_subject, similarity, stated, tags, tells_trouble, terms, used_first, wanted_paths,
};

use crate::measure::{grows_with_its_length, seen};

/// Pieces that texts are repeated from: each is nasty for somebody.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "`", "`a", "``` ", "```\n", "~~~\n", "> ", ">\n", "\n", "\r\n", "\r", "a\n\n", "* ", "- a\n", "  - ", "1. ",
    "# ", "*", "_a", "**a ", "[", "![", "](", "[a](", "[a]: b\n", "<", "<a ", "</a>", "<!--", "&", "\\", "|", "| a ",
    "|-|-|\n", "{", "}", "{{", "}}", "{{UNVERIFIED:", "{{CAT-UNVERIFIED: a -- cannot verify: b}}",
    "-- cannot verify:", "cannot ", "\"", "'", "“", "”", "‘", "’", "«", "(", ")", "a", "A", "é", "\u{301}",
    "\u{200d}", "\u{feff}", "\u{3042}", "a ", "a, ", "a. ", "a? ", "a-", "a/", "a.b/", "no ", "not ", "if ", "and ",
    "--", "1", "1 ", "all tests pass. ", "tests ", "pass ", "passed ", "failed, ", "the claim about ", "drop it, ",
    "only src/a, ", "don't touch a.rs; ", "SCOPE CONTRACT: a b\n", "SCOPE CONTRACT:", "src/a.rs:1 ", "a.rs line 1 ",
    "scope lock off\n", "/reflect and ", "you said ", "fixed ", "verified ", "because ", "\u{1b}", "\u{1b}[",
    "\u{1b}]", "\u{1b}[1;", "\u{9b}0", "\u{9b}0;\u{1b}]a", "<command-name>", "<system-reminder>", "$ a\n",
    "Traceback:\n", "\t", "\0", "'a", "<x", "+a\n", "a@b ", "why did you ", "only ", "only touch and ", "a.rs ",
    "a.rs alone ", "keep ", "not the ",
];

/// Reads texts of every piece.
pub(crate) fn texts(read: &dyn Fn(&str), what: &str) {
    for piece in PIECES {
        let lead = |count: usize| format!("x {}", piece.repeat(count));
        grows_with_its_length(&format!("{what} of {piece:?}"), &lead, read, 256 * 1024);
    }
}

#[test]
fn prose_tags_and_quotes() {
    texts(&|text| seen(Prose::of(text)), "prose");
    texts(&|text| seen(tags(text)), "tags");
    texts(&|text| seen(quote(text, 2_000)), "a quote");
    texts(&|text| seen(quote(text, usize::MAX)), "all as a quote");
}

#[test]
fn words_of_a_reply() {
    texts(&|text| seen(terms(text)), "terms");
    texts(&|text| seen(length(text)), "the length");
    texts(&|text| seen(is_foreign(text)), "the language");
    texts(&|text| seen(cited(text)), "cited places");
    texts(&|text| seen(AskedLength::of(text)), "the asked length");
}

#[test]
fn quotes_of_a_reply() {
    texts(&|text| seen(quoted(text, "x a no", &|_| false)), "a quoted text");
    texts(&|text| seen(quoted("x a no", text, &|_| false)), "a text of a quote");
    texts(&|text| seen(quotable(text, &|_| true)), "what can be quoted");
    texts(&|text| seen(used_first(text, &|_| true, 8)), "used first");
}

#[test]
fn claims_of_a_reply() {
    texts(&|text| seen(pass_claims(text)), "claims of a pass");
    texts(
        &|text| seen(owns_failure(text, &["pytest".to_owned()])),
        "owned failures",
    );
    texts(&|text| seen(stated(text)), "statements");
}

#[test]
fn trouble_in_a_reply() {
    texts(&|text| seen(tells_trouble(text)), "trouble");
    texts(&|text| seen(orders_failure(text)), "ordered failures");
    texts(&|text| seen(names_failed_test(text, "FAILED a::b\n")), "failed tests");
    texts(
        &|text| seen(names_failed_test("a::b fails", text)),
        "an output with failed tests",
    );
}

#[test]
fn identities_of_claims() {
    texts(&|text| seen(folded(text)), "a folded claim");
    texts(&|text| seen(similarity(text, "the nightly export")), "likeness");
    texts(
        &|text| seen(shares_subject("the nightly export", text)),
        "a subject in a call",
    );
    texts(&|text| seen(shares_subject(text, "cat export")), "a subject");
}

#[test]
fn prompts() {
    texts(&|text| seen(drop_request(text)), "a request");
    texts(
        &|text| seen(names_claim(text, "the nightly export finished")),
        "a named claim",
    );
    texts(&|text| seen(correction(text, &[])), "a correction");
    texts(&|text| seen(release(text)), "a release");
}

#[test]
fn secrets() {
    texts(&|text| seen(redact(text)), "a text without secrets");
    for piece in [
        "token=[",
        "token=(",
        "token=a.",
        "password: ",
        "secret=\\\"",
        "token=x\u{e9}(",
        "--token --token ",
        "--token=",
        "a=b.",
        "=",
        ":",
        "-",
        "\"",
        "://a:",
        "://",
        "curl -u ",
        "-u a:",
        "Bearer ",
        "-----BEGIN ",
        "-----BEGIN PRIVATE KEY",
        "eyJ.",
        "x/",
        "aB3",
    ] {
        let command = |count: usize| format!("curl {}", piece.repeat(count));
        let read = |text: &str| seen(redact(text));
        grows_with_its_length(&format!("secrets in {piece:?}"), &command, &read, 256 * 1024);
    }
}

#[test]
fn contracts_and_wanted_paths() {
    texts(&|text| seen(contract(text)), "a contract");
    texts(&|text| seen(wanted_paths(text)), "wanted paths");
}

#[test]
fn word_lists() {
    texts(&|text| seen(list::parse(text)), "word lists");
    for piece in [
        "[[list]]\n",
        "a = 1\n",
        "a.b.c = 1\n",
        "[a]\n",
        "[a.b]\n",
        "\"\"\"",
        "'''",
        "{a=",
        "[[",
        "# a\n",
    ] {
        let read = |text: &str| seen(list::parse(text));
        grows_with_its_length(
            &format!("TOML of {piece:?}"),
            &|count| piece.repeat(count),
            &read,
            64 * 1024,
        );
    }
}
