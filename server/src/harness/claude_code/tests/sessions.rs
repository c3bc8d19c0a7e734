//! Every transcript among the fixtures, as a snapshot of its entries: captured ones, and those written by the shapes
//! of older clients. Single rows stay out.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use super::read;
use crate::harness::Stream;
use crate::session::{Entry, ToolKind};

/// One short line for each entry; ids stay in, so that joins can be followed by eye.
fn short(entries: &[Entry]) -> String {
    let mut out = String::new();
    let brief = |text: &str| text.chars().take(90).collect::<String>().replace('\n', "\\n");
    for entry in entries {
        let line = match entry {
            Entry::Prompt {
                row,
                turn,
                text,
                queued,
            } => {
                let kind = if *queued { "queued" } else { "prompt" };
                format!("{kind}    {row} {turn:?} {}", brief(text))
            }
            Entry::Remark { row, text } => format!("remark    {row} {}", brief(text)),
            Entry::Origin { session, .. } => format!("origin    {session:?}"),
            Entry::Text { row, text } => format!("text      {row} {}", brief(text)),
            Entry::Call {
                row,
                id,
                tool,
                kind,
                input,
            } => {
                let kind = if let ToolKind::Shell { command } = kind {
                    assert!(command.starts_with(input.as_str()));
                    "Shell".to_owned()
                } else {
                    format!("{kind:?}")
                };
                format!("call      {row} {id} {tool} {kind} {}", brief(input))
            }
            Entry::Result {
                id,
                ending,
                output,
                helper,
                turn: _,
            } => {
                format!("result    {id} {ending:?} {helper:?} {}", brief(output))
            }
            other => format!("{other:?}"),
        };
        writeln!(out, "{line}").unwrap();
    }
    out
}

fn shown(path: &Path, stream: Stream) -> String {
    let mut all = Vec::new();
    for line in fs::read(path).unwrap().split(|byte| *byte == b'\n') {
        all.extend(read(line, stream));
    }
    short(&all)
}

/// The rows' names in the first column of the table that says what must come of them.
fn told(readme: &str) -> Vec<&str> {
    readme
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .map(|(name, _)| name)
        .collect()
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
