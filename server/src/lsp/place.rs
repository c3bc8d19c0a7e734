//! Where a finding is put: the places that it names, the line that defines its check, else the session's document.
//! Reading files, and what is put there, stays out.

#[cfg(test)]
mod tests;

use proofmark_protocol::findings::{Cited, Item, SessionFindings};
use tower_lsp::ls_types::{PositionEncodingKind, Range, Uri};

use super::anchor::{Anchors, Found};
use super::files::Workspace;
use super::manifest;

/// How an editor counts characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    /// In bytes of UTF-8.
    Utf8,
    /// In units of UTF-16; what every editor has to be able to do.
    Utf16,
    /// In code points.
    Utf32,
}

impl Encoding {
    /// The encoding for an editor that offers these: UTF-8 where it can, because no text needs to be counted again for it;
    /// else the first that is known here.
    pub(super) fn negotiated(offered: Option<&[PositionEncodingKind]>) -> Self {
        let offered = offered.unwrap_or_default();
        if offered.contains(&PositionEncodingKind::UTF8) {
            return Self::Utf8;
        }
        let known = |kind: &PositionEncodingKind| match kind {
            kind if *kind == PositionEncodingKind::UTF16 => Some(Self::Utf16),
            kind if *kind == PositionEncodingKind::UTF32 => Some(Self::Utf32),
            _ => None,
        };
        offered.iter().find_map(known).unwrap_or(Self::Utf16)
    }

    /// As LSP spells it.
    pub(super) fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
            Self::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    /// How many units a text has.
    pub(super) fn units(self, text: &str) -> u32 {
        let units = match self {
            Self::Utf8 => text.len(),
            Self::Utf16 => text.encode_utf16().count(),
            Self::Utf32 => text.chars().count(),
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

/// Where an item is put.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Spot {
    /// The place.
    pub(super) place: Place,
    /// Its line in the session's document; none when that is the place.
    pub(super) report: Option<Place>,
    /// Where it was, when its line has gone.
    pub(super) former: Option<Place>,
}

/// The first that holds: a file and line that it names, a file that it names, the line that defines its check, the
/// session's document.
pub(super) fn spot(
    session: &SessionFindings,
    item: &Item,
    workspace: &mut Workspace,
    anchors: &mut Anchors,
) -> Option<Spot> {
    let report = workspace.in_document(&session.document, item.line)?;
    let cwd = session.cwd.as_deref();
    let (place, former) = match anchors.find(session, item, workspace) {
        Found::At(place) => (Some(place), None),
        Found::Gone(former) => (None, former),
        Found::Nowhere => {
            let check = item.check.as_ref();
            (check.and_then(|check| manifest::place(check, cwd, workspace)), None)
        }
    };
    let (place, report) = match place {
        Some(place) => (place, Some(report)),
        None => (report, None),
    };
    Some(Spot { place, report, former })
}

/// The place of a file that is named, where it exists inside the workspace and has the line; its first line where no
/// line is named.
pub(super) fn cited(cited: &Cited, cwd: Option<&str>, workspace: &mut Workspace) -> Option<Place> {
    let line = cited.line.unwrap_or(1).checked_sub(1)?;
    let files = workspace.files(&cited.path, cwd);
    files.iter().find_map(|file| workspace.place(file, line))
}
