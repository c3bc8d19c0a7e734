//! Which prompts are corrections and which are not: the cases as data, and what holds for any prompt.
//! How words are cut and patterns followed is tested where it is done.

use proptest::prelude::*;
use serde::Deserialize;

use super::*;
use crate::text::words::fixture_in;

#[derive(Deserialize)]
struct Group {
    why: String,
    class: Option<String>,
    prompts: Vec<String>,
}

#[test]
fn the_cases_hold() {
    let groups: Vec<Group> = serde_json::from_str(&fixture_in("text", "corrections.json")).unwrap();
    let mut wrong = Vec::new();
    let mut cases = 0;
    for Group { why, class, prompts } in groups {
        for prompt in prompts {
            cases += 1;
            let found = correction(&prompt, &[]);
            if found.as_ref().map(|found| found.class) != class.as_deref() {
                wrong.push(format!("{why}: {prompt:?} gives {found:?}"));
            }
        }
    }
    assert!(cases >= 160, "the cases are all there");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Every list that a pattern names exists: one that does not would never match.
#[test]
fn the_phrase_set_names_no_missing_list() {
    let lines = english::SETS
        .iter()
        .flat_map(|set| set.patterns)
        .chain(english::EXPANSIONS);
    for line in lines {
        for name in line.split(' ').filter_map(|token| token.strip_prefix('@')) {
            assert!(!english::list(name).is_empty(), "{name} in {line:?}");
        }
        assert!(!line.contains("  "), "{line:?}");
    }
}

#[test]
fn the_quote_is_short_and_says_it() {
    for (prompt, quote) in [
        ("Hm. What are you doing? I wanted the parser", "What are you doing"),
        (
            "why did you touch `src/a.rs`, it was fine",
            "why did you touch …, it was fine",
        ),
        ("no, I didn’t ask\nfor that", "I didn’t ask for that"),
    ] {
        assert_eq!(correction(prompt, &[]).unwrap().quote, quote);
    }
    let long = format!("why did you touch {}", "it ".repeat(50));
    assert!(correction(&long, &[]).unwrap().quote.chars().count() <= QUOTED);
}

#[test]
fn phrases_of_the_settings_count_in_any_script() {
    let more = [Phrases {
        corrections: [
            "das war nicht der auftrag",
            "それは頼んでいない",
            "это не то",
            "c'est hors sujet",
            "  ",
        ]
        .map(str::to_owned)
        .into(),
        expansions: ["nimm auch", "also cover", "も追加して"].map(str::to_owned).into(),
    }];
    for (prompt, counts) in [
        ("Das war NICHT der\nAuftrag!", true),
        ("ええと、それは頼んでいないよ", true),
        ("Нет, это не то, что я просил", true),
        ("это не тоже", false),
        ("C’est hors sujet", true),
        ("„das war nicht der auftrag“ steht da", false),
        ("> das war nicht der auftrag", false),
        ("```\nそれは頼んでいない\n```", false),
        ("das war nicht der auftrag, nimm auch die Doku", false),
        ("それは頼んでいない。テストも追加して", false),
        ("das war nicht der auftrag. don't also cover it", true),
        ("alles gut", false),
    ] {
        assert_eq!(correction(prompt, &more).is_some(), counts, "{prompt:?}");
    }
    let shipped = correction("what are you doing? das war nicht der auftrag", &more).unwrap();
    assert_eq!(shipped.quote, "what are you doing", "the shipped phrases come first");
}

const SAID: &[&str] = &[
    "that's not what I asked",
    "what are you doing",
    "why did you touch the loader",
    "don't touch the tests",
];

proptest! {
    #[test]
    fn no_prompt_panics(prompt in any::<String>(), phrase in any::<String>()) {
        let more = [Phrases { corrections: vec![phrase.clone()], expansions: vec![phrase] }];
        correction(&prompt, &more);
    }

    #[test]
    fn no_prompt_of_words_and_marks_panics(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "what", " are", " you", " doing", "why did you", " touch", " only", "\"", "'", "’", "“", "”", "«", "`", "```\n", "\n",
                "\n\n", "> ", ", ", "? ", "..", " and ", "<", "<x>", "</x>", "<system-reminder>", "é", "\u{130}", "ß", "$ ", "+a", ":",
            ]),
            0..200,
        ),
    ) {
        let prompt = parts.concat();
        if let Some(found) = correction(&prompt, &[]) {
            prop_assert!(found.quote.chars().count() <= QUOTED);
        }
    }

    #[test]
    fn what_is_quoted_or_shown_is_no_correction(said in prop::sample::select(SAID), lead in "[a-z ]{0,30}", filler in 0_usize..60) {
        prop_assert!(correction(said, &[]).is_some());
        let filler = "word ".repeat(filler);
        for shown in [
            format!("\"{said}\""), format!("“{said}”"), format!("«{said}»"), format!("‘{said}’"), format!("`{said}`"),
            format!("\n\n> {said}\n\n"), format!("\n```\n{said}\n```\n"), format!("\n\n<log>\n{said}\n</log>\n\n"),
            format!("\n\n$ run\n{said}\n\n"), format!("<system-reminder>{said}</system-reminder>"),
        ] {
            let prompt = format!("the text {filler}{shown} {filler}");
            prop_assert_eq!(correction(&prompt, &[]), None, "{} {}", prompt, lead);
        }
    }
}
