//! What a watcher holds is bounded, and what it shows is not changed by that.
//! What subscribers get to see is tested with the registry.

use proofmark_protocol::Harness;

use super::*;
use crate::ledger::{Durability, Removal};
use crate::session::{Fact, FactBody};

fn key(session: &str) -> SessionKey {
    SessionKey {
        harness: Harness::ClaudeCode,
        session: session.to_owned(),
    }
}

fn tag(engine: &Engine, session: &str, claim: &str) {
    let fact = Fact {
        at: now(),
        agent: None,
        turn: 1,
        anchor: None,
        key: claim.to_owned(),
        body: FactBody::ClaimTagged {
            claim: claim.to_owned(),
            text: format!("it holds that {claim}"),
            reason: "no box".to_owned(),
            rewords: None,
            after_call: None,
        },
    };
    let ledger = engine.ledger();
    ledger.touch(&key(session), None, Some("/w"), now()).unwrap();
    ledger.append(&key(session), &[fact], Durability::Process).unwrap();
}

fn shown(changed: FindingsChanged) -> Vec<(String, usize)> {
    let sessions = changed.sessions.into_iter();
    sessions.map(|session| (session.session, session.items.len())).collect()
}

#[tokio::test]
async fn of_many_sessions_a_few_books_are_held_and_what_changes_is_shown_whole() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Arc::new(Engine::open(folder.path()).unwrap());
    let count = 2 * MAX_BOOKS;
    for nth in 0..count {
        tag(&engine, &format!("s{nth}"), "a");
    }
    let mut watch = engine.watch();
    assert_eq!(shown(watch.next().await.unwrap()).len(), count);
    assert!(watch.tail.as_ref().unwrap().books.len() <= MAX_BOOKS + 1);
    tag(&engine, "s0", "b");
    assert_eq!(shown(watch.next().await.unwrap()), [("s0".to_owned(), 2)]);
}

#[tokio::test]
async fn a_session_that_is_removed_from_the_ledger_is_shown_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Arc::new(Engine::open(folder.path()).unwrap());
    tag(&engine, "s", "a");
    tag(&engine, "t", "b");
    let mut watch = engine.watch();
    assert_eq!(shown(watch.next().await.unwrap()).len(), 2);
    let removed = engine.ledger().remove_some(&key("s"), u64::MAX).unwrap();
    assert_eq!(removed, Removal::Done);
    watch.tail.as_mut().unwrap().look_over = Instant::now();
    assert_eq!(shown(watch.next().await.unwrap()), [("s".to_owned(), 0)]);
    assert_eq!(watch.tail.as_ref().unwrap().shown.len(), 1);
}
