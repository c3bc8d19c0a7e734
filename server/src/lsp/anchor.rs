//! Lines that findings hang on, known by a hash of their text: a finding goes with its line while the file changes.
//! What hangs there, and reading files, stays out.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::hash::Hasher;
use std::path::PathBuf;

use fnv::FnvHasher;
use proofmark_protocol::Harness;
use proofmark_protocol::findings::{Cited, Item, SessionFindings};

use super::files::{Inside, Text, Workspace};
use super::place::{self, Place};

/// How far from its old place a line is looked for, in lines.
const REACH: u32 = 50;

/// What an item is known by among all sessions.
type Key = (Harness, String, String);

/// Where an item's line is.
#[derive(Debug, PartialEq)]
pub(super) enum Found {
    /// Here.
    At(Place),
    /// Its text has gone; where it was, if the file is still there.
    Gone(Option<Place>),
    /// It names no place that exists.
    Nowhere,
}

/// The lines that items hang on, from when each was first shown.
#[derive(Debug, Default)]
pub(super) struct Anchors(HashMap<Key, Anchor>);

#[derive(Debug)]
struct Anchor {
    /// What the item named when its place was found: another list is looked up anew.
    named: Vec<Cited>,
    cited: Cited,
    file: PathBuf,
    line: u32,
    hash: u64,
    /// False for a line without a letter or number, such as a bracket: there are many like it.
    tells: bool,
}

impl Anchors {
    /// Where an item's line is now. Places with a line come before those without.
    pub(super) fn find(&mut self, session: &SessionFindings, item: &Item, workspace: &mut Workspace) -> Found {
        let key = key(session, item);
        let cwd = session.cwd.as_deref();
        if let Some(anchor) = self.0.get_mut(&key)
            && anchor.named == item.cited
        {
            return anchor.again(cwd, workspace);
        }
        self.0.remove(&key);
        for cited in item.cited.iter().filter(|cited| cited.line.is_some()) {
            if let Some((anchor, place)) = Anchor::new(item, cited, cwd, workspace) {
                self.0.insert(key, anchor);
                return Found::At(place);
            }
        }
        let mut whole = item.cited.iter().filter(|cited| cited.line.is_none());
        whole
            .find_map(|cited| place::cited(cited, cwd, workspace))
            .map_or(Found::Nowhere, Found::At)
    }

    /// Forgets the lines of items that are not shown any more.
    pub(super) fn keep_only<'a>(&mut self, shown: impl Iterator<Item = (&'a SessionFindings, &'a Item)>) {
        let shown: HashSet<Key> = shown.map(|(session, item)| key(session, item)).collect();
        self.0.retain(|key, _| shown.contains(key));
    }
}

fn key(session: &SessionFindings, item: &Item) -> Key {
    (session.harness, session.session.clone(), item.id.clone())
}

impl Anchor {
    fn new(item: &Item, cited: &Cited, cwd: Option<&str>, workspace: &mut Workspace) -> Option<(Self, Place)> {
        let line = cited.line?.checked_sub(1)?;
        workspace.files(&cited.path, cwd).into_iter().find_map(|file| {
            let place = workspace.place(&file, line)?;
            let text = workspace.text(&file)?;
            let raw = text.line(line)?;
            let anchor = Self {
                named: item.cited.clone(),
                cited: cited.clone(),
                file: file.named,
                line,
                hash: hash(raw),
                tells: String::from_utf8_lossy(raw).contains(char::is_alphanumeric),
            };
            Some((anchor, place))
        })
    }

    fn again(&mut self, cwd: Option<&str>, workspace: &mut Workspace) -> Found {
        let is_it = |file: &Inside| file.named == self.file;
        // Resolved anew each time: what was a file of the workspace may have become a link out of it.
        let file = workspace.files(&self.cited.path, cwd).into_iter().find(is_it);
        let Some((file, text)) = file.and_then(|file| workspace.text(&file).map(|text| (file, text))) else {
            return Found::Gone(None);
        };
        if let Some(place) = self.line_in(&text).and_then(|line| {
            self.line = line;
            workspace.place(&file, line)
        }) {
            return Found::At(place);
        }
        Found::Gone(workspace.place(&file, self.line.min(text.last())))
    }

    /// The nearest line of the same text.
    fn line_in(&self, text: &Text) -> Option<u32> {
        let is_it = |line: &u32| text.line(*line).is_some_and(|raw| hash(raw) == self.hash);
        let reach = if self.tells { REACH } else { 0 };
        let near = (0..=reach).flat_map(|away| [self.line.checked_add(away), self.line.checked_sub(away)]);
        near.flatten().find(is_it)
    }
}

/// A line's text is its hash; its indent does not count.
fn hash(line: &[u8]) -> u64 {
    let mut hasher = FnvHasher::default();
    hasher.write(line.trim_ascii());
    hasher.finish()
}
