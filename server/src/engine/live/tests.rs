//! What a session as this process knows it keeps, when the ledger under it is replaced.
//! What a record shows is tested with its reader.

use super::*;
use crate::ledger::Durability;

fn fact(key: &str, claim: &str) -> Fact {
    Fact {
        at: 1,
        agent: None,
        turn: 1,
        anchor: None,
        key: key.to_owned(),
        body: FactBody::ClaimTagged {
            claim: claim.to_owned(),
            text: claim.to_owned(),
            reason: "no box".to_owned(),
            rewords: None,
            after_call: None,
        },
    }
}

#[test]
fn a_new_ledger_is_read_from_its_beginning_whatever_was_read_of_the_old_one() {
    let key = SessionKey {
        harness: Harness::ClaudeCode,
        session: "s".to_owned(),
    };
    let (old, new) = (Ledger::in_memory().unwrap(), Ledger::in_memory().unwrap());
    let many: Vec<Fact> = (0..9).map(|n| fact(&n.to_string(), &n.to_string())).collect();
    old.append(&key, &many, Durability::Process).unwrap();
    let mut live = Live::default();
    live.refresh(&old, &key, 1).unwrap();
    live.on_ledger(1);
    let own = [fact("own", "own")];
    let ids = new.append(&key, &own, Durability::Process).unwrap();
    live.take(own.iter().zip(ids));
    let others = [fact("others", "others")];
    new.append(&key, &others, Durability::Process).unwrap();
    live.refresh(&new, &key, 2).unwrap();
    assert_eq!(
        live.book.claims().len(),
        11,
        "nine of the old, one of its own, one of another process"
    );
}

#[test]
fn a_fold_of_an_earlier_build_is_not_gone_on_with() {
    let key = SessionKey {
        harness: Harness::ClaudeCode,
        session: "s".to_owned(),
    };
    let ledger = Ledger::in_memory().unwrap();
    let path = Path::new("/t.jsonl");
    let spec = harness::spec(Harness::ClaudeCode).unwrap();
    let mut body = serde_json::to_value(Following::new(path.to_owned(), spec)).unwrap();
    ledger.put_snapshot(&key, MAIN, &body.to_string(), 1).unwrap();
    assert!(stored(&ledger, &key, MAIN, path).is_some());
    // As version 9 had it: every prompt's row, in the fold itself.
    body["fold_version"] = 9.into();
    let stream = body["stream"].as_object_mut().unwrap();
    stream.remove("lineage");
    stream.insert("prompts".to_owned(), serde_json::json!(["p1", "p2"]));
    ledger.put_snapshot(&key, MAIN, &body.to_string(), 2).unwrap();
    assert!(stored(&ledger, &key, MAIN, path).is_none());
}

#[test]
fn answers_are_remembered_as_long_as_the_book_has_them() {
    let key = SessionKey {
        harness: Harness::ClaudeCode,
        session: "s".to_owned(),
    };
    let ledger = Ledger::in_memory().unwrap();
    let mut live = Live::default();
    live.refresh(&ledger, &key, 1).unwrap();
    for nth in 0..3 * MAX_ANSWERED {
        let event = nth.to_string();
        let body = FactBody::Answered {
            event: event.clone(),
            decision: proofmark_protocol::Decision::allow(),
        };
        let answered = Fact {
            body,
            ..fact(&event, "c")
        };
        live.take([(&answered, None)]);
        assert!(live.answer_before(&event, u64::MAX).is_none(), "this process gave it");
    }
    assert!(live.answered.len() <= MAX_ANSWERED);
}
