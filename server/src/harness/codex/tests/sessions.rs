//! Every rollout among the fixtures, as a snapshot of its entries and of what its checks came to: captured ones, and
//! those written by the shapes of older clients. Single lines stay out.

use std::fs;
use std::path::{Path, PathBuf};

use super::super::SPEC;
use crate::harness::Stream;
use crate::harness::testing::{goes_on_when_stored, read_all, short_with_board, told};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/codex")
}

/// The rollouts of a folder, by name.
fn rollouts(folder: &str) -> Vec<(String, Vec<u8>)> {
    let files = fs::read_dir(fixtures().join(folder)).unwrap();
    let mut rollouts: Vec<_> = files
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .map(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            (name, fs::read(&path).unwrap())
        })
        .collect();
    rollouts.sort();
    rollouts
}

#[test]
fn lines_of_every_client_that_is_known() {
    let readme = fs::read_to_string(fixtures().join("formats/README.md")).unwrap();
    let rollouts = rollouts("formats");
    for (name, bytes) in &rollouts {
        insta::assert_snapshot!(format!("formats-{name}"), short_with_board(&SPEC, bytes, Stream::Main));
    }
    let mut told = told(&readme);
    told.sort_unstable();
    assert_eq!(rollouts.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), told);
}

#[test]
fn rollouts_of_real_sessions() {
    let rollouts = rollouts("0.171.0");
    assert!(rollouts.len() >= 33, "{}", rollouts.len());
    for (name, bytes) in &rollouts {
        insta::assert_snapshot!(format!("0.171.0-{name}"), short_with_board(&SPEC, bytes, Stream::Main));
    }
}

/// A line says nothing that another one said, and every end is of a call that was shown.
#[test]
fn nothing_counts_twice_and_nothing_ends_that_did_not_begin() {
    use crate::session::{Ending, Entry};
    for (name, bytes) in rollouts("0.171.0").into_iter().chain(rollouts("formats")) {
        let (mut begun, mut over) = (Vec::new(), Vec::new());
        for entry in read_all(&SPEC, &bytes, Stream::Main) {
            match entry {
                Entry::Call { id, .. } => begun.push(id),
                Entry::Result { id, ending, exit, .. } => {
                    assert!(begun.contains(&id), "{name}: {id} ends before it begins");
                    if ending != Ending::Background {
                        assert!(!over.contains(&id) || exit.is_some(), "{name}: {id} ends twice");
                        over.push(id);
                    }
                }
                _ => {}
            }
        }
        let mut once = begun.clone();
        once.sort();
        once.dedup_by(|a, b| a == b && a != "web_search");
        assert_eq!(once.len(), begun.len(), "{name}: {begun:?}");
    }
}

#[test]
fn a_rollout_is_read_in_pieces_as_at_once() {
    for (_, bytes) in rollouts("0.171.0").into_iter().chain(rollouts("formats")) {
        for lines in [1, 3] {
            goes_on_when_stored(&SPEC, &bytes, Stream::Main, lines);
        }
    }
}
