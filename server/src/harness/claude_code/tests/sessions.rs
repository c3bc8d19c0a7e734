//! Every captured transcript, as a snapshot of its entries.
//! Rows that were not captured stay out.

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
            Entry::Prompt { row, turn, text } => format!("prompt    {row} {turn:?} {}", brief(text)),
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
            let mut all = Vec::new();
            for line in fs::read(&path).unwrap().split(|byte| *byte == b'\n') {
                all.extend(read(line, stream));
            }
            insta::assert_snapshot!(format!("{version}-{name}"), short(&all));
            count += 1;
        }
        assert!(count >= 8, "{version}: {count} transcripts");
    }
}
