//! What JavaScript's runners say: jest, vitest, mocha, ava, playwright.
//! node:test and other speakers of TAP stay out.

use super::tally::{Mark, Tally};
use super::text::{any, counted, is_duration, leading, number};

/// jest: `Tests:       1 failed, 2 passed, 3 total`, after `Test Suites:` in the same shape (jest 24 to 30).
pub(super) fn jest(lines: &[&str]) -> Vec<Tally> {
    let mut found = Vec::new();
    let mut broken_suites = false;
    for line in lines {
        if let Some(items) = line.strip_prefix("Test Suites: ") {
            broken_suites = counts(items, ", ").is_some_and(|(_, failed, _)| failed > 0);
        } else if let Some((passed, failed, skipped)) = line.strip_prefix("Tests: ").and_then(|rest| counts(rest, ", "))
        {
            found.push(Tally::of(passed, failed, skipped).bad_if(broken_suites));
            broken_suites = false;
        } else if line.starts_with("No tests found, exiting with code ") {
            found.push(Tally::marked(Mark::Empty));
        } else if line.starts_with("Jest: \"") && line.contains(" threshold for ") && line.contains(" not met") {
            found.push(Tally::marked(Mark::Bad));
        } else if let Some(tally) = json(line) {
            found.push(tally);
        }
    }
    if found.is_empty() && any(lines, is_failed_file) {
        found.push(Tally::marked(Mark::Bad));
    }
    found
}

/// `FAIL test/slug.test.js`, with a time or a project's name beside it.
fn is_failed_file(line: &str) -> bool {
    let Some(rest) = line.trim_start().strip_prefix("FAIL ") else {
        return false;
    };
    let file = |word: &str| {
        let name = word.rsplit('/').next().unwrap_or(word);
        [".js", ".ts", ".jsx", ".tsx", ".mjs", ".cjs", ".mts", ".cts"]
            .iter()
            .any(|end| name.ends_with(end))
    };
    rest.split_whitespace().take(2).any(file)
}

/// The report of `--json`, jest's and vitest's, on one line.
fn json(line: &str) -> Option<Tally> {
    let start = line.trim_start();
    if !start.starts_with('{') || !start.contains("\"numTotalTests\":") && !start.contains("\"numTotalTestSuites\":") {
        return None;
    }
    let field = |name: &str| leading(start.split_once(name)?.1).map(|(count, _)| count);
    let broken = field("\"numFailedTestSuites\":").unwrap_or(0);
    let tally = Tally::of(
        field("\"numPassedTests\":")?,
        field("\"numFailedTests\":")?,
        field("\"numPendingTests\":").unwrap_or(0),
    );
    Some(tally.bad_if(broken > 0))
}

/// Passed, failed, and skipped or to do, of a list that ends with a total.
fn counts(items: &str, separator: &str) -> Option<(u64, u64, u64)> {
    let (mut passed, mut failed, mut skipped, mut total) = (0u64, 0u64, 0u64, false);
    for item in items.trim().split(separator) {
        let (count, words) = leading(item.trim())?;
        match words.trim() {
            "passed" => passed = count,
            "failed" => failed = count,
            "skipped" | "todo" | "pending" => skipped = skipped.saturating_add(count),
            "total" => total = true,
            words if words.starts_with("of ") && words.ends_with(" total") => total = true,
            _ => return None,
        }
    }
    total.then_some((passed, failed, skipped))
}

/// vitest: ` Test Files  1 failed | 1 passed (2)` and `      Tests  1 failed | 2 passed (3)` (vitest 0.3 to 4).
pub(super) fn vitest(lines: &[&str]) -> Vec<Tally> {
    let mut found = Vec::new();
    let mut bad = false;
    for (at, line) in lines.iter().enumerate() {
        let text = line.trim();
        // Errors outside of tests and files that would not load fail a run whose tests all pass.
        if let Some(items) = text.strip_prefix("Test Files  ").filter(|_| line.starts_with(' ')) {
            bad = vitest_counts(items).is_some_and(|(_, failed, _)| failed > 0);
        } else if let Some(items) = text.strip_prefix("Tests  ").filter(|_| line.starts_with("   ")) {
            let errors = lines[at + 1..].iter().take(3).any(|line| vitest_errors(line));
            if items == "no tests" {
                found.push(Tally::marked(Mark::Empty).bad_if(bad || errors));
            } else if let Some((passed, failed, skipped)) = vitest_counts(items) {
                found.push(Tally::of(passed, failed, skipped).bad_if(bad || errors));
            }
            bad = false;
        } else if text.starts_with("No test files found, exiting with code ") {
            found.push(Tally::marked(Mark::Empty));
        } else if text.starts_with("ERROR: Coverage for ") && text.contains(" does not meet ") {
            found.push(Tally::marked(Mark::Bad));
        } else if let Some(tally) = json(line) {
            found.push(tally);
        }
    }
    let failed = |line: &&str| {
        let text = line.trim_start();
        is_failed_file(line)
            || text.starts_with("❯ ") && text.contains(" test") && text.contains(" | ") && text.contains(" failed")
    };
    if found.is_empty() && lines.iter().any(failed) {
        found.push(Tally::marked(Mark::Bad));
    }
    found
}

fn vitest_counts(items: &str) -> Option<(u64, u64, u64)> {
    let (items, total) = items.trim().rsplit_once(" (")?;
    number(total.strip_suffix(')')?)?;
    let (mut passed, mut failed, mut skipped) = (0u64, 0u64, 0u64);
    for (count, word) in counted(items, " | ")? {
        match word {
            "passed" => passed = count,
            "failed" => failed = count,
            "skipped" | "todo" | "expected fail" => skipped = skipped.saturating_add(count),
            _ => return None,
        }
    }
    Some((passed, failed, skipped))
}

fn vitest_errors(line: &str) -> bool {
    let words = line.trim().strip_prefix("Errors  ").and_then(leading);
    words.is_some_and(|(count, words)| count > 0 && matches!(words, " error" | " errors"))
}

/// mocha: `  2 passing (8ms)`, then `  1 pending` and `  1 failing` directly below (mocha 2 to 11).
pub(super) fn mocha(lines: &[&str]) -> Vec<Tally> {
    let mut found: Vec<Tally> = Vec::new();
    // A list of failures follows what mocha itself says, and what is printed at the process's end follows both.
    let mut listed = false;
    // Tests after a summary mean that one of them printed it.
    let last_test = lines.iter().rposition(|line| {
        let text = line.trim_start();
        text.len() < line.len()
            && (text.starts_with("✔ ") || leading(text).is_some_and(|(_, rest)| rest.starts_with(") ")))
    });
    for (at, line) in lines.iter().enumerate() {
        let Some(passed) = passing(line) else { continue };
        let (mut failed, mut skipped) = (0, 0);
        for line in &lines[at + 1..] {
            match leading(line.trim()) {
                Some((count, " pending")) => skipped = count,
                Some((count, " failing")) => failed = count,
                next => {
                    listed |= failed > 0 && next.is_some_and(|(number, rest)| number == 1 && rest.starts_with(") "));
                    break;
                }
            }
        }
        if failed > 0 || last_test.is_none_or(|last| last < at) {
            found.push(Tally::of(passed, failed, skipped));
        }
    }
    if let Some(last) = found.last_mut() {
        *last = last.bad_if(listed);
        return found;
    }
    let broken = |line: &&str| {
        line.trim_start().starts_with("Exception during run: ")
            || line.starts_with("  ") && matches!(leading(line.trim()), Some((1.., " failing")))
    };
    if any(lines, |line| line.starts_with("# tests ")) {
        found.extend(super::tap::plain(lines));
    } else if any(lines, |line| line.starts_with("Error: No test files found")) {
        found.push(Tally::marked(Mark::Empty));
    } else if lines.iter().any(broken) {
        found.push(Tally::marked(Mark::Bad));
    }
    found
}

fn passing(line: &str) -> Option<u64> {
    let (count, rest) = leading(line.trim().trim_start_matches("✔ ").trim_start())?;
    let time = rest.strip_prefix(" passing (")?.strip_suffix(')')?;
    is_duration(time).then_some(count)
}

/// ava: after a rule, `3 tests passed`, `1 test failed` and the like, one below the other (ava 3 to 6).
pub(super) fn ava(lines: &[&str]) -> Vec<Tally> {
    if any(lines, |line| {
        line.starts_with("TAP version ") || line.starts_with("# pass ")
    }) {
        return super::tap::plain(lines).into_iter().collect();
    }
    let (mut passed, mut failed, mut skipped, mut any) = (0u64, 0u64, 0u64, false);
    // The words must stand in the last block after a rule: a test's own title may say the same.
    let start = lines.iter().rposition(|line| line.trim() == "─").map_or(0, |at| at + 1);
    for line in &lines[start..] {
        let text = line.trim();
        if text.starts_with("✘ No tests found")
            || text.starts_with("✖ No tests found")
            || text.contains("Couldn’t find any files to test")
        {
            return vec![Tally::marked(Mark::Empty)];
        }
        let Some((count, words)) = leading(text).filter(|_| line.starts_with("  ")) else {
            continue;
        };
        let words = words
            .trim_start()
            .trim_start_matches("tests ")
            .trim_start_matches("test ");
        match words {
            "passed" => passed = count,
            "failed"
            | "hook failed"
            | "hooks failed"
            | "uncaught exception"
            | "uncaught exceptions"
            | "unhandled rejection"
            | "unhandled rejections" => failed = failed.saturating_add(count),
            "skipped" | "todo" | "known failure" | "known failures" => skipped = skipped.saturating_add(count),
            _ => continue,
        }
        any = true;
    }
    if any && start > 0 {
        return vec![Tally::of(passed, failed, skipped)];
    }
    let failed =
        |line: &&str| line.trim_start().starts_with("✘ [fail]: ") || line.trim_start().starts_with("✖ [fail]: ");
    if lines.iter().any(failed) {
        vec![Tally::marked(Mark::Bad)]
    } else {
        Vec::new()
    }
}

/// playwright: `  1 failed`, the failed ones, then `  3 passed (2.1s)` at the end (playwright 1.x).
pub(super) fn playwright(lines: &[&str]) -> Vec<Tally> {
    if any(lines, |line| line.trim() == "Error: No tests found") {
        return vec![Tally::marked(Mark::Empty)];
    }
    let (mut passed, mut failed, mut skipped, mut any) = (0, 0u64, 0u64, false);
    for line in lines
        .iter()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
    {
        let Some((count, words)) = leading(line.trim()) else {
            continue;
        };
        let (words, time) = words
            .split_once(" (")
            .map_or((words, None), |(words, time)| (words, Some(time)));
        match words {
            " passed" if time.is_some_and(|time| is_duration(time.trim_end_matches(')'))) => passed = count,
            " failed" | " interrupted" => failed = failed.saturating_add(count),
            " skipped" | " did not run" => skipped = skipped.saturating_add(count),
            " flaky" => {}
            _ => continue,
        }
        any = true;
    }
    if any {
        vec![Tally::of(passed, failed, skipped)]
    } else {
        Vec::new()
    }
}
