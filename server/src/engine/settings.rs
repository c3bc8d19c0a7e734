//! Where settings come from: the person's file, the environment, the project's file; read again when they change.
//! What a setting means, and how layers add up, is the protocol's.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use proofmark_protocol::settings::{Layer, Settings};
use serde_json::{Map, Value};

use crate::judge::list::{self, MAX_LISTS, WordList};

/// A settings file longer than this is not read, in bytes.
const MAX_FILE: u64 = 1024 * 1024;
/// How many folders above the working folder may hold the project's file.
const MAX_DEPTH: usize = 32;
/// The project's file.
const PROJECT_FILE: &str = "proofmark.toml";

/// The person's settings: those of the file and of this process's environment, without any project's.
pub fn of_person() -> Settings {
    SettingsFiles::of_process().layers(None).0.settings
}

/// The settings of an event, and what was wrong with them.
#[derive(Debug, Clone, Default)]
pub(super) struct Effective {
    /// Every default filled in.
    pub(super) settings: Settings,
    /// Bad values and unreadable files, one sentence each.
    pub(super) bad: Vec<String>,
    /// The judge's word lists, each name once; none while the judge is off.
    pub(super) lists: Vec<WordList>,
}

/// The files that settings come from.
pub(super) struct SettingsFiles {
    person: Option<PathBuf>,
    home: Option<PathBuf>,
    environment: Value,
    parsed: Mutex<HashMap<PathBuf, Parsed>>,
}

/// A file's bytes, and what they say or why they say nothing.
type Parsed = (Vec<u8>, Result<Value, String>);

impl SettingsFiles {
    /// The files and the variables `PROOFMARK_…__…` of this process's environment.
    pub(super) fn of_process() -> Self {
        let environment = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect::<Vec<_>>();
        Self {
            person: proofmark_protocol::paths::config_file(|name| std::env::var_os(name)),
            home: std::env::var_os("HOME").map(PathBuf::from),
            environment: from_environment(environment.iter().map(|(name, value)| (name.as_str(), value.as_str()))),
            parsed: Mutex::default(),
        }
    }

    /// The settings for an event in a working folder.
    pub(super) fn read(&self, cwd: Option<&str>) -> Effective {
        let (mut effective, folders) = self.layers(cwd);
        if effective.settings.judge.enabled {
            lay_lists(&mut effective, folders.0.as_deref(), folders.1.as_deref());
        }
        effective
    }

    /// The word lists for a working folder, whether or not the judge is on, and what is wrong with them.
    pub(super) fn lists(&self, cwd: Option<&str>) -> (Vec<WordList>, Vec<String>) {
        let (mut effective, folders) = self.layers(cwd);
        effective.bad.clear();
        lay_lists(&mut effective, folders.0.as_deref(), folders.1.as_deref());
        (effective.lists, effective.bad)
    }

    /// Every layer, one over the other, and the files of the person and of the project.
    fn layers(&self, cwd: Option<&str>) -> (Effective, (Option<PathBuf>, Option<PathBuf>)) {
        let mut effective = Effective::default();
        let person = self.person.as_deref().map(|path| (Layer::Person, path.to_owned()));
        let mut folders = (self.person.clone(), None);
        let project = cwd
            .and_then(|cwd| self.project_file(Path::new(cwd)))
            .map(|path| (Layer::Project, path));
        for (layer, path) in person.into_iter().chain(project) {
            match self.parse(&path) {
                Some(Ok(value)) => {
                    let source = path.display().to_string();
                    effective
                        .bad
                        .extend(effective.settings.lay_over(layer, &source, &value));
                }
                Some(Err(why)) => effective.bad.push(why),
                None => {}
            }
            if layer == Layer::Person {
                self.lay_environment(&mut effective);
            } else {
                folders.1 = Some(path);
            }
        }
        if self.person.is_none() {
            self.lay_environment(&mut effective);
        }
        (effective, folders)
    }

    fn lay_environment(&self, effective: &mut Effective) {
        effective.bad.extend(
            effective
                .settings
                .lay_over(Layer::Person, "environment", &self.environment),
        );
    }

    /// The nearest project file at or above a folder; the search ends at a repository's root and below the home folder.
    fn project_file(&self, cwd: &Path) -> Option<PathBuf> {
        if !cwd.is_absolute() {
            return None;
        }
        for folder in cwd
            .ancestors()
            .take(MAX_DEPTH)
            .take_while(|folder| Some(*folder) != self.home.as_deref())
        {
            let file = folder.join(PROJECT_FILE);
            if file.is_file() {
                return Some(file);
            }
            if folder.join(".git").exists() {
                return None;
            }
        }
        None
    }

    /// A file's content, parsed anew only when its bytes changed; none when there is no file.
    fn parse(&self, path: &Path) -> Option<Result<Value, String>> {
        let unreadable = |why: String| Some(Err(format!("{}: {why}; its settings are not used", path.display())));
        match std::fs::metadata(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
            Err(error) => return unreadable(error.to_string()),
            Ok(metadata) if !metadata.is_file() => return unreadable("not a file".to_owned()),
            Ok(metadata) if metadata.len() > MAX_FILE => return unreadable("longer than 1 MiB".to_owned()),
            Ok(_) => {}
        }
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) => return unreadable(error.to_string()),
        };
        let mut parsed = self.parsed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, value)) = parsed.get(path)
            && *known == bytes
        {
            return Some(value.clone());
        }
        let value = said(&bytes).map_err(|why| format!("{}, {why}; its settings are not used", path.display()));
        parsed.insert(path.to_owned(), (bytes, value.clone()));
        Some(value)
    }
}

/// What the bytes of a settings file say; else the line in which they are no TOML, and why.
pub(super) fn said(bytes: &[u8]) -> Result<Value, String> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    toml::from_str(text).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = before.map_or(0, |before| before.matches('\n').count() + 1);
        format!("line {line}: {}", error.message())
    })
}

/// Takes in the judge's lists: the person's own, the shipped ones, the project's, each file seen from the settings file
/// that names it. The first one of a name counts, so that a project takes nothing away.
fn lay_lists(effective: &mut Effective, person: Option<&Path>, project: Option<&Path>) {
    let judge = &effective.settings.judge;
    let mut read = |names: &[String], settings: Option<&Path>| -> Vec<WordList> {
        let folder = settings.and_then(Path::parent).unwrap_or(Path::new("/"));
        let paths = names.iter().map(|name| folder.join(name));
        let lists = paths.flat_map(|path| match list::read(&path) {
            Ok(lists) => lists,
            Err(error) => {
                effective
                    .bad
                    .push(format!("{}: {error}; its lists are not used", path.display()));
                Vec::new()
            }
        });
        lists.collect()
    };
    let mut lists = read(&judge.lists, person);
    lists.extend(list::shipped());
    lists.extend(read(&judge.project_lists, project));
    for list in lists {
        let known = effective.lists.iter().any(|known| known.name == list.name);
        if !known && !judge.skip.contains(&list.name) && effective.lists.len() < MAX_LISTS {
            effective.lists.push(list);
        }
    }
}

/// Settings from variables: `PROOFMARK_CHECKS__UNTRIED_CLAIM__MODE` is `checks.untried-claim.mode`.
fn from_environment<'a>(variables: impl Iterator<Item = (&'a str, &'a str)>) -> Value {
    let mut root = Map::new();
    for (name, value) in variables {
        let Some(path) = name.strip_prefix("PROOFMARK_").filter(|path| path.contains("__")) else {
            continue;
        };
        let mut parts: Vec<&str> = path.split("__").collect();
        let Some(key) = parts.pop() else { continue };
        let parts: Vec<String> = parts
            .into_iter()
            .map(|part| part.to_lowercase().replace('_', "-"))
            .collect();
        // A tool is called as its harness spells it; all other keys are in lower case.
        let key = if parts == ["tools"] {
            key.to_owned()
        } else {
            key.to_lowercase()
        };
        let inner = parts.iter().try_fold(&mut root, |table, part| {
            let inner = table.entry(part.clone()).or_insert_with(|| Value::Object(Map::new()));
            inner.as_object_mut()
        });
        if let Some(table) = inner {
            let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
            table.insert(key, value);
        }
    }
    Value::Object(root)
}

#[cfg(test)]
mod tests {
    use proofmark_protocol::settings::{Mode, ToolEffect};

    use super::*;

    fn files(folder: &Path, environment: Value) -> SettingsFiles {
        let person = Some(folder.join("config.toml"));
        SettingsFiles {
            person,
            home: Some(folder.to_owned()),
            environment,
            parsed: Mutex::default(),
        }
    }

    #[test]
    fn a_changed_file_is_read_again_and_a_broken_one_is_named_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let files = files(folder.path(), Value::Null);
        assert_eq!(files.read(None).settings, Settings::default());
        std::fs::write(
            folder.path().join("config.toml"),
            "[checks.untried-claim]\nmode = \"off\"\n",
        )
        .unwrap();
        assert_eq!(files.read(None).settings.untried_claim.mode, Mode::Off);
        std::fs::write(
            folder.path().join("config.toml"),
            "\u{feff}[checks.untried-claim]\nmode = \"advise\"\n",
        )
        .unwrap();
        assert_eq!(files.read(None).settings.untried_claim.mode, Mode::Advise);
        std::fs::write(folder.path().join("config.toml"), "[checks]\nmode = = 3\n").unwrap();
        let broken = files.read(None);
        assert_eq!(broken.settings, Settings::default());
        assert!(broken.bad[0].contains("line 2"), "{:?}", broken.bad);
    }

    #[test]
    fn a_broken_file_is_named_with_its_line_whatever_stands_before_and_around_the_fault() {
        for (text, line) in [
            ("\u{feff}a b", 1),
            ("\u{feff}\u{feff}a b", 1),
            ("\u{feff}a = 1\né = 2", 2),
            ("a = \"é", 1),
            ("é", 1),
            ("\n\n[", 3),
        ] {
            let why = said(text.as_bytes()).unwrap_err();
            assert!(why.starts_with(&format!("line {line}: ")), "{text:?}: {why}");
        }
        assert!(said(b"a = \"\xff\"").is_ok() && said(b"\xff").is_err());
    }

    #[test]
    fn the_environment_overrides_the_person_and_the_project_only_tightens() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("project/deep");
        std::fs::create_dir_all(&project).unwrap();
        std::fs::write(
            folder.path().join("config.toml"),
            "[checks.untried-claim]\nstrict = true\nteach = false\n",
        )
        .unwrap();
        std::fs::write(
            folder.path().join("project/proofmark.toml"),
            "[checks.untried-claim]\nstrict = false\nmode = \"refuse\"\n",
        )
        .unwrap();
        let environment = from_environment(
            [
                ("PROOFMARK_CHECKS__UNTRIED_CLAIM__MODE", "advise"),
                ("PROOFMARK_TOOLS__Bash", "neither"),
                ("PROOFMARK_STATE_DIR", "/x"),
                ("PATH", "/bin"),
            ]
            .into_iter(),
        );
        let effective = files(folder.path(), environment).read(project.to_str());
        assert!(effective.bad.is_empty(), "{:?}", effective.bad);
        assert_eq!(effective.settings.untried_claim.mode, Mode::Refuse);
        assert!(effective.settings.untried_claim.strict);
        assert!(!effective.settings.untried_claim.teach);
        assert_eq!(effective.settings.tool_effect("Bash"), Some(ToolEffect::Neither));
    }

    #[test]
    fn a_project_file_above_a_repository_or_in_the_home_folder_is_not_the_projects() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("outer/repo/src");
        std::fs::create_dir_all(&project).unwrap();
        std::fs::create_dir(folder.path().join("outer/repo/.git")).unwrap();
        std::fs::write(
            folder.path().join("outer/proofmark.toml"),
            "[checks.untried-claim]\nstrict = true\n",
        )
        .unwrap();
        std::fs::write(
            folder.path().join("proofmark.toml"),
            "[checks.untried-claim]\nstrict = true\n",
        )
        .unwrap();
        let files = files(folder.path(), Value::Null);
        assert!(!files.read(project.to_str()).settings.untried_claim.strict);
        std::fs::remove_dir(folder.path().join("outer/repo/.git")).unwrap();
        std::fs::remove_file(folder.path().join("outer/proofmark.toml")).unwrap();
        assert!(!files.read(project.to_str()).settings.untried_claim.strict);
    }
}
