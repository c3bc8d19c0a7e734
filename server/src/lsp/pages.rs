//! The pages behind the codes, laid where an editor can open them.
//! What they say is written in `docs/`.

use std::io;
use std::path::{Path, PathBuf};

use proofmark_protocol::paths;
use tower_lsp::ls_types::Uri;

use crate::state_folder;

/// A page: the code it explains, if any, its place below `docs/`, and its text.
type Page = (Option<&'static str>, &'static str, &'static str);

/// The pages, and what they link to.
const PAGES: [Page; 14] = [
    (
        Some("untried-claim"),
        "checks/untried-claim.md",
        include_str!("../../../docs/checks/untried-claim.md"),
    ),
    (
        Some("stale-verdict"),
        "checks/stale-verdict.md",
        include_str!("../../../docs/checks/stale-verdict.md"),
    ),
    (
        Some("claimed-pass"),
        "checks/claimed-pass.md",
        include_str!("../../../docs/checks/claimed-pass.md"),
    ),
    (
        Some("scope-lock"),
        "checks/scope-lock.md",
        include_str!("../../../docs/checks/scope-lock.md"),
    ),
    (
        Some("scope-drift"),
        "checks/scope-drift.md",
        include_str!("../../../docs/checks/scope-drift.md"),
    ),
    (
        Some("plain-words"),
        "checks/plain-words.md",
        include_str!("../../../docs/checks/plain-words.md"),
    ),
    (
        Some("unproven-claim"),
        "checks/unproven-claim.md",
        include_str!("../../../docs/checks/unproven-claim.md"),
    ),
    (
        Some("malformed-tag"),
        "checks/malformed-tag.md",
        include_str!("../../../docs/checks/malformed-tag.md"),
    ),
    (
        Some("reply-length"),
        "checks/reply-length.md",
        include_str!("../../../docs/checks/reply-length.md"),
    ),
    (
        Some(crate::picture::REFUSED_TURN),
        "findings/refused-turn.md",
        include_str!("../../../docs/findings/refused-turn.md"),
    ),
    (None, "findings/kept.md", include_str!("../../../docs/findings/kept.md")),
    (None, "judge.md", include_str!("../../../docs/judge.md")),
    (None, "settings.md", include_str!("../../../docs/settings.md")),
    (None, "state.md", include_str!("../../../docs/state.md")),
];

/// The page of a code, as the repository names it.
pub(super) fn name(code: &str) -> Option<String> {
    PAGES
        .iter()
        .find(|page| page.0 == Some(code))
        .map(|(_, path, _)| format!("docs/{path}"))
}

/// The page of a code in a state folder.
pub(super) fn uri(state_dir: &Path, code: &str) -> Option<Uri> {
    PAGES
        .iter()
        .find(|page| page.0 == Some(code))
        .and_then(|(_, path, _)| Uri::from_file_path(place(state_dir, path)))
}

/// Writes the pages that are not there yet, or are another build's.
pub(super) fn lay(state_dir: &Path) -> io::Result<()> {
    state_folder::make(&paths::pages(state_dir))?;
    for (_, path, text) in PAGES {
        let place = place(state_dir, path);
        state_folder::put(&place, text)?;
        if let Some(folder) = place.parent() {
            // What a process that still runs has begun is left to the next start.
            let _more = state_folder::sweep(folder);
        }
    }
    Ok(())
}

fn place(state_dir: &Path, path: &str) -> PathBuf {
    paths::pages(state_dir).join(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::REGISTRY;

    #[test]
    fn every_code_has_a_page_and_every_link_of_a_page_leads_to_one() {
        let folder = tempfile::tempdir().unwrap();
        lay(folder.path()).unwrap();
        for code in REGISTRY
            .iter()
            .map(|check| check.code())
            .chain([crate::picture::REFUSED_TURN])
        {
            let path = uri(folder.path(), code).unwrap().to_file_path().unwrap().into_owned();
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(text.starts_with(&format!("# {code}\n")), "{code}");
            for link in text.split("](").skip(1).filter_map(|rest| rest.split_once(')')) {
                assert!(
                    path.parent().unwrap().join(link.0).is_file(),
                    "{}: {}",
                    path.display(),
                    link.0
                );
            }
        }
        let changed = place(folder.path(), "settings.md");
        std::fs::write(&changed, "old").unwrap();
        lay(folder.path()).unwrap();
        assert!(std::fs::read_to_string(&changed).unwrap().len() > 100);
    }
}
