//! The table of commands: a case is a line of it.
//! Promises that hold for every command stay out.

use crate::evidence::check::{Masked, Purpose, RUNNERS, Run, runs, table};

const TABLE: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../fixtures/verdicts/commands.tsv"
));

/// A cell with `\n` and `\\` read back.
fn unescape(cell: &str) -> String {
    let mut out = String::new();
    let mut chars = cell.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                other => out.extend(other),
            },
            _ => out.push(c),
        }
    }
    out
}

/// The commands of the table, each with its line.
pub(super) fn table() -> Vec<(String, &'static str)> {
    TABLE
        .lines()
        .skip(1)
        .map(|line| (unescape(line.split('\t').next().unwrap()), line))
        .collect()
}

fn joined(runs: &[Run], cell: impl Fn(&Run) -> String) -> String {
    match runs {
        [] => "-".to_owned(),
        _ => runs.iter().map(cell).collect::<Vec<_>>().join(" + "),
    }
}

/// The cells behind a command: `?` where it is not read, `-` where it runs nothing, else one entry a run.
fn cells(command: &str) -> String {
    let Some(runs) = runs(command) else {
        return "?\t?\t?".to_owned();
    };
    let purpose = |run: &Run| match run.purpose {
        Purpose::Check => "check".to_owned(),
        Purpose::NothingRun(_) => "nothing".to_owned(),
    };
    let masked = |run: &Run| match &run.masked {
        Masked::No => "no".to_owned(),
        Masked::Failure(by) => format!("failure: {by}"),
        Masked::By(by) => format!("by: {by}"),
    };
    [joined(&runs, Run::key), joined(&runs, purpose), joined(&runs, masked)].join("\t")
}

#[test]
fn commands_of_the_table() {
    let rows = table();
    assert!(rows.len() >= 300, "{}", rows.len());
    let wrong: Vec<String> = rows
        .into_iter()
        .filter_map(|(command, line)| {
            let (_, expected) = line.split_once('\t')?;
            let found = cells(&command);
            (found != expected).then(|| format!("{command:?}: {found:?}, not {expected:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn rows_and_names_of_runners_agree() {
    assert!(RUNNERS.is_sorted());
    // These two have no row: their names are the project's own.
    let unlisted = ["npm-script", "script"];
    for name in RUNNERS {
        assert_eq!(
            table::of_runner(name).next().is_some(),
            !unlisted.contains(name),
            "{name}"
        );
    }
    for known in table::all() {
        assert!(RUNNERS.contains(&known.row.name), "{}", known.row.name);
    }
}
