//! What speakers of TAP say, and those who sum it up: node:test, tap, bats, prove (TAP 12 to 14).
//! A test's own prints inside such a stream stay out: only lines at the margin count.

use super::tally::{Mark, Tally};
use super::text::{any, counted, leading, number};

/// A plain stream: its closing counts where it has them, else its test lines measured against the plan.
pub(super) fn plain(lines: &[&str]) -> Option<Tally> {
    if let Some(tally) = closing_counts(lines) {
        return Some(tally);
    }
    let (mut passed, mut failed, mut skipped) = (0u64, 0u64, 0u64);
    let mut plan = None;
    let mut version = false;
    for line in lines {
        let line = line.trim_end();
        if line.starts_with("Bail out!") {
            return Some(Tally::marked(Mark::Bad));
        }
        version |= line.starts_with("TAP version ");
        plan = planned(line).or(plan);
        let Some((good, directive)) = point(line) else { continue };
        match (good, directive) {
            (_, true) => skipped += 1,
            (true, false) => passed += 1,
            (false, false) => failed += 1,
        }
    }
    let seen = passed + failed + skipped;
    match plan {
        Some(0) if seen == 0 => Some(Tally::marked(Mark::Empty)),
        Some(plan) if seen >= plan || failed > 0 => Some(Tally::of(passed, failed, skipped)),
        None if failed > 0 && (version || failed + passed > 1) => Some(Tally::marked(Mark::Bad)),
        _ => None,
    }
}

/// `1..3`, and how many that are.
fn planned(line: &str) -> Option<u64> {
    let rest = line.strip_prefix("1..")?;
    number(rest.split(' ').next()?)
}

/// A test line: whether it is good, and whether it is only skipped or to do.
fn point(line: &str) -> Option<(bool, bool)> {
    let (good, rest) = match line.strip_prefix("not ok") {
        Some(rest) => (false, rest),
        None => (true, line.strip_prefix("ok")?),
    };
    let rest = rest.strip_prefix(' ')?;
    // A number, or a dash: `ok everything` may be said by anyone.
    if !rest.starts_with("- ") {
        leading(rest)?;
    }
    let directive = rest.rsplit_once('#').is_some_and(|(_, note)| {
        let note = note.trim_start().get(..4).unwrap_or_default();
        note.eq_ignore_ascii_case("skip") || note.eq_ignore_ascii_case("todo")
    });
    Some((good, directive))
}

/// `# pass 2`, `# fail 1` at the end (node:test, ava, mocha, tape), or with node's `ℹ` before them.
fn closing_counts(lines: &[&str]) -> Option<Tally> {
    let (mut passed, mut failed, mut skipped) = (None, None, 0u64);
    let mut lost = 0u64;
    for line in lines {
        let Some(rest) = line.strip_prefix("# ").or_else(|| line.strip_prefix("ℹ ")) else {
            continue;
        };
        let Some((name, count)) = rest.trim_end().split_once(' ') else {
            continue;
        };
        let Some(count) = number(count.trim()) else { continue };
        match name {
            // A new stream begins.
            "tests" => (passed, failed, skipped, lost) = (None, None, 0, 0),
            "pass" => passed = Some(count),
            "fail" => failed = Some(count),
            "cancelled" => lost = count,
            "skipped" | "skip" | "todo" => skipped = skipped.saturating_add(count),
            _ => {}
        }
    }
    // tape leaves out `# fail` where nothing fails, and ends with `# ok`.
    let failed = match failed {
        Some(failed) => failed,
        None if any(lines, |line| line.trim_end() == "# ok") => 0,
        None => return None,
    };
    Some(Tally::of(passed.unwrap_or(0), failed.saturating_add(lost), skipped))
}

/// node:test, and other programs that print a stream themselves.
pub(super) fn stream(lines: &[&str]) -> Vec<Tally> {
    if let Some(tally) = tap_reporter(lines) {
        return vec![tally];
    }
    plain(lines).into_iter().collect()
}

/// node-tap's own reporter: `# { total: 3, pass: 2, fail: 1 }`, or `Asserts:  1 failed  2 passed  3 of 3 complete`.
fn tap_reporter(lines: &[&str]) -> Option<Tally> {
    let line = lines.iter().rev().find_map(|line| {
        let rest = line
            .trim_end()
            .strip_prefix("# { total: ")
            .and_then(|rest| rest.strip_suffix('}'));
        let asserts = line.trim_start().strip_prefix("Asserts:");
        rest.map(|rest| (rest, true))
            .or_else(|| asserts.map(|rest| (rest, false)))
    });
    match line? {
        (rest, true) => {
            let field = |name: &str| {
                rest.split_once(name)
                    .and_then(|(_, rest)| leading(rest))
                    .map_or(0, |(count, _)| count)
            };
            Some(Tally::of(
                field("pass: "),
                field("fail: "),
                field("skip: ").saturating_add(field("todo: ")),
            ))
        }
        (rest, false) => {
            let words: Vec<&str> = rest.split_whitespace().collect();
            let field = |name: &str| {
                let at = words.iter().position(|word| *word == name).filter(|at| *at > 0);
                at.and_then(|at| number(words[at - 1]))
            };
            let skipped = field("skip").unwrap_or(0).saturating_add(field("todo").unwrap_or(0));
            Some(Tally::of(
                field("passed").or(field("pass"))?,
                field("failed").or(field("fail")).unwrap_or(0),
                skipped,
            ))
        }
    }
}

/// bats: TAP with its plan first, or on a terminal `3 tests, 1 failure, 1 skipped` (bats-core 1.x).
pub(super) fn bats(lines: &[&str]) -> Vec<Tally> {
    if any(lines, |line| line.trim_end() == "not ok 1 bats-gather-tests") {
        return vec![Tally::marked(Mark::Empty)];
    }
    let pretty = lines.iter().rev().find_map(|line| {
        let items = line.trim_end();
        let (items, time) = items
            .split_once(" in ")
            .map_or((items, ""), |(items, time)| (items, time));
        let counts = counted(items, ", ")?;
        let [(total, "tests" | "test"), (failed, "failures" | "failure"), rest @ ..] = &counts[..] else {
            return None;
        };
        let named = time.is_empty() || leading(time).is_some();
        let skipped = rest
            .iter()
            .find(|(_, word)| *word == "skipped")
            .map_or(0, |(count, _)| *count);
        let known = rest
            .iter()
            .all(|(_, word)| matches!(*word, "skipped" | "not run" | "timed out"));
        (named && known).then(|| Tally::of(total.saturating_sub(*failed).saturating_sub(skipped), *failed, skipped))
    });
    pretty.or_else(|| plain(lines)).into_iter().collect()
}

/// prove: `Result: PASS`, with `Files=2, Tests=3` before it (Test::Harness 3).
pub(super) fn prove(lines: &[&str]) -> Vec<Tally> {
    let mut found = Vec::new();
    let mut ran = None;
    for line in lines {
        match line.trim_end() {
            "Result: PASS" => found.push(Tally::of(ran.unwrap_or(1), 0, 0)),
            "Result: FAIL" => found.push(Tally::marked(Mark::Bad)),
            "Result: NOTESTS" => found.push(Tally::marked(Mark::Empty)),
            line if line.starts_with("Files=") => {
                ran = line
                    .split_once(", Tests=")
                    .and_then(|(_, rest)| leading(rest))
                    .map(|(count, _)| count);
            }
            _ => {}
        }
    }
    let failed = |line: &&str| line.starts_with("#   Failed test ") || line.starts_with("Dubious, test returned ");
    if found.is_empty() && lines.iter().any(failed) {
        found.push(Tally::marked(Mark::Bad));
    }
    found
}
