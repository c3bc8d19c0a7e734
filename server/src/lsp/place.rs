//! Where a finding is put: a file and line inside the workspace, with positions as the editor counts them.
//! What is put there stays out.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use proofmark_protocol::findings::Cited;
use tower_lsp::ls_types::{Position, PositionEncodingKind, Range, Uri};

/// As much of a file as is read to find a line, in bytes.
const MAX_READ: u64 = 8 * 1024 * 1024;

/// How an editor counts characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    /// In bytes of UTF-8.
    Utf8,
    /// In units of UTF-16; what every editor can do.
    Utf16,
}

impl Encoding {
    /// The encoding for an editor that offers these: UTF-8 where it can, because no text needs to be counted again for it.
    pub(super) fn negotiated(offered: Option<&[PositionEncodingKind]>) -> Self {
        let utf8 = offered.is_some_and(|offered| offered.contains(&PositionEncodingKind::UTF8));
        if utf8 { Self::Utf8 } else { Self::Utf16 }
    }

    /// As LSP spells it.
    pub(super) fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
        }
    }

    fn units(self, text: &str) -> u32 {
        let units = match self {
            Self::Utf8 => text.len(),
            Self::Utf16 => text.encode_utf16().count(),
        };
        u32::try_from(units).unwrap_or(u32::MAX)
    }
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Place {
    pub(super) uri: Uri,
    pub(super) range: Range,
}

/// The first of the cited places that exists inside the workspace. A path is tried in the session's working folder, then
/// in each folder of the workspace; wherever links lead, the file itself has to lie inside.
pub(super) fn cited(cited: &[Cited], cwd: Option<&str>, folders: &[PathBuf], encoding: Encoding) -> Option<Place> {
    let roots: Vec<(&PathBuf, PathBuf)> = folders
        .iter()
        .filter_map(|folder| Some((folder, folder.canonicalize().ok()?)))
        .collect();
    let bases = || {
        cwd.map(Path::new)
            .into_iter()
            .chain(folders.iter().map(PathBuf::as_path))
    };
    cited.iter().find_map(|cited| {
        bases().find_map(|base| {
            let file = base.join(&cited.path).canonicalize().ok()?;
            let (root, inside) = roots
                .iter()
                .find_map(|(root, real)| Some((*root, file.strip_prefix(real).ok()?.to_owned())))?;
            let range = range(&file, cited.line.unwrap_or(1).checked_sub(1)?, encoding)?;
            // Named as the editor names it, whose root may itself be a link.
            Some(Place {
                uri: Uri::from_file_path(root.join(inside))?,
                range,
            })
        })
    })
}

/// A line of a session's document; its start, where the document can't be read.
pub(super) fn in_document(document: &str, line: u32, encoding: Encoding) -> Option<Place> {
    let start = Position::new(line, 0);
    let range = range(Path::new(document), line, encoding).unwrap_or(Range::new(start, start));
    Some(Place {
        uri: Uri::from_file_path(document)?,
        range,
    })
}

/// A line, counted from 0, without its indent and a list's dash; none when the file has no such line.
fn range(file: &Path, line: u32, encoding: Encoding) -> Option<Range> {
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(file).ok()?.take(MAX_READ).read_to_end(&mut bytes).ok()?;
    let raw = bytes.split(|byte| *byte == b'\n').nth(usize::try_from(line).ok()?)?;
    let text = String::from_utf8_lossy(raw);
    let text = text.trim_end();
    let inner = text.trim_start();
    let inner = inner.strip_prefix("- ").unwrap_or(inner);
    let before = &text[..text.len() - inner.len()];
    let start = encoding.units(before);
    let end = start.saturating_add(encoding.units(inner));
    Some(Range::new(Position::new(line, start), Position::new(line, end)))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn found(text: &str, cwd: Option<&Path>, folders: &[PathBuf]) -> Option<(String, Range)> {
        let cited_files = crate::text::cited(text);
        let place = cited(&cited_files, cwd.and_then(Path::to_str), folders, Encoding::Utf16)?;
        Some((place.uri.to_file_path()?.to_str()?.to_owned(), place.range))
    }

    #[test]
    fn only_what_lies_inside_the_workspace_is_a_place() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let (work, outside) = (base.join("work"), base.join("outside"));
        for path in [work.join("src"), outside.clone()] {
            std::fs::create_dir_all(path).unwrap();
        }
        std::fs::write(work.join("src/a.rs"), "one\n  two  \n").unwrap();
        std::fs::write(outside.join("b.rs"), "x\n").unwrap();
        symlink(outside.join("b.rs"), work.join("link.rs")).unwrap();
        symlink(&outside, work.join("dir")).unwrap();
        symlink(work.join("src/a.rs"), work.join("inner.rs")).unwrap();
        symlink(&work, base.join("alias")).unwrap();
        let line = |line, start, end| Range::new(Position::new(line, start), Position::new(line, end));
        let folders = [work.clone()];
        for (text, cwd, expected) in [
            ("src/a.rs:2", None, Some(("src/a.rs", line(1, 2, 5)))),
            ("src/a.rs", None, Some(("src/a.rs", line(0, 0, 3)))),
            ("a.rs line 1", Some(work.join("src")), Some(("src/a.rs", line(0, 0, 3)))),
            ("inner.rs:1", None, Some(("src/a.rs", line(0, 0, 3)))),
            ("src/a.rs:3", None, Some(("src/a.rs", line(2, 0, 0)))),
            ("src/a.rs:4", None, None),
            ("none.rs:1 src/a.rs:1", None, Some(("src/a.rs", line(0, 0, 3)))),
            ("link.rs:1", None, None),
            ("dir/b.rs:1", None, None),
            ("../outside/b.rs:1", None, None),
            ("b.rs:1", Some(outside.clone()), None),
            ("src/", None, None),
        ] {
            let expected = expected.map(|(path, range)| (work.join(path).to_str().unwrap().to_owned(), range));
            assert_eq!(found(text, cwd.as_deref(), &folders), expected, "{text}");
        }
        let absolute = outside.join("b.rs").display().to_string();
        assert_eq!(found(&absolute, None, &folders), None);
        let alias = found("src/a.rs:1", None, &[base.join("alias")]).unwrap();
        assert_eq!(alias.0, base.join("alias/src/a.rs").to_str().unwrap());
        assert_eq!(found("src/a.rs:1", Some(&work), &[]), None, "no folder, no workspace");
    }

    #[test]
    fn positions_are_counted_as_negotiated() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("d.md");
        std::fs::write(&file, "- 𝄞ä x\n").unwrap();
        let path = file.to_str().unwrap();
        for (offered, end) in [
            (
                Some(vec![PositionEncodingKind::UTF16, PositionEncodingKind::UTF8]),
                2 + 4 + 2 + 2,
            ),
            (Some(vec![PositionEncodingKind::UTF32]), 2 + 2 + 1 + 2),
            (None, 2 + 2 + 1 + 2),
        ] {
            let place = in_document(path, 0, Encoding::negotiated(offered.as_deref())).unwrap();
            assert_eq!(
                (place.range.start.character, place.range.end.character),
                (2, end),
                "{offered:?}"
            );
        }
        assert_eq!(
            in_document(path, 7, Encoding::Utf8).unwrap().range.end,
            Position::new(7, 0)
        );
    }
}
