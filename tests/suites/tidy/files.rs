//! The repository's files as data.
//! What has to be true of them stands with the rules.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use proofmark_tests::schema;

/// Folders that are not the repository's own, at its root.
const SKIPPED: &[&str] = &[".git", "target"];

/// Folders that npm and the extension's build make; git does not know them either.
const MADE: &[&str] = &[
    "editors/vscode/dist",
    "editors/vscode/dist-packages",
    "editors/vscode/node_modules",
    "editors/vscode/out",
];

/// One file.
pub(crate) struct Source {
    /// From the root, with `/` between names.
    pub(crate) path: String,
    /// What is in it; bytes that are no UTF-8 are replaced.
    pub(crate) text: String,
}

impl Source {
    /// A Rust file.
    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// A file that only tests use.
    pub(crate) fn is_test(&self) -> bool {
        let mut names = self.path.split('/');
        self.path.ends_with("/tests.rs") || names.any(|name| name == "tests" || name == "fixtures")
    }
}

/// Every file of the repository.
pub(crate) struct Repo {
    /// Names at the root.
    pub(crate) root: Vec<String>,
    /// The files, in the order of their paths.
    pub(crate) files: Vec<Source>,
}

impl Repo {
    /// Reads the working tree.
    pub(crate) fn read() -> anyhow::Result<Self> {
        let base = schema::workspace();
        let mut repo = Self {
            root: names(&base)?,
            files: Vec::new(),
        };
        repo.root.retain(|name| !SKIPPED.contains(&name.as_str()));
        let mut open: Vec<String> = repo.root.clone();
        while let Some(path) = open.pop() {
            if MADE.contains(&path.as_str()) {
                continue;
            }
            let full = base.join(&path);
            let kind = fs::symlink_metadata(&full).with_context(|| path.clone())?;
            if kind.is_dir() {
                open.extend(names(&full)?.into_iter().map(|name| format!("{path}/{name}")));
            } else {
                let bytes = fs::read(&full).with_context(|| path.clone())?;
                repo.files.push(Source {
                    path,
                    text: String::from_utf8_lossy(&bytes).into_owned(),
                });
            }
        }
        repo.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(repo)
    }

    /// The text of one file.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.files
            .iter()
            .find(|file| file.path == path)
            .map(|file| file.text.as_str())
    }
}

fn names(folder: &Path) -> anyhow::Result<Vec<String>> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let paths: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    Ok(paths
        .iter()
        .filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()))
        .collect())
}

/// Names at the root that are missing or not on the list.
pub(crate) fn unlisted(root: &[String], required: &[&str], optional: &[&str]) -> Vec<String> {
    let missing = required.iter().filter(|name| !root.iter().any(|there| there == *name));
    let strange = root
        .iter()
        .filter(|name| !required.contains(&name.as_str()) && !optional.contains(&name.as_str()));
    let missing = missing.map(|name| format!("{name} is missing at the root"));
    missing
        .chain(strange.map(|name| format!("{name} is not on the list of what stands at the root")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_and_a_strange_name_are_told() {
        let root = ["a".to_owned(), "x".to_owned()];
        assert_eq!(unlisted(&root, &["a", "b"], &["c"]).len(), 2);
        assert!(unlisted(&root, &["a"], &["x", "c"]).is_empty());
    }

    #[test]
    fn the_walk_reaches_this_file_and_skips_what_is_built() -> anyhow::Result<()> {
        let repo = Repo::read()?;
        assert!(
            repo.text("tests/suites/tidy/files.rs")
                .is_some_and(|text| text.contains("the_walk_reaches"))
        );
        assert!(
            !repo
                .files
                .iter()
                .any(|file| file.path.starts_with("target/") || file.path.starts_with(".git/"))
        );
        Ok(())
    }

    #[test]
    fn tests_are_told_by_their_path() {
        let is_test = |path: &str| {
            Source {
                path: path.to_owned(),
                text: String::new(),
            }
            .is_test()
        };
        assert!(is_test("server/src/evidence/shell/tests.rs") && is_test("server/src/ledger/tests/mod.rs"));
        assert!(!is_test("server/src/ledger/attests.rs"));
    }
}
