//! Facts in an order in which processes that do not see each other write them.
//! What the checks make of a book is tested with them.

use proofmark_protocol::query::ClaimState;
use proofmark_protocol::{Finding, FindingState, Severity};

use super::*;

fn fact(nth: u64, body: FactBody) -> Fact {
    Fact {
        at: nth,
        agent: None,
        turn: 1,
        anchor: None,
        key: format!("{nth}"),
        body,
    }
}

fn settled(state: ClaimState) -> FactBody {
    FactBody::ClaimSettled {
        claim: "c".to_owned(),
        state,
        settled_by: None,
        matched: None,
        why: None,
    }
}

fn tagged() -> FactBody {
    FactBody::ClaimTagged {
        claim: "c".to_owned(),
        text: "it works".to_owned(),
        reason: "no box".to_owned(),
        rewords: None,
        after_call: None,
    }
}

#[test]
fn a_stop_decided_meanwhile_does_not_take_back_that_the_person_retired_a_claim() {
    let state = |bodies: &[FactBody]| {
        let facts: Vec<Fact> = bodies
            .iter()
            .zip(1..)
            .map(|(body, nth)| fact(nth, body.clone()))
            .collect();
        Book::of(&facts).claim("c").unwrap().state
    };
    let retired = settled(ClaimState::Retired);
    for late in [ClaimState::Checked, ClaimState::Dropped] {
        assert_eq!(state(&[tagged(), retired.clone(), settled(late)]), ClaimState::Retired);
        assert_eq!(state(&[tagged(), settled(late), retired.clone()]), ClaimState::Retired);
    }
    let reopened = FactBody::ClaimReopened { claim: "c".to_owned() };
    let again = [tagged(), retired.clone(), reopened, settled(ClaimState::Checked)];
    assert_eq!(state(&again), ClaimState::Checked, "the person took it back");
    let again = [tagged(), retired, tagged(), settled(ClaimState::Checked)];
    assert_eq!(state(&again), ClaimState::Checked, "the agent claimed it anew");
}

#[test]
fn a_check_that_is_right_again_meanwhile_does_not_take_back_that_the_person_dismissed_a_finding() {
    let noted = FactBody::Noted {
        finding: Finding {
            id: Some("f".to_owned()),
            code: "stale-verdict".to_owned(),
            severity: Severity::Error,
            subject: "pytest".to_owned(),
            message: "It failed.".to_owned(),
            evidence: Vec::new(),
            places: Vec::new(),
            check: None,
            state: FindingState::Noted,
        },
    };
    let ended = |end: &FindingEnd| FactBody::FindingEnded {
        finding: "f".to_owned(),
        end: end.clone(),
    };
    let dismissed = FindingEnd::Dismissed { wrong: true, why: None };
    let end = |ends: [&FindingEnd; 2]| {
        let facts = [fact(1, noted.clone()), fact(2, ended(ends[0])), fact(3, ended(ends[1]))];
        Book::of(&facts).noted()[0].end.clone()
    };
    assert_eq!(end([&dismissed, &FindingEnd::Recovered]), Some(dismissed.clone()));
    assert_eq!(end([&FindingEnd::Recovered, &dismissed]), Some(dismissed.clone()));
    assert_eq!(
        end([&FindingEnd::Owned, &FindingEnd::Recovered]),
        Some(FindingEnd::Recovered)
    );
}
