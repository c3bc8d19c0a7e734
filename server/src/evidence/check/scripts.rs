//! Check scripts that a project wrote itself, told by their names, and files of tests that are run as programs.
//! Runners of the table stay out.

use super::relation::join;
use super::{Masked, Purpose, Run};

/// What a script that checks is named after.
const WORDS: &str =
    "check checks ci e2e gate lint linter preflight selftest smoke test tests typecheck validate verify";
/// What may stand before that word.
const BEFORE: [&str; 5] = ["run", "do", "all", "pre", "quick"];
/// Endings of files that are no programs.
const DATA: [&str; 8] = ["csv", "json", "log", "md", "toml", "txt", "yaml", "yml"];

/// Whether a script's name says that it checks: `check_links.py`, `run-tests`, `smoke_test.sh`, `verify.sh`.
fn checks(path: &str) -> bool {
    let file = path.rsplit('/').next().unwrap_or(path);
    let (stem, ending) = file.rsplit_once('.').unwrap_or((file, ""));
    if DATA.contains(&ending) {
        return false;
    }
    let words: Vec<String> = stem
        .split(['_', '-', '.', ':'])
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    let says = |word: &String| WORDS.split(' ').any(|one| one == word);
    match &words[..] {
        [] => false,
        [first, second, ..] if BEFORE.contains(&first.as_str()) && says(second) => true,
        [first, .., last] => says(first) || says(last),
        [only] => says(only) || matches!(only.as_str(), "runtests" | "runtest" | "precheck" | "testall"),
    }
}

/// The run of a script with these arguments, when its name says that it checks.
pub(super) fn run(path: &str, args: &[&str], folder: &str) -> Option<Run> {
    if !checks(path) {
        return None;
    }
    let about = args
        .iter()
        .find(|arg| matches!(**arg, "--help" | "-h" | "--version" | "--list" | "--dry-run"));
    let purpose = match about {
        Some(arg) => Purpose::NothingRun(format!("{arg}: it runs nothing")),
        None => Purpose::Check,
    };
    let named = std::iter::once(join("", path)).chain(args.iter().map(|&arg| arg.to_owned()));
    Some(Run {
        runner: "script".to_owned(),
        folder: folder.to_owned(),
        // The order of a script's arguments has a meaning that nobody knows.
        selection: vec![named.collect::<Vec<_>>().join(" ")],
        purpose,
        masked: Masked::No,
    })
}

/// The runner whose tests a file of this name holds, where such a file is a program that runs them.
pub(super) fn runner_of_file(language: &str, path: &str) -> Option<&'static str> {
    let file = path.rsplit('/').next().unwrap_or(path);
    match language {
        "ruby" if file.ends_with("_test.rb") || file.starts_with("test_") && file.ends_with(".rb") => Some("minitest"),
        "perl" if file.ends_with(".t") => Some("tap"),
        _ => None,
    }
}
