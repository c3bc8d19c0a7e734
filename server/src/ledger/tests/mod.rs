//! Cases for the ledger as its callers see it.
//! What needs a running server stays out.

mod facts;
mod files;
mod killed;
mod published;
mod schema;
mod sessions;

use proofmark_protocol::Harness;
use tempfile::TempDir;

use super::{Durability, Ledger};
use crate::session::{Fact, FactBody, SessionKey};

fn session(name: &str) -> SessionKey {
    SessionKey {
        harness: Harness::ClaudeCode,
        session: name.to_owned(),
    }
}

fn said(key: &str) -> Fact {
    let body = FactBody::Said {
        what: format!("what {key} says"),
    };
    Fact {
        at: 1_700_000_000_000,
        agent: None,
        turn: 1,
        anchor: None,
        key: key.to_owned(),
        body,
    }
}

fn append(ledger: &Ledger, session: &SessionKey, keys: &[&str]) -> Vec<Option<i64>> {
    let facts: Vec<_> = keys.iter().copied().map(said).collect();
    ledger.append(session, &facts, Durability::Process).unwrap()
}

fn keys(ledger: &Ledger, session: &SessionKey) -> Vec<String> {
    ledger
        .facts(session, 0)
        .unwrap()
        .facts
        .into_iter()
        .map(|stored| stored.fact.key)
        .collect()
}

/// The ledger of a folder that must have nothing to tell.
fn open(folder: &TempDir) -> Ledger {
    let opened = Ledger::open(folder.path()).unwrap();
    assert_eq!(opened.notes, Vec::<String>::new());
    opened.ledger
}
