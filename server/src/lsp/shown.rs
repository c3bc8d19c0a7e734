//! Which sessions an editor is shown, in which severity, and what it was told of them.
//! Where a finding goes in a file stays out.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::Duration;

use proofmark_protocol::Harness;
use proofmark_protocol::findings::{EditorOptions, FindingsChanged, SessionFindings};

/// What a session is known by.
pub(super) type Key = (Harness, String);

/// What a session is known by.
pub(super) fn key(session: &SessionFindings) -> Key {
    (session.harness, session.session.clone())
}

/// The sessions of a workspace that were heard of lately, in the severities that the person has set. An editor without a
/// folder has no workspace that a session could lie outside of, and a session without a folder may belong anywhere.
/// Asks the file system where folders really lie.
pub(super) fn of<'a>(
    sessions: impl Iterator<Item = &'a SessionFindings>,
    folders: &[PathBuf],
    options: &EditorOptions,
    now: u64,
) -> Vec<SessionFindings> {
    let folders: Vec<PathBuf> = folders.iter().map(|folder| real(folder)).collect();
    // Many sessions have the same folder.
    let mut known: HashMap<&str, bool> = HashMap::new();
    let mut of_workspace = |session: &'a SessionFindings| match session.cwd.as_deref() {
        Some(cwd) if !folders.is_empty() => *known.entry(cwd).or_insert_with(|| {
            let cwd = real(Path::new(cwd));
            let touches = |folder: &PathBuf| cwd.starts_with(folder) || folder.starts_with(&cwd);
            folders.iter().any(touches)
        }),
        _ => true,
    };
    sessions
        .filter(|session| is_recent(session, options, now) && of_workspace(session))
        .map(|session| {
            let mut session = session.clone();
            for item in &mut session.items {
                item.severity = options.severity.get(&item.code).copied().unwrap_or(item.severity);
            }
            session
        })
        .collect()
}

/// How long until the first of these sessions is too old.
pub(super) fn until_the_first_is_old(
    sessions: &[SessionFindings],
    options: &EditorOptions,
    now: u64,
) -> Option<Duration> {
    let ends = sessions.iter().filter_map(|session| end(session, options));
    let end = ends.min()?;
    Some(Duration::from_millis(end.saturating_sub(now).saturating_add(1)))
}

fn is_recent(session: &SessionFindings, options: &EditorOptions, now: u64) -> bool {
    end(session, options).is_none_or(|end| end >= now)
}

/// The last moment at which a session is shown, in milliseconds since 1970.
fn end(session: &SessionFindings, options: &EditorOptions) -> Option<u64> {
    let age = Duration::try_from_secs_f64(options.max_age_hours * 60.0 * 60.0).unwrap_or_default();
    let age = u64::try_from(age.as_millis()).unwrap_or(u64::MAX);
    Some(session.last_seen?.saturating_add(age))
}

/// Where a folder really lies; one that does not exist, where it would.
fn real(folder: &Path) -> PathBuf {
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

/// What an editor was told of the sessions themselves.
#[derive(Debug, Default)]
pub(super) struct Told(Option<BTreeMap<Key, SessionFindings>>);

impl Told {
    /// What it has to be told now; `anew` when other sessions may be shown for another reason than something new in them.
    pub(super) fn next(&self, shown: &[SessionFindings], anew: bool) -> Option<FindingsChanged> {
        let whole = || FindingsChanged {
            whole: true,
            sessions: shown.to_vec(),
        };
        let Some(told) = &self.0 else {
            return Some(whole());
        };
        let changed: Vec<SessionFindings> = shown
            .iter()
            .filter(|session| told.get(&key(session)) != Some(session))
            .cloned()
            .collect();
        // As many as before, and none of them new: nobody has left.
        let new = changed
            .iter()
            .filter(|session| !told.contains_key(&key(session)))
            .count();
        let left = shown.len() - new < told.len();
        match () {
            () if left || (anew && !changed.is_empty()) => Some(whole()),
            () if changed.is_empty() => None,
            () => Some(FindingsChanged {
                whole: false,
                sessions: changed,
            }),
        }
    }

    /// Takes note that it was told.
    pub(super) fn take(&mut self, told: &FindingsChanged) {
        let held = self.0.get_or_insert_default();
        if told.whole {
            held.clear();
        }
        held.extend(told.sessions.iter().map(|session| (key(session), session.clone())));
    }

    /// Everything is to be told once more.
    pub(super) fn forget(&mut self) {
        self.0 = None;
    }
}
