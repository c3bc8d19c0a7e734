//! What maven with surefire and gradle say (maven 3 and 4, surefire 2 and 3, gradle 5 to 9).
//! What a build did beside its tests stays out, unless it failed.

use super::tally::{Mark, Tally};
use super::text::{any, counted, labelled};

/// maven: `Tests run: 3, Failures: 0, Errors: 0, Skipped: 0` for each module, and `BUILD SUCCESS` or `BUILD FAILURE`.
pub(super) fn maven(lines: &[&str]) -> Vec<Tally> {
    let (mut found, mut skipped, mut success, mut failure) = (Vec::new(), false, false, false);
    for line in lines {
        let text = unlevelled(line);
        if let Some(tally) = surefire(text) {
            found.push(tally);
        }
        match text {
            "BUILD SUCCESS" => success = true,
            "BUILD FAILURE" => failure = true,
            "Tests are skipped." | "No tests to run." | "There are no tests to run." => skipped = true,
            // What `-q` leaves of a failed class.
            _ if text.starts_with("Tests run: ") && text.contains("<<< FAILURE!") || text.contains("<<< ERROR!") => {
                failure = true;
            }
            _ if text.starts_with("COMPILATION ERROR") => failure = true,
            _ => {}
        }
    }
    let absent = [
        "No tests were executed!",
        "No tests matching pattern ",
        "there is no POM in this directory",
        "Unknown lifecycle phase ",
    ];
    let is_absent = |line: &&str| line.starts_with("[ERROR]") && absent.iter().any(|words| line.contains(words));
    let sum = Tally::sum(&found);
    let failed = sum.is_some_and(|sum| sum.mark == Mark::Bad);
    match () {
        () if failed => {}
        () if failure && lines.iter().any(is_absent) => return vec![Tally::marked(Mark::Empty)],
        () if failure => return vec![sum.unwrap_or_default().bad_if(true)],
        // Without its last word a build may still fail.
        () if !success => return Vec::new(),
        () if sum.is_some() => {}
        () if skipped => return vec![Tally::marked(Mark::Empty)],
        () => return vec![Tally::marked(Mark::Good)],
    }
    sum.into_iter().collect()
}

/// A line without maven's level before it.
fn unlevelled(line: &str) -> &str {
    let line = line.trim();
    ["[INFO]", "[WARNING]", "[ERROR]"]
        .iter()
        .find_map(|level| line.strip_prefix(level))
        .unwrap_or(line)
        .trim()
}

/// The line of a whole module: that of a class goes on with the time it took.
fn surefire(text: &str) -> Option<Tally> {
    if !text.starts_with("Tests run: ") {
        return None;
    }
    let counts = labelled(text)?;
    let [
        ("Tests run", ran),
        ("Failures", failures),
        ("Errors", errors),
        ("Skipped", skipped),
        rest @ ..,
    ] = &counts[..]
    else {
        return None;
    };
    if rest.iter().any(|(name, _)| *name != "Flakes") {
        return None;
    }
    let failed = failures.saturating_add(*errors);
    Some(Tally::of(
        ran.saturating_sub(failed).saturating_sub(*skipped),
        failed,
        *skipped,
    ))
}

/// gradle: `BUILD SUCCESSFUL in 1s` or `BUILD FAILED in 1s`, and `3 tests completed, 1 failed` where one failed.
pub(super) fn gradle(lines: &[&str]) -> Vec<Tally> {
    let starts = |words: &str| any(lines, |line| line.starts_with(words));
    let counts = lines.iter().rev().find_map(|line| completed(line));
    if counts.is_some_and(|tally| tally.mark == Mark::Bad) {
        return counts.into_iter().collect();
    }
    if starts("BUILD FAILED") || starts("FAILURE: Build failed with an exception.") {
        let absent = |line: &&str| {
            let line = line.trim_start_matches("> ");
            line.starts_with("No tests found for given includes")
                || line.starts_with("Task '") && line.contains("' not found in ")
                || line.starts_with("Cannot locate tasks that match '")
                || line.starts_with("Directory '") && line.contains("does not contain a Gradle build")
        };
        let mark = if lines.iter().any(absent) {
            Mark::Empty
        } else {
            Mark::Bad
        };
        return vec![Tally::marked(mark)];
    }
    if !starts("BUILD SUCCESSFUL") {
        let failed = |line: &&str| {
            line.strip_prefix("> Task ")
                .is_some_and(|rest| rest.ends_with(" FAILED"))
                || line.ends_with(" FAILED") && line.contains(" > ")
        };
        return if lines.iter().any(failed) {
            vec![Tally::marked(Mark::Bad)]
        } else {
            Vec::new()
        };
    }
    // A test task whose module has no tests says so; it checked something if another one did.
    let tasks = || {
        lines
            .iter()
            .filter_map(|line| line.strip_prefix("> Task "))
            .filter(|task| is_test_task(task))
    };
    let empty = |task: &str| task.ends_with(" NO-SOURCE") || task.ends_with(" SKIPPED");
    let nothing = tasks().next().is_some() && tasks().all(empty);
    vec![Tally::marked(if nothing { Mark::Empty } else { Mark::Good })]
}

fn is_test_task(task: &str) -> bool {
    let name = task
        .split(' ')
        .next()
        .unwrap_or(task)
        .rsplit(':')
        .next()
        .unwrap_or(task);
    name == "test" || name.ends_with("Test") || name.ends_with("UnitTest")
}

fn completed(line: &str) -> Option<Tally> {
    let counts = counted(line.trim_end(), ", ")?;
    let [(total, "tests completed" | "test completed"), rest @ ..] = &counts[..] else {
        return None;
    };
    let of = |word: &str| {
        rest.iter()
            .find(|(_, name)| *name == word)
            .map_or(0, |(count, _)| *count)
    };
    let (failed, skipped) = (of("failed"), of("skipped"));
    let tally = Tally::of(total.saturating_sub(failed).saturating_sub(skipped), failed, skipped);
    Some(tally.bad_if(failed > 0))
}
