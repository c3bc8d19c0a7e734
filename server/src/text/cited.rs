//! The files that a claim names, with the line where it names one.
//! Whether there is such a file stays out.

use proofmark_protocol::findings::Cited;

/// A claim names at most so many files; further ones are left out.
const MAX_CITED: usize = 8;
/// No path is longer, in bytes.
const MAX_PATH: usize = 1024;
/// What may stand around a path in prose.
const AROUND: &[char] = &[
    '`', '"', '\'', '“', '”', '‘', '’', '«', '»', '(', ')', '[', ']', '{', '}', '<', '>', ',', ';', '*',
];

/// The files that a text names, in its order: `src/a.rs:12`, `src/a.rs line 12`, `src/a.rs#L12`, `src/a.rs`.
pub fn cited(text: &str) -> Vec<Cited> {
    let mut cited: Vec<Cited> = Vec::new();
    let mut words = text.split_whitespace().map(bare).peekable();
    while let Some(word) = words.next() {
        let Some(mut found) = place(word) else { continue };
        if found.line.is_none() && words.peek().is_some_and(|word| word.eq_ignore_ascii_case("line")) {
            words.next();
            found.line = words.peek().and_then(|word| number(word));
        }
        if !cited.contains(&found) {
            cited.push(found);
        }
        if cited.len() == MAX_CITED {
            break;
        }
    }
    cited
}

/// A word without the signs around it; a dot before it may belong to the path, one behind it ends a sentence.
fn bare(word: &str) -> &str {
    word.trim_matches(AROUND)
        .trim_end_matches(['.', ':', '!', '?'])
        .trim_end_matches(AROUND)
}

fn place(word: &str) -> Option<Cited> {
    if let Some((path, line)) = word.rsplit_once("#L") {
        return cite(path, Some(number(line)?));
    }
    let mut parts = word.splitn(4, ':');
    let path = parts.next()?;
    match (parts.next(), parts.next(), parts.next()) {
        (None, ..) => cite(path, None),
        // What follows the line is a column, or a word that ran into it.
        (Some(line), _, None) => cite(path, Some(number(line)?)),
        _ => None,
    }
}

fn cite(path: &str, line: Option<u32>) -> Option<Cited> {
    looks_like_path(path).then(|| Cited {
        path: path.to_owned(),
        line,
    })
}

/// A number of a line, the first of a range such as `12-14`.
fn number(text: &str) -> Option<u32> {
    let digits = text.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok().filter(|line| *line > 0)
}

/// True for a word with a slash inside, or with a name and an extension.
fn looks_like_path(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or_default();
    let extension = |(stem, extension): (&str, &str)| {
        let letter = extension.starts_with(|c: char| c.is_ascii_alphabetic());
        !stem.is_empty() && letter && extension.len() <= 10 && extension.chars().all(|c| c.is_ascii_alphanumeric())
    };
    let slashed = word.contains('/') && !name.is_empty();
    let sane =
        word.len() <= MAX_PATH && !word.starts_with('-') && !word.contains(|c: char| c.is_control() || c == '\\');
    sane && (slashed || name.rsplit_once('.').is_some_and(extension))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn files_are_found_with_their_lines() {
        for (text, expected) in [
            ("src/a.rs:12 never panics", vec![("src/a.rs", Some(12))]),
            ("the loop in `src/a.rs` line 12 ends", vec![("src/a.rs", Some(12))]),
            (
                "see (src/a.rs:12:5), or src/b.rs.",
                vec![("src/a.rs", Some(12)), ("src/b.rs", None)],
            ),
            ("a.py:3-9 and a.py#L4", vec![("a.py", Some(3)), ("a.py", Some(4))]),
            ("“tests/test_retry.py”: passes", vec![("tests/test_retry.py", None)]),
            (
                "/abs/dir/file and ../up/x",
                vec![("/abs/dir/file", None), ("../up/x", None)],
            ),
            ("src/a.rs line twelve", vec![("src/a.rs", None)]),
            (".github/ci.yml works", vec![(".github/ci.yml", None)]),
            ("a.rs a.rs a.rs:1", vec![("a.rs", None), ("a.rs", Some(1))]),
            ("src/ä€𝄞.rs:2", vec![("src/ä€𝄞.rs", Some(2))]),
            ("version 1.2 takes 3.5s, 10:30, --flag=a.b", vec![]),
            ("https://example.org/a.rs:3", vec![]),
            ("src/a.rs:0 a.rs:x c:\\a.rs foo/ . / ''", vec![]),
            ("", vec![]),
        ] {
            let found = cited(text);
            let found: Vec<_> = found.iter().map(|cited| (cited.path.as_str(), cited.line)).collect();
            assert_eq!(found, expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in any::<String>()) {
            let found = cited(&text);
            prop_assert!(found.len() <= MAX_CITED);
            prop_assert!(found.iter().all(|cited| text.contains(&cited.path)));
        }
    }
}
