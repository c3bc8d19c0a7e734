//! What cargo and the runners it starts say: test, nextest, build, check, clippy, fmt (cargo 1.6x to 1.95, nextest 0.9).
//! Which package or target was meant stays out.

use super::tally::{Mark, Tally};
use super::text::{any, counted, is_duration, leading};

/// cargo test: one `test result:` line for each binary; all of them count.
pub(super) fn test(lines: &[&str]) -> Vec<Tally> {
    let mut found: Vec<Tally> = lines.iter().filter_map(|line| test_result(line)).collect();
    // A binary that dies prints no result, and the next ones may print good ones.
    if any(lines, |line| {
        is_not_built(line) || line.starts_with("error: test failed, to rerun pass")
    }) {
        found.push(Tally::marked(Mark::Bad));
    }
    if found.is_empty() && any(lines, failed_test) {
        found.push(Tally::marked(Mark::Bad));
    }
    Tally::sum(&found).into_iter().collect()
}

fn test_result(line: &str) -> Option<Tally> {
    let rest = line.trim_end().strip_prefix("test result: ")?;
    let (word, items) = rest.split_once(". ")?;
    let (mut passed, mut failed, mut skipped) = (None, None, 0);
    for item in items.split(';') {
        if item.trim().starts_with("finished in ") {
            continue;
        }
        let (count, word) = leading(item.trim())?;
        match word.trim() {
            "passed" => passed = Some(count),
            "failed" => failed = Some(count),
            "ignored" => skipped = count,
            _ => {}
        }
    }
    let tally = Tally::of(passed?, failed?, skipped);
    match word {
        "ok" => Some(tally),
        "FAILED" => Some(tally.bad_if(true)),
        _ => None,
    }
}

fn failed_test(line: &str) -> bool {
    line.strip_prefix("test ")
        .and_then(|rest| rest.strip_suffix(" ... FAILED"))
        .is_some_and(|id| !id.contains(' '))
}

/// cargo nextest: `Summary [   0.012s] 3 tests run: 2 passed, 1 failed, 1 skipped`.
pub(super) fn nextest(lines: &[&str]) -> Vec<Tally> {
    let mut found: Vec<Tally> = lines.iter().filter_map(|line| nextest_summary(line)).collect();
    if found.is_empty() {
        if any(lines, |line| is_not_built(line) || nextest_failed(line)) {
            found.push(Tally::marked(Mark::Bad));
        } else if any(lines, |line| line.trim_start().starts_with("error: no tests to run")) {
            found.push(Tally::marked(Mark::Empty));
        }
    }
    found
}

fn nextest_summary(line: &str) -> Option<Tally> {
    let rest = line.trim().strip_prefix("Summary [")?;
    let (time, rest) = rest.split_once("] ")?;
    let (ran, items) = rest.split_once(": ")?;
    if !is_duration(time) || !(ran.ends_with(" run")) {
        return None;
    }
    // A part may carry a note, `3 passed (1 leaky)`, with commas of its own.
    let mut plain = String::new();
    let mut depth = 0usize;
    for char in items.chars() {
        match char {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => plain.push(char),
            _ => {}
        }
    }
    let (mut passed, mut failed, mut skipped) = (0u64, 0u64, 0u64);
    for (count, word) in counted(&plain, ",")? {
        match word {
            "passed" => passed = count,
            "skipped" => skipped = count,
            "flaky" | "leaky" | "slow" => {}
            _ => failed = failed.saturating_add(count),
        }
    }
    // `2/3 tests run` is a run that stopped early.
    Some(Tally::of(passed, failed, skipped))
}

fn nextest_failed(line: &str) -> bool {
    let Some(rest) = line.trim_start().strip_prefix("FAIL [") else {
        return false;
    };
    rest.split_once(']').is_some_and(|(time, _)| is_duration(time))
}

/// cargo build, check and clippy: `Finished`, or `error: could not compile`.
pub(super) fn build(lines: &[&str]) -> Vec<Tally> {
    let finished = |line: &&str| {
        let rest = line.trim_start().strip_prefix("Finished ");
        rest.is_some_and(|rest| rest.contains(" target(s) in ") || rest.ends_with(" target(s)"))
    };
    let mut found = Vec::new();
    if any(lines, is_not_built) {
        found.push(Tally::marked(Mark::Bad));
    } else if lines.iter().any(finished) {
        found.push(Tally::marked(Mark::Good));
    }
    found
}

fn is_not_built(line: &str) -> bool {
    line.starts_with("error: could not compile `")
        || line.starts_with("error: failed to run custom build command for `")
}

/// cargo fmt --check and rustfmt --check: `Diff in file:line:` for each place, and nothing where all is well.
pub(super) fn fmt(lines: &[&str]) -> Vec<Tally> {
    let differs = |line: &&str| {
        line.strip_prefix("Diff in ")
            .is_some_and(|rest| rest.contains(".rs:") || rest.contains(".rs at line "))
    };
    let found = lines.iter().filter(|line| differs(line)).count();
    if found == 0 {
        Vec::new()
    } else {
        vec![Tally::findings(u64::try_from(found).unwrap_or(u64::MAX))]
    }
}
