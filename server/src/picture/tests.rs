//! Cases for pictures: books as facts in, findings and documents out.
//! How an editor shows them is the language server's.

mod kept;

use proofmark_protocol::query::SettledBy;
use proofmark_protocol::{Decision, Harness, Outcome};
use proptest::prelude::*;

use super::*;
use crate::session::{By, Fact, FactBody, ScopeFact};

fn key() -> SessionKey {
    SessionKey {
        harness: Harness::Codex,
        session: "4c252179-f94b-41a7".to_owned(),
    }
}

fn fact(at: u64, turn: u64, body: FactBody) -> Fact {
    Fact {
        at,
        agent: None,
        turn,
        anchor: None,
        key: format!("{at}:{}", body.kind()),
        body,
    }
}

fn tagged(at: u64, turn: u64, claim: &str, text: &str) -> Fact {
    let body = FactBody::ClaimTagged {
        claim: claim.to_owned(),
        text: text.to_owned(),
        reason: "no box".to_owned(),
        rewords: None,
        after_call: None,
    };
    fact(at, turn, body)
}

#[test]
fn a_scope_in_force_stands_in_the_introduction_and_goes_with_the_findings() {
    let corrected = |words: &str| ScopeFact::Corrected {
        words: words.to_owned(),
        of: None,
        class: "drift".to_owned(),
        quote: "that's `not` it".to_owned(),
    };
    let contracted = ScopeFact::Contracted {
        contract: "parser.rs only".to_owned(),
        by: By::Agent,
        turn: 1,
    };
    let released = ScopeFact::Released { by: By::Editor };
    let steps = [
        (
            corrected("a"),
            Some("The scope is locked after “that's \\`not\\` it” until"),
        ),
        (contracted, Some("The scope that was agreed: parser.rs only.")),
        (corrected("b"), Some("Every tool is stopped after")),
        (released, None),
    ];
    let mut facts = vec![tagged(1, 1, "c", "claim")];
    let at = Whereabouts {
        cwd: None,
        transcript: None,
        last_seen: None,
        document: "/d.md",
    };
    for (nth, (scope, told)) in steps.into_iter().enumerate() {
        facts.push(fact(2 + nth as u64, 1, FactBody::Scope { scope }));
        let Picture { findings, document } = picture(&Book::of(&facts), &key(), at);
        let introduction = document.lines().nth(2).unwrap();
        assert_eq!(findings.scope.is_some(), told.is_some(), "{nth}");
        assert!(
            introduction.contains(told.unwrap_or("counted from 1.")),
            "{nth}: {introduction}"
        );
        assert_eq!(
            told.is_none(),
            introduction.ends_with("counted from 1."),
            "{introduction}"
        );
        assert!(
            document
                .lines()
                .nth(4)
                .is_some_and(|row| row.starts_with("- turn 1, claim c"))
        );
    }
}

fn settled(at: u64, claim: &str, state: ClaimState) -> Fact {
    let settled_by = (state == ClaimState::Checked).then(|| SettledBy {
        call: "c".to_owned(),
        tool: "Bash".to_owned(),
        input: "ls `x`".to_owned(),
    });
    let why = (state == ClaimState::Retired).then(|| "not needed".to_owned());
    fact(
        at,
        3,
        FactBody::ClaimSettled {
            claim: claim.to_owned(),
            state,
            settled_by,
            matched: None,
            why,
        },
    )
}

fn refused(at: u64, turn: u64, subject: &str) -> [Fact; 2] {
    let decision = Decision {
        outcome: Outcome::Refuse,
        ..Decision::default()
    };
    [
        fact(
            at,
            turn,
            FactBody::Refused {
                code: "untried-claim".to_owned(),
                subject: subject.to_owned(),
            },
        ),
        fact(
            at,
            turn,
            FactBody::Answered {
                event: format!("e{at}"),
                decision,
            },
        ),
    ]
}

fn shown(facts: &[Fact]) -> Picture {
    let at = Whereabouts {
        cwd: Some("/p"),
        transcript: Some("/t.jsonl"),
        last_seen: Some(5),
        document: "/s/d.md",
    };
    picture(&Book::of(facts), &key(), at)
}

#[test]
fn open_claims_and_refused_turns_are_shown_at_their_lines() {
    let mut facts = vec![tagged(10, 1, "a", "src/x.rs:3 holds"), tagged(20, 2, "b", "it is fast")];
    facts.extend(refused(20, 2, "b"));
    facts.push(tagged(30, 3, "c", "seen"));
    facts.push(settled(40, "c", ClaimState::Checked));
    let picture = shown(&facts);
    let lines: Vec<&str> = picture.document.lines().collect();
    let items: Vec<(&str, &str)> = picture
        .findings
        .items
        .iter()
        .map(|item| (item.message.as_str(), lines[item.line as usize]))
        .collect();
    assert_eq!(
        items,
        [
            (
                "Unverified: “src/x.rs:3 holds”; reason given: “no box” (session 4c252179, turn 1).",
                "- turn 1, claim a, open: “src/x.rs:3 holds”; reason given: “no box”",
            ),
            (
                "Unverified: “it is fast”; reason given: “no box” (session 4c252179, turn 2).",
                "- turn 2, claim b, open: “it is fast”; reason given: “no box”",
            ),
            (
                "The reply was sent back once for untried-claim; it concerned “it is fast” (session 4c252179, turn 2).",
                "- turn 2, sent back once for untried-claim: “it is fast”",
            ),
        ]
    );
    assert_eq!(
        lines.last(),
        Some(&"- turn 3, claim c, checked by Bash “ls \\`x\\`”: “seen”; reason given: “no box”")
    );
    assert_eq!(picture.findings.items[0].cited.len(), 1);
}

#[test]
fn a_line_stays_while_the_session_goes_on() {
    let mut facts = vec![tagged(10, 1, "a", "one"), tagged(11, 1, "b", "two")];
    let before = shown(&facts);
    facts.push(settled(20, "a", ClaimState::Retired));
    facts.extend(refused(30, 2, "b"));
    facts.push(tagged(40, 3, "z", "three"));
    let after = shown(&facts);
    assert_eq!(before.findings.items[1].line, after.findings.items[0].line);
    let [retired] = &after.findings.retired[..] else {
        panic!("{:?}", after.findings.retired)
    };
    assert_eq!(
        (retired.line, retired.claim.as_str()),
        (before.findings.items[0].line, "a")
    );
    assert!(
        after.document.contains("claim a, retired (“not needed”): “one”"),
        "{}",
        after.document
    );
    facts.push(fact(50, 3, FactBody::ClaimReopened { claim: "a".to_owned() }));
    let reopened = shown(&facts);
    assert!(reopened.findings.retired.is_empty());
    assert_eq!(reopened.findings.items[0], before.findings.items[0]);
}

#[test]
fn only_the_newest_of_many_are_shown_and_all_are_in_the_document() {
    let mut facts: Vec<Fact> = (1..=300)
        .map(|n| tagged(n, n, &format!("c{n}"), &format!("claim {n}")))
        .collect();
    facts.extend((301..=330).flat_map(|n| refused(n, n, "c1")));
    let picture = shown(&facts);
    let of = |code: &str| {
        picture
            .findings
            .items
            .iter()
            .filter(|item| item.code == code)
            .map(|item| item.turn)
            .collect()
    };
    let (open, refused): (Vec<u64>, Vec<u64>) = (of(OPEN_CLAIM), of(REFUSED_TURN));
    assert_eq!(
        (open.len(), open[0], refused.len(), refused[0]),
        (MAX_OPEN, 101, MAX_PAST, 311)
    );
    assert_eq!(picture.document.lines().count(), 4 + 330);
}

#[test]
fn a_claim_is_shown_as_text_whatever_stands_in_it() {
    let text = "![x](http://a/b.png) <img src=x>\n# `h`\u{1b}[31m *b* \\";
    let picture = shown(&[tagged(1, 1, "a", text)]);
    assert_eq!(picture.document.lines().count(), 5);
    let line = picture.document.lines().last().unwrap();
    assert!(
        line.contains("“!\\[x\\](http://a/b.png) \\<img src=x\\> # \\`h\\` \\*b\\* \\\\”"),
        "{line}"
    );
}

proptest! {
    #[test]
    fn every_item_has_its_own_line_and_a_message_of_one_line(
        texts in prop::collection::vec(any::<String>(), 0..8),
        session in any::<String>(),
    ) {
        let facts: Vec<Fact> =
            texts.iter().zip(1..).map(|(text, n)| tagged(n, n, &format!("c{n}"), text)).collect();
        let key = SessionKey { harness: Harness::Codex, session };
        let at = Whereabouts { cwd: None, transcript: None, last_seen: None, document: "d" };
        let picture = picture(&Book::of(&facts), &key, at);
        let lines: Vec<&str> = picture.document.lines().collect();
        for item in &picture.findings.items {
            let id = item.claim.clone().unwrap_or_default();
            let line = lines[item.line as usize];
            let named = format!(", claim {}, ", id);
            prop_assert!(line.contains(&named));
            prop_assert!(!item.message.contains('\n') && item.message.chars().count() < 300);
        }
    }
}
