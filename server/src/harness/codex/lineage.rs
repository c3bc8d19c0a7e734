//! Where a rollout's relatives are: helper agents' files.
//! Reading any of them stays out.
//!
//! Every thread has a file of its own, `sessions/<year>/<month>/<day>/rollout-<local time>-<thread id>.jsonl`, and a
//! resumed one goes on in its file (0.171.0). A fork is a new file that begins with a copy of the other's lines, under
//! its own id; its prompts keep the ids that they had.

use std::fs;
use std::path::{Path, PathBuf};

/// The longest id that is taken, in bytes; 0.171.0 writes 36.
const MAX_ID: usize = 128;
/// So many days are looked through: a helper may be started long after its session.
const MAX_DAYS: usize = 400;

/// The record of helper `agent`: the file of that thread in the folder of the session's day, or of a later one. None for
/// an id with anything but letters, digits, `_` and `-`, so that no id leads elsewhere, and where there is no such file.
pub(super) fn agent_transcript(transcript: &Path, agent: &str) -> Option<PathBuf> {
    if !is_plain(agent) {
        return None;
    }
    let own = transcript.parent()?;
    let ending = format!("-{agent}.jsonl");
    in_folder(own, &ending).or_else(|| later_days(own).iter().find_map(|day| in_folder(day, &ending)))
}

/// A file for the thread, in a folder of its session's day: helpers have files beside it.
pub(super) fn place(folder: &Path, session: &str, agent: Option<&str>) -> Option<PathBuf> {
    let thread = agent.unwrap_or(session);
    let file = format!("rollout-2026-01-01T00-00-00-{thread}.jsonl");
    is_plain(thread).then(|| folder.join(file))
}

fn is_plain(thread: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    !thread.is_empty() && thread.len() <= MAX_ID && thread.bytes().all(plain)
}

fn in_folder(folder: &Path, ending: &str) -> Option<PathBuf> {
    entries(folder).into_iter().find(|path| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with("rollout-") && name.ends_with(ending))
    })
}

/// The folders of the days after that of `own`, in their order.
fn later_days(own: &Path) -> Vec<PathBuf> {
    let Some(root) = own.ancestors().nth(3).filter(|_| is_day(own)) else {
        return Vec::new();
    };
    let below = |folders: Vec<PathBuf>| folders.iter().flat_map(|folder| entries(folder)).collect();
    let mut days: Vec<PathBuf> = below(below(entries(root)));
    days.retain(|day| is_day(day) && day.as_path() > own);
    days.sort();
    days.truncate(MAX_DAYS);
    days
}

/// True for a path that ends with numbers for a year, a month and a day.
fn is_day(path: &Path) -> bool {
    let mut names = path.iter().rev().map(|name| name.to_str().unwrap_or_default());
    let mut number = |digits| {
        names
            .next()
            .is_some_and(|name| name.len() == digits && name.bytes().all(|byte| byte.is_ascii_digit()))
    };
    number(2) && number(2) && number(4)
}

/// What is in a folder; nothing when it can't be looked at, as the record is then unknown.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: PathBuf) -> PathBuf {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "").unwrap();
        path
    }

    #[test]
    fn a_helpers_file_is_found_by_its_thread() {
        let root = tempfile::tempdir().unwrap();
        let day = |day: &str, file: &str| root.path().join(day).join(file);
        let session = write(day("2026/11/30", "rollout-2026-11-30T23-59-51-a1.jsonl"));
        let same = write(day("2026/11/30", "rollout-2026-11-30T23-59-55-b2.jsonl"));
        let next = write(day("2026/12/01", "rollout-2026-12-01T00-00-10-c3.jsonl"));
        let year = write(day("2027/01/01", "rollout-2027-01-01T00-00-10-d4.jsonl"));
        write(day("2026/11/29", "rollout-2026-11-29T00-00-10-e5.jsonl"));
        write(day("2026/12/x1", "rollout-2026-12-02T00-00-10-e5.jsonl"));
        write(day("2026/12/01", "notes-f6.jsonl"));
        for (agent, found) in [
            ("b2", Some(&same)),
            ("c3", Some(&next)),
            ("d4", Some(&year)),
            ("e5", None),
            ("f6", None),
        ] {
            assert_eq!(agent_transcript(&session, agent).as_ref(), found, "{agent}");
        }
        for agent in ["", "..", "a/b", "b.2", "*", "é", &"a".repeat(129)] {
            assert_eq!(agent_transcript(&session, agent), None, "{agent:?}");
        }
        let (own, helper) = (place(root.path(), "a1", None), place(root.path(), "a1", Some("b2")));
        let helper = helper.map(write);
        assert_eq!(agent_transcript(&own.unwrap(), "b2"), helper);
        assert_eq!(place(root.path(), "a1", Some("../b2")), None);
        // Elsewhere only the folder itself is looked at.
        let copy = write(root.path().join("copies/a1.jsonl"));
        let beside = write(root.path().join("copies/rollout-b2.jsonl"));
        assert_eq!(agent_transcript(&copy, "b2"), Some(beside));
        assert_eq!(agent_transcript(&copy, "c3"), None);
    }
}
