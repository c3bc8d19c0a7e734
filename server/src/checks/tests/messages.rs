//! What an editor shows of each check, whatever an agent has written: a fact first, short, and nothing hidden.
//! Which records lead to a finding is tested with each check.

use super::*;
use crate::checks::plain_words::late;
use crate::picture::{Picture, REFUSED_TURN, Whereabouts, picture};
use crate::text::Quoted;

/// The longest part of a message before its first stop, in characters.
const FIRST: usize = 100;
/// The longest quote in a message, in characters.
const QUOTE: usize = 80;
/// How a request to a reader would begin.
const REQUESTS: [&str; 18] = [
    "ask", "check", "correct", "delete", "dismiss", "do", "ensure", "fix", "ignore", "look", "open", "please",
    "retire", "rerun", "run", "say", "try", "verify",
];
/// A name that is too long, and would draw over what stands before it.
const HOSTILE: &str = "very/long\u{202e}\u{200b}\u{1b}[2K\u{7}/a\u{200d}name/of/a/folder/that/goes/on/and/on/and/on/and/on/and/on/for/ever/test_x.py";

fn played(lines: &[&str]) -> Play {
    let mut play = Play::new();
    for (number, line) in lines.iter().enumerate() {
        play.line(&line.replace("HOSTILE", HOSTILE), number);
    }
    play
}

fn shown(play: &Play) -> Picture {
    let at = Whereabouts {
        cwd: Some("/p"),
        transcript: None,
        last_seen: None,
        document: "/d.md",
    };
    let key = SessionKey {
        session: "7f3a\u{202e}0000-0000-4000-8000-000000000000".to_owned(),
        ..play.key.clone()
    };
    picture(&play.book, &key, at)
}

/// The message with each quote as its length, and those lengths.
fn without_quotes(message: &str) -> (String, Vec<usize>) {
    let (mut plain, mut lengths) = (String::new(), Vec::new());
    let mut rest = message;
    while let Some(begin) = rest.find(['“', '`']) {
        let (before, quoted) = rest.split_at(begin);
        let (mark, end) = if quoted.starts_with('“') {
            ('“', '”')
        } else {
            ('`', '`')
        };
        let inner = &quoted[mark.len_utf8()..];
        let Some((inner, behind)) = inner.split_once(end) else {
            panic!("a quote without an end: {message}")
        };
        lengths.push(inner.chars().count());
        plain += before;
        plain += &"q".repeat(inner.chars().count() + 2);
        rest = behind;
    }
    plain += rest;
    (plain, lengths)
}

fn is_sound(message: &str) {
    let (plain, quotes) = without_quotes(message);
    let first = plain.split(['.', ';']).next().unwrap_or_default();
    assert!(
        first.chars().count() <= FIRST,
        "{} characters: {message}",
        first.chars().count()
    );
    assert!(quotes.iter().all(|quote| *quote <= QUOTE), "{quotes:?}: {message}");
    for sentence in plain.split(['.', ';', ':', ',']) {
        let word = sentence.split_whitespace().next().unwrap_or_default().to_lowercase();
        assert!(
            !REQUESTS.contains(&word.as_str()),
            "asks for something ({word}): {message}"
        );
    }
    let hidden = |c: char| {
        c.is_control() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}')
    };
    assert!(!message.contains(hidden), "{message:?}");
    assert!(message.contains("(session 7f3a0000, turn "), "{message}");
}

#[test]
fn every_message_is_a_fact_that_is_read_at_a_glance() {
    let cases: &[(&str, &[&str])] = &[
        (
            "stale-verdict",
            &[
                "> go",
                "$ pytest HOSTILE ==> 0 9 passed in 1s",
                "< All tests of HOSTILE pass.",
                "> more",
                "+ a.py",
                "$ pytest HOSTILE ==> 1 FAILED HOSTILE::test_x - HOSTILE\\n7 failed, 2 passed in 1s",
                "< Done.",
            ],
        ),
        (
            "stale-verdict",
            &[
                "> go",
                "$ pytest ==> 0 9 passed in 1s",
                "+ a.py",
                "$ pytest HOSTILE ==> 1 FAILED HOSTILE::test_x - boom\\n1 failed, 2 passed in 1s",
                "< Done.",
            ],
        ),
        (
            "claimed-pass",
            &[
                "> go",
                "$ pytest HOSTILE ==> 1 FAILED HOSTILE::x - HOSTILE\\n3 failed, 9 passed in 1s",
                "< All tests pass.",
            ],
        ),
        (
            "claimed-pass",
            &[
                "> go",
                "$ cargo test ==> 0 test result: ok. 2 passed; 0 failed; 0 ignored",
                "+ src/HOSTILE.rs",
                "< All tests pass.",
            ],
        ),
        (
            "claimed-pass",
            &[
                "> go",
                "+ a.py",
                "$ pytest -k HOSTILE ==> 5 no tests ran in 0.01s",
                "< All tests pass.",
            ],
        ),
        (
            "claimed-pass",
            &[
                "> go",
                "+ a.py",
                "$ pytest HOSTILE > /dev/null 2>&1 || true ==> 0",
                "< All tests pass.",
            ],
        ),
        (
            "claimed-pass",
            &[
                "> go",
                "+ a.py",
                "$ pytest ==> 0 40 passed in 1s",
                "< All 42 tests pass.",
            ],
        ),
        (
            "claimed-pass",
            &["> go", "+ a.py", "$ ls ==> 0 a.py", "< Added it. All tests pass."],
        ),
        (
            "untried-claim",
            &[
                "> go",
                "< {{CAT-UNVERIFIED: HOSTILE holds. Run it -- cannot verify: HOSTILE}}",
            ],
        ),
        (
            REFUSED_TURN,
            &[
                "> go",
                "< {{CAT-UNVERIFIED: HOSTILE holds. Run it -- cannot verify: HOSTILE}}",
            ],
        ),
    ];
    let mut silent = Vec::new();
    for (code, lines) in cases {
        let items = shown(&played(lines)).findings.items;
        items.iter().for_each(|item| is_sound(&item.message));
        if !items.iter().any(|item| item.code == *code) {
            silent.push((code, lines));
        }
    }
    assert!(silent.is_empty(), "these come to nothing: {silent:#?}");
}

#[test]
fn a_message_about_the_scope_is_a_fact_too() {
    let mut play = Play::agreed(&format!(
        "only src/retry; nothing else. Run\u{202e} {}",
        "on and ".repeat(40)
    ));
    play.prompt("go on");
    play.edit(HOSTILE, Ending::Succeeded);
    play.stop("Done.");
    let items = shown(&play).findings.items;
    assert_eq!(items.len(), 1);
    is_sound(&items[0].message);
}

#[test]
fn a_message_of_the_judge_is_a_fact_too() {
    for list in [None, Some(HOSTILE)] {
        let mut play = Play::new();
        play.prompt("go");
        let found = Quoted {
            text: HOSTILE.repeat(3),
            words: "words".to_owned(),
        };
        let finding = late(&play.key, &found, list);
        play.commit(Outcomes {
            decision: Decision::allow(),
            facts: vec![(None, FactBody::Noted { finding })],
        });
        let items = shown(&play).findings.items;
        assert_eq!(items.len(), 1, "{list:?}");
        is_sound(&items[0].message);
    }
}

#[test]
fn every_check_that_keeps_findings_is_looked_at_here() {
    // One that comes to keep some has its messages held above.
    let known = [
        "stale-verdict",
        "claimed-pass",
        "scope-drift",
        "plain-words",
        "untried-claim",
    ];
    let silent = ["scope-lock", "unproven-claim", "malformed-tag", "reply-length"];
    for check in REGISTRY {
        assert!(
            known.contains(&check.code()) || silent.contains(&check.code()),
            "{}",
            check.code()
        );
    }
}
