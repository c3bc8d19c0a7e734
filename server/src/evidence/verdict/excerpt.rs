//! The few lines of an output from which the same verdict is read as from all of it: what may be kept of it.
//! Where they are kept, and what runs a command, stays out.

use std::collections::BTreeSet;

use super::super::check::Run;
use super::{Came, Outcome, Verdict, each, text, verdict};
use crate::text::redact;

/// The longest excerpt, in characters.
const LONGEST: usize = 1_200;
/// So many lines at the end of an output are tried, the fewest first. Most runners end with their summary.
const ENDS: [usize; 7] = [0, 1, 2, 4, 8, 16, 32];
/// Places that are looked for.
const PLACES: usize = 8;

/// What is kept holds nothing that looks like a secret. The shortest end of an output, with the lines that name places of failures where there is room, from which the same is
/// read of each of the checks `runs` as from all of it. None where at most 1,200 characters do not say the same.
#[must_use]
pub fn excerpt(runs: &[Run], outcome: &Outcome, output: &str) -> Option<String> {
    let clean = text::clean(output);
    let lines: Vec<&str> = clean.lines().collect();
    let whole = Said::by(runs, outcome, output);
    let places = whole.lines_of_places(&lines);
    let kept = |count: usize, places: &[usize]| {
        let end = lines.len().saturating_sub(count);
        let before = places.iter().filter(|at| **at < end).map(|at| lines[*at]);
        let text = before
            .chain(lines[end..].iter().copied())
            .collect::<Vec<_>>()
            .join("\n");
        let text = redact(&text).into_owned();
        (text.chars().nth(LONGEST).is_none()).then_some(text)
    };
    let same = |text: &String, with_places: bool| Said::by(runs, outcome, text).is_as(&whole, with_places);
    let with_places = ENDS
        .iter()
        .filter_map(|count| kept(*count, &places))
        .find(|text| same(text, true));
    with_places.or_else(|| {
        ENDS.iter()
            .filter_map(|count| kept(*count, &[]))
            .find(|text| same(text, false))
    })
}

/// What an output says of the checks of a command.
struct Said {
    all: Verdict,
    each: Vec<Came>,
}

impl Said {
    fn by(runs: &[Run], outcome: &Outcome, output: &str) -> Self {
        Self {
            all: verdict(runs, outcome, output).0,
            each: each(runs, outcome, output),
        }
    }

    fn is_as(&self, other: &Self, with_places: bool) -> bool {
        let same = |(own, other): (&Came, &Came)| {
            let places = !with_places || own.places == other.places;
            places && own.verdict == other.verdict && own.counts == other.counts
        };
        self.all == other.all && self.each.iter().zip(&other.each).all(same)
    }

    /// The first line that names each place.
    fn lines_of_places(&self, lines: &[&str]) -> Vec<usize> {
        let names = |line: &&str, (file, at): &(String, Option<u32>)| {
            line.contains(file.as_str()) && at.is_none_or(|at| line.contains(&format!(":{at}")))
        };
        let places: BTreeSet<&(String, Option<u32>)> = self.each.iter().flat_map(|came| &came.places).collect();
        let found = places.into_iter().take(PLACES);
        let mut found: Vec<usize> = found
            .filter_map(|place| lines.iter().position(|line| names(line, place)))
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::super::summary;
    use super::*;
    use crate::evidence::check;

    const FAILED: Outcome = Outcome {
        exit: None,
        error: Some(true),
    };
    const SUCCEEDED: Outcome = Outcome {
        exit: Some(0),
        error: Some(false),
    };
    const RAN: Outcome = Outcome {
        exit: None,
        error: None,
    };

    fn long(lines: usize) -> String {
        (0..lines).fold(String::new(), |mut text, at| {
            writeln!(text, "test width::case_{at} ... ok").unwrap();
            text
        })
    }

    #[test]
    fn what_is_kept_says_the_same_and_is_short() {
        let passed = format!("{}\ntest result: ok. 300 passed; 0 failed; 0 ignored\n", long(300));
        let broken = format!("{}\ntest result: FAILED. 299 passed; 1 failed; 0 ignored\n", long(299));
        let secret = format!("token=hunter2\r\n{}\r\n12 passed in 0.1s\r\n", "x\r\n".repeat(50));
        for (command, outcome, output, kept) in [
            (
                "cargo test",
                SUCCEEDED,
                passed.as_str(),
                "test result: ok. 300 passed; 0 failed; 0 ignored",
            ),
            (
                "cargo test",
                FAILED,
                &broken,
                "test result: FAILED. 299 passed; 1 failed; 0 ignored",
            ),
            (
                "cargo test",
                RAN,
                &broken,
                "test result: FAILED. 299 passed; 1 failed; 0 ignored",
            ),
            ("pytest", SUCCEEDED, &secret, "12 passed in 0.1s"),
            ("./check_all.sh", SUCCEEDED, "all is well\n", ""),
            ("./check_all.sh", RAN, "all is well\n", ""),
        ] {
            let runs = check::runs(command).unwrap();
            assert!(!runs.is_empty(), "{command}");
            assert_eq!(
                excerpt(&runs, &outcome, output).as_deref(),
                Some(kept),
                "{command} {outcome:?}"
            );
        }
    }

    #[test]
    fn what_is_kept_holds_no_secret() {
        // A line that names a place is kept, whatever else it holds.
        let output = "FAILED a.py::test_a - token=hunter2\na.py:3: token=hunter2\n1 failed, 2 passed in 0.1s\n";
        let kept = excerpt(&check::runs("pytest").unwrap(), &FAILED, output).unwrap();
        assert!(kept.contains("1 failed") && !kept.contains("hunter2"), "{kept}");
    }

    #[test]
    fn the_places_of_failures_are_kept_where_there_is_room() {
        let output = format!(
            "thread 'a' panicked at src/width.rs:21:5:\nboom\n{}test result: FAILED. 9 passed; 1 failed; 0 ignored\n",
            long(40)
        );
        let runs = check::runs("cargo test").unwrap();
        let kept = excerpt(&runs, &FAILED, &output).unwrap();
        assert_eq!(summary("cargo-test", &kept), summary("cargo-test", &output), "{kept}");
        assert!(!summary("cargo-test", &output).places.is_empty());
        assert!(kept.lines().count() < 4, "{kept}");
    }

    #[test]
    fn what_would_say_something_else_when_cut_is_not_kept() {
        // The summary stands before more than an excerpt holds.
        let output = format!(
            "test result: ok. 3 passed; 0 failed; 0 ignored\n{}",
            "noise of the next program\n".repeat(200)
        );
        let runs = check::runs("cargo test | cat").unwrap();
        let whole = verdict(&runs, &RAN, &output).0;
        match excerpt(&runs, &RAN, &output) {
            Some(kept) => assert_eq!(verdict(&runs, &RAN, &kept).0, whole, "{kept}"),
            None => assert_eq!(whole, Verdict::Pass),
        }
    }
}
