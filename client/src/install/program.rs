//! The hook's program: where it is, how a settings file names it, and which entries of a file run it.
//! Where in a file entries stand stays out.

use std::ffi::OsStr;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use proofmark_protocol::Harness;

/// What a harness starts.
const HOOK: &str = "proofmark-hook";
/// What starts the hook by its first argument.
const COMMAND: &str = "proofmark";

/// The hook beside this program, by a path that an upgrade of the program leaves as it is.
///
/// # Errors
/// This program's own path can't be told; there is no hook beside it; the path is no UTF-8.
pub(crate) fn hook() -> anyhow::Result<String> {
    let exe = std::env::current_exe().context("this program's own path can't be told")?;
    let called = std::env::args_os().next().unwrap_or_default();
    let hook = find(&exe, &called, std::env::var_os("PATH").as_deref());
    let Some(hook) = hook else {
        bail!(
            "there is no {HOOK} beside {}: the two belong into one folder",
            exe.display()
        );
    };
    match hook.into_os_string().into_string() {
        Ok(hook) => Ok(hook),
        Err(hook) => bail!(
            "{} can't be written into a settings file: it is no UTF-8",
            hook.display()
        ),
    }
}

/// The folder by which the program was called comes first: where package managers keep each version in a folder of its
/// own, the link to it stays the same. It counts only where it leads to this very program and has the hook as well.
fn find(exe: &Path, called: &OsStr, path: Option<&OsStr>) -> Option<PathBuf> {
    let real = fs::canonicalize(exe).unwrap_or_else(|_| exe.to_owned());
    let called = Path::new(called);
    let by_name = if called.components().count() > 1 {
        std::path::absolute(called).ok().into_iter().collect()
    } else {
        folders(path)
            .iter()
            .map(|folder| folder.join(called))
            .collect::<Vec<_>>()
    };
    let linked = by_name
        .into_iter()
        .find(|program| fs::canonicalize(program).is_ok_and(|found| found == real));
    let same = |hook: &PathBuf| fs::canonicalize(hook).ok() == fs::canonicalize(real.with_file_name(HOOK)).ok();
    let linked = linked.map(|program| program.with_file_name(HOOK)).filter(same);
    [linked, Some(exe.with_file_name(HOOK))]
        .into_iter()
        .flatten()
        .find(|hook| fs::metadata(hook).is_ok_and(|found| found.is_file()))
}

/// The folders on a `PATH`, relative ones left out: those would be the project's.
pub(crate) fn folders(path: Option<&OsStr>) -> Vec<PathBuf> {
    let all = path.into_iter().flat_map(std::env::split_paths);
    all.filter(|folder| folder.is_absolute()).collect()
}

/// A word as a POSIX shell reads it back unchanged.
pub(crate) fn quoted(word: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+');
    if !word.is_empty() && word.chars().all(bare) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The command line that runs the hook for a harness.
pub(crate) fn command_line(hook: &str, harness: Harness) -> String {
    format!("{} {harness}", quoted(hook))
}

/// What a command line of a settings file has to do with us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Line {
    /// It runs our hook for this harness, and nothing else.
    Ours {
        /// The program, as the shell reads it.
        program: String,
        /// The words that name the program, in bytes.
        words: Range<usize>,
    },
    /// It runs our hook, and something else with it.
    Mixed,
    /// It has nothing to do with us.
    Foreign,
}

/// Reads a shell's command line.
pub(crate) fn line(command: &str, harness: Harness) -> Line {
    let words = words(command);
    // Variables that are set for the command stand before it.
    let mut rest = words.iter().skip_while(|word| is_assignment(&word.text));
    let Some(program) = rest.next() else {
        return Line::Foreign;
    };
    let mut next = rest.next();
    let mut span = program.span.clone();
    match name(&program.text) {
        Some(HOOK) => {}
        Some(COMMAND) if next.is_some_and(|word| word.text == "hook") => {
            span.end = next.map_or(span.end, |word| word.span.end);
            next = rest.next();
        }
        _ if mentions(&words) => return Line::Mixed,
        _ => return Line::Foreign,
    }
    if next.is_none_or(|word| word.text != harness.as_str()) {
        return Line::Foreign;
    }
    if rest.any(|word| word.operator) {
        return Line::Mixed;
    }
    Line::Ours {
        program: program.text.clone(),
        words: span,
    }
}

/// What a program with arguments, started without a shell, has to do with us: the program, where it is our hook.
pub(crate) fn direct<'a>(command: &'a str, arguments: &[&str], harness: Harness) -> Option<&'a str> {
    let ours = match name(command) {
        Some(HOOK) => arguments.first() == Some(&harness.as_str()),
        Some(COMMAND) => arguments.starts_with(&["hook", harness.as_str()]),
        _ => false,
    };
    ours.then_some(command)
}

fn mentions(words: &[Word]) -> bool {
    words.iter().any(|word| name(&word.text) == Some(HOOK))
}

fn name(program: &str) -> Option<&str> {
    Path::new(program).file_name().and_then(OsStr::to_str)
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=')
        .is_some_and(|(name, _)| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
}

/// A word of a command line, or an operator between commands.
struct Word {
    text: String,
    span: Range<usize>,
    operator: bool,
}

/// The words of a command line, quotes and backslashes taken away. What only a shell can work out (`$`, backquotes) stays.
fn words(command: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut current: Option<Word> = None;
    let mut quote = None;
    let mut chars = command.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let mut taken = Some(c);
        match (quote, c) {
            (Some(open), c) if c == open => (quote, taken) = (None, None),
            (None, '\'' | '"') => (quote, taken) = (Some(c), None),
            (None, '\\') => taken = chars.next().map(|(_, c)| c),
            (Some('"'), '\\')
                if chars
                    .peek()
                    .is_some_and(|(_, next)| matches!(next, '"' | '\\' | '$' | '`')) =>
            {
                taken = chars.next().map(|(_, c)| c);
            }
            (None, ';' | '&' | '|' | '\n') => {
                words.extend(current.take());
                words.push(Word {
                    text: c.to_string(),
                    span: at..at + 1,
                    operator: true,
                });
                continue;
            }
            (None, c) if c.is_whitespace() => {
                words.extend(current.take());
                continue;
            }
            _ => {}
        }
        let end = chars.peek().map_or(command.len(), |(next, _)| *next);
        let word = current.get_or_insert_with(|| Word {
            text: String::new(),
            span: at..end,
            operator: false,
        });
        word.text.extend(taken);
        word.span.end = end;
    }
    words.extend(current);
    words
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn our_command_lines_are_told_from_others() {
        let ours = |program: &str, words: Range<usize>| Line::Ours {
            program: program.to_owned(),
            words,
        };
        for (command, read) in [
            ("/a/proofmark-hook claude-code", ours("/a/proofmark-hook", 0..17)),
            ("'/a b/proofmark-hook' claude-code", ours("/a b/proofmark-hook", 0..21)),
            (
                r"'/a'\''b/proofmark-hook' claude-code",
                ours("/a'b/proofmark-hook", 0..24),
            ),
            (
                r#""/a \"b/proofmark-hook"  claude-code 2>/dev/null"#,
                ours("/a \"b/proofmark-hook", 0..23),
            ),
            (r"/a\ b/proofmark-hook claude-code", ours("/a b/proofmark-hook", 0..20)),
            ("proofmark-hook claude-code", ours("proofmark-hook", 0..14)),
            ("/a/proofmark hook claude-code", ours("/a/proofmark", 0..17)),
            ("X=1 /é/proofmark-hook claude-code", ours("/é/proofmark-hook", 4..22)),
            ("/a/proofmark-hook claude-code || true", Line::Mixed),
            ("cd /x && /a/proofmark-hook claude-code", Line::Mixed),
            ("/a/proofmark-hook claude-code; other", Line::Mixed),
            ("nice /a/proofmark-hook claude-code", Line::Mixed),
            ("/a/proofmark-hook codex", Line::Foreign),
            ("/a/proofmark-hook", Line::Foreign),
            ("/a/proofmark status", Line::Foreign),
            ("/a/proofmark-hook-old claude-code", Line::Foreign),
            ("echo proofmark", Line::Foreign),
            ("'unclosed", Line::Foreign),
            ("", Line::Foreign),
        ] {
            assert_eq!(line(command, Harness::ClaudeCode), read, "{command}");
        }
    }

    #[test]
    fn a_quoted_path_is_read_back_as_it_was() {
        for path in [
            "/a/proofmark-hook",
            "/a b/proofmark-hook",
            "/é's \"$x\"/proofmark-hook",
            "/a;b/proofmark-hook",
        ] {
            let read = line(&command_line(path, Harness::Codex), Harness::Codex);
            assert!(matches!(read, Line::Ours { program, .. } if program == path), "{path}");
        }
    }

    #[test]
    fn the_hook_is_named_by_a_path_that_stays() {
        let dir = tempfile::tempdir().unwrap();
        let dir = fs::canonicalize(dir.path()).unwrap();
        let (version, bin, other) = (dir.join("cellar/1.0"), dir.join("bin"), dir.join("other"));
        for folder in [&version, &bin, &other] {
            fs::create_dir_all(folder).unwrap();
        }
        for name in [HOOK, COMMAND] {
            fs::write(version.join(name), name).unwrap();
            symlink(version.join(name), bin.join(name)).unwrap();
        }
        fs::write(other.join(COMMAND), "another").unwrap();
        let exe = version.join(COMMAND);
        let path = std::env::join_paths([&other, &bin]).unwrap();
        let found = |called: &Path| find(&exe, called.as_os_str(), Some(&path)).unwrap();
        assert_eq!(found(Path::new(COMMAND)), bin.join(HOOK));
        assert_eq!(found(&bin.join(COMMAND)), bin.join(HOOK));
        assert_eq!(found(&exe), version.join(HOOK));
        assert_eq!(
            found(&other.join(COMMAND)),
            version.join(HOOK),
            "another program was called by this name"
        );
        fs::remove_file(bin.join(HOOK)).unwrap();
        assert_eq!(found(Path::new(COMMAND)), version.join(HOOK));
        fs::remove_file(version.join(HOOK)).unwrap();
        assert_eq!(find(&exe, OsStr::new(COMMAND), Some(&path)), None);
    }
}
