//! Cases and properties of what a reply says of checks: the tables in `fixtures/text`, hostile text, its length.
//! What the readings are used for stays out.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;

/// The lines of a table, each cut at its tabs, with its line ends written out.
fn table(name: &str) -> Vec<Vec<String>> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../fixtures/text")
        .join(name);
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines
        .map(|line| line.split('\t').map(|cell| cell.replace("\\n", "\n")).collect())
        .collect()
}

/// A claim as the table writes it, without its names.
fn written(claim: &PassClaim) -> String {
    let mut text = match claim.about {
        About::Tests => "tests",
        About::Build => "build",
        About::Lint => "lint",
        About::Everything => "everything",
    }
    .to_owned();
    if claim.all {
        text.push_str(" all");
    }
    for (name, number) in [("passed", claim.passed), ("failed", claim.failed)] {
        if let Some(number) = number {
            write!(text, " {name}={number}").unwrap();
        }
    }
    text
}

fn fits(claim: &PassClaim, expected: &str) -> bool {
    let (rest, names) = expected.split_once(" names=").unwrap_or((expected, ""));
    let named = names
        .split(',')
        .all(|name| name.is_empty() || claim.names.iter().any(|known| known == name));
    written(claim) == rest && named
}

#[test]
fn the_claims_of_the_table_are_found_and_no_others() {
    let cases = table("pass-claims.tsv");
    assert!(cases.len() >= 300, "the cases are all there");
    let mut misses = String::new();
    for case in &cases {
        let [text, expected] = case.as_slice() else {
            panic!("a line of two cells: {case:?}");
        };
        let found = pass_claims(text);
        let expected: Vec<&str> = expected.split("; ").filter(|claim| *claim != "-").collect();
        if found.len() != expected.len()
            || !found
                .iter()
                .zip(&expected)
                .all(|(claim, expected)| fits(claim, expected))
        {
            let found: Vec<String> = found
                .iter()
                .map(|claim| format!("{} {:?}", written(claim), claim.names))
                .collect();
            writeln!(misses, "{text:?}\n  expected {expected:?}\n  found    {found:?}").unwrap();
        }
    }
    assert!(misses.is_empty(), "{misses}");
}

#[test]
fn what_the_table_says_is_owned_is_owned() {
    let cases = table("owned-failures.tsv");
    assert!(cases.len() >= 145, "the cases are all there");
    let mut misses = String::new();
    for case in &cases {
        let [names, text, expected] = case.as_slice() else {
            panic!("a line of three cells: {case:?}");
        };
        let names: Vec<String> = names
            .split(',')
            .filter(|name| *name != "-")
            .map(str::to_owned)
            .collect();
        assert!(matches!(expected.as_str(), "owned" | "silent"), "{expected}");
        if owns_failure(text, &names) != (expected == "owned") {
            writeln!(
                misses,
                "{names:?} {text:?} is {expected}; read: {:?}",
                owns::owning(text, &names)
            )
            .unwrap();
        }
    }
    assert!(misses.is_empty(), "{misses}");
}

#[test]
fn a_claim_shows_the_sentence_without_markdown() {
    let found = pass_claims("Done.\n\n- **`cargo test -p core`**: all *42* tests\n  pass. Next is the page.");
    assert_eq!(found[0].sentence, "cargo test -p core: all 42 tests pass.");
}

#[test]
fn a_run_has_the_names_that_prose_uses() {
    for (runner, selection, command, expected, unexpected) in [
        (
            "cargo-test",
            "-p=core",
            "cargo test -p core",
            "cargo-test|cargo test|tests|test suite|core",
            "cargo|run",
        ),
        (
            "cargo-clippy",
            "",
            "cargo clippy --all-targets",
            "clippy|lint|cargo clippy",
            "tests",
        ),
        (
            "pytest",
            "tests/core/test_a.py::TestX::test_b[1]",
            "cd x && python -m pytest tests/core/test_a.py::TestX::test_b[1] | tail",
            "pytest|tests|tests/core/test_a.py|test_a.py|test_a|core|testx|test_b[1]|test_b",
            "tail|python|cd",
        ),
        (
            "npm-script",
            "test:unit",
            "npm run test:unit -- --watch=false",
            "npm run test:unit|test:unit|unit|test",
            "npm|run",
        ),
        (
            "script",
            "tools/check_links.py",
            "python3 tools/check_links.py --all",
            "check_links.py|check_links|tools",
            "script|python3",
        ),
        (
            "go-test",
            "./internal/net",
            "go test ./internal/net",
            "go test|net|internal",
            "go",
        ),
        ("tsc", "", "npx tsc --noEmit", "tsc|typecheck|type check", "npx"),
        (
            "vitest",
            "@acme/web",
            "pnpm --filter @acme/web vitest run",
            "vitest|tests|@acme/web|web",
            "pnpm",
        ),
    ] {
        let selection: Vec<String> = selection
            .split(' ')
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect();
        let names = check_names(runner, &selection, command);
        let has = |name: &str| names.iter().any(|known| known == name);
        assert!(expected.split('|').all(has), "{expected} of {names:?}");
        assert!(!unexpected.split('|').any(has), "{unexpected} not of {names:?}");
    }
}

#[test]
fn a_run_has_few_names_however_long_its_command() {
    let files: Vec<String> = (0..10_000).map(|nth| format!("tests/test_{nth}.py")).collect();
    assert!(check_names("pytest", &files, &files.join(" ")).len() <= 64);
}

/// Text of which every reading step is made: quotes, marks, stops, words, code.
fn noise() -> impl Strategy<Value = String> {
    let parts = vec![
        "all tests pass",
        "fails",
        " ",
        "\n",
        "\n\n",
        ", ",
        "; ",
        ": ",
        "— ",
        "- ",
        "> ",
        "# ",
        "| ",
        "|---|\n",
        "`cargo test`",
        "`",
        "```\n",
        "\"",
        "'",
        "‘",
        "’",
        "“",
        "**",
        "~~",
        "{{UNVERIFIED: ",
        "}}",
        "42 passed",
        "1,000",
        "41/42",
        "✅",
        "❌",
        "(",
        ")",
        "lint",
        "and",
        "if",
        "not",
        "é",
        "夜",
        "\u{f0000}",
        "\r",
        ".",
        "?",
        "- [ ] ",
        "[a](b)",
        "<b>",
        "no failures",
        "1.",
    ];
    prop::collection::vec(prop::sample::select(parts), 0..60).prop_map(|parts| parts.concat())
}

/// How much there is to do for a text: every step looks at a sentence's tokens, and at most at all of them for each.
fn work(text: &str) -> usize {
    let blocks = blocks::blocks(text);
    let sentences = blocks.iter().flat_map(|block| {
        assert!(block.headings.len() <= 6, "a block looks at its own headings alone");
        [tokens::sentences(block, true), tokens::sentences(block, false)]
    });
    let sentences = sentences.inspect(|sentences| {
        for sentence in sentences {
            assert!(sentence.text.len() <= 8_000, "a sentence has an end");
            assert!(
                sentence.tokens.iter().all(|token| token.text.len() <= 512),
                "a word has an end"
            );
        }
    });
    sentences
        .flatten()
        .map(|sentence| 1 + sentence.tokens.len().pow(2))
        .sum::<usize>()
        + blocks.len()
}

#[test]
fn work_grows_with_the_length_of_a_text() {
    for part in [
        "all tests pass, ",
        "all tests pass and ",
        "all ",
        "1,000 ",
        "`cargo test` ",
        "`",
        "\"all ",
        "'all ",
        "‘all ",
        "(",
        "- a\n",
        "- a:\n  - b\n",
        "# a\n",
        "> a\n",
        "| a ",
        "| a |\n|---|\n",
        "✅",
        "❌ tests; ",
        "*a ",
        "[a",
        "{{UNVERIFIED: ",
        "a\n",
        "a.b",
        "a:",
        "é",
        "夜",
        "if not fail ",
        "`a",
        "a b-c",
        "~~a ",
        "<b>",
    ] {
        let (half, whole) = (work(&part.repeat(2_000)), work(&part.repeat(4_000)));
        assert!(
            whole <= 2 * half + half / 10 + 600 * 600,
            "{part:?}: {half} and {whole}"
        );
    }
}

#[test]
fn a_word_with_nothing_in_it_is_still_the_word() {
    for nothing in super::tokens::WITHIN_WORDS {
        let text = format!("All tests pa{nothing}ss.");
        assert_eq!(pass_claims(&text).len(), 1, "{text:?}");
    }
}

proptest! {
    #[test]
    fn no_block_is_passed_over_in_which_something_is_said(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "pa", "ss", "pass", "Clean", "error", "-free", "type-checks", "ok", "OK", "verified", "0 ", "no ", "*", "**", "_", "/",
                " ", ". ", "\n", "\n\n", "- ", "`", "\"", "'", "\u{200b}", "✅", "é", "K", "successfully", "regressions", ",",
            ]),
            0..24,
        ),
    ) {
        let text = parts.concat();
        for block in super::blocks::blocks(&text) {
            for sentence in super::tokens::sentences(&block, true) {
                let says = sentence.tokens.iter().any(|token| super::state::may_say(token) || token.is(super::lexicon::VERIFIES));
                prop_assert!(!says || super::state::may_be_said_in(&block.text), "{:?} in {:?}", sentence.text, text);
            }
        }
    }

    #[test]
    fn no_text_panics(text in any::<String>(), name in any::<String>()) {
        pass_claims(&text);
        owns_failure(&text, std::slice::from_ref(&name));
        check_names(&name, std::slice::from_ref(&text), &text);
    }

    #[test]
    fn no_noise_panics(text in noise(), command in noise()) {
        pass_claims(&text);
        owns_failure(&text, &["cargo test".to_owned(), String::new()]);
        check_names("cargo-test", std::slice::from_ref(&text), &command);
    }

    #[test]
    fn what_stands_in_a_fence_changes_nothing(before in "[a-z .]{0,40}", shown in "[^`~]{0,80}", behind in prop::sample::select(vec![
        "All tests pass.", "Two tests fail.", "It passes.", "",
    ])) {
        let with = |shown: &str| format!("{before}\n\n~~~~\n{shown}\n~~~~\n\n{behind}\n");
        prop_assert_eq!(pass_claims(&with(&shown)), pass_claims(&with("")));
        prop_assert_eq!(owns_failure(&with(&shown), &[]), owns_failure(&with(""), &[]));
    }
}
