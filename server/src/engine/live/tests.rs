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
