//! What ctest, swift test, dotnet test and bazel test say.
//! make, which only runs others, stays out.

use super::tally::{Mark, Tally};
use super::text::{any, counted, labelled, leading, number};

/// ctest: `67% tests passed, 1 tests failed out of 3` (CMake 3 and 4).
pub(super) fn ctest(lines: &[&str]) -> Vec<Tally> {
    // Tests that did not run count among those that passed, and are listed below.
    let skipped = lines.iter().filter(|line| ctest_skipped(line)).count();
    let skipped = u64::try_from(skipped).unwrap_or(u64::MAX);
    let mut found = Vec::new();
    for line in lines {
        if line.starts_with("No tests were found!!!") || line.starts_with("Total Tests: ") {
            found.push(Tally::marked(Mark::Empty));
        } else if let Some((failed, total)) = ctest_summary(line) {
            found.push(Tally::of(
                total.saturating_sub(failed).saturating_sub(skipped),
                failed,
                skipped,
            ));
        }
    }
    let failed = |line: &str| {
        line.trim_end() == "The following tests FAILED:"
            || leading(line.trim_start()).is_some_and(|(_, rest)| rest.starts_with('/') && rest.contains("***Failed "))
    };
    if found.is_empty() && any(lines, failed) {
        found.push(Tally::marked(Mark::Bad));
    }
    found
}

fn ctest_summary(line: &str) -> Option<(u64, u64)> {
    let (_, rest) = leading(line)?;
    let rest = rest.strip_prefix("% tests passed, ")?;
    let (failed, rest) = leading(rest)?;
    let total = rest
        .strip_prefix(" tests failed out of ")
        .or_else(|| rest.strip_prefix(" test failed out of "))?;
    Some((failed, number(total.trim())?))
}

fn ctest_skipped(line: &str) -> bool {
    let line = line.trim();
    leading(line).is_some_and(|(_, rest)| rest.starts_with(" - "))
        && (line.ends_with(" (Skipped)") || line.ends_with(" (Disabled)"))
}

/// swift test: `Executed 3 tests, with 0 failures (0 unexpected) in 0.002 (0.003) seconds` for the whole, and, from
/// swift-testing, `Test run with 3 tests passed after 0.001 seconds.` (Swift 5 and 6).
pub(super) fn swift(lines: &[&str]) -> Vec<Tally> {
    let xctest = lines.iter().rev().find_map(|line| executed(line));
    let testing = lines.iter().rev().find_map(|line| test_run(line));
    let both: Vec<Tally> = xctest.into_iter().chain(testing).collect();
    if let Some(sum) = Tally::sum(&both) {
        return vec![sum];
    }
    let broken =
        |line: &&str| line.contains(".swift:") && line.contains(": error: ") || line.starts_with("error: fatalError");
    if lines.iter().any(broken) {
        vec![Tally::marked(Mark::Bad)]
    } else {
        Vec::new()
    }
}

fn executed(line: &str) -> Option<Tally> {
    let (ran, rest) = leading(line.trim().strip_prefix("Executed ")?)?;
    let (_, rest) = rest.split_once("with ")?;
    let (mut skipped, mut rest) = (0, rest);
    if let Some((count, after)) =
        leading(rest).and_then(|(count, after)| Some((count, after.split_once(" skipped and ")?.1)))
    {
        (skipped, rest) = (count, after);
    } else if let Some((count, after)) =
        leading(rest).and_then(|(count, after)| Some((count, after.split_once(" tests skipped and ")?.1)))
    {
        (skipped, rest) = (count, after);
    }
    let (failed, rest) = leading(rest)?;
    rest.starts_with(" failure")
        .then(|| Tally::of(ran.saturating_sub(failed).saturating_sub(skipped), failed, skipped))
}

fn test_run(line: &str) -> Option<Tally> {
    let (_, rest) = line.split_once("Test run with ")?;
    let (ran, rest) = leading(rest)?;
    if !rest.starts_with(" test") || !rest.contains(" after ") {
        return None;
    }
    let failed = rest.contains(" failed after ");
    (failed || rest.contains(" passed after ")).then(|| match failed {
        true => Tally::marked(Mark::Bad),
        false => Tally::of(ran, 0, 0),
    })
}

/// dotnet test, by vstest, by the terminal logger and by the testing platform (.NET 5 to 10).
pub(super) fn dotnet(lines: &[&str]) -> Vec<Tally> {
    let mut found: Vec<Tally> = lines.iter().filter_map(|line| dotnet_line(line)).collect();
    found.extend(dotnet_block(lines));
    let says = |words: &[&str]| {
        lines
            .iter()
            .any(|line| words.iter().any(|word| line.trim().starts_with(word)))
    };
    if says(&["Build FAILED.", "Test Run Failed.", "Test Run Aborted"])
        || lines
            .iter()
            .any(|line| line.contains(": error CS") || line.contains(": error FS"))
    {
        found.push(Tally::marked(Mark::Bad));
    } else if found.is_empty() && says(&["No test matches the given testcase filter", "No test is available in"]) {
        found.push(Tally::marked(Mark::Empty));
    }
    Tally::sum(&found).into_iter().collect()
}

/// `Passed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3, Duration: 5 ms`, or
/// `Test summary: total: 3, failed: 0, succeeded: 3, skipped: 0, duration: 1.2s`.
fn dotnet_line(line: &str) -> Option<Tally> {
    let line = line.trim();
    let items = ["Passed!", "Failed!", "Skipped!"]
        .iter()
        .find_map(|word| line.strip_prefix(word));
    let items = match items {
        Some(rest) => rest.trim_start().strip_prefix("- ")?,
        None => line.strip_prefix("Test summary: ")?,
    };
    let items = items
        .split_once(", Duration")
        .or_else(|| items.split_once(", duration"))
        .map_or(items, |(items, _)| items);
    dotnet_counts(&labelled(items)?)
}

/// `Total tests: 3` with one count on each line below it, or `Test run summary: Passed!` with the same.
fn dotnet_block(lines: &[&str]) -> Option<Tally> {
    let start = lines.iter().rposition(|line| {
        let line = line.trim();
        line.starts_with("Total tests: ") || line.starts_with("Test run summary: ")
    })?;
    let counts: Vec<(&str, u64)> = lines[start..]
        .iter()
        .take(8)
        .filter_map(|line| line.trim().split_once(':'))
        .filter_map(|(name, count)| Some((name.trim(), number(count.trim())?)))
        .collect();
    let with_total = |name: &str| {
        counts
            .iter()
            .find(|(given, _)| given.eq_ignore_ascii_case(name))
            .map(|(_, count)| *count)
    };
    with_total("total").or_else(|| with_total("Total tests"))?;
    dotnet_counts(&counts)
}

fn dotnet_counts(counts: &[(&str, u64)]) -> Option<Tally> {
    let of = |names: &[&str]| {
        counts
            .iter()
            .find(|(given, _)| names.iter().any(|name| given.eq_ignore_ascii_case(name)))
            .map(|(_, count)| *count)
    };
    of(&["total", "total tests"])?;
    Some(Tally::of(
        of(&["passed", "succeeded"]).unwrap_or(0),
        of(&["failed"]).unwrap_or(0),
        of(&["skipped"]).unwrap_or(0),
    ))
}

/// bazel test: `Executed 1 out of 2 tests: 1 test passes and 1 fails locally.` (bazel 4 to 8).
pub(super) fn bazel(lines: &[&str]) -> Vec<Tally> {
    let mut found: Vec<Tally> = lines.iter().filter_map(|line| bazel_summary(line)).collect();
    if found.is_empty() {
        if any(lines, |line| {
            line.contains("No test targets were found, yet testing was requested")
        }) {
            found.push(Tally::marked(Mark::Empty));
        } else if any(lines, |line| {
            line.contains("Build did NOT complete successfully") || bazel_failed(line)
        }) {
            found.push(Tally::marked(Mark::Bad));
        }
    }
    found
}

fn bazel_summary(line: &str) -> Option<Tally> {
    let (_, rest) = leading(line.trim().strip_prefix("Executed ")?)?;
    let (total, rest) = leading(rest.strip_prefix(" out of ")?)?;
    let (_, outcomes) = rest.split_once(": ")?;
    if !rest.starts_with(" test") {
        return None;
    }
    let outcomes = outcomes.trim_end_matches('.').replace(" and ", ", ");
    let (mut passed, mut failed, mut skipped) = (0u64, 0u64, 0u64);
    for (count, words) in counted(&outcomes, ", ")? {
        match words.trim_start_matches("tests ").trim_start_matches("test ") {
            "pass" | "passes" => passed = count,
            words if words.contains("skipped") => skipped = skipped.saturating_add(count),
            _ => failed = failed.saturating_add(count),
        }
    }
    (passed.saturating_add(failed).saturating_add(skipped) <= total).then(|| Tally::of(passed, failed, skipped))
}

fn bazel_failed(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words.next().is_some_and(|target| target.starts_with("//")) && words.next() == Some("FAILED")
}
