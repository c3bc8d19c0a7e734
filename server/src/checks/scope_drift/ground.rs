//! Whether a file lies on ground that a few words name: a path, a folder, a file's name, a glob.
//! Which words of a text name ground stays out.

/// Folders in which harnesses and tools keep what is theirs.
const NOT_THE_PROJECTS: [&str; 4] = [".claude", ".codex", ".cursor", "proofmark"];
/// A name shorter than this is taken for a word of its own only as a whole file name.
const TELLING: usize = 4;

/// True for a word that says where, not what: a folder, a file, a glob.
pub(super) fn is_path(token: &str) -> bool {
    token.contains(['/', '.', '*'])
}

/// Whether the ground that a word names holds a file: by its last folders and name, since either may be written from
/// another folder than the other.
pub(super) fn covers(token: &str, path: &str) -> bool {
    let token: Vec<&str> = parts(token).collect();
    let path: Vec<&str> = parts(path).collect();
    !token.is_empty() && (0..path.len()).any(|start| begins(&token, &path[start..]))
}

/// Whether the parts begin as the pattern says; what lies below a folder belongs to it.
fn begins(pattern: &[&str], path: &[&str]) -> bool {
    match (pattern, path) {
        ([], _) => true,
        (["**", rest @ ..], _) => (0..=path.len()).any(|skipped| begins(rest, &path[skipped..])),
        ([part, rest @ ..], [name, more @ ..]) => {
            // `src/retry` may be a folder or the file `src/retry.rs`.
            let stem =
                rest.is_empty() && more.is_empty() && name.rsplit_once('.').is_some_and(|(stem, _)| fits(part, stem));
            stem || (fits(part, name) && begins(rest, more))
        }
        ([_, ..], []) => false,
    }
}

/// Whether a name fits a pattern in which `*` stands for any letters and `?` for one.
fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(&letter) if letter == '?' || letter == name[n] => (p, n) = (p + 1, n + 1),
            _ => match star {
                Some((at, taken)) => {
                    star = Some((at, taken + 1));
                    (p, n) = (at + 1, taken + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|letter| *letter == '*')
}

fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split(['/', '\\']).filter(|part| !part.is_empty() && *part != ".")
}

/// False for files that are no part of the work: scratch folders, and what harnesses keep.
pub(super) fn is_of_project(path: &str) -> bool {
    let scratch = ["/tmp/", "/var/tmp/", "/private/tmp/", "/dev/"]
        .iter()
        .any(|folder| path.starts_with(folder));
    !scratch && !parts(path).any(|part| NOT_THE_PROJECTS.contains(&part))
}

/// Whether a text names a file: its name, or the telling part of it as a word.
pub(super) fn names(text: &str, path: &str) -> bool {
    let Some(name) = parts(path).last() else { return false };
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let word = |word: &str| word == stem && stem.chars().count() >= TELLING;
    let apart = |c: char| !c.is_alphanumeric() && c != '_' && c != '-';
    text.contains(name) || text.split(apart).any(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ground_holds_files() {
        for (token, path, expected) in [
            ("src/retry", "src/retry/mod.rs", true),
            ("src/retry", "/p/src/retry/deep/mod.rs", true),
            ("src/retry", "src/retry.rs", true),
            ("src/retry/", "/p/src/retry/a.rs", true),
            ("./src/retry", "src/retry/a.rs", true),
            ("src/retry", "src/retry_more/a.rs", false),
            ("src/retry", "lib/retry/a.rs", false),
            ("parser.rs", "/p/src/parser.rs", true),
            ("parser.rs", "/p/src/my_parser.rs", false),
            ("tests", "/p/tests/a.rs", true),
            ("tests", "/p/tests.rs", true),
            ("*.md", "/p/docs/a.md", true),
            ("*.md", "/p/docs/a.rs", false),
            ("src/**/*.rs", "src/a/b/c.rs", true),
            ("src/**", "src/a/b/c.rs", true),
            ("src/?.rs", "src/a.rs", true),
            ("src/?.rs", "src/ab.rs", false),
            ("", "src/a.rs", false),
            ("/", "src/a.rs", false),
            ("src\\retry", "C:\\p\\src\\retry\\a.rs", true),
        ] {
            assert_eq!(covers(token, path), expected, "{token} {path}");
        }
    }

    #[test]
    fn scratch_is_no_part_of_the_project_and_a_name_is_a_word() {
        for (path, expected) in [
            ("/tmp/a.py", false),
            ("/p/.claude/plans/a.md", false),
            ("/p/src/a.rs", true),
            ("tmp/a.py", true),
        ] {
            assert_eq!(is_of_project(path), expected, "{path}");
        }
        for (text, expected) in [
            ("also fix the loader", true),
            ("see src/loader.rs:3", true),
            ("the loaders", false),
            ("upload it", false),
        ] {
            assert_eq!(names(text, "/p/src/loader.rs"), expected, "{text}");
        }
        assert!(!names("a rs file", "/p/a.txt"));
    }
}
