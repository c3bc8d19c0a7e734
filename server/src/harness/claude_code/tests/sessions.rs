//! Every transcript among the fixtures, as a snapshot of its entries and of what its checks came to: captured ones, and
//! those written by the shapes of older clients. Single rows stay out.

use std::fs;
use std::path::Path;

use super::super::SPEC;
use crate::harness::Stream;
use crate::harness::testing::{goes_on_when_stored, short_with_board, told};

fn shown(path: &Path, stream: Stream) -> String {
    short_with_board(&SPEC, &fs::read(path).unwrap(), stream)
}

#[test]
fn rows_of_every_client_that_is_known() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/claude-code/formats");
    let readme = fs::read_to_string(folder.join("README.md")).unwrap();
    let mut names = Vec::new();
    for file in fs::read_dir(&folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "jsonl") {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            insta::assert_snapshot!(format!("formats-{name}"), shown(&path, Stream::Main));
            names.push(name);
        }
    }
    names.sort();
    let mut told = told(&readme);
    told.sort_unstable();
    assert_eq!(names, told);
}

#[test]
fn transcripts_of_real_sessions() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/claude-code");
    for version in ["2.1.197", "2.1.332"] {
        let mut count = 0;
        for file in fs::read_dir(fixtures.join(version)).unwrap() {
            let path = file.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap();
            let Some(name) = name.strip_prefix("transcript-") else {
                continue;
            };
            let stream = if name.contains("-agent-") {
                Stream::Helper
            } else {
                Stream::Main
            };
            insta::assert_snapshot!(format!("{version}-{name}"), shown(&path, stream));
            count += 1;
        }
        assert!(count >= 8, "{version}: {count} transcripts");
    }
}

#[test]
fn a_transcript_is_read_in_pieces_as_at_once() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/claude-code");
    for folder in ["2.1.197", "2.1.332", "formats"] {
        for file in fs::read_dir(fixtures.join(folder)).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "jsonl") {
                let bytes = fs::read(&path).unwrap();
                for lines in [1, 3] {
                    goes_on_when_stored(&SPEC, &bytes, Stream::Main, lines);
                }
            }
        }
    }
}
