//! What is kept about a session beside its facts.
//! Facts stay out.

use proofmark_protocol::Harness;
use proofmark_protocol::query::Pause;

use super::{append, session};
use crate::ledger::{Ledger, Told};

#[test]
fn a_session_keeps_what_is_not_told_again() {
    let ledger = Ledger::in_memory().unwrap();
    ledger.touch(&session("old"), None, None, 50).unwrap();
    ledger.touch(&session("s"), Some("/t"), None, 100).unwrap();
    ledger.touch(&session("s"), None, Some("/w"), 300).unwrap();
    ledger.touch(&session("s"), Some("/t2"), None, 200).unwrap();
    let sql = "INSERT INTO session (harness, session, first_seen, last_seen) VALUES ('of-a-later-build', 's', 1, 900)";
    ledger.write(|transaction| transaction.execute(sql, [])).unwrap();
    let rows = ledger.sessions().unwrap();
    assert_eq!(
        rows.iter().map(|row| row.key.session.as_str()).collect::<Vec<_>>(),
        ["s", "old"]
    );
    let row = &rows[0];
    assert_eq!((row.first_seen, row.last_seen), (100, 300));
    assert_eq!(
        (row.transcript.as_deref(), row.cwd.as_deref()),
        (Some("/t2"), Some("/w"))
    );
}

#[test]
fn a_session_that_is_heard_of_again_keeps_what_was_told_since_and_one_that_was_removed_comes_back() {
    let ledger = Ledger::in_memory().unwrap();
    ledger.touch(&session("s"), Some("/new"), Some("/w"), 100).unwrap();
    let told = |at| Told {
        transcript: Some("/old"),
        cwd: Some("/old"),
        at,
    };
    ledger
        .touch_again([
            (&session("s"), told(300)),
            (&session("gone"), told(200)),
            (&session("s"), told(50)),
        ])
        .unwrap();
    let row = |name| ledger.session(&session(name)).unwrap().unwrap();
    let (kept, back) = (row("s"), row("gone"));
    assert_eq!((kept.first_seen, kept.last_seen), (100, 300));
    assert_eq!(
        (kept.transcript.as_deref(), kept.cwd.as_deref()),
        (Some("/new"), Some("/w"))
    );
    assert_eq!((back.first_seen, back.transcript.as_deref()), (200, Some("/old")));
}

#[test]
fn sessions_with_new_facts_are_told() {
    let ledger = Ledger::in_memory().unwrap();
    assert_eq!(ledger.changed_since(0).unwrap(), (vec![], 0));
    append(&ledger, &session("a"), &["1", "2"]);
    append(&ledger, &session("b"), &["1"]);
    let (both, last) = ledger.changed_since(0).unwrap();
    assert_eq!((both, last), (vec![session("a"), session("b")], 3));
    append(&ledger, &session("b"), &["2"]);
    assert_eq!(ledger.changed_since(last).unwrap(), (vec![session("b")], 4));
    assert_eq!(ledger.changed_since(4).unwrap(), (vec![], 4));
    assert_eq!(ledger.session(&session("a")).unwrap(), None, "facts alone are no visit");
    ledger.touch(&session("a"), None, Some("/w"), 9).unwrap();
    let row = ledger.session(&session("a")).unwrap().unwrap();
    assert_eq!((row.last_seen, row.cwd.as_deref()), (9, Some("/w")));
    assert_eq!(ledger.heard_of_since(9).unwrap(), (vec![session("a")], 4));
    assert_eq!(ledger.heard_of_since(10).unwrap(), (vec![], 4));
}

#[test]
fn a_snapshot_belongs_to_one_stream() {
    let ledger = Ledger::in_memory().unwrap();
    let key = session("s");
    assert_eq!(ledger.snapshot(&key, "").unwrap(), None);
    ledger.put_snapshot(&key, "", "one", 1).unwrap();
    ledger.put_snapshot(&key, "helper", "two", 2).unwrap();
    ledger.put_snapshot(&key, "", "three", 3).unwrap();
    assert_eq!(ledger.snapshot(&key, "").unwrap().as_deref(), Some("three"));
    assert_eq!(ledger.snapshot(&key, "helper").unwrap().as_deref(), Some("two"));
}

#[test]
fn sessions_with_the_same_first_row_come_oldest_first() {
    let ledger = Ledger::in_memory().unwrap();
    for (name, row, at) in [
        ("fork", "r", 20),
        ("parent", "r", 10),
        ("twin", "r", 10),
        ("other", "q", 1),
        ("fork", "r", 1),
    ] {
        ledger.put_lineage(&session(name), row, at).unwrap();
    }
    assert_eq!(
        ledger.lineage(Harness::ClaudeCode, "r").unwrap(),
        ["parent", "twin", "fork"]
    );
    assert_eq!(ledger.lineage(Harness::Codex, "r").unwrap(), Vec::<String>::new());
}

#[test]
fn a_pause_ends() {
    let ledger = Ledger::in_memory().unwrap();
    let pause = |session: Option<&str>, until| Pause {
        session: session.map(str::to_owned),
        until,
    };
    ledger.pause(Some("s"), 100, 1).unwrap();
    ledger.pause(None, 50, 1).unwrap();
    ledger.pause(None, 200, 1).unwrap();
    ledger.pause(Some(""), 70, 1).unwrap();
    assert_eq!(
        ledger.pauses(1).unwrap(),
        [pause(None, 200), pause(Some(""), 70), pause(Some("s"), 100)]
    );
    assert_eq!(ledger.pauses(70).unwrap(), [pause(None, 200), pause(Some("s"), 100)]);
    assert_eq!(ledger.pauses(200).unwrap(), []);
    ledger.pause(None, 60, 80).unwrap();
    assert_eq!(
        ledger.pauses(1).unwrap(),
        [pause(Some("s"), 100)],
        "ended by the person, and the one that was over is gone"
    );
}
