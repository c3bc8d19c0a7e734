//! What the go tool says: test (plain and `-json`), vet and build (go 1.19 to 1.24).
//! What a package's own output looks like stays out: only the tool's line for each package counts.

use super::tally::{Mark, Tally};
use super::text::any;

/// go test: one line for each package, `ok`, `FAIL` or `?` with a tab after it; all of them count.
pub(super) fn test(lines: &[&str]) -> Vec<Tally> {
    let mut found: Vec<Tally> = lines
        .iter()
        .filter_map(|line| package(line).or_else(|| event(line)))
        .collect();
    // What is left of a failed run where its end alone is shown.
    if any(lines, |line| line.trim_end() == "FAIL") && found.iter().all(|tally| tally.mark == Mark::Empty) {
        found.push(Tally::marked(Mark::Bad));
    }
    if found.is_empty() && any(lines, |line| line.starts_with("--- FAIL: Test") && line.ends_with("s)")) {
        found.push(Tally::marked(Mark::Bad));
    }
    Tally::sum(&found).into_iter().collect()
}

fn package(line: &str) -> Option<Tally> {
    let (word, rest) = line.split_once('\t')?;
    let mark = match word {
        "ok  " if rest.contains("[no tests to run]") => Mark::Empty,
        "ok  " if rest.contains('\t') => Mark::Good,
        "FAIL" if rest.contains('\t') || rest.ends_with(" failed]") => Mark::Bad,
        "?   " if rest.ends_with("[no test files]") => Mark::Empty,
        // Since 1.22, a package without tests under `-cover`.
        "" if rest.contains("\t\tcoverage: ") => Mark::Empty,
        _ => return None,
    };
    Some(Tally::marked(mark))
}

/// An event of `-json` that ends a package; those of a test name it.
fn event(line: &str) -> Option<Tally> {
    if !line.starts_with('{') || !line.contains("\"Package\":\"") || line.contains("\"Test\":\"") {
        return None;
    }
    let action = line.split_once("\"Action\":\"")?.1.split('"').next()?;
    match action {
        "pass" => Some(Tally::marked(Mark::Good)),
        "fail" => Some(Tally::marked(Mark::Bad)),
        "skip" => Some(Tally::marked(Mark::Empty)),
        _ => None,
    }
}

/// go vet and go build say nothing where all is well, and `# package` with the places below it where not.
pub(super) fn build(lines: &[&str]) -> Vec<Tally> {
    let found = lines
        .windows(2)
        .any(|pair| pair[0].starts_with("# ") && is_place(pair[1]));
    if found || any(lines, |line| line.strip_prefix("vet: ").is_some_and(is_place)) {
        vec![Tally::marked(Mark::Bad)]
    } else {
        Vec::new()
    }
}

fn is_place(line: &str) -> bool {
    let line = line.strip_prefix("vet: ").unwrap_or(line);
    let Some((_, rest)) = line.split_once(".go:") else {
        return false;
    };
    rest.bytes().next().is_some_and(|byte| byte.is_ascii_digit())
}
