//! Records for the first reading: which rows stand in them, harness by harness.
//! How they are read stays out.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use proofmark_protocol::Harness;
use serde_json::{Value, json};

use super::record::{self, Record};
use crate::scenario::fixtures;

/// A text as agents read and write them all day: source code, dense with line feeds and quotes that JSON escapes.
const SOURCE: &str = include_str!("record.rs");
/// The sessions of Cursor that a record is made of.
const CURSORS: [&str; 3] = ["cli-print", "ide-turn", "aborted-and-string-content"];

/// What a record is made of.
#[derive(Debug, Clone, Copy)]
pub struct Mix {
    /// As the tables call it.
    pub name: &'static str,
    /// Whose record it is.
    pub harness: Harness,
    /// What the speed has to be at least, in gigabytes a second; none where nothing is promised.
    pub at_least: Option<f64>,
    write: fn(&Path, u64) -> Result<PathBuf>,
}

/// The mixes, the promised one first.
pub const MIXES: [Mix; 5] = [
    Mix {
        name: "Claude Code: whole sessions, as captured",
        harness: Harness::ClaudeCode,
        at_least: Some(0.8),
        write: |folder, size| Ok(Record::create(&record::CLAUDE_CODE, folder, 1, size)?.path),
    },
    Mix {
        name: "Claude Code: rows of person and agent alone",
        harness: Harness::ClaudeCode,
        at_least: None,
        write: |folder, size| selected(folder, size, "spoken", Some),
    },
    Mix {
        name: "Claude Code: the same, every text 10 KB of source code",
        harness: Harness::ClaudeCode,
        at_least: None,
        write: |folder, size| selected(folder, size, "dense", |row| Some(with_source(row))),
    },
    Mix {
        name: "Codex: whole sessions, as captured",
        harness: Harness::Codex,
        at_least: None,
        write: |folder, size| Ok(Record::create(&record::CODEX, folder, 4, size)?.path),
    },
    Mix {
        name: "Cursor: whole sessions",
        harness: Harness::Cursor,
        at_least: None,
        write: cursor,
    },
];

impl Mix {
    /// Writes a record of at least so many bytes to a folder.
    ///
    /// # Errors
    /// The captured rows are not there, or the record cannot be written.
    pub fn record(&self, folder: &Path, size: u64) -> Result<PathBuf> {
        (self.write)(folder, size).with_context(|| self.name.to_owned())
    }
}

/// The rows of person and agent of a captured record, each as `change` makes it.
fn selected(folder: &Path, size: u64, name: &str, change: fn(Value) -> Option<Value>) -> Result<PathBuf> {
    let whole = Record::create(&record::CLAUDE_CODE, folder, 2, 1)?.path;
    let text = fs::read_to_string(&whole)?;
    fs::remove_file(&whole)?;
    let mut rows = String::new();
    for line in text.lines() {
        let row: Value = serde_json::from_str(line)?;
        if row["type"] == "user" || row["type"] == "assistant" {
            rows.extend(change(row).map(|row| format!("{row}\n")));
        }
    }
    repeated(&folder.join(name).with_extension("jsonl"), &rows, size)
}

/// A row whose texts are source code: of replies, of files that are written, of results and what stands beside them.
fn with_source(mut row: Value) -> Value {
    let source = json!(SOURCE[..SOURCE.floor_char_boundary(10_000)]);
    for block in row["message"]["content"].as_array_mut().into_iter().flatten() {
        for (kind, place) in [
            ("text", "/text"),
            ("tool_use", "/input/content"),
            ("tool_result", "/content"),
        ] {
            let is_one = block["type"] == kind;
            if let Some(text) = block.pointer_mut(place).filter(|_| is_one) {
                *text = source.clone();
            }
        }
    }
    for place in [
        "/toolUseResult/stdout",
        "/toolUseResult/file/content",
        "/toolUseResult/content",
    ] {
        if let Some(text) = row.pointer_mut(place) {
            *text = source.clone();
        }
    }
    row
}

fn cursor(folder: &Path, size: u64) -> Result<PathBuf> {
    let mut rows = String::new();
    for name in CURSORS {
        let path = fixtures().join("cursor/formats").join(name).with_extension("jsonl");
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        rows.extend(text.lines().map(|line| format!("{line}\n")));
    }
    repeated(&folder.join("cursor.jsonl"), &rows, size)
}

/// The same rows again and again. They keep their ids, so this is for reading alone.
fn repeated(path: &Path, rows: &str, size: u64) -> Result<PathBuf> {
    ensure!(!rows.is_empty(), "there are no rows to repeat");
    let mut file = BufWriter::new(File::create(path)?);
    for _ in 0..size.div_ceil(rows.len() as u64) {
        file.write_all(rows.as_bytes())?;
    }
    file.flush()?;
    Ok(path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::cold;

    #[test]
    fn every_mix_is_read_and_holds_calls() {
        for mix in MIXES {
            let folder = tempfile::tempdir().unwrap();
            let path = mix.record(folder.path(), 300_000).unwrap();
            let reading = cold::read(&path, mix.harness).unwrap();
            assert!(
                reading.bytes >= 300_000 && reading.bytes == fs::metadata(&path).unwrap().len(),
                "{}",
                mix.name
            );
            assert!(reading.calls > 5, "{}: {reading:?}", mix.name);
        }
    }

    #[test]
    fn dense_rows_hold_source_where_a_text_was() {
        let row = with_source(
            json!({"message": {"content": [{"type": "tool_result", "content": "a"}]},
            "toolUseResult": {"stdout": "a", "interrupted": false}}),
        );
        let text = row["message"]["content"][0]["content"].as_str().unwrap();
        assert!(text.len() > 9_000 && row["toolUseResult"]["stdout"] == text);
        assert_eq!(
            with_source(json!({"message": {"content": "hello"}})),
            json!({"message": {"content": "hello"}})
        );
    }
}
