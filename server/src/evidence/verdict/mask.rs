//! What is left of a run's output and status by what stands behind it in a command.
//! Whether something stands there at all is `check`'s business.

/// How many characters of a mask a message repeats.
const SHOWN: usize = 60;

/// Runners that print one result for each part and no word for the whole, so that the parts shown may be the good ones.
const OF_PARTS: &[&str] = &[
    "cargo-test",
    "dotnet-test",
    "go-test",
    "node-test",
    "nox",
    "pre-commit",
    "prove",
    "tap",
];

/// Those of them that go on after a part that failed, so that the last parts may be good ones.
const GOES_ON: &[&str] = &["dotnet-test", "pre-commit"];

/// Whether `what`, with `shown` lines of output left, may have cut away failures of `runner`.
pub(super) fn may_hide_failures(what: &str, runner: &str, shown: usize) -> bool {
    let Some(program) = what.trim_start_matches(['|', '&', ' ']).split_whitespace().next() else {
        return false;
    };
    if program == "head" || what.contains("| head") {
        return true;
    }
    match program {
        "grep" | "egrep" | "rg" | "awk" if OF_PARTS.contains(&runner) => {
            let what = what.to_ascii_lowercase();
            ["ok", "pass", "success"].iter().any(|word| what.contains(word))
        }
        "tail" => GOES_ON.contains(&runner) && shown >= tail_lines(what),
        _ => false,
    }
}

/// How many lines `tail` leaves: `tail -5`, `tail -n 5`, `tail -n5`, or ten.
fn tail_lines(what: &str) -> usize {
    let words = what.split_whitespace().skip_while(|word| *word != "tail").skip(1);
    let counts = words.filter_map(|word| word.trim_start_matches("-n").trim_start_matches('-').parse().ok());
    counts.into_iter().next().unwrap_or(10)
}

/// `what` as a message repeats it.
pub(super) fn shortened(what: &str) -> String {
    let what = what.trim().lines().next().unwrap_or_default();
    match what.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &what[..end]),
        None => what.to_owned(),
    }
}

/// The exit status that a command prints last, as in `; echo "exit code $?"`.
pub(super) fn echoed_status(what: &str, last: &str) -> Option<i32> {
    if !what.trim_start().starts_with("; echo") || last.len() > SHOWN {
        return None;
    }
    let line = last.to_ascii_lowercase();
    let digits = line.trim_start_matches(|char: char| !char.is_ascii_digit());
    let label = line[..line.len() - digits.len()].trim_end_matches([' ', ':', '=']);
    let known = matches!(
        label,
        "" | "exit" | "exit code" | "exit status" | "exitcode" | "exit_code" | "status" | "rc" | "code"
    );
    if known { digits.parse().ok() } else { None }
}
