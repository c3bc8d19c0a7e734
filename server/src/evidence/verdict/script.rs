//! What a project's own check script says, line by line: `ok name`, `PASS: name`, `name .... FAIL`.
//! A script has no summary of a known shape, so its good lines alone settle nothing.

use super::tally::{Mark, Tally};

/// One failed line is a failure. What passed is left to the exit status: more may follow, or have been cut away.
pub(super) fn script(lines: &[&str]) -> Vec<Tally> {
    if lines.iter().any(|line| is_failed(line.trim_end())) {
        vec![Tally::marked(Mark::Bad)]
    } else {
        Vec::new()
    }
}

fn is_failed(line: &str) -> bool {
    let mark = |word: &str| matches!(word, "FAIL" | "FAILED" | "not ok");
    // `FAIL name`, `FAIL: name`, `[FAIL] name`
    let head = line.split([' ', '\t', ':']).next().unwrap_or_default();
    if mark(head.trim_start_matches('[').trim_end_matches(']')) {
        return true;
    }
    // `name ..... FAIL`, `name: FAIL`, `name [FAIL]`
    let Some((before, last)) = line.rsplit_once(' ') else {
        return false;
    };
    let before = before.trim_end();
    let led = before.ends_with("...") || before.ends_with(':') && !before.contains(' ');
    mark(last) && led || matches!(last, "[FAIL]" | "[FAILED]")
}
