//! Where an output says that failures are: file and line, in the shapes that compilers and runners share.
//! Whether something failed at all stays out.

use super::text::{leading, number};

/// How many places are kept: enough to name them, too few to fill a message.
const MOST: usize = 5;

/// How long a path may be, in bytes; anything longer is data.
const LONGEST: usize = 300;

/// Parts of paths that belong to tools and not to the project.
const FOREIGN: &[&str] = &[
    "node_modules/",
    "site-packages/",
    "/rustc/",
    "/lib/python",
    "node:",
    "://",
    "<frozen",
    "/go/src/",
];

/// The first places of `lines`.
pub(super) fn places(lines: &[&str]) -> Vec<(String, Option<u32>)> {
    let mut found: Vec<(String, Option<u32>)> = Vec::new();
    for line in lines {
        if found.len() >= MOST {
            break;
        }
        let Some((path, at)) = place(line) else { continue };
        if !found
            .iter()
            .any(|(known, known_at)| known == path && (*known_at == at || at.is_none()))
        {
            found.push((path.to_owned(), at));
        }
    }
    found
}

fn place(line: &str) -> Option<(&str, Option<u32>)> {
    if let Some(rest) = line
        .strip_prefix("FAILED ")
        .or_else(|| line.strip_prefix("FAIL "))
        .or_else(|| line.strip_prefix("ERROR "))
    {
        let word = rest.split([' ', '\t']).next()?;
        let path = word.split("::").next()?;
        return is_path(path).then_some((path, None));
    }
    if let Some((_, rest)) = line.split_once("File \"") {
        let (path, rest) = rest.split_once("\", line ")?;
        return is_path(path).then_some((path, line_number(leading(rest)?.0)));
    }
    // A place stands at the start of a line, or behind an arrow or a word such as `at` or `panicked at`.
    line.split_whitespace().take(8).find_map(with_line)
}

/// `path:12`, `path:12:3`, `path(12,3)`.
fn with_line(word: &str) -> Option<(&str, Option<u32>)> {
    let word = word
        .trim_start_matches(['(', '['])
        .trim_end_matches([')', ']', ',', ':']);
    if word.len() > LONGEST {
        return None;
    }
    if let Some((path, rest)) = word.split_once('(') {
        let at = number(rest.split(',').next()?)?;
        return is_path(path).then_some((path, line_number(at)));
    }
    let (path, rest) = word.split_once(':')?;
    let (at, after) = leading(rest)?;
    (is_path(path) && (after.is_empty() || after.starts_with(':'))).then_some((path, line_number(at)))
}

fn line_number(at: u64) -> Option<u32> {
    u32::try_from(at).ok().filter(|at| *at > 0)
}

fn is_path(text: &str) -> bool {
    let name = text.rsplit('/').next().unwrap_or(text);
    let Some((stem, extension)) = name.rsplit_once('.') else {
        return false;
    };
    !stem.is_empty()
        && (1..=5).contains(&extension.len())
        && extension.starts_with(|char: char| char.is_ascii_alphabetic())
        && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && text.len() <= LONGEST
        && !FOREIGN.iter().any(|part| text.contains(part))
}
