//! One row for each harness: its settings files, its programs, the events it is asked to tell us, and since when it can.
//! How a file is changed stays out.

mod claude_code;
mod codex;
mod cursor;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use proofmark_protocol::Harness;

use super::tree::{Node, Unparsed};
use super::version::Version;

/// What the installer knows about one harness.
pub(crate) struct Spec {
    /// Which one.
    pub(crate) harness: Harness,
    /// What people call it.
    pub(crate) title: &'static str,
    /// Its programs; each is asked for its version.
    pub(crate) programs: &'static [&'static str],
    /// The program of it that can answer for the reply judge, and how it is started, as `docs/judge.md` has it.
    pub(crate) judge: (&'static str, &'static str),
    /// Places of a `package.json` that has its version, where no program is on `PATH`.
    pub(crate) packages: &'static [&'static str],
    /// Its folder in a home or a project.
    pub(crate) folder: &'static str,
    /// The variable that names its folder instead.
    pub(crate) folder_variable: &'static str,
    /// A program of it goes on reading the folder in the home even so.
    pub(crate) reads_home_too: bool,
    /// The file of its settings that has the hooks.
    pub(crate) file: &'static str,
    /// The TOML file of its settings that may have hooks as well.
    pub(crate) toml: Option<&'static str>,
    /// How its hooks are written.
    pub(crate) shape: Shape,
    /// The events that Proofmark hears of.
    pub(crate) events: &'static [Event],
    /// Since when a hook may have a program and arguments instead of a command line; none: it never may.
    pub(crate) direct_since: Option<Version>,
    /// It reads a file that starts with a byte order mark.
    pub(crate) reads_mark: bool,
    /// It reads JSON with comments and trailing commas; none where nobody has tried.
    pub(crate) reads_liberties: Option<bool>,
    /// It goes on with the hooks of a file that was deleted, so an emptied one is left.
    pub(crate) keeps_deleted: bool,
    /// A hook counts only when the person has reviewed it, each by its place and content.
    pub(crate) asks_trust: bool,
    /// Why the harness would not take the hooks of a file as it stands; none where it would.
    pub(crate) refuses: fn(text: &str, root: &Node) -> Option<Unparsed>,
    /// What keeps hooks from running although they are written.
    pub(crate) stops: fn(&Surroundings<'_>) -> Vec<String>,
    /// What else a person has to know.
    pub(crate) notes: fn(&Surroundings<'_>) -> Vec<String>,
}

/// How the hooks of a harness are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// An event has groups, a group has hooks.
    Grouped,
    /// An event has hooks; the file has a version.
    Flat,
}

/// An event that Proofmark hears of.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Event {
    /// The harness's name of it.
    pub(crate) name: &'static str,
    /// How long the hook may take at most, in seconds. The hook ends long before: this is for the day on which it hangs.
    pub(crate) timeout: u64,
    /// More of the harness's own members.
    pub(crate) more: &'static [(&'static str, u64)],
    /// The versions that know it, each the first of its numbering; empty: every version that has hooks.
    pub(crate) since: &'static [Version],
    /// It is about a helper agent.
    pub(crate) helper: bool,
}

/// What is known when a file is written.
pub(crate) struct Surroundings<'a> {
    /// The settings file that has the hooks, as it will be.
    pub(crate) root: Option<&'a Node>,
    /// The TOML settings beside it.
    pub(crate) toml: Option<&'a Node>,
    /// The versions of the programs that were found.
    pub(crate) versions: &'a [Version],
    /// Whether the path that was given leads over a symbolic link.
    pub(crate) is_link: bool,
    /// Whether the file is a project's.
    pub(crate) project: bool,
}

/// Every harness, in the order in which they are told.
pub(crate) static SPECS: [&Spec; 3] = [&claude_code::SPEC, &codex::SPEC, &cursor::SPEC];

/// The row of a harness.
pub(crate) fn spec(harness: Harness) -> &'static Spec {
    SPECS
        .into_iter()
        .find(|spec| spec.harness == harness)
        .unwrap_or(SPECS[0])
}

/// A hook that answers at once.
const GATE: u64 = 10;
/// A hook at the end of a turn: the record is read, and where the person has set up a judge, it is waited for.
pub(crate) const STOP: u64 = 60;
/// A hook at the end of a session, for which some harnesses give no more.
const END: u64 = 3;

const fn event(name: &'static str, timeout: u64, since: &'static [Version]) -> Event {
    Event {
        name,
        timeout,
        more: &[],
        since,
        helper: false,
    }
}

const fn helper(name: &'static str, timeout: u64, since: &'static [Version]) -> Event {
    Event {
        helper: true,
        ..event(name, timeout, since)
    }
}

impl Spec {
    /// Its folders: those of the person, or that of a project.
    pub(crate) fn folders(&self, env: &dyn Fn(&str) -> Option<OsString>, project: Option<&Path>) -> Vec<PathBuf> {
        if let Some(project) = project {
            return vec![project.join(self.folder)];
        }
        let set = |name: &str| env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let named = set(self.folder_variable);
        let home = set("HOME").map(|home| home.join(self.folder));
        let both = match (named, home) {
            (Some(named), Some(home)) if self.reads_home_too && home != named && home.is_dir() => {
                [Some(named), Some(home)]
            }
            (Some(named), _) => [Some(named), None],
            (None, home) => [home, None],
        };
        let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
        both.into_iter().flatten().map(absolute).collect()
    }

    /// The events that every version here knows; where none is known, those that every version has.
    pub(crate) fn events(&self, versions: &[Version]) -> Vec<&'static Event> {
        let known = |event: &&Event| {
            event.since.is_empty() || !versions.is_empty() && versions.iter().all(|version| version.has(event.since))
        };
        self.events.iter().filter(known).collect()
    }

    /// Whether every version here starts a program with arguments itself.
    pub(crate) fn is_direct(&self, versions: &[Version]) -> bool {
        let has = |since: Version| !versions.is_empty() && versions.iter().all(|version| version.has(&[since]));
        self.direct_since.is_some_and(has)
    }
}

/// The first thing in the hooks that has another shape than it must have: `hooks` with its events, their groups and hooks.
pub(crate) fn misshapen(text: &str, root: &Node, shape: Shape) -> Option<Unparsed> {
    let told = |node: &Node, what: String| Some(Unparsed::at(text, node.span.start, what));
    let Some(_) = root.members() else {
        return told(root, "the settings are no object".to_owned());
    };
    if let Some((name, place)) = root.doubled() {
        return Some(Unparsed::at(
            text,
            place,
            format!("“{name}” stands there a second time"),
        ));
    }
    let hooks = root.get("hooks")?;
    let Some(events) = hooks.members() else {
        return told(hooks, "“hooks” is no object of events".to_owned());
    };
    if let Some((name, place)) = hooks.doubled() {
        return Some(Unparsed::at(
            text,
            place,
            format!("“{name}” stands there a second time"),
        ));
    }
    for event in events.iter().filter(|event| event.name != "state") {
        let Some(entries) = event.value.elements() else {
            return told(&event.value, format!("“{}” is no list", event.name));
        };
        for entry in entries {
            if entry.members().is_none() {
                return told(entry, format!("an entry of “{}” is no object", event.name));
            }
            if let Some((name, place)) = entry.doubled() {
                return Some(Unparsed::at(
                    text,
                    place,
                    format!("“{name}” stands there a second time"),
                ));
            }
            if shape == Shape::Flat {
                continue;
            }
            for handler in entry
                .get("hooks")
                .map_or(Some(&[][..]), Node::elements)
                .unwrap_or_default()
            {
                if handler.members().is_none() {
                    return told(handler, format!("a hook of “{}” is no object", event.name));
                }
                if let Some((name, place)) = handler.doubled() {
                    return Some(Unparsed::at(
                        text,
                        place,
                        format!("“{name}” stands there a second time"),
                    ));
                }
            }
            if entry.get("hooks").is_some_and(|hooks| hooks.elements().is_none()) {
                return told(entry, format!("the hooks of a group of “{}” are no list", event.name));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_events_that_every_program_knows_are_asked_for() {
        let names = |harness: Harness, versions: &[Version]| -> Vec<&str> {
            let events = spec(harness).events(versions);
            events.iter().map(|event| event.name).collect()
        };
        let all = |harness: Harness| spec(harness).events.len();
        assert_eq!(names(Harness::Codex, &[Version(0, 171, 0)]).len(), all(Harness::Codex));
        for versions in [&[][..], &[Version(0, 120, 0)]] {
            let common = names(Harness::Codex, versions);
            assert!(
                common.contains(&"Stop") && !common.contains(&"SessionEnd"),
                "{versions:?}"
            );
        }
        let both = [Version(3, 24, 12), Version(2026, 9, 18)];
        assert_eq!(names(Harness::Cursor, &both).len(), all(Harness::Cursor));
        let old_editor = [Version(3, 1, 0), Version(2026, 9, 18)];
        for versions in [&old_editor[..], &[]] {
            let common = names(Harness::Cursor, versions);
            assert!(
                common.contains(&"stop") && !common.contains(&"postToolUseFailure"),
                "{versions:?}: one unknown event would void the file"
            );
        }
    }

    #[test]
    fn the_page_names_every_event_and_no_other() {
        let page = include_str!("../../../../docs/install.md");
        for spec in SPECS {
            let start = format!("| {} | `", spec.title);
            let row = page.lines().filter(|line| line.starts_with(&start));
            let row = row.max_by_key(|line| line.matches('`').count()).unwrap();
            let mut named: Vec<&str> = row.split('`').skip(1).step_by(2).collect();
            let mut events: Vec<&str> = spec.events.iter().map(|event| event.name).collect();
            named.sort_unstable();
            events.sort_unstable();
            assert_eq!(named, events, "{}", spec.title);
        }
    }

    #[test]
    fn a_program_is_started_without_a_shell_only_where_that_is_known() {
        let direct = |versions: &[Version]| spec(Harness::ClaudeCode).is_direct(versions);
        assert!(direct(&[Version(2, 1, 332)]) && !direct(&[Version(2, 0, 0)]) && !direct(&[]));
        assert!(!spec(Harness::Codex).is_direct(&[Version(0, 171, 0)]));
    }

    #[test]
    fn folders_follow_the_environment() {
        let home = tempfile::tempdir().unwrap();
        let env = |named: &'static str| {
            let home = home.path().as_os_str().to_owned();
            move |name: &str| match name {
                "HOME" => Some(home.clone()),
                "CURSOR_CONFIG_DIR" | "CODEX_HOME" if !named.is_empty() => Some(OsString::from(named)),
                _ => None,
            }
        };
        let cursor = spec(Harness::Cursor);
        assert_eq!(cursor.folders(&env(""), None), [home.path().join(".cursor")]);
        assert_eq!(cursor.folders(&env("/c"), None), [PathBuf::from("/c")]);
        std::fs::create_dir(home.path().join(".cursor")).unwrap();
        std::fs::create_dir(home.path().join(".codex")).unwrap();
        // The editor does not know the variable and goes on reading the home's.
        let both = [PathBuf::from("/c"), home.path().join(".cursor")];
        assert_eq!(cursor.folders(&env("/c"), None), both);
        assert_eq!(spec(Harness::Codex).folders(&env("/c"), None), [PathBuf::from("/c")]);
        assert_eq!(
            cursor.folders(&env("/c"), Some(Path::new("/p"))),
            [PathBuf::from("/p/.cursor")]
        );
        assert!(cursor.folders(&|_| None, None).is_empty());
    }
}
