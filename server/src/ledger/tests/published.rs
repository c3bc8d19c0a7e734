//! Places that editors may hold something for.
//! Who publishes there stays out.

use tempfile::TempDir;

use super::open;
use crate::ledger::Ledger;

fn owned(uris: &[&str]) -> Vec<String> {
    uris.iter().map(|uri| (*uri).to_owned()).collect()
}

fn place(uri: &str, process: u32) -> (String, u32) {
    (uri.to_owned(), process)
}

#[test]
fn places_are_kept_for_each_process_until_they_are_emptied() {
    let folder = TempDir::new().unwrap();
    let ledger = open(&folder);
    ledger.note_published(7, &owned(&["b", "a"]), 1).unwrap();
    ledger.note_published(8, &owned(&["a"]), 2).unwrap();
    ledger.note_published(7, &owned(&["a"]), 3).unwrap();
    drop(ledger);
    let ledger = open(&folder);
    assert_eq!(
        ledger.published().unwrap(),
        [place("a", 7), place("a", 8), place("b", 7)]
    );
    ledger.forget_published(&[place("a", 7), place("none", 7)]).unwrap();
    assert_eq!(ledger.published().unwrap(), [place("a", 8), place("b", 7)]);
}

#[test]
fn the_oldest_of_too_many_are_forgotten() {
    let ledger = Ledger::in_memory().unwrap();
    ledger.note_published(7, &owned(&["old"]), 1).unwrap();
    let many: Vec<String> = (0..10_000).map(|n| format!("uri {n}")).collect();
    ledger.note_published(7, &many, 2).unwrap();
    let kept = ledger.published().unwrap();
    assert_eq!((kept.len(), kept.contains(&place("old", 7))), (10_000, false));
}
