//! What rspec, minitest (with test-unit) and phpunit say (RSpec 3, minitest 5, PHPUnit 8 to 12).
//! rake, which only runs others, stays out but for its own last words.

use super::tally::{Mark, Tally};
use super::text::{any, counted, labelled};

/// rspec: `3 examples, 1 failure, 1 pending`, and errors outside of examples.
pub(super) fn rspec(lines: &[&str]) -> Vec<Tally> {
    let timed = |at: usize| lines[at].starts_with("Finished in ");
    let any_timed = (0..lines.len()).any(timed);
    let mut found: Vec<Tally> = lines
        .iter()
        .enumerate()
        // Its own summary stands right below the time it took; where that is not shown, any line will have to do.
        .filter(|(at, _)| !any_timed || *at > 0 && timed(at - 1))
        .filter_map(|(_, line)| examples(line.trim_end()))
        .collect();
    found.extend(lines.iter().filter_map(|line| rspec_json(line)));
    // A file that is not there is reported as an error outside of examples.
    let unread = any(lines, |line| {
        let path = line.trim_start().strip_prefix("cannot load such file -- ");
        path.is_some_and(|path| path.trim_end().ends_with("_spec.rb"))
    });
    if unread && found == [Tally::of(0, 1, 0)] {
        return vec![Tally::marked(Mark::Empty)];
    }
    if found.is_empty() && any(lines, |line| line.starts_with("rspec ./") && line.contains(" # ")) {
        found.push(Tally::marked(Mark::Bad));
    }
    found
}

fn rspec_json(line: &str) -> Option<Tally> {
    let line = line.trim_start().strip_prefix('{')?;
    let (_, rest) = line.rsplit_once("\"summary_line\":\"")?;
    examples(rest.split('"').next()?)
}

fn examples(line: &str) -> Option<Tally> {
    let counts = counted(line, ", ")?;
    let [
        (total, "examples" | "example"),
        (failed, "failures" | "failure"),
        rest @ ..,
    ] = &counts[..]
    else {
        return None;
    };
    let (mut pending, mut outside) = (0, 0);
    for (count, words) in rest {
        match *words {
            "pending" => pending = *count,
            words if words.starts_with("error") && words.contains(" occurred outside of examples") => outside = *count,
            _ => return None,
        }
    }
    let passed = total.saturating_sub(*failed).saturating_sub(pending);
    Some(Tally::of(passed, failed.saturating_add(outside), pending))
}

/// minitest: `2 runs, 2 assertions, 1 failures, 0 errors, 0 skips`; test-unit has `tests`, `pendings` and more.
pub(super) fn minitest(lines: &[&str]) -> Vec<Tally> {
    let mut found: Vec<Tally> = lines.iter().filter_map(|line| runs(line.trim_end())).collect();
    // rake runs suites one after the other, and says at its end that one failed.
    if found.is_empty() && any(lines, |line| line.trim_end() == "rake aborted!") && !any(lines, no_task) {
        found.push(Tally::marked(Mark::Bad));
    }
    found
}

fn no_task(line: &str) -> bool {
    line.starts_with("Don't know how to build task '") || line.starts_with("No Rakefile found")
}

fn runs(line: &str) -> Option<Tally> {
    let counts = counted(line, ", ")?;
    let [
        (total, "runs" | "tests"),
        (_, "assertions"),
        (failures, "failures"),
        (errors, "errors"),
        rest @ ..,
    ] = &counts[..]
    else {
        return None;
    };
    let mut skipped = 0u64;
    for (count, word) in rest {
        match *word {
            "skips" | "pendings" | "omissions" => skipped = skipped.saturating_add(*count),
            "notifications" => {}
            _ => return None,
        }
    }
    let failed = failures.saturating_add(*errors);
    Some(Tally::of(
        total.saturating_sub(failed).saturating_sub(skipped),
        failed,
        skipped,
    ))
}

/// phpunit: `OK (3 tests, 3 assertions)`, or `FAILURES!` and the like with `Tests: 3, Assertions: 3, Failures: 1.` below.
pub(super) fn phpunit(lines: &[&str]) -> Vec<Tally> {
    let mut found = Vec::new();
    let mut headed = "";
    // Its own words are the first after the time a run took; a program's prints at its end come after them.
    let is_time = |line: &str| line.starts_with("Time: ") && line.contains(", Memory: ");
    let timed = any(lines, is_time);
    let mut heard = 0;
    let mut listening = !timed;
    for line in lines {
        if is_time(line) {
            (listening, heard) = (true, found.len());
        }
        if !listening || timed && found.len() > heard {
            continue;
        }
        let line = line.trim_end();
        if let Some(items) = line.strip_prefix("OK (").and_then(|rest| rest.strip_suffix(')')) {
            let counts = counted(items, ", ").unwrap_or_default();
            if let [(tests, "tests" | "test"), (_, "assertions" | "assertion")] = counts[..] {
                found.push(Tally::of(tests, 0, 0));
            }
        } else if line == "No tests executed!" {
            found.push(Tally::marked(Mark::Empty));
        } else if matches!(line, "FAILURES!" | "ERRORS!" | "WARNINGS!") || line.starts_with("OK, but ") {
            headed = line;
        } else if let Some(tally) = phpunit_counts(line) {
            // Where only the end is shown the heading is missing, and the numbers speak.
            found.push(tally.bad_if(matches!(headed, "FAILURES!" | "ERRORS!")));
            headed = "";
        }
    }
    if found.is_empty() && matches!(headed, "FAILURES!" | "ERRORS!") {
        found.push(Tally::marked(Mark::Bad));
    }
    found
}

fn phpunit_counts(line: &str) -> Option<Tally> {
    if !line.starts_with("Tests: ") || !line.ends_with('.') {
        return None;
    }
    let counts = labelled(line)?;
    let [("Tests", total), ("Assertions", _), rest @ ..] = &counts[..] else {
        return None;
    };
    let (mut failed, mut skipped) = (0u64, 0u64);
    for (name, count) in rest {
        match *name {
            "Failures" | "Errors" => failed = failed.saturating_add(*count),
            "Skipped" | "Incomplete" => skipped = skipped.saturating_add(*count),
            _ => {}
        }
    }
    Some(Tally::of(
        total.saturating_sub(failed).saturating_sub(skipped),
        failed,
        skipped,
    ))
}
