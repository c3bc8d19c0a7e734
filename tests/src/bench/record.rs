//! Records as long as wanted, made of captured rows; each copy of a row has ids of its own.
//! What the rows mean, and which events are about them, stays out.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::scenario::fixtures;

/// How one harness's records are made.
#[derive(Debug)]
pub struct Form {
    /// Where its captured records are, below the fixtures.
    folder: &'static str,
    /// The captured sessions that a record is made of, in this order again and again. The last one ends with a turn
    /// that a session may go on after.
    bodies: &'static [&'static str],
    /// The captured session whose last turn is the one that a record grows by.
    grows_by: &'static str,
    /// What the row holds that ends a turn, after its stop, and no other one.
    turn_end: &'static str,
    /// The session that a row names as its own.
    session: fn(&Value) -> Option<&str>,
    /// The prompt that a row names, or the turn where events name that.
    prompt: fn(&Value) -> Option<&str>,
    /// The agent's words in a row.
    words: fn(&Value) -> Option<&str>,
}

/// Claude Code 2.1.332. The last body ends with a turn that has changed a file.
pub static CLAUDE_CODE: Form = Form {
    folder: "claude-code/2.1.332",
    bodies: &["transcript-multi-turn", "transcript-mcp", "transcript-tools"],
    grows_by: "transcript-multi-turn",
    turn_end: "\"stop_hook_summary\"",
    session: |row| row["sessionId"].as_str(),
    prompt: |row| row["promptId"].as_str(),
    words: |row| row["message"]["content"][0]["text"].as_str(),
};

/// Codex 0.171.0.
pub static CODEX: Form = Form {
    folder: "codex/0.171.0",
    bodies: &[
        "rollout-parallel",
        "rollout-patch-update",
        "rollout-shell-fail",
        "rollout-shell-ok",
    ],
    grows_by: "rollout-resume",
    turn_end: "\"task_complete\"",
    session: |row| row["payload"]["session_id"].as_str(),
    prompt: |row| {
        let begins = row["payload"]["type"] == "task_started";
        row["payload"]["turn_id"].as_str().filter(|_| begins)
    },
    words: |row| row["payload"]["item"]["content"][0]["text"].as_str(),
};

/// How the ids begin that are no UUIDs.
const PREFIXES: [&str; 3] = ["toolu_", "msg_", "req_"];
/// How much of an id a copy changes, in characters.
const SLOT: usize = 8;
/// An odd number: times a copy's number it is another one for each copy.
const STRIDE: u32 = 0x9E37_79B1;

/// A session's record that grows turn by turn.
#[derive(Debug)]
pub struct Record {
    /// Where it is.
    pub path: PathBuf,
    /// The session's id.
    pub session: String,
    copies: u32,
    form: &'static Form,
    turn: Rows,
}

/// A turn that was written to a record.
#[derive(Debug)]
pub struct Turn {
    /// The prompt's id, which payloads name.
    pub prompt_id: String,
    /// The agent's last words in it.
    pub reply: String,
}

impl Record {
    /// A record of this form in `folder` of at least `size` bytes, and of whole sessions. Records of different numbers, below 256, have
    /// no id in common.
    ///
    /// # Errors
    /// A captured session is not there or of another form; the record cannot be written.
    pub fn create(form: &'static Form, folder: &Path, number: u8, size: u64) -> Result<Self> {
        let session = format!("{number:08x}-5e55-4000-8000-000000000000");
        let rows = |text: &str| Rows::of(form, text, &session);
        let bodies: Vec<Rows> = form
            .bodies
            .iter()
            .map(|name| rows(&form.captured(name)?))
            .collect::<Result<_>>()?;
        let mut record = Self {
            path: folder.join(format!("{session}.jsonl")),
            copies: u32::from(number) << 24,
            turn: rows(form.last_turn(&form.captured(form.grows_by)?)?)?,
            form,
            session,
        };
        let mut file = BufWriter::new(File::create(&record.path)?);
        let mut written = 0;
        while written < size {
            for body in &bodies {
                written += body.write(record.copy(), &mut file)?;
            }
        }
        file.flush()?;
        Ok(record)
    }

    /// Adds one more turn, in one write.
    ///
    /// # Errors
    /// The record cannot be written; the captured turn has no prompt or no reply.
    pub fn grow(&mut self) -> Result<Turn> {
        let mut text = Vec::new();
        let copy = self.copy();
        self.turn.write(copy, &mut text)?;
        OpenOptions::new().append(true).open(&self.path)?.write_all(&text)?;
        let rows: Vec<Value> = text
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .map(serde_json::from_slice)
            .collect::<Result<_, _>>()?;
        let prompt = rows.iter().find_map(self.form.prompt);
        let reply = rows.iter().rev().find_map(self.form.words);
        Ok(Turn {
            prompt_id: prompt.context("the captured turn has no prompt")?.to_owned(),
            reply: reply.context("the captured turn has no reply")?.to_owned(),
        })
    }

    fn copy(&mut self) -> u32 {
        self.copies += 1;
        self.copies
    }
}

impl Form {
    fn captured(&self, name: &str) -> Result<String> {
        let path = fixtures().join(self.folder).join(name).with_extension("jsonl");
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
    }

    /// The last turn of a session, with the row before it that ended the turn before: with the two, turns follow one
    /// another as in a real record.
    fn last_turn<'a>(&self, text: &'a str) -> Result<&'a str> {
        let mut ends = Vec::new();
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            if line.contains(self.turn_end) {
                ends.push(at);
            }
            at += line.len();
        }
        match ends[..] {
            [.., before, last] => Ok(&text[before..last]),
            _ => anyhow::bail!("the captured session has fewer than two turns"),
        }
    }
}

/// Captured rows, taken apart where a copy differs from them.
#[derive(Debug)]
struct Rows {
    /// Text, and what follows it: the part of an id that a copy changes.
    parts: Vec<(String, u32)>,
    rest: String,
}

impl Rows {
    /// The rows of one captured session, as rows of the session `session`.
    fn of(form: &Form, captured: &str, session: &str) -> Result<Self> {
        let own = captured
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .find_map(|row| (form.session)(&row).map(str::to_owned))
            .context("the captured rows name no session")?;
        let text = captured.replace(&own, session);
        let (mut parts, mut from, mut at) = (Vec::new(), 0, 0);
        while at < text.len() {
            let Some((length, slot, base)) = id(&text.as_bytes()[at..]) else {
                at += 1;
                continue;
            };
            if &text[at..at + length] != session {
                parts.push((text[from..at + slot].to_owned(), base));
                from = at + slot + SLOT;
            }
            at += length;
        }
        Ok(Self {
            parts,
            rest: text[from..].to_owned(),
        })
    }

    /// Writes a copy and returns its length in bytes. Copies of different numbers have no id in common.
    fn write(&self, copy: u32, to: &mut impl Write) -> io::Result<u64> {
        let mut length = self.rest.len();
        for (text, base) in &self.parts {
            to.write_all(text.as_bytes())?;
            write!(to, "{:08x}", base.wrapping_add(copy.wrapping_mul(STRIDE)))?;
            length += text.len() + SLOT;
        }
        to.write_all(self.rest.as_bytes())?;
        Ok(length as u64)
    }
}

/// The id that begins here: its length, where in it the part lies that a copy changes, and what that part is now.
fn id(bytes: &[u8]) -> Option<(usize, usize, u32)> {
    if is_uuid(bytes) {
        let head = std::str::from_utf8(&bytes[..SLOT]).ok()?;
        return Some((36, 0, u32::from_str_radix(head, 16).ok()?));
    }
    let prefix = PREFIXES.iter().find(|prefix| bytes.starts_with(prefix.as_bytes()))?;
    let name = bytes[prefix.len()..]
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric());
    let length = prefix.len() + name.count();
    // What is left of a shorter one would not tell it from others.
    (length >= prefix.len() + 2 * SLOT).then_some((length, length - SLOT, 0))
}

fn is_uuid(bytes: &[u8]) -> bool {
    bytes.len() >= 36
        && bytes[..36].iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    /// How often each row and each call is on record, by its id.
    fn ids(text: &str) -> BTreeMap<String, usize> {
        let mut found = BTreeMap::new();
        for line in text.lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            let blocks = row["message"]["content"].as_array().cloned().unwrap_or_default();
            let calls = blocks.iter().filter_map(|block| block["id"].as_str());
            for id in calls.chain(row["uuid"].as_str()) {
                *found.entry(id.to_owned()).or_default() += 1;
            }
        }
        found
    }

    #[test]
    fn a_record_is_long_enough_and_no_row_or_call_comes_twice() {
        let folder = tempfile::tempdir().unwrap();
        let mut all = BTreeSet::new();
        for (number, size) in [(1, 1), (2, 500_000)] {
            let mut record = Record::create(&CLAUDE_CODE, folder.path(), number, size).unwrap();
            record.grow().unwrap();
            record.grow().unwrap();
            let text = fs::read_to_string(&record.path).unwrap();
            assert!(text.len() as u64 >= size && (text.len() as u64) < size + 1_000_000);
            let ids = ids(&text);
            assert!(ids.len() > 50 && ids.values().all(|times| *times == 1), "{ids:?}");
            for id in ids.into_keys() {
                assert!(all.insert(id.clone()), "{id} is in two records");
            }
            let sessions: BTreeSet<String> = text
                .lines()
                .filter_map(|line| {
                    Some(
                        serde_json::from_str::<Value>(line).unwrap()["sessionId"]
                            .as_str()?
                            .to_owned(),
                    )
                })
                .collect();
            assert_eq!(sessions, BTreeSet::from([record.session]));
        }
    }

    #[test]
    fn a_call_and_its_result_keep_together() {
        let rows = Rows::of(&CLAUDE_CODE, &CLAUDE_CODE.captured("transcript-tools").unwrap(), "s").unwrap();
        let mut text = Vec::new();
        rows.write(7, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let calls = ids(&text);
        let mut results = 0;
        for line in text.lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            if let Some(call) = row["message"]["content"][0]["tool_use_id"].as_str() {
                assert!(calls.contains_key(call), "{call}");
                results += 1;
            }
        }
        assert!(results > 5);
    }

    #[test]
    fn each_turn_has_a_prompt_of_its_own_and_ends_with_the_reply() {
        for (form, reply) in [(&CLAUDE_CODE, "Answer three."), (&CODEX, "(mock: script used up)")] {
            let folder = tempfile::tempdir().unwrap();
            let mut record = Record::create(form, folder.path(), 1, 1).unwrap();
            let (one, two) = (record.grow().unwrap(), record.grow().unwrap());
            assert_ne!(one.prompt_id, two.prompt_id);
            assert_eq!((one.reply.as_str(), two.reply.as_str()), (reply, reply));
            let text = fs::read_to_string(&record.path).unwrap();
            assert!(
                text.contains(&two.prompt_id) && text.matches(reply).count() >= 3,
                "{text}"
            );
            assert!(text.lines().rev().take(4).any(|line| line.contains(reply)), "{text}");
            assert!(form.last_turn("{}\n").is_err());
        }
    }
}
