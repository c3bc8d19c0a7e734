//! The records of runs in which Codex ran no hooks: which one is this run's, and what is found in it afterwards.
//! How a record is judged is `tryout`'s.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use proofmark_protocol::Finding;
use serde::Deserialize;

use crate::tryout;

/// Records that are looked at, at most: of a person who has more, no run is judged.
const MAX_RECORDS: usize = 200_000;
/// A record that is longer is not judged, in bytes.
const MAX_RECORD: u64 = 512 * 1024 * 1024;
/// Options of Codex (0.171.0) that take the next argument as their value, in front of the command.
#[rustfmt::skip]
const WITH_VALUE: [&str; 19] = [
    "-c", "--config", "--enable", "--disable", "--remote", "--remote-auth-token-env", "-i", "--image", "-m", "--model",
    "--local-provider", "-p", "--profile", "-s", "--sandbox", "-a", "--ask-for-approval", "--add-dir", "--thread-source",
];

/// What came of looking for a run's record.
#[derive(Debug)]
pub(super) enum Record {
    /// None was written: nothing was run.
    None,
    /// It can't be told which one it is. Why, in plain words.
    Unclear(&'static str),
    /// It was judged.
    Judged {
        /// The version of Codex, as the record tells it; empty where it does not.
        version: String,
        /// What was found in this run's turns.
        findings: Vec<Finding>,
    },
}

/// The records that there were before a run of `codex exec`, by their lengths.
pub(super) struct Records {
    folder: PathBuf,
    /// The folder in which the agent works.
    cwd: PathBuf,
    /// None when there were too many.
    before: Option<HashMap<PathBuf, u64>>,
}

impl Records {
    /// Looks before the run; none where Codex is not told to `exec`. Elsewhere a person sits in front of Codex, which then
    /// runs hooks in every version that knows them; and one process may hold many sessions.
    pub(super) fn before(arguments: &[OsString], var: impl Fn(&str) -> Option<OsString>, here: &Path) -> Option<Self> {
        let cwd = exec(arguments)?.map_or_else(|| here.to_owned(), |folder| here.join(folder));
        let set = |name| {
            var(name)
                .filter(|value: &OsString| !value.is_empty())
                .map(PathBuf::from)
        };
        // As Codex (0.171.0) itself looks for it.
        let home = set("CODEX_HOME").or_else(|| Some(set("HOME")?.join(".codex")))?;
        let folder = home.join("sessions");
        let before = lengths(&folder);
        Some(Self { folder, cwd, before })
    }

    /// Judges the one record that grew since, in the run's working folder.
    ///
    /// # Errors
    /// It can't be read or judged.
    pub(super) fn judge(&self) -> anyhow::Result<Record> {
        let (Some(before), Some(now)) = (&self.before, lengths(&self.folder)) else {
            return Ok(Record::Unclear("there are too many records to look at"));
        };
        let mut grown = Vec::new();
        for (path, length) in now {
            let from = before.get(&path).copied().unwrap_or(0);
            if length > MAX_RECORD && length > from {
                return Ok(Record::Unclear("a record that has grown meanwhile is too long"));
            }
            if length > from {
                let bytes = fs::read(&path).with_context(|| path.display().to_string())?;
                let from = usize::try_from(from).unwrap_or(usize::MAX);
                if let Some(version) = self.is_ours(&bytes, from) {
                    grown.push((path, bytes, from, version));
                }
            }
        }
        let mut grown = grown.into_iter();
        match (grown.next(), grown.next()) {
            (None, _) => Ok(Record::None),
            (Some(_), Some(_)) => Ok(Record::Unclear(
                "more than one record of work in this folder has grown meanwhile",
            )),
            (Some((path, bytes, from, version)), None) => {
                let findings = tryout::judge(&path, &bytes, from)?;
                Ok(Record::Judged { version, findings })
            }
        }
    }

    /// The version that wrote a record, where that is no helper agent's, and its new lines tell of work in our folder.
    fn is_ours(&self, bytes: &[u8], from: usize) -> Option<String> {
        let head: Line = serde_json::from_slice(bytes.split(|byte| *byte == b'\n').next()?).ok()?;
        if head.kind != "session_meta" || head.payload.parent_thread_id.is_some() || head.payload.source.is_object() {
            return None;
        }
        let new = bytes.get(from..)?.split(|byte| *byte == b'\n');
        let mut lines = new.filter_map(|line| serde_json::from_slice::<Line>(line).ok());
        let here = |line: Line| {
            let cwd = line.payload.cwd.filter(|_| line.kind == "turn_context");
            cwd.is_some_and(|cwd| is_same(Path::new(&cwd), &self.cwd))
        };
        lines.any(here).then_some(head.payload.cli_version)
    }
}

/// A line of a record, as far as it tells whose it is (0.171.0, and before it since 0.50).
#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    payload: Payload,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Payload {
    cwd: Option<String>,
    cli_version: String,
    parent_thread_id: Option<String>,
    source: serde_json::Value,
}

fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    real(one) == real(other)
}

/// Every record below a folder, with its length in bytes; none when there are too many.
fn lengths(folder: &Path) -> Option<HashMap<PathBuf, u64>> {
    let mut found = HashMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        // A folder that is not there, or went meanwhile, holds no record.
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match entry.metadata() {
                Ok(metadata) if metadata.is_dir() => open.push(path),
                Ok(metadata) if path.extension() == Some(OsStr::new("jsonl")) => {
                    if found.len() == MAX_RECORDS {
                        return None;
                    }
                    found.insert(path, metadata.len());
                }
                _ => {}
            }
        }
    }
    Some(found)
}

/// Whether Codex is told to `exec`, and the folder that it is sent to.
fn exec(arguments: &[OsString]) -> Option<Option<OsString>> {
    let (mut is_exec, mut folder) = (false, None);
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let text = argument.to_str().unwrap_or_default();
        match text {
            "--" => break,
            "-C" | "--cd" => folder = arguments.next().cloned(),
            _ if WITH_VALUE.contains(&text) => drop(arguments.next()),
            _ if text.starts_with("--cd=") => folder = text.strip_prefix("--cd=").map(OsString::from),
            _ if text.starts_with("-C") => folder = text.strip_prefix("-C").map(OsString::from),
            _ if text.starts_with('-') || is_exec => {}
            "exec" | "e" => is_exec = true,
            _ => return None,
        }
    }
    is_exec.then_some(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exec_is_told_from_a_prompt_and_from_a_value() {
        let cases: &[(&[&str], Option<Option<&str>>)] = &[
            (&["exec", "x"], Some(None)),
            (&["e"], Some(None)),
            (&["-c", "a=b", "exec", "resume", "--last"], Some(None)),
            (&["-m", "exec", "exec", "-C", "/a", "x"], Some(Some("/a"))),
            (&["-C/a", "exec"], Some(Some("/a"))),
            (&["exec", "--cd=/a", "x"], Some(Some("/a"))),
            (&["exec", "--", "-C", "/a"], Some(None)),
            (&["--search", "-m", "exec"], None),
            (&["say exec"], None),
            (&["resume", "exec"], None),
            (&["--", "exec"], None),
            (&["exec-server"], None),
            (&[], None),
        ];
        for (arguments, expected) in cases {
            let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
            let expected = expected.map(|folder| folder.map(OsString::from));
            assert_eq!(exec(&arguments), expected, "{arguments:?}");
        }
    }

    /// Writes a record of a session in a folder.
    fn write(sessions: &Path, name: &str, meta: &str, cwd: &Path, more: &str) {
        let folder = sessions.join("2026/01/02");
        fs::create_dir_all(&folder).unwrap();
        let text = format!(
            "{{\"type\":\"session_meta\",\"payload\":{{\"cli_version\":\"0.138.0\"{meta}}}}}\n\
             {{\"type\":\"turn_context\",\"payload\":{{\"cwd\":{:?}}}}}\n{more}",
            cwd.to_str().unwrap()
        );
        fs::write(folder.join(format!("rollout-{name}.jsonl")), text).unwrap();
    }

    #[test]
    fn only_a_record_that_grew_in_our_folder_is_ours() {
        let root = tempfile::tempdir().unwrap();
        let (here, there) = (root.path().join("here"), root.path().join("there"));
        for folder in [&here, &there] {
            fs::create_dir(folder).unwrap();
        }
        let sessions = root.path().join("sessions");
        write(&sessions, "old", "", &here, "");
        let home = root.path().as_os_str().to_owned();
        let var = |name: &str| (name == "CODEX_HOME").then(|| home.clone());
        let records = Records::before(&["exec".into()], var, &here).unwrap();
        assert!(Records::before(&["resume".into()], var, &here).is_none());
        let is_none = || matches!(records.judge().unwrap(), Record::None);
        assert!(is_none(), "nothing has grown");
        write(&sessions, "elsewhere", "", &there, "");
        write(&sessions, "helper", r#","parent_thread_id":"p""#, &here, "");
        write(&sessions, "guardian", r#","source":{"subagent":"review"}"#, &here, "");
        assert!(is_none(), "none of these is the run's");
        fs::write(sessions.join("2026/01/02/rollout-rubbish.jsonl"), "rubbish\n").unwrap();
        fs::write(sessions.join("2026/01/02/rollout-empty.jsonl"), "").unwrap();
        assert!(is_none(), "neither are these");
        write(&sessions, "one", "", &here, "");
        write(&sessions, "two", "", &here, "");
        assert!(matches!(records.judge().unwrap(), Record::Unclear(_)));
    }
}
