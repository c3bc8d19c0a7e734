//! Which files a patch in the form of `apply_patch` changes.
//! Unified diffs stay out, and so does whether the patch fits.

/// Files of one call that are told apart.
pub(crate) const MAX_FILES: usize = 64;
/// What stands before a file's name, at the beginning of a line (Codex 0.118 to 0.171.0).
const HEADERS: [&str; 4] = [
    "*** Add File: ",
    "*** Update File: ",
    "*** Delete File: ",
    "*** Move to: ",
];

/// The files that a patch changes, as it names them, in its order.
pub(crate) fn files(patch: &str) -> Vec<String> {
    let named = |line: &str| {
        HEADERS
            .iter()
            .find_map(|header| Some(line.strip_prefix(header)?.trim().to_owned()))
    };
    patch
        .lines()
        .filter_map(named)
        .filter(|name| !name.is_empty())
        .take(MAX_FILES)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_names_its_files() {
        let patch = "*** Begin Patch\n*** Add File: a.rs\n+*** Add File: no\n*** Update File: b/c d.rs\r\n\
                     *** Move to: b/e.rs\n@@\n*** Delete File: f\n*** Add File: \n*** End Patch\n";
        assert_eq!(files(patch), ["a.rs", "b/c d.rs", "b/e.rs", "f"]);
        assert!(files("Add File: a").is_empty());
        assert_eq!(files(&"*** Add File: a\n".repeat(100)).len(), MAX_FILES);
    }
}
