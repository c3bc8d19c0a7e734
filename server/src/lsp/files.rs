//! The files of an editor's workspace: which paths lie inside it, and their lines, each file read once for one look.
//! What is looked for in them stays out.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tower_lsp::ls_types::{Position, Range, Uri};

use super::place::{Encoding, Place};

/// As much of a file as is read to find a line, in bytes.
const MAX_READ: u64 = 8 * 1024 * 1024;
/// As much of all files as is kept for one look, in bytes; what comes then is read anew each time.
const MAX_KEPT: usize = 64 * 1024 * 1024;

/// A file inside the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Inside {
    /// Where it really lies.
    real: PathBuf,
    /// As the editor names it, whose root may itself be a link.
    pub(super) named: PathBuf,
}

/// A file's text, by lines.
#[derive(Debug)]
pub(super) struct Text {
    bytes: Vec<u8>,
    starts: Vec<usize>,
}

impl Text {
    fn of(bytes: Vec<u8>) -> Self {
        let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let starts = std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect();
        Self { bytes, starts }
    }

    /// The whole of it.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// A line, counted from 0, without its end.
    pub(super) fn line(&self, line: u32) -> Option<&[u8]> {
        let nth = usize::try_from(line).ok()?;
        let rest = self.bytes.get(*self.starts.get(nth)?..)?;
        rest.split(|byte| *byte == b'\n').next()
    }

    /// The lines as text, in their order.
    pub(super) fn lines(&self) -> impl Iterator<Item = (u32, Cow<'_, str>)> {
        let lines = self.bytes.split(|byte| *byte == b'\n');
        (0..).zip(lines.map(String::from_utf8_lossy))
    }

    /// The line on which a byte stands.
    pub(super) fn line_of(&self, byte: usize) -> u32 {
        let before = self.starts.partition_point(|start| *start <= byte);
        u32::try_from(before.saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// The last line.
    pub(super) fn last(&self) -> u32 {
        u32::try_from(self.starts.len().saturating_sub(1)).unwrap_or(u32::MAX)
    }
}

/// A workspace as it is for one look.
#[derive(Debug)]
pub(super) struct Workspace {
    encoding: Encoding,
    /// Each folder as the editor names it, and where it really lies.
    roots: Vec<(PathBuf, PathBuf)>,
    read: HashMap<PathBuf, Option<Arc<Text>>>,
    kept: usize,
}

impl Workspace {
    /// The workspace of these folders.
    pub(super) fn new(folders: &[PathBuf], encoding: Encoding) -> Self {
        let roots = folders
            .iter()
            .filter_map(|folder| Some((folder.clone(), folder.canonicalize().ok()?)));
        Self {
            encoding,
            roots: roots.collect(),
            read: HashMap::new(),
            kept: 0,
        }
    }

    /// The files that a path may name, tried in the session's working folder, then in each folder of the workspace;
    /// wherever links lead, the file itself has to lie inside.
    pub(super) fn files(&self, path: &str, cwd: Option<&str>) -> Vec<Inside> {
        let bases = cwd
            .map(Path::new)
            .into_iter()
            .chain(self.roots.iter().map(|(named, _)| named.as_path()));
        bases.filter_map(|base| self.inside(&base.join(path))).collect()
    }

    /// The file of a path, where it lies inside.
    pub(super) fn inside(&self, path: &Path) -> Option<Inside> {
        let real = path.canonicalize().ok()?;
        let named = self.named(&real)?;
        real.is_file().then_some(Inside { real, named })
    }

    /// A folder and those above it, up to the folder of the workspace in which it lies; none when it lies in none.
    pub(super) fn upwards(&self, folder: &str, cwd: Option<&str>) -> Vec<PathBuf> {
        let bases = cwd
            .map(Path::new)
            .into_iter()
            .chain(self.roots.iter().map(|(named, _)| named.as_path()));
        let inside = |base: &Path| {
            let real = base.join(folder).canonicalize().ok()?;
            self.named(&real).map(|_| real)
        };
        let Some(start) = bases.filter_map(inside).next() else {
            return Vec::new();
        };
        let up = start.ancestors().take_while(|folder| self.named(folder).is_some());
        up.map(Path::to_owned).collect()
    }

    fn named(&self, real: &Path) -> Option<PathBuf> {
        let inside = |(named, root): &(PathBuf, PathBuf)| Some(named.join(real.strip_prefix(root).ok()?));
        self.roots.iter().find_map(inside)
    }

    /// A file's text.
    pub(super) fn text(&mut self, file: &Inside) -> Option<Arc<Text>> {
        self.read(&file.real)
    }

    /// A line of a file, counted from 0; none when it has no such line.
    pub(super) fn place(&mut self, file: &Inside, line: u32) -> Option<Place> {
        let range = self.range(&file.real, line)?;
        Some(Place {
            uri: Uri::from_file_path(&file.named)?,
            range,
        })
    }

    /// A line of a session's document; its start, where the document can't be read.
    pub(super) fn in_document(&mut self, document: &str, line: u32) -> Option<Place> {
        let start = Position::new(line, 0);
        let range = self
            .range(Path::new(document), line)
            .unwrap_or(Range::new(start, start));
        Some(Place {
            uri: Uri::from_file_path(document)?,
            range,
        })
    }

    /// A line without its indent and a list's dash.
    fn range(&mut self, file: &Path, line: u32) -> Option<Range> {
        let text = self.read(file)?;
        let text = String::from_utf8_lossy(text.line(line)?);
        let text = text.trim_end();
        let inner = text.trim_start();
        let inner = inner.strip_prefix("- ").unwrap_or(inner);
        let before = &text[..text.len() - inner.len()];
        let start = self.encoding.units(before);
        let end = start.saturating_add(self.encoding.units(inner));
        Some(Range::new(Position::new(line, start), Position::new(line, end)))
    }

    fn read(&mut self, file: &Path) -> Option<Arc<Text>> {
        if let Some(known) = self.read.get(file) {
            return known.clone();
        }
        let text = read(file).map(|bytes| Arc::new(Text::of(bytes)));
        let size = text.as_ref().map_or(0, |text| text.bytes.len());
        if self.kept + size <= MAX_KEPT {
            self.kept += size;
            self.read.insert(file.to_owned(), text.clone());
        }
        text
    }
}

fn read(file: &Path) -> Option<Vec<u8>> {
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(file).ok()?.take(MAX_READ).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
