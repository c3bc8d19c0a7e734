//! Days on which something around Proofmark is broken: the turn goes on in time, the reason is said once, nothing is lost.
//! README.md beside this file names each case's guard; what is decided on good days is the other suites' business.

#![allow(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]

mod clock;
mod disks;
mod ledgers;
mod names;
mod owners;
mod payloads;
mod records;
mod sessions;
mod stage;
mod strangers;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The pieces of a text between back-quotes.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[test]
fn the_table_names_every_test_and_guards_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("");
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("suites/bad_days");
    let table = fs::read_to_string(suite.join("README.md")).unwrap();
    let rows: Vec<Vec<&str>> = table
        .lines()
        .filter(|line| line.starts_with("| ") && line.contains('`'))
        .map(|line| line.split(" | ").collect())
        .collect();
    let mut named = BTreeSet::new();
    for row in &rows {
        let [_, guards, test] = row[..] else { panic!("{row:?}") };
        named.extend(quoted(test).map(str::to_owned));
        for guard in guards.split("; ").filter(|guard| guard.contains('`')) {
            let mut words = quoted(guard);
            let file = fs::read_to_string(root.join(words.next().unwrap())).unwrap_or_else(|_| panic!("{guard}"));
            for name in words.map(|word| word.rsplit("::").next().unwrap()) {
                assert!(file.contains(name), "{guard}");
            }
        }
    }
    let mut tests = BTreeSet::new();
    for entry in fs::read_dir(&suite).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let names = text
            .split("#[test]\nfn ")
            .skip(1)
            .filter_map(|rest| rest.split_once('('));
        let room = path.file_stem().unwrap().to_str().unwrap();
        tests.extend(names.map(|(name, _)| format!("{room}::{name}")));
    }
    let of_this_file = |name: &&String| !name.starts_with("main::");
    let tests: BTreeSet<_> = tests.iter().filter(of_this_file).collect();
    let missing: Vec<_> = tests.iter().filter(|test| !named.contains(**test)).collect();
    assert!(missing.is_empty(), "not in the table: {missing:?}");
    let gone: Vec<_> = named
        .iter()
        .filter(|name| name.contains("::") && !tests.contains(name))
        .collect();
    assert!(gone.is_empty(), "no such test: {gone:?}");
}
