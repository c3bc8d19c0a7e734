//! What linters, type checkers and formatters say of what they found.
//! That most of them say nothing where all is well, and that only the exit status tells, is `join`'s business.

use super::tally::{Mark, Tally};
use super::text::{any, counted, leading, number};

fn one(tally: Tally) -> Vec<Tally> {
    vec![tally]
}

fn count_of(lines: &[&str], matches: impl Fn(&str) -> bool) -> u64 {
    u64::try_from(lines.iter().filter(|line| matches(line)).count()).unwrap_or(u64::MAX)
}

/// All numbers that follow `field` in a JSON report.
fn fields(lines: &[&str], field: &str) -> Option<u64> {
    let numbers = lines.iter().flat_map(|line| line.split(field).skip(1));
    numbers
        .filter_map(|rest| leading(rest.trim_start()).map(|(count, _)| count))
        .reduce(u64::saturating_add)
}

/// tsc: `src/c.ts(2,14): error TS2322: ...`, or with `--pretty` `src/c.ts:2:14 - error TS2322: ...` (TypeScript 3 to 7).
pub(super) fn tsc(lines: &[&str]) -> Vec<Tally> {
    let placed = |line: &str| {
        let (before, after) = line
            .split_once(": error TS")
            .or_else(|| line.split_once(" - error TS"))
            .unwrap_or(("", ""));
        !before.is_empty() && after.starts_with(|char: char| char.is_ascii_digit())
    };
    let found = count_of(lines, placed);
    if found > 0 {
        return one(Tally::findings(found));
    }
    // Without a place it is about options, files and projects: 5xxx, 6xxx, and 18xxx for no inputs.
    let code = |line: &str| leading(line.strip_prefix("error TS")?).map(|(code, _)| code);
    let codes: Vec<u64> = lines.iter().filter_map(|line| code(line)).collect();
    match codes.first() {
        Some(5000..7000 | 18000..19000) => one(Tally::marked(Mark::Empty)),
        Some(_) => one(Tally::marked(Mark::Bad)),
        None if any(lines, |line| line.starts_with("tsc: The TypeScript Compiler - Version")) => {
            one(Tally::marked(Mark::Empty))
        }
        // In watch mode and with `--pretty` the last word is a count.
        None => lines
            .iter()
            .rev()
            .find_map(|line| found_errors(line))
            .map(Tally::findings)
            .into_iter()
            .collect(),
    }
}

/// `Found 2 errors in the same file, starting at: src/c.ts:2`, `Found 3 errors in 2 files.`
fn found_errors(line: &str) -> Option<u64> {
    let (count, rest) = leading(line.trim().strip_prefix("Found ")?)?;
    let rest = rest.strip_prefix(" errors").or_else(|| rest.strip_prefix(" error"))?;
    let known = rest.starts_with(" in ") || rest.starts_with(". Watching for file changes");
    known.then_some(count)
}

/// eslint: `✖ 2 problems (1 error, 1 warning)`, or the sums of its JSON report (eslint 5 to 10).
pub(super) fn eslint(lines: &[&str]) -> Vec<Tally> {
    let too_many = any(lines, |line| {
        line.starts_with("ESLint found too many warnings (maximum: ")
    });
    let summary = lines.iter().rev().find_map(|line| {
        let (_, rest) = leading(line.trim().strip_prefix("✖ ")?)?;
        let (_, items) = rest.split_once(" (")?;
        let counts = counted(items.split(')').next()?, ", ")?;
        let [(errors, "errors" | "error"), (_, "warnings" | "warning")] = counts[..] else {
            return None;
        };
        Some(errors)
    });
    let report = || {
        any(lines, |line| line.starts_with("[{\"filePath\":"))
            .then(|| fields(lines, "\"errorCount\":"))
            .flatten()
    };
    if let Some(errors) = summary.or_else(report) {
        return one(Tally::findings(errors).bad_if(too_many));
    }
    if too_many {
        return one(Tally::marked(Mark::Bad));
    }
    let absent = any(lines, |line| {
        line.starts_with("No files matching the pattern \"")
            || line.starts_with("All files matched by '") && line.contains("' are ignored.")
            || line.starts_with("ESLint couldn't find a")
    });
    if absent {
        one(Tally::marked(Mark::Empty))
    } else {
        Vec::new()
    }
}

/// biome: `Checked 2 files in 4ms.`, then `Found 2 errors.` (biome 1 and 2).
pub(super) fn biome(lines: &[&str]) -> Vec<Tally> {
    let found = lines.iter().rev().find_map(|line| {
        let (count, rest) = leading(line.trim_end().strip_prefix("Found ")?)?;
        matches!(rest, " errors." | " error.").then_some(count)
    });
    if let Some(found) = found {
        return one(Tally::findings(found));
    }
    let refused = any(lines, |line| {
        matches!(
            line.trim(),
            "× Some errors were emitted while running checks." | "× Some warnings were emitted while running checks."
        )
    });
    let checked = lines.iter().rev().find_map(|line| {
        let rest = line
            .strip_prefix("Checked ")
            .or_else(|| line.strip_prefix("Formatted "))?;
        let (count, rest) = leading(rest)?;
        rest.starts_with(" file").then_some(count)
    });
    let absent = any(lines, |line| {
        line.trim()
            .starts_with("× No files were processed in the specified paths.")
    });
    match checked {
        _ if absent => one(Tally::marked(Mark::Empty)),
        _ if refused => one(Tally::marked(Mark::Bad)),
        Some(0) => one(Tally::marked(Mark::Empty)),
        // Where something is shown, the counts of it come last: without them the output ends too early.
        Some(_) if any(lines, |line| line.ends_with("━━━━")) && !any(lines, is_lesser_count) => Vec::new(),
        Some(_) => one(Tally::findings(0)),
        None => Vec::new(),
    }
}

fn is_lesser_count(line: &str) -> bool {
    let rest = line.trim_end().strip_prefix("Found ").and_then(leading);
    rest.is_some_and(|(_, rest)| matches!(rest, " warnings." | " warning." | " infos." | " info."))
}

/// prettier: `All matched files use Prettier code style!`, or `[warn] Code style issues ...` (prettier 2 and 3).
pub(super) fn prettier(lines: &[&str]) -> Vec<Tally> {
    let wrong = |line: &str| {
        line.starts_with("[warn] Code style issues ")
            || line.starts_with("[error] ") && line.contains(": SyntaxError: ")
    };
    match () {
        () if any(lines, wrong) => one(Tally::marked(Mark::Bad)),
        () if any(lines, |line| {
            line.starts_with("[error] No files matching ") || line.starts_with("[error] No parser ")
        }) =>
        {
            one(Tally::marked(Mark::Empty))
        }
        () if any(lines, |line| {
            line.trim_end() == "All matched files use Prettier code style!"
        }) =>
        {
            one(Tally::findings(0))
        }
        () => Vec::new(),
    }
}

/// ruff check and ruff format --check (ruff 0.1 to 0.15).
pub(super) fn ruff(lines: &[&str]) -> Vec<Tally> {
    let absent = any(lines, |line| {
        line.starts_with("warning: No Python files found under the given path")
            || line.starts_with("warning: Failed to lint ") && line.contains("No such file or directory")
    });
    let found = lines.iter().rev().find_map(|line| {
        let (count, rest) = leading(line.trim_end().strip_prefix("Found ")?)?;
        match rest {
            " errors." | " error." => Some(count),
            _ => {
                let (_, items) = rest.strip_prefix(" error")?.split_once('(')?;
                number(items.strip_suffix(" remaining).")?.rsplit(' ').next()?)
            }
        }
    });
    let formats = || lines.iter().rev().find_map(|line| formatted(line, "already formatted"));
    let clean = || any(lines, |line| line.trim_end() == "All checks passed!").then_some(0);
    match found.or_else(formats).or_else(clean) {
        Some(0) | None if absent => one(Tally::marked(Mark::Empty)),
        Some(found) => one(Tally::findings(found)),
        None if any(lines, |line| line.starts_with("Would reformat: ")) => one(Tally::marked(Mark::Bad)),
        None => Vec::new(),
    }
}

/// `1 file would be reformatted, 2 files already formatted`: how many are not as they should be.
fn formatted(line: &str, good: &str) -> Option<u64> {
    let mut bad = 0u64;
    for (count, words) in counted(line.trim().trim_end_matches('.'), ", ")? {
        match words.split_once(' ')? {
            ("file" | "files", "would be reformatted" | "would fail to reformat" | "failed to reformat") => {
                bad = bad.saturating_add(count);
            }
            ("file" | "files", words) if words == good => {}
            _ => return None,
        }
    }
    Some(bad)
}

/// black --check: `1 file would be reformatted, 2 files would be left unchanged.` (black 19 to 25).
pub(super) fn black(lines: &[&str]) -> Vec<Tally> {
    if let Some(bad) = lines
        .iter()
        .rev()
        .find_map(|line| formatted(line, "would be left unchanged"))
    {
        return one(Tally::findings(bad));
    }
    let absent = |line: &str| {
        line.starts_with("No Python files are present to be formatted.") || line.starts_with("No Path provided.")
    };
    if any(lines, absent) {
        return one(Tally::marked(Mark::Empty));
    }
    if any(lines, |line| {
        line.starts_with("would reformat ") || line.starts_with("Oh no! 💥")
    }) {
        return one(Tally::marked(Mark::Bad));
    }
    Vec::new()
}

/// mypy: `Success: no issues found in 3 source files`, or `Found 2 errors in 1 file (checked 3 source files)` (mypy 0.9 to 2.4).
pub(super) fn mypy(lines: &[&str]) -> Vec<Tally> {
    let mut found = Vec::new();
    let unread = any(lines, |line| {
        line.contains(": error: Cannot read file: No such file or directory")
    });
    for line in lines {
        let line = line.trim_end();
        if line.starts_with("Success: no issues found in ") && line.contains(" source file") {
            found.push(Tally::findings(0));
        } else if let Some((count, rest)) = line.strip_prefix("Found ").and_then(leading) {
            let errors = rest
                .strip_prefix(" errors in ")
                .or_else(|| rest.strip_prefix(" error in "));
            if errors.is_some_and(|rest| rest.contains(" file") && rest.ends_with(')')) {
                let nothing = unread && count == 1 && rest.ends_with("(errors prevented further checking)");
                found.push(if nothing {
                    Tally::marked(Mark::Empty)
                } else {
                    Tally::findings(count)
                });
            }
        }
    }
    if found.is_empty() {
        let absent = |line: &str| {
            line.starts_with("There are no .py[i] files in directory")
                || line.starts_with("mypy: can't read file '")
                || line.starts_with("Missing target module, package, files, or command.")
        };
        let error = |line: &str| {
            let (place, _) = line.split_once(": error: ").unwrap_or_default();
            place.contains(".py:") || place.contains(".pyi:")
        };
        if any(lines, error) {
            found.push(Tally::marked(Mark::Bad));
        } else if any(lines, absent) {
            found.push(Tally::marked(Mark::Empty));
        }
    }
    found
}

/// pyright: `1 error, 0 warnings, 0 informations`, or the summary of its JSON report (pyright 1.1, basedpyright).
pub(super) fn pyright(lines: &[&str]) -> Vec<Tally> {
    let absent = any(lines, |line| {
        line.starts_with("No source files found.") || line.starts_with("File or directory \"")
    });
    let summary = lines.iter().rev().find_map(|line| {
        let counts = counted(line.trim(), ", ")?;
        let [(errors, "errors" | "error"), (_, "warnings" | "warning"), ..] = &counts[..] else {
            return None;
        };
        let rest = counts[2..]
            .iter()
            .all(|(_, word)| matches!(*word, "informations" | "information" | "notes" | "note"));
        rest.then_some(*errors)
    });
    let report = || {
        any(lines, |line| line.contains("\"filesAnalyzed\":"))
            .then(|| fields(lines, "\"errorCount\":"))
            .flatten()
    };
    match summary.or_else(report) {
        Some(0) | None if absent => one(Tally::marked(Mark::Empty)),
        Some(errors) => one(Tally::findings(errors)),
        None => Vec::new(),
    }
}

/// shellcheck: `In run.sh line 2:`, or `run.sh:2:10: warning: ... [SC2045]`, or JSON (shellcheck 0.5 to 0.11).
pub(super) fn shellcheck(lines: &[&str]) -> Vec<Tally> {
    let finding = |line: &str| {
        let place = line
            .strip_prefix("In ")
            .and_then(|rest| rest.strip_suffix(':'))
            .and_then(|rest| rest.rsplit_once(" line "));
        place.is_some_and(|(_, at)| number(at).is_some())
            || line.ends_with(']')
                && line
                    .rsplit_once(" [SC")
                    .is_some_and(|(_, code)| number(&code[..code.len() - 1]).is_some())
            || (line.starts_with("[{\"file\":") || line.starts_with("{\"comments\":[{"))
                && line.contains("\"level\":\"")
    };
    let found = count_of(lines, finding);
    match () {
        () if found > 0 => one(Tally::findings(found)),
        () if any(lines, |line| line.contains(": openBinaryFile: does not exist")) => one(Tally::marked(Mark::Empty)),
        () if any(lines, |line| matches!(line.trim_end(), "[]" | "{\"comments\":[]}")) => one(Tally::findings(0)),
        () => Vec::new(),
    }
}
