//! Every transcript among the fixtures, as a snapshot of its entries. Single lines stay out.
//! What a session comes to with its events is tested on the built programs.

use std::fs;
use std::path::Path;

use super::super::SPEC;
use super::super::lineage::{agent_transcript, place};
use crate::harness::Stream;
use crate::harness::testing::{read_all, short, told};

#[test]
fn transcripts_of_every_form() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/cursor/formats");
    let mut names = Vec::new();
    for file in fs::read_dir(&folder).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if name != "README" {
            let bytes = fs::read(&path).unwrap();
            insta::assert_snapshot!(name.clone(), short(&read_all(&SPEC, &bytes, Stream::Main)));
            names.push(name);
        }
    }
    names.sort_unstable();
    let readme = fs::read_to_string(folder.join("README.md")).unwrap();
    assert_eq!(names, told(&readme));
}

#[test]
fn a_helpers_record_lies_beside_its_parents() {
    let transcript = Path::new("/c/agent-transcripts/p-1/p-1.jsonl");
    for (agent, expected) in [
        ("c-1", Some("/c/agent-transcripts/p-1/subagents/c-1.jsonl")),
        ("../x", None),
        ("a/b", None),
        ("", None),
    ] {
        assert_eq!(
            agent_transcript(transcript, agent).as_deref(),
            expected.map(Path::new),
            "{agent}"
        );
    }
    let folder = Path::new("/r");
    assert_eq!(place(folder, "p-1", None).as_deref(), Some(Path::new("/r/p-1.jsonl")));
    assert_eq!(
        place(folder, "p-1", Some("c-1")),
        agent_transcript(Path::new("/r/p-1.jsonl"), "c-1")
    );
}
