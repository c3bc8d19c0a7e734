//! What pytest, unittest and nose2 say at the end of a run (pytest 2.9 to 9, Python 3's unittest).
//! Wrappers such as tox and nox stay out.

use super::tally::{Mark, Tally};
use super::text::{any, counted, is_duration, leading, number};

/// Words of pytest's last line.
const PYTEST: &[(&str, Kind)] = &[
    ("passed", Kind::Passed),
    ("failed", Kind::Failed),
    ("error", Kind::Failed),
    ("errors", Kind::Failed),
    ("skipped", Kind::Skipped),
    ("xfailed", Kind::Skipped),
    ("xpassed", Kind::Passed),
    ("deselected", Kind::Other),
    ("warning", Kind::Other),
    ("warnings", Kind::Other),
    ("rerun", Kind::Other),
    ("subtests passed", Kind::Other),
    ("subtests failed", Kind::Failed),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Passed,
    Failed,
    Skipped,
    Other,
}

/// pytest: `== 1 failed, 3 passed in 0.04s ==`, with or without the rule around it.
pub(super) fn pytest(lines: &[&str]) -> Vec<Tally> {
    let mut found: Vec<Tally> = lines
        .iter()
        .filter_map(|line| pytest_summary(line).or_else(|| pytest_report(line)))
        .collect();
    // `--cov-fail-under` fails a run all of whose tests pass.
    let short_of_coverage = |line: &&str| {
        line.starts_with("FAIL Required test coverage of ") || line.starts_with("ERROR: Coverage failure: ")
    };
    // What a program prints at its end comes after the last line, and after the list of what failed.
    let list = lines
        .iter()
        .rposition(|line| line.starts_with("=====") && line.contains("= short test summary info ="));
    let listed = list.is_some_and(|list| any(&lines[list..], pytest_failed_test));
    if let Some(last) = found.last_mut() {
        *last = last.bad_if(listed || lines.iter().any(short_of_coverage));
    } else if any(lines, pytest_failed_test) {
        found.push(Tally::marked(Mark::Bad));
    }
    found
}

fn pytest_summary(line: &str) -> Option<Tally> {
    let text = line.trim().trim_matches('=').trim();
    let (items, time) = text.rsplit_once(" in ")?;
    // `in 63.02s (0:01:03)`
    let time = time.split_once(" (").map_or(time, |(time, _)| time);
    if !is_duration(time) {
        return None;
    }
    if items == "no tests ran" {
        return Some(Tally::marked(Mark::Empty));
    }
    let (mut passed, mut failed, mut skipped) = (0u64, 0u64, 0u64);
    for (count, word) in counted(items, ", ")? {
        match PYTEST.iter().find(|(name, _)| *name == word)?.1 {
            Kind::Passed => passed = passed.saturating_add(count),
            Kind::Failed => failed = failed.saturating_add(count),
            Kind::Skipped => skipped = skipped.saturating_add(count),
            Kind::Other => {}
        }
    }
    Some(Tally::of(passed, failed, skipped))
}

/// The file of pytest-json-report on one line: `{"created": ..., "exitcode": 1, ..., "summary": {"passed": 3, ...}}`.
fn pytest_report(line: &str) -> Option<Tally> {
    let exit_code = line.strip_prefix("{\"created\": ")?.split_once(", \"exitcode\": ")?.1;
    let (exit_code, rest) = leading(exit_code)?;
    let (_, rest) = rest.split_once("\"summary\": {")?;
    let summary = rest.split('}').next()?;
    let of = |name: &str| {
        let (_, count) = summary.split_once(&format!("\"{name}\": "))?;
        leading(count).map(|(count, _)| count)
    };
    let sum = |names: &[&str]| names.iter().filter_map(|name| of(name)).fold(0, u64::saturating_add);
    let tally = Tally::of(
        sum(&["passed", "xpassed"]),
        sum(&["failed", "error"]),
        sum(&["skipped", "xfailed"]),
    );
    Some(tally.bad_if(matches!(exit_code, 1 | 2)))
}

/// A failed test where the last line is missing: of the short summary, or of `-v`.
fn pytest_failed_test(line: &str) -> bool {
    let id = |text: &str| text.split_whitespace().next().is_some_and(|id| id.contains(".py"));
    if let Some(rest) = line.strip_prefix("FAILED ").or_else(|| line.strip_prefix("ERROR ")) {
        return id(rest) && rest.split_whitespace().nth(1).is_none_or(|next| next == "-");
    }
    let words: Vec<&str> = line.split_whitespace().take(4).collect();
    matches!(words[..], [id, "FAILED" | "ERROR", ..] if id.contains(".py::"))
        && words.get(2).is_none_or(|progress| progress.starts_with('['))
}

/// unittest and nose2: `Ran 3 tests in 0.001s`, then `OK` or `FAILED (failures=1)`.
pub(super) fn unittest(lines: &[&str]) -> Vec<Tally> {
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(ran) = ran_tests(line) else { continue };
        // Whatever is printed at the interpreter's end comes after the result, so the first one counts.
        let after = lines[at + 1..]
            .iter()
            .take(8)
            .find_map(|line| unittest_result(line, Some(ran)));
        found.extend(after);
    }
    if found.is_empty() && !any(lines, |line| ran_tests(line).is_some()) {
        let failed = |line: &&str| line.starts_with("FAILED (") && unittest_result(line, None).is_some();
        found.extend(
            lines
                .iter()
                .rev()
                .find(|line| failed(line))
                .map(|_| Tally::marked(Mark::Bad)),
        );
    }
    found
}

fn ran_tests(line: &str) -> Option<u64> {
    let (count, time) = line.strip_prefix("Ran ")?.split_once(' ')?;
    let time = time
        .strip_prefix("tests in ")
        .or_else(|| time.strip_prefix("test in "))?;
    is_duration(time.trim_end()).then(|| number(count))?
}

fn unittest_result(line: &str, ran: Option<u64>) -> Option<Tally> {
    let line = line.trim_end();
    if line == "NO TESTS RAN" || line.starts_with("NO TESTS RAN (") {
        return Some(Tally::marked(Mark::Empty));
    }
    let (word, items) = line
        .split_once(" (")
        .map_or((line, ""), |(word, items)| (word, items.trim_end_matches(')')));
    if !matches!(word, "OK" | "FAILED") {
        return None;
    }
    let (mut failed, mut skipped) = (0u64, 0u64);
    for item in items.split(", ").filter(|item| !item.is_empty()) {
        let (name, count) = item.split_once('=')?;
        let count = number(count)?;
        match name {
            "failures" | "errors" | "unexpected successes" => failed = failed.saturating_add(count),
            "skipped" | "expected failures" => skipped = skipped.saturating_add(count),
            _ => return None,
        }
    }
    let passed = ran.unwrap_or(0).saturating_sub(failed).saturating_sub(skipped);
    Some(Tally::of(passed, failed, skipped).bad_if(word == "FAILED"))
}
