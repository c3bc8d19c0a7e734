//! What runners of runners say themselves: tox, nox, pre-commit, make.
//! What they run has its own readers.

use super::Verdict;
use super::tally::{Mark, Tally};
use super::text::any;

/// tox: `  py311: OK (0.50 seconds)` for each environment (tox 4), or `  py36: commands succeeded` (tox 3).
pub(super) fn tox(lines: &[&str]) -> Vec<Tally> {
    let mut found = Vec::new();
    for line in lines {
        let text = line.strip_prefix("ERROR: ").unwrap_or(line).trim();
        let Some((environment, result)) = text.split_once(": ") else {
            continue;
        };
        if environment.contains(' ') || environment.is_empty() {
            continue;
        }
        let mark = match result {
            "commands succeeded" => Mark::Good,
            "commands failed" => Mark::Bad,
            _ if result == "OK" || result.starts_with("OK (") => Mark::Good,
            _ if result.starts_with("FAIL ") && result.contains("code ") => Mark::Bad,
            _ if result == "SKIP" || result.starts_with("SKIP (") => Mark::Empty,
            _ => continue,
        };
        found.push(Tally::marked(mark));
    }
    if any(lines, |line| line.trim_start().starts_with("evaluation failed :( (")) {
        found.push(Tally::marked(Mark::Bad));
    }
    let sum = Tally::sum(&found);
    // Its last word comes when all environments are through; without it one may still fail.
    let ended = any(lines, |line| line.trim_start().starts_with("congratulations :)"));
    sum.filter(|sum| ended || sum.verdict() == Verdict::Fail)
        .into_iter()
        .collect()
}

/// nox: `nox > Session tests was successful.` for each session.
pub(super) fn nox(lines: &[&str]) -> Vec<Tally> {
    let mut found = Vec::new();
    for text in lines.iter().filter_map(|line| line.strip_prefix("nox > ")) {
        let text = text.trim_end();
        if let Some(rest) = text.strip_prefix("Session ") {
            let mark = match rest {
                _ if rest.ends_with(" was successful.") || rest.contains(" was successful in ") => Mark::Good,
                _ if rest.ends_with(" failed.") || rest.contains(" failed in ") => Mark::Bad,
                _ if rest.ends_with(" skipped.") || rest.contains(" skipped: ") => Mark::Empty,
                _ => continue,
            };
            found.push(Tally::marked(mark));
        } else if text.starts_with("Sessions not found: ")
            || text == "No sessions selected. Please select a session with -s <session name>."
        {
            found.push(Tally::marked(Mark::Empty));
        }
    }
    Tally::sum(&found).into_iter().collect()
}

/// pre-commit: a line of dots for each hook, with how it ended (pre-commit 2 to 4).
pub(super) fn pre_commit(lines: &[&str]) -> Vec<Tally> {
    let (mut passed, mut failed, mut skipped, mut any) = (0, 0, 0, false);
    for line in lines {
        let line = line.trim_end();
        let words = ["Passed", "Failed", "Skipped"];
        let Some((before, word)) = words.iter().find_map(|word| Some((line.strip_suffix(word)?, *word))) else {
            continue;
        };
        let before = before.strip_suffix("(no files to check)").unwrap_or(before);
        if !before.ends_with("...") {
            continue;
        }
        any = true;
        match word {
            "Passed" => passed += 1,
            "Failed" => failed += 1,
            _ => skipped += 1,
        }
    }
    if any {
        vec![Tally::of(passed, failed, skipped)]
    } else {
        Vec::new()
    }
}

/// make and ninja: `make: *** [Makefile:6: test] Error 3`; just 1.x, task 3.x and mise 2025.x in their own words.
pub(super) fn make(lines: &[&str]) -> Vec<Tally> {
    let failed = |line: &&str| {
        if task_failed(line.trim_end()) {
            return true;
        }
        let Some((tool, rest)) = line.split_once(": *** [") else {
            return line.starts_with("ninja: build stopped: ");
        };
        let name = tool.split('[').next().unwrap_or(tool);
        let ends = rest.split_once("] ").map_or("", |(_, ends)| ends);
        // 127 and 126: the recipe's program is missing, so nothing was checked.
        name.ends_with("make") && ends.starts_with("Error ") && !matches!(ends.trim_end(), "Error 127" | "Error 126")
    };
    if lines.iter().any(failed) {
        vec![Tally::marked(Mark::Bad)]
    } else {
        Vec::new()
    }
}

/// `[lint] ERROR task failed`, ``error: Recipe `test` failed on line 4 with exit code 1``, `task: Failed to run task "test": exit
/// status 1`. 127 and 126 as for make.
fn task_failed(line: &str) -> bool {
    let mise = line.starts_with('[') && line.ends_with("] ERROR task failed");
    let just = line.starts_with("error: Recipe `") && line.contains("` failed ");
    let task = line.starts_with("task: Failed to run task \"");
    mise || (just || task) && !line.ends_with(" 127") && !line.ends_with(" 126")
}
