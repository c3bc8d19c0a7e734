//! A workspace on disk for tests: files, items that point at them, and where those are put.
//! What should come of it stands in the tests.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};

use proofmark_protocol::findings::{CheckRef, Cited, Item, SessionFindings};
use proofmark_protocol::{Harness, Severity};
use tempfile::TempDir;
use tower_lsp::ls_types::Range;

use super::anchor::Anchors;
use super::files::Workspace;
use super::place::{Encoding, Place, Spot, spot};

/// A workspace on disk, a document beside it, and the lines that were seen in it.
pub(super) struct World {
    folder: TempDir,
    pub(super) anchors: RefCell<Anchors>,
}

impl World {
    pub(super) fn new() -> Self {
        let world = Self {
            folder: tempfile::tempdir().unwrap(),
            anchors: RefCell::default(),
        };
        for folder in ["work/src", "outside"] {
            fs::create_dir_all(world.path(folder)).unwrap();
        }
        fs::write(world.path("document.md"), "- one\n- two\n").unwrap();
        world
    }

    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    pub(super) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A session without items, whose document is the one beside the workspace.
    pub(super) fn session(&self, cwd: Option<&Path>) -> SessionFindings {
        SessionFindings {
            harness: Harness::ALL[0],
            session: "s".to_owned(),
            cwd: cwd.map(|cwd| cwd.display().to_string()),
            transcript: None,
            last_seen: None,
            document: self.path("document.md").display().to_string(),
            scope: None,
            items: Vec::new(),
            retired: Vec::new(),
            dismissed: Vec::new(),
        }
    }

    /// Where an item is put in a workspace of these folders.
    pub(super) fn spot_in(&self, folders: &[PathBuf], cwd: Option<&Path>, item: &Item) -> Spot {
        let session = self.session(cwd);
        let mut workspace = Workspace::new(folders, Encoding::Utf16);
        spot(&session, item, &mut workspace, &mut self.anchors.borrow_mut()).unwrap()
    }

    pub(super) fn spot(&self, cwd: Option<&str>, item: &Item) -> Spot {
        let (folders, cwd) = ([self.path("work")], cwd.map(|cwd| self.path(cwd)));
        self.spot_in(&folders, cwd.as_deref(), item)
    }

    pub(super) fn put(&self, item: &Item) -> Spot {
        self.spot(None, item)
    }

    /// A place as the path below the world, the line counted from 1, and the columns.
    pub(super) fn told(&self, place: &Place) -> (String, u32, u32, u32) {
        let path = place.uri.to_file_path().unwrap();
        let path = path.strip_prefix(self.path("")).unwrap().display().to_string();
        let Range { start, end } = place.range;
        (path, start.line + 1, start.character, end.character)
    }
}

pub(super) fn item(id: &str, cited: Vec<Cited>, check: Option<CheckRef>) -> Item {
    Item {
        id: id.to_owned(),
        code: "stale-verdict".to_owned(),
        severity: Severity::Error,
        message: String::new(),
        subject: String::new(),
        claim: None,
        finding: Some(id.to_owned()),
        agent: None,
        turn: 1,
        line: 1,
        cited,
        check,
        evidence: Vec::new(),
    }
}

/// Places as they are written: `path:line`, or `path` alone.
pub(super) fn cited_in(text: &str) -> Vec<Cited> {
    let one = |word: &str| match word.rsplit_once(':') {
        Some((path, line)) => Cited {
            path: path.to_owned(),
            line: Some(line.parse().unwrap()),
        },
        None => Cited {
            path: word.to_owned(),
            line: None,
        },
    };
    text.split_whitespace().map(one).collect()
}
