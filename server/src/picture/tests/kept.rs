//! Cases for kept findings in a picture: those that stand, those that are over, those that sent a turn back.
//! How an editor shows them is the language server's.

use proofmark_protocol::{Finding, FindingState};

use super::*;

fn noted(at: u64, turn: u64, id: &str, message: &str) -> Fact {
    let finding = Finding {
        id: Some(id.to_owned()),
        code: "stale-verdict".to_owned(),
        severity: Severity::Error,
        subject: format!("pytest {id}"),
        message: message.to_owned(),
        evidence: vec![Evidence {
            what: format!("passed\u{1b}[32m {}", "x".repeat(200)),
            turn: Some(1),
            id: Some("call-1".to_owned()),
            place: None,
        }],
        places: vec![Cited {
            path: "tests/a.py".to_owned(),
            line: Some(3),
        }],
        check: Some(CheckRef {
            runner: "pytest".to_owned(),
            selection: Vec::new(),
            folder: String::new(),
            command: "pytest -q".to_owned(),
        }),
        state: FindingState::Noted,
    };
    Fact {
        key: format!("noted:{id}"),
        ..fact(at, turn, FactBody::Noted { finding })
    }
}

fn ended(at: u64, id: &str, end: FindingEnd) -> Fact {
    let body = FactBody::FindingEnded {
        finding: id.to_owned(),
        end,
    };
    fact(at, 9, body)
}

fn dismissed(at: u64, id: &str, wrong: bool, why: Option<&str>) -> Fact {
    let why = why.map(str::to_owned);
    ended(at, id, FindingEnd::Dismissed { wrong, why })
}

/// The document's line of a row that names this finding, and its text.
fn line_of<'a>(picture: &'a Picture, id: &str) -> (u32, &'a str) {
    let named = format!(", finding {id}, ");
    let mut lines = (0..).zip(picture.document.lines());
    lines.find(|(_, line)| line.contains(&named)).unwrap()
}

#[test]
fn a_finding_that_stands_is_shown_with_all_that_goes_with_it() {
    let facts = [
        tagged(10, 1, "a", "it is fast"),
        noted(
            20,
            2,
            "f1",
            "Passed in turn 1, failed in turn 2, and the reply does not say so.",
        ),
        tagged(30, 3, "b", "it is small"),
    ];
    let picture = shown(&facts);
    let item = picture
        .findings
        .items
        .iter()
        .find(|item| item.id == "finding:f1")
        .unwrap();
    assert_eq!(
        item.message,
        "Passed in turn 1, failed in turn 2, and the reply does not say so (session 4c252179, turn 2)."
    );
    assert_eq!(
        (item.code.as_str(), item.severity, item.turn),
        ("stale-verdict", Severity::Error, 2)
    );
    assert_eq!((item.finding.as_deref(), item.claim.as_deref()), (Some("f1"), None));
    assert_eq!(
        (item.cited[0].path.as_str(), item.cited[0].line),
        ("tests/a.py", Some(3))
    );
    assert_eq!(
        item.check.as_ref().map(|check| check.command.as_str()),
        Some("pytest -q")
    );
    let [evidence] = &item.evidence[..] else {
        panic!("{:?}", item.evidence)
    };
    assert_eq!((evidence.turn, evidence.id.as_deref()), (Some(1), Some("call-1")));
    assert!(
        evidence.what.starts_with("passed x") && evidence.what.chars().count() == MAX_QUOTE,
        "{evidence:?}"
    );
    let row =
        "- turn 2, finding f1, stale-verdict, open: Passed in turn 1, failed in turn 2, and the reply does not say so.";
    assert_eq!(line_of(&picture, "f1"), (item.line, row));
    assert_eq!(picture.findings.transcript.as_deref(), Some("/t.jsonl"));
}

#[test]
fn one_that_is_over_leaves_the_editor_and_says_in_its_line_how_it_ended() {
    let facts = vec![noted(10, 1, "f1", "One."), noted(20, 2, "f2", "Two.")];
    let before = shown(&facts);
    for (end, expected, undo) in [
        (FindingEnd::Recovered, "over: right again", false),
        (FindingEnd::Owned, "over: a later reply said it", false),
        (
            FindingEnd::Dismissed {
                wrong: false,
                why: None,
            },
            "dismissed as right",
            true,
        ),
        (
            FindingEnd::Dismissed {
                wrong: true,
                why: Some("it [was] a dry run".to_owned()),
            },
            "dismissed as wrong (“it \\[was\\] a dry run”)",
            true,
        ),
    ] {
        let mut facts = facts.clone();
        facts.push(ended(30, "f1", end));
        let after = shown(&facts);
        let row = format!("- turn 1, finding f1, stale-verdict, {expected}: One.");
        assert_eq!(line_of(&after, "f1"), (before.findings.items[0].line, row.as_str()));
        assert_eq!(after.findings.items, [before.findings.items[1].clone()], "{expected}");
        let undone: Vec<(&str, u32)> = after
            .findings
            .dismissed
            .iter()
            .map(|one| (one.finding.as_str(), one.line))
            .collect();
        assert_eq!(
            undone == [("f1", before.findings.items[0].line)],
            undo,
            "{expected}: {undone:?}"
        );
        let reopened = FactBody::FindingReopened {
            finding: "f1".to_owned(),
        };
        facts.push(fact(40, 9, reopened));
        assert_eq!(shown(&facts), before, "{expected}");
    }
}

#[test]
fn a_turn_is_shown_as_sent_back_only_for_what_is_not_shown_alone() {
    let sent_back = |subjects: &[&str]| {
        let mut facts = vec![tagged(10, 1, "a", "it is fast"), noted(20, 2, "f1", "One.")];
        for subject in subjects {
            let mut refused = refused(21, 2, subject);
            if let FactBody::Refused { code, subject } = &mut refused[0].body
                && subject.starts_with("pytest")
            {
                "stale-verdict".clone_into(code);
            }
            facts.extend(refused);
        }
        facts.push(ended(30, "f1", FindingEnd::Recovered));
        let picture = shown(&facts);
        assert!(picture.document.contains("turn 2, sent back"), "the document keeps it");
        let turns = picture
            .findings
            .items
            .into_iter()
            .filter(|item| item.code == REFUSED_TURN);
        turns
            .map(|item| (item.subject, item.evidence.len()))
            .collect::<Vec<_>>()
    };
    assert_eq!(sent_back(&["pytest f1"]), []);
    assert_eq!(sent_back(&["pytest f1", "a"]), [("it is fast".to_owned(), 1)]);
    assert_eq!(sent_back(&["pytest other"]), [("pytest other".to_owned(), 1)]);
}

#[test]
fn of_many_the_newest_are_shown_and_all_stand_in_the_document() {
    let mut facts: Vec<Fact> = (1..=500)
        .map(|n| noted(n, n, &format!("f{n}"), "Passed, failed, and the reply is silent."))
        .collect();
    facts.extend((1..=40).map(|n| Fact {
        key: format!("d{n}"),
        ..dismissed(600 + n, &format!("f{n}"), n % 2 == 0, None)
    }));
    let picture = shown(&facts);
    let items = &picture.findings.items;
    assert_eq!((items.len(), items[0].id.as_str()), (MAX_OPEN, "finding:f301"));
    let dismissed = &picture.findings.dismissed;
    assert_eq!((dismissed.len(), dismissed[0].finding.as_str()), (MAX_PAST, "f40"));
    assert_eq!(picture.document.lines().count(), 4 + 500);
}

#[test]
fn what_goes_with_one_is_bounded() {
    let long = "x".repeat(5_000);
    let place = |path: &str| Cited {
        path: path.to_owned(),
        line: Some(1),
    };
    let mut facts = [noted(1, 1, "f1", &long), noted(2, 2, "f2", "Two.")];
    for fact in &mut facts {
        let FactBody::Noted { finding } = &mut fact.body else {
            continue;
        };
        let short = finding.message.len() < 100;
        let name = if short { "a.py" } else { &long };
        finding.places = (0..50).map(|_| place(name)).collect();
        finding.evidence[0].id = Some(name.to_owned());
        finding.evidence[0].place = Some(place(name));
        finding.evidence = vec![finding.evidence[0].clone(); 50];
        if let Some(check) = &mut finding.check {
            check.selection = vec![String::new(); if short { 1_000 } else { 2_000 }];
        }
    }
    let items = shown(&facts).findings.items;
    let counts = |item: &Item| {
        let evidence = &item.evidence[0];
        let named = (evidence.id.is_some(), evidence.place.is_some());
        (item.cited.len(), item.evidence.len(), named, item.check.is_some())
    };
    assert_eq!(counts(&items[0]), (0, MAX_PLACES, (false, false), false));
    assert_eq!(counts(&items[1]), (MAX_PLACES, MAX_PLACES, (true, true), true));
    assert!(items[0].message.chars().count() < MAX_MESSAGE + 50);
}

proptest! {
    #[test]
    fn whatever_a_check_says_stays_on_its_line(
        messages in prop::collection::vec(any::<String>(), 0..8),
        why in any::<String>(),
        agent in prop::option::of(any::<String>()),
    ) {
        let mut facts: Vec<Fact> =
            messages.iter().zip(1..).map(|(message, n)| noted(n, n, &format!("f{n}"), message)).collect();
        for fact in &mut facts {
            fact.agent.clone_from(&agent);
        }
        facts.push(dismissed(99, "f1", true, Some(&why)));
        let picture = shown(&facts);
        prop_assert_eq!(picture.document.lines().count(), 4 + messages.len());
        prop_assert_eq!(picture.findings.items.len(), messages.len().saturating_sub(1));
        for item in &picture.findings.items {
            let named = format!(", finding {}, stale-verdict, open: ", item.finding.clone().unwrap_or_default());
            let line = picture.document.lines().nth(item.line as usize).unwrap_or_default();
            prop_assert!(line.contains(&named), "{}", line);
            prop_assert!(!item.message.chars().any(char::is_control) && item.message.chars().count() < 400);
        }
    }
}
