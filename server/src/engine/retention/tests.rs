//! What goes when it is old, with everything that is its own; what stays although it is; and that the space comes back.
//! How old something is in days is the setting's business.

use std::cell::Cell;

use proofmark_protocol::Harness;

use super::*;
use crate::ledger::{Durability, Tally};
use crate::session::{Fact, FactBody, SessionKey};

const NOW: u64 = 1_000 * DAY;

fn key(session: &str) -> SessionKey {
    SessionKey {
        harness: Harness::ClaudeCode,
        session: session.to_owned(),
    }
}

fn fact(key: &str, at: u64, body: FactBody) -> Fact {
    Fact {
        at,
        agent: None,
        turn: 1,
        anchor: None,
        key: key.to_owned(),
        body,
    }
}

fn said(n: usize) -> FactBody {
    FactBody::Said {
        what: format!("{n} {}", "x".repeat(500)),
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

/// A ledger with a session for each age in days: many facts, a fold, its place in a family, counted events.
fn ledger(folder: &Path, ages: &[(&str, u64)]) -> Ledger {
    let ledger = Ledger::open(folder).unwrap().ledger;
    for (name, days) in ages {
        let (key, at) = (key(name), NOW - days * DAY);
        ledger.touch(&key, Some("/t"), Some("/w"), at).unwrap();
        let facts: Vec<Fact> = (0..700).map(|n| fact(&n.to_string(), at, said(n))).collect();
        ledger.append(&key, &facts, Durability::Process).unwrap();
        ledger.put_snapshot(&key, "", &"y".repeat(100_000), at).unwrap();
        ledger.put_lineage(&key, name, at).unwrap();
        let tally = Tally::of(at, 1);
        ledger.add_heard([(&key, "onStop", &tally)].into_iter()).unwrap();
    }
    ledger
}

fn names(ledger: &Ledger) -> Vec<String> {
    ledger
        .sessions()
        .unwrap()
        .into_iter()
        .map(|row| row.key.session)
        .collect()
}

fn rows(ledger: &Ledger) -> Vec<u64> {
    ledger
        .extent()
        .unwrap()
        .rows
        .into_iter()
        .map(|(_, rows)| rows)
        .collect()
}

#[test]
fn an_old_session_goes_with_all_that_is_its_own_and_the_space_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = ledger(folder.path(), &[("new", 3), ("old", 200), ("older", 300)]);
    ledger
        .note_published(u32::MAX, &["file:///gone".to_owned()], NOW - 200 * DAY)
        .unwrap();
    ledger.settle_log().unwrap();
    let file = paths::ledger(folder.path());
    let before = std::fs::metadata(&file).unwrap().len();
    let young = filetime(folder.path(), &["new", "old"]);

    let pruned = prune(folder.path(), &ledger, &Retention::by_setting(180, NOW), &|| true).unwrap();
    assert_eq!((pruned.sessions, pruned.open), (2, 0));
    assert_eq!(names(&ledger), ["new"]);
    assert_eq!(rows(&ledger), [1, 700, 1, 1, 0, 0, 1]);
    let after = std::fs::metadata(&file).unwrap().len();
    assert!(after < before / 2, "{before} bytes, now {after}");
    assert_eq!(ledger.extent().unwrap().free, 0);
    assert_eq!(young, filetime(folder.path(), &[]), "its document was written just now");
}

/// Writes documents of sessions; which ones there are.
fn filetime(folder: &Path, sessions: &[&str]) -> Vec<PathBuf> {
    for name in sessions {
        let path = paths::session_document(folder, "claude-code", name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "text").unwrap();
    }
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder.join("sessions"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    found.sort();
    found
}

#[test]
fn documents_of_sessions_that_are_gone_go_and_marks_that_are_old() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = ledger(folder.path(), &[("new", 3)]);
    let old = SystemTime::now() - NEW - NEW;
    let document = |name| paths::session_document(folder.path(), "claude-code", name);
    let mark = |name| paths::said(folder.path(), name, "late");
    for (path, at) in [
        (document("new"), old),
        (document("gone"), old),
        (document("to-be-noted"), SystemTime::now()),
        (mark("before"), old),
        (mark("after"), SystemTime::now()),
    ] {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let file = std::fs::File::create(path).unwrap();
        file.set_modified(at).unwrap();
    }
    let retention = Retention::by_setting(1, super::now());
    assert_eq!(sweep(folder.path(), &ledger, retention.before).unwrap(), 2);
    assert!(document("new").exists() && document("to-be-noted").exists() && mark("after").exists());
    assert!(!document("gone").exists() && !mark("before").exists());
}

#[test]
fn what_is_open_stays_until_it_is_as_old_as_the_setting_says_or_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = ledger(folder.path(), &[("open", 60), ("closed", 60), ("open-and-old", 200)]);
    for (name, days) in [("open", 60), ("open-and-old", 200)] {
        let open = fact("tag", NOW - days * DAY, tagged());
        ledger.append(&key(name), &[open], Durability::Process).unwrap();
    }
    let asked = Retention::asked(30, 180, false, NOW);
    let wanted = Pruned {
        sessions: 2,
        open: 1,
        files: 0,
        ended: true,
    };
    let would = Pruned { ended: false, ..wanted };
    assert_eq!(would_prune(&ledger, &asked).unwrap(), would);
    assert_eq!(names(&ledger).len(), 3, "nothing was done yet");
    assert_eq!(prune(folder.path(), &ledger, &asked, &|| true).unwrap(), wanted);
    assert_eq!(names(&ledger), ["open"]);
    let too = Retention::asked(30, 180, true, NOW);
    assert_eq!(prune(folder.path(), &ledger, &too, &|| true).unwrap().sessions, 1);
}

#[test]
fn what_the_person_says_of_an_old_session_keeps_it_and_so_does_no_limit() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = ledger(folder.path(), &[("old", 200)]);
    assert_eq!(
        would_prune(&ledger, &Retention::by_setting(0, NOW)).unwrap(),
        Pruned::default()
    );
    ledger
        .append(&key("old"), &[fact("now", NOW, said(0))], Durability::Process)
        .unwrap();
    assert_eq!(
        would_prune(&ledger, &Retention::by_setting(180, NOW)).unwrap(),
        Pruned::default()
    );
}

#[test]
fn an_event_ends_it_between_two_steps_and_the_next_time_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = ledger(folder.path(), &[("old", 200), ("older", 300)]);
    let steps = Cell::new(0);
    let twice = || steps.replace(steps.get() + 1) < 2;
    let retention = Retention::by_setting(180, NOW);
    let begun = prune(folder.path(), &ledger, &retention, &twice).unwrap();
    assert_eq!((begun.sessions, begun.ended), (0, false));
    let left = ledger.facts(&key("older"), 0).unwrap().facts;
    assert_eq!(
        (left.len(), left[0].fact.key.as_str()),
        (188, "512"),
        "the oldest went first"
    );
    let rest = prune(folder.path(), &ledger, &retention, &|| true).unwrap();
    assert_eq!((rest.sessions, rest.ended), (2, true));
    assert_eq!(rows(&ledger), [0; 7]);
}

#[test]
fn a_session_of_which_something_is_said_meanwhile_stays() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = ledger(folder.path(), &[("old", 200)]);
    let key = key("old");
    let retire = fact("now", NOW, said(0));
    ledger.append(&key, &[retire], Durability::Process).unwrap();
    assert_eq!(ledger.remove_some(&key, NOW - DAY).unwrap(), Removal::Kept);
    assert_eq!(ledger.facts(&key, 0).unwrap().facts.len(), 701);
}

#[test]
fn a_session_that_is_heard_of_meanwhile_stays() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = ledger(folder.path(), &[("old", 200)]);
    let once = Cell::new(true);
    let heard = || {
        if once.replace(false) {
            ledger.touch(&key("old"), None, None, NOW).unwrap();
        }
        true
    };
    let pruned = prune(folder.path(), &ledger, &Retention::by_setting(180, NOW), &heard).unwrap();
    assert_eq!(
        (pruned.sessions, ledger.facts(&key("old"), 0).unwrap().facts.len()),
        (0, 700)
    );
}

#[test]
fn folds_go_before_their_session_does() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = ledger(folder.path(), &[("new", 3), ("idle", 20)]);
    prune(folder.path(), &ledger, &Retention::by_setting(180, NOW), &|| true).unwrap();
    assert_eq!(names(&ledger), ["new", "idle"]);
    assert!(ledger.snapshot(&key("new"), "").unwrap().is_some());
    assert!(ledger.snapshot(&key("idle"), "").unwrap().is_none());
}

#[test]
fn a_ledger_that_can_not_shrink_can_after_it_was_written_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = paths::ledger(folder.path());
    // As a build from before would have made it.
    let earlier = rusqlite::Connection::open(&path).unwrap();
    earlier
        .execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE x (y); DROP TABLE x")
        .unwrap();
    drop(earlier);
    let ledger = ledger(folder.path(), &[("new", 3), ("old", 200)]);
    assert!(!ledger.extent().unwrap().shrinks);
    prune(folder.path(), &ledger, &Retention::by_setting(180, NOW), &|| true).unwrap();
    let before = ledger.extent().unwrap();
    assert!(before.free > 100_000);
    ledger.rewrite().unwrap();
    ledger.settle_log().unwrap();
    let after = ledger.extent().unwrap();
    assert!(after.shrinks && after.free == 0 && after.bytes < before.bytes);
    assert_eq!(std::fs::metadata(&path).unwrap().len(), after.bytes);
    assert_eq!(names(&ledger), ["new"]);
}

#[test]
fn a_server_tidies_up_when_nobody_asks_and_leaves_sessions_that_it_knows() {
    let folder = tempfile::tempdir().unwrap();
    drop(ledger_at(folder.path(), &["old", "known"]));
    let mut engine = Engine::open(folder.path()).unwrap();
    engine.slot(&key("known"));
    engine.tidy_up();
    assert_eq!(names(&engine.ledger()).len(), 2, "an event has just come");
    engine.started = engine.started.checked_sub(QUIET + QUIET).unwrap();
    engine.tidy_up();
    assert_eq!(names(&engine.ledger()), ["known"]);
    drop(ledger_at(folder.path(), &["another"]));
    engine.tidy_up();
    assert_eq!(names(&engine.ledger()).len(), 2, "once a day");
}

/// Sessions that are as old as the clock of this machine lets them be.
fn ledger_at(folder: &Path, names: &[&str]) -> Ledger {
    let ledger = Ledger::open(folder).unwrap().ledger;
    for name in names {
        ledger.touch(&key(name), None, None, 1).unwrap();
    }
    ledger
}
