//! Facts, written and read back.
//! Files that are no ledger stay out.

use std::fs;
use std::thread;

use proofmark_protocol::query::{ClaimState, SettledBy};
use proofmark_protocol::{Decision, Harness, Outcome};
use proptest::prelude::*;
use tempfile::TempDir;

use super::{append, keys, open, said, session};
use crate::ledger::{Durability, Facts, Ledger, LedgerError, StoredFact};
use crate::session::{Fact, FactBody, SessionKey};

#[test]
fn the_same_key_twice_is_one_fact_and_the_first_stays() {
    let ledger = Ledger::in_memory().unwrap();
    let key = session("s");
    let first = append(&ledger, &key, &["a", "b", "a"]);
    assert_eq!(
        first.iter().map(Option::is_some).collect::<Vec<_>>(),
        [true, true, false]
    );
    let other = Fact { turn: 9, ..said("a") };
    assert_eq!(ledger.append(&key, &[other], Durability::Disk).unwrap(), [None]);
    let read = ledger.facts(&key, 0).unwrap();
    let expected = [said("a"), said("b")];
    assert_eq!(
        read.facts.iter().map(|stored| &stored.fact).collect::<Vec<_>>(),
        expected.iter().collect::<Vec<_>>()
    );
    assert_eq!(
        read.facts.iter().map(|stored| Some(stored.id)).collect::<Vec<_>>(),
        first[..2]
    );
}

#[test]
fn reading_goes_on_where_it_ended() {
    let ledger = Ledger::in_memory().unwrap();
    let key = session("s");
    assert_eq!(
        ledger.facts(&key, 7).unwrap(),
        Facts {
            last: 7,
            ..Facts::default()
        }
    );
    append(&ledger, &key, &["a", "b"]);
    let last = ledger.facts(&key, 0).unwrap().last;
    append(&ledger, &key, &["c"]);
    let more = ledger.facts(&key, last).unwrap();
    assert_eq!(
        more.facts
            .iter()
            .map(|stored| stored.fact.key.as_str())
            .collect::<Vec<_>>(),
        ["c"]
    );
    assert_eq!(
        ledger.facts(&key, more.last).unwrap(),
        Facts {
            last: more.last,
            ..Facts::default()
        }
    );
}

#[test]
fn two_connections_see_each_other() {
    let folder = TempDir::new().unwrap();
    let server = open(&folder);
    let command = Ledger::open_existing(folder.path()).unwrap().unwrap();
    let key = session("s");
    let before = server.version().unwrap();
    append(&server, &key, &["own"]);
    assert_eq!(server.version().unwrap(), before, "one's own writes do not count");
    append(&command, &key, &["theirs"]);
    let after = server.version().unwrap();
    assert_ne!(after, before);
    append(&command, &key, &["own", "theirs"]);
    assert_eq!(
        server.version().unwrap(),
        after,
        "what is there already is not written again"
    );
    assert_eq!(keys(&server, &key), ["own", "theirs"]);
    assert_eq!(keys(&command, &key), ["own", "theirs"]);
}

#[test]
fn writers_wait_for_each_other() {
    let folder = TempDir::new().unwrap();
    let ledgers = [open(&folder), open(&folder), open(&folder)];
    thread::scope(|scope| {
        for (writer, ledger) in ledgers.iter().enumerate() {
            scope.spawn(move || {
                for number in 0..100 {
                    append(
                        ledger,
                        &session("s"),
                        &[&format!("{writer}-{number}"), &format!("shared-{number}")],
                    );
                }
            });
        }
    });
    let mut found = keys(&ledgers[0], &session("s"));
    assert_eq!(found.len(), 400);
    found.sort();
    found.dedup();
    assert_eq!(found.len(), 400);
}

#[test]
fn a_writer_that_never_ends_is_waited_for_only_so_long() {
    let folder = TempDir::new().unwrap();
    let (first, second) = (open(&folder), open(&folder));
    let busy = first.write(|_| Ok(second.append(&session("s"), &[said("a")], Durability::Process)));
    assert_eq!(busy.unwrap(), Err(LedgerError::Busy));
    assert_eq!(append(&second, &session("s"), &["a"]).len(), 1);
}

#[test]
fn a_session_key_is_taken_as_it_is() {
    let ledger = Ledger::in_memory().unwrap();
    let names = [
        "a/b",
        "a_b",
        "a%b",
        "a b",
        "A/B",
        "a/b/",
        "../a/b",
        "a",
        "a\0b",
        "'; DROP TABLE fact; --",
        "é",
        "e\u{301}",
    ];
    let sessions: Vec<_> = Harness::ALL
        .into_iter()
        .flat_map(|harness| {
            names.map(|name| SessionKey {
                harness,
                session: name.to_owned(),
            })
        })
        .collect();
    for (number, key) in sessions.iter().enumerate() {
        append(&ledger, key, &["same", &number.to_string()]);
        ledger.put_snapshot(key, "", &number.to_string(), 1).unwrap();
        ledger.touch(key, None, None, 1).unwrap();
    }
    for (number, key) in sessions.iter().enumerate() {
        assert_eq!(keys(&ledger, key), ["same", &number.to_string()], "{key:?}");
        assert_eq!(ledger.snapshot(key, "").unwrap(), Some(number.to_string()), "{key:?}");
    }
    let mut listed: Vec<_> = ledger.sessions().unwrap().into_iter().map(|row| row.key).collect();
    listed.reverse();
    assert_eq!(listed, sessions);
}

#[test]
fn a_row_that_cannot_be_understood_is_skipped_and_counted() {
    let ledger = Ledger::in_memory().unwrap();
    let key = session("s");
    append(&ledger, &key, &["before"]);
    let rows = [
        "1, NULL, 1, 'wished', '', NULL, 'k1', '{\"kind\":\"wished\",\"for\":\"rain\"}'",
        "1, NULL, 1, 'said', '', NULL, 'k2', '{\"kind\":\"said\"'",
        "1, NULL, 1, 'said', '', NULL, 'k3', '{\"kind\":\"said\"}'",
        "1, NULL, 1, 'said', '', NULL, 'k4', ''",
        "1, NULL, -1, 'turn-ended', '', NULL, 'k5', '{\"kind\":\"turn-ended\"}'",
        "1, NULL, 1, 'said', '', NULL, 'k6', CAST(x'7b22ff' AS TEXT)",
    ];
    for row in rows {
        let sql = format!(
            "INSERT INTO fact (harness, session, at, agent, turn, kind, subject, anchor, key, body)
             VALUES ('claude-code', 's', {row})"
        );
        ledger.write(|transaction| transaction.execute(&sql, [])).unwrap();
    }
    let read = ledger.facts(&key, 0).unwrap();
    assert_eq!((read.facts.len(), read.skipped), (1, 6));
    assert_eq!(
        ledger.facts(&key, read.last).unwrap(),
        Facts {
            last: read.last,
            ..Facts::default()
        }
    );
    append(&ledger, &key, &["after", "k2"]);
    assert_eq!(keys(&ledger, &key), ["before", "after"], "a bad row keeps its key");
    let bodies = ledger.read(|connection| connection.query_row("SELECT count(*) FROM fact", [], |row| row.get(0)));
    assert_eq!(bodies, Ok(8), "and is kept");
}

#[test]
fn a_write_that_fails_leaves_nothing() {
    let cases = [
        ("PRAGMA max_page_count = 20", "PRAGMA max_page_count = 100000"),
        ("PRAGMA query_only = ON", "PRAGMA query_only = OFF"),
    ];
    for (forbid, permit) in cases {
        let ledger = Ledger::in_memory().unwrap();
        let key = session("s");
        let body = FactBody::Said {
            what: "x".repeat(200_000),
        };
        let facts = [said("small"), Fact { body, ..said("big") }];
        ledger.locked().execute_batch(forbid).unwrap();
        assert_eq!(
            ledger.append(&key, &facts, Durability::Process),
            Err(LedgerError::Full),
            "{forbid}"
        );
        assert_eq!(keys(&ledger, &key), Vec::<String>::new(), "{forbid}");
        ledger.locked().execute_batch(permit).unwrap();
        ledger.append(&key, &facts, Durability::Process).unwrap();
        assert_eq!(keys(&ledger, &key), ["small", "big"], "{forbid}");
    }
}

#[test]
fn a_disk_fact_is_not_acknowledged_when_the_log_is_gone() {
    let folder = TempDir::new().unwrap();
    let ledger = open(&folder);
    assert_eq!(ledger.sync(), Ok(()));
    fs::remove_file(folder.path().join("ledger.sqlite-wal")).unwrap();
    let broken =
        |result: Result<(), LedgerError>| assert!(matches!(result, Err(LedgerError::Broken { .. })), "{result:?}");
    append(&ledger, &session("s"), &["a"]);
    broken(ledger.sync());
    broken(ledger.append(&session("s"), &[said("a")], Durability::Disk).map(|_| ()));
    broken(ledger.pause(None, 9, 1));
}

#[test]
fn a_time_beyond_sqlites_range_does_not_come_back_wrong() {
    let ledger = Ledger::in_memory().unwrap();
    let end = u64::try_from(i64::MAX).unwrap();
    ledger
        .append(
            &session("s"),
            &[Fact {
                at: u64::MAX,
                turn: end,
                ..said("a")
            }],
            Durability::Process,
        )
        .unwrap();
    let read = ledger.facts(&session("s"), 0).unwrap();
    assert_eq!(
        (read.facts[0].fact.at, read.facts[0].fact.turn, read.skipped),
        (end, end, 0)
    );
}

fn body() -> impl Strategy<Value = FactBody> {
    let text = any::<String>;
    prop_oneof![
        (text(), text(), text(), any::<Option<String>>()).prop_map(|(claim, text, reason, rewords)| {
            FactBody::ClaimTagged {
                claim,
                after_call: rewords.clone(),
                text,
                reason,
                rewords,
            }
        }),
        (text(), text(), any::<Option<bool>>(), any::<Option<String>>()).prop_map(|(claim, call, matched, why)| {
            let settled_by = Some(SettledBy {
                tool: call.clone(),
                input: call.clone(),
                call,
            });
            FactBody::ClaimSettled {
                claim,
                state: ClaimState::Checked,
                settled_by,
                matched,
                why,
            }
        }),
        (text(), text()).prop_map(|(code, subject)| FactBody::Refused { code, subject }),
        (text(), text()).prop_map(|(code, subject)| FactBody::LetGo { code, subject }),
        Just(FactBody::TurnEnded),
        (text(), any::<Option<String>>()).prop_map(|(event, to_agent)| {
            FactBody::Answered {
                event,
                decision: Decision {
                    outcome: Outcome::Refuse,
                    to_agent,
                    ..Decision::default()
                },
            }
        }),
        text().prop_map(|what| FactBody::Said { what }),
    ]
}

fn fact() -> impl Strategy<Value = Fact> {
    let rest = (
        0..=u64::MAX / 2,
        any::<Option<String>>(),
        0..=u64::MAX / 2,
        any::<Option<String>>(),
        "[a-e\0]?",
    );
    (rest, body()).prop_map(|((at, agent, turn, anchor, key), body)| Fact {
        at,
        agent,
        turn,
        anchor,
        key,
        body,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_was_written_first_is_read_back_once_in_order(
        batches in prop::collection::vec((any::<bool>(), prop::collection::vec(fact(), 0..5)), 0..6),
    ) {
        let ledger = Ledger::in_memory().unwrap();
        let sessions = [session("a/b"), session("a_b")];
        let mut expected: [Vec<StoredFact>; 2] = Default::default();
        for (second, facts) in &batches {
            let which = usize::from(*second);
            let ids = ledger.append(&sessions[which], facts, Durability::Process).unwrap();
            prop_assert_eq!(ids.len(), facts.len());
            for (fact, id) in facts.iter().zip(ids) {
                let known = expected[which].iter().any(|stored| stored.fact.key == fact.key);
                prop_assert_eq!(id.is_none(), known);
                expected[which].extend(id.map(|id| StoredFact { id, fact: fact.clone() }));
            }
        }
        for (key, expected) in sessions.iter().zip(expected) {
            let read = ledger.facts(key, 0).unwrap();
            prop_assert!(read.facts.is_sorted_by(|one, next| one.id < next.id));
            prop_assert_eq!(read.skipped, 0);
            prop_assert_eq!(read.facts, expected);
        }
    }
}
